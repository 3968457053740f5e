"""Literate proof pages: Markdown whose fenced Python blocks are the checks of the sentence above them.

A page has a title `# ID. Title`, a line `Checks: ...` that says what the checks cover, and prose with blocks

    ```python
    every(lambda s: ..., 8, s=range(1, 9))
    ```

The blocks of a page run in order in one namespace. A step fails when its block raises; the report shows the
sentence above it and the counterexample.
"""

from __future__ import annotations

import ast
import io
import re
import time
import tokenize
import traceback
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from kattn_bounds.errors import InputError, shorten
from kattn_bounds.prove.checks import CheckFailed

MAX_PAGE = 1 << 20
_TITLE = re.compile(r"# +([A-Za-z][A-Za-z0-9_-]*)\. +(.+)")
_NOT_PAGES = {"readme.md", "template.md"}


@dataclass(frozen=True, slots=True)
class Step:
    """One block: its first line in the file, the sentence above it, its code."""

    line: int
    sentence: str
    code: str


@dataclass(frozen=True, slots=True)
class Page:
    """A parsed page. `label` says what its checks cover."""

    path: Path
    id: str
    title: str
    label: str
    steps: tuple[Step, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Failure:
    """A step that failed, with the line in the page and the counterexample."""

    step: Step
    line: int
    source: str
    message: str


@dataclass(frozen=True, slots=True)
class PageResult:
    """What running a page gave; `failure` is None when every step held."""

    page: Page
    seconds: float
    failure: Failure | None


def pages_folder() -> Path:
    """Where the theory's pages are: package data, or the repository's proofs folder."""
    package = Path(__file__).resolve().parents[1]
    shipped = package / "data" / "proofs"
    return shipped if shipped.is_dir() else package.parent / "proofs"


def load_pages(path: Path | None = None) -> list[Page]:
    """The pages of a file or a folder, in the theory's order. Raises InputError for what is no page.

    >>> [page.id for page in load_pages()][:3]
    ['P1', 'P2', 'P3']
    """
    target = pages_folder() if path is None else path
    if target.is_dir():
        files = [f for f in target.glob("*.md") if f.name.lower() not in _NOT_PAGES]
        if not files:
            raise InputError(f"folder '{shorten(target)}' holds no pages: give a folder with .md files")
    elif target.is_file():
        files = [target]
    else:
        raise InputError(f"'{shorten(target)}' does not exist: give a Markdown page or a folder of them")
    pages = [parse_page(f) for f in files]
    return sorted(pages, key=lambda p: _order(p.id))


def find_page(identifier: str) -> Page:
    """The theory's page of one id. Raises InputError that lists the ids."""
    pages = load_pages()
    for page in pages:
        if page.id.lower() == identifier.lower():
            return page
    known = ", ".join(page.id for page in pages)
    raise InputError(
        f"there is no page '{shorten(identifier)}': give one of {known}, or a Rocq theorem such as layer_bound"
    )


def _order(identifier: str) -> tuple[int, str, int]:
    hit = re.fullmatch(r"([A-Za-z]+)(\d+)", identifier)
    letters, number = (hit[1], int(hit[2])) if hit else (identifier, 0)
    known = ["P", "C", "L", "R", "B", "G"]
    return (known.index(letters) if letters in known else len(known), letters, number)


def parse_page(path: Path) -> Page:
    """Read one page. Raises InputError with every fault: title, label, an unclosed block, code that cannot be read."""
    try:
        raw = path.read_bytes()
        text = raw[: MAX_PAGE + 1].decode("utf-8")
    except OSError as error:
        raise InputError(f"cannot read '{shorten(path)}' ({error.strerror}): give a Markdown page") from None
    except UnicodeDecodeError:
        raise InputError(f"page '{shorten(path)}' is not UTF-8 text: save it as UTF-8") from None
    if len(raw) > MAX_PAGE:
        raise InputError(f"page '{shorten(path)}' is larger than 1 MiB: split it")
    return page_of_text(text, path)


def page_of_text(text: str, path: Path) -> Page:
    """Parse the text of a page. Raises InputError with every fault in it."""
    faults = []
    title = next((hit for line in text.splitlines() if (hit := _TITLE.fullmatch(line.strip()))), None)
    if title is None:
        faults.append(f"page '{shorten(path)}' has no title: begin it with a line such as # L1. Layer bound")
    label = re.search(r"^Checks: *(.+(?:\n(?!\n|```).+)*)", text, re.MULTILINE)
    if label is None:
        faults.append(
            f"page '{shorten(path)}' has no label: add a line such as Checks: exhaustive, m <= 5 (what they cover)"
        )
    steps: list[Step] = []
    paragraph: list[str] = []
    code: list[str] | None = None
    other = False
    start = 0
    for number, line in enumerate(text.splitlines(), start=1):
        if code is not None:
            if line.strip() == "```":
                steps.append(Step(start, " ".join(paragraph).strip(), "\n".join(code) + "\n"))
                code = None
            else:
                code.append(line)
        elif other:
            other = line.strip() != "```"
        elif line.strip() in ("```python", "``` python"):
            code, start = [], number + 1
        elif line.lstrip().startswith("```"):
            other = True
        elif line.startswith(("#", "Checks:")):
            paragraph = [line.lstrip("# ")]
        elif line.strip():
            if paragraph and paragraph[-1] == "":
                paragraph = []
            paragraph.append(line.strip())
        else:
            paragraph = [*paragraph, ""] if paragraph else []
    if code is not None or other:
        faults.append(f"page '{shorten(path)}' has a block that is not closed: end it with ```")
    for step in steps:
        try:
            ast.parse(step.code)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            where = step.line + (getattr(error, "lineno", None) or 1) - 1
            faults.append(f"page '{shorten(path)}' line {where}: the check is not Python ({shorten(error)})")
    if not steps and not faults:
        faults.append(f"page '{shorten(path)}' has no check: add a ```python block under a sentence")
    if faults or title is None or label is None:
        raise InputError(faults)
    return Page(path, title[1], title[2], " ".join(label[1].split()), tuple(steps), text)


def run_page(page: Page) -> PageResult:
    """Run the steps of a page in order, until one fails. The page's code is run as it is."""
    began = time.perf_counter()
    name = f"<page {page.path.name}>"
    namespace: dict[str, object] = {"__name__": name}
    failure = None
    for step in page.steps:
        try:
            code = compile("\n" * (step.line - 1) + step.code, name, "exec")
            with redirect_stdout(io.StringIO()):
                exec(code, namespace)
        except (Exception, SystemExit) as error:
            failure = _failure(page, step, name, error)
            break
    return PageResult(page, time.perf_counter() - began, failure)


def _failure(page: Page, step: Step, name: str, error: BaseException) -> Failure:
    frames = [
        (frame, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if frame.f_code.co_filename == name
    ]
    line = frames[-1][1] if frames else step.line
    source = page.text.splitlines()[line - 1].strip()
    if isinstance(error, CheckFailed):
        message = str(error)
    else:
        text = str(error).strip()
        message = f"{type(error).__name__}" + (f": {text}" if text else "")
        if isinstance(error, AssertionError) and not text:
            message = "the assertion is false"
        if frames:
            values = _values(step, line, {**frames[-1][0].f_globals, **frames[-1][0].f_locals})
            message += f" at {values}" if values else ""
    return Failure(step, line, source, message)


def _values(step: Step, line: int, scope: dict[str, object]) -> str:
    """The simple variables that the failing statement reads."""
    found: dict[str, tuple[int, int]] = {}
    for node in ast.walk(ast.parse(step.code)):
        if isinstance(node, ast.stmt) and not isinstance(node, ast.For | ast.If | ast.FunctionDef | ast.With):
            first, last = node.lineno + step.line - 1, (node.end_lineno or node.lineno) + step.line - 1
            if first <= line <= last:
                for name in ast.walk(node):
                    if isinstance(name, ast.Name):
                        place = (name.lineno, name.col_offset)
                        found[name.id] = min(place, found.get(name.id, place))
    names = sorted(found, key=found.__getitem__)
    simple = (int, float, str, Fraction, tuple, list)
    shown = [(n, scope[n]) for n in names if isinstance(scope.get(n), simple)]
    return ", ".join(f"{name} = {shorten(value, 80)}" for name, value in shown)


@dataclass(frozen=True, slots=True)
class Mutant:
    """A page with one number of one check changed."""

    page: Page
    step: Step
    line: int
    old: str
    new: str


def mutants(page: Page) -> Iterator[Mutant]:
    """Every page that differs in one number of its checks: n becomes n + 1, in code and inside quoted claims.

    For the test that no number in a page is idle.
    """
    for index, step in enumerate(page.steps):
        lines = step.code.splitlines(keepends=True)
        offsets = [0]
        for line in lines:
            offsets.append(offsets[-1] + len(line))
        spots: list[tuple[int, int, int]] = []
        for token in tokenize.generate_tokens(io.StringIO(step.code).readline):
            position = offsets[token.start[0] - 1] + token.start[1]
            if token.type == tokenize.NUMBER:
                spots.append((position, position + len(token.string), token.start[0]))
            elif token.type == tokenize.STRING:
                spots += [
                    (position + hit.start(), position + hit.end(), token.start[0])
                    for hit in re.finditer(r"(?<![\w.])\d+(\.\d+)?(?![\w.])", token.string)
                ]
        for first, last, row in spots:
            old = step.code[first:last]
            new = _changed(old)
            changed = replace(step, code=step.code[:first] + new + step.code[last:])
            steps = (*page.steps[:index], changed, *page.steps[index + 1 :])
            yield Mutant(replace(page, steps=steps), step, step.line + row - 1, old, new)


def _changed(number: str) -> str:
    clean = number.replace("_", "")
    if re.fullmatch(r"\d+", clean):
        if len(clean) > 1 and clean.startswith("0"):  # digits of a bit string
            return clean[:-1] + ("1" if clean[-1] == "0" else "0")
        return str(int(clean) + 1)
    if clean.startswith(("0b", "0B")):
        return bin(int(clean, 2) + 1)
    value = float(clean)
    digits = len(clean.partition(".")[2]) if "e" not in clean.lower() else None
    return repr(value * 2) if digits is None else f"{value + 10.0**-digits:.{digits}f}"
