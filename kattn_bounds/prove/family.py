"""A claim over a family: every n of a range and every value of a parameter, and the pattern of the multipliers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kattn_bounds.errors import InputError, shorten
from kattn_bounds.prove.prover import Best, Proof

MAX_CASES = 500


def parse_range(text: str, name: str) -> range:
    """An integer or an inclusive range: 3, 3:6, 3..6.

    >>> list(parse_range("3:6", "--n"))
    [3, 4, 5, 6]
    """
    hit = re.fullmatch(r"\s*(\d{1,6})\s*(?:(?::|\.\.)\s*(\d{1,6})\s*)?", text)
    if hit is None:
        raise InputError(f"{name} = {shorten(text)} is not a range: write it as 3 or 3:6")
    first, last = int(hit[1]), int(hit[2] or hit[1])
    if last < first:
        raise InputError(f"{name} = {shorten(text)} is empty: write the smaller end first")
    return range(first, last + 1)


def parse_family(texts: Sequence[str]) -> dict[str, range]:
    """Parameters with their ranges.

    >>> parse_family(["s=1:8"])
    {'s': range(1, 9)}
    """
    found: dict[str, range] = {}
    for text in texts:
        for part in text.split(","):
            name, mark, values = part.partition("=")
            if not mark or not re.fullmatch(r"[a-z][0-9]?", name.strip()):
                raise InputError(
                    f"--family {shorten(text)} cannot be read: write it as s=1:8 with a one-letter name"
                )
            if name.strip() in ("m", "n"):
                raise InputError(f"--family {shorten(text)}: give {name.strip()} by --{name.strip()}")
            found[name.strip()] = parse_range(values, f"--family {name.strip()}")
    return found


def cases(lengths: range, family: dict[str, range]) -> list[tuple[int, dict[str, int]]]:
    """Every n with every choice of parameters. Raises InputError beyond MAX_CASES."""
    total = len(lengths)
    for values in family.values():
        total *= len(values)
    if total > MAX_CASES:
        raise InputError(f"the family has {total} cases: give at most {MAX_CASES}")

    def choices(names: Sequence[str]) -> Iterator[dict[str, int]]:
        if not names:
            yield {}
            return
        for value in family[names[0]]:
            for rest in choices(names[1:]):
                yield {names[0]: value, **rest}

    return [(n, choice) for n in lengths for choice in choices(list(family))]


@dataclass(frozen=True, slots=True)
class FamilyLine:
    """One case of a family."""

    n: int
    parameters: dict[str, int]
    proof: Proof
    best: Best | None


def family_table(lines: Sequence[FamilyLine], width: int = 100) -> str:
    """The cases as a table of at most `width` columns."""
    from kattn_bounds.prove.render import pattern_text

    names = list(lines[0].parameters)
    best = any(line.best is not None for line in lines)
    head = ["n", *names, *(["best"] if best else []), "verdict", "method", "multiplier x sequence"]
    body = []
    for line in lines:
        constant = [] if not best else ["-" if line.best is None else str(line.best.constant)]
        given = [str(line.parameters[x]) for x in names]
        proof = line.proof
        body.append([str(line.n), *given, *constant, proof.verdict.value, proof.method, pattern_text(proof)])
    widths = [max(len(row[i]) for row in [head, *body]) for i in range(len(head) - 1)]
    out = []
    for row in [head, *body]:
        start = "  ".join(f"{cell:>{w}}" for cell, w in zip(row[:-1], widths, strict=True)) + "  "
        room = max(30, width - len(start))
        pieces = _wrap(row[-1], room)
        out.append((start + pieces[0]).rstrip())
        out += [" " * len(start) + piece for piece in pieces[1:]]
    return "\n".join(out)


def _wrap(text: str, room: int) -> list[str]:
    lines = [""]
    for word in re.split(r"(?<=\)) ", text):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > room:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return lines
