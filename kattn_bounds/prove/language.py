"""The language of claims and conditions: linear inequalities over kernel entries, linear conditions on levels.

    3*K(q,b) < K(q,a)                        a claim: linear and homogeneous in K, K_j, Kbar, N
    3*K(110,111) < K(110,001)                the same for concrete tokens, bit strings of one length m
    t(q,b) >= t(q,a)+2, |q| <= 5             conditions: linear over t(q,a), |q|, |a|, m, n and integer parameters (s, r, ...)

Coefficients of a claim may use n, m, tau, levels, sizes and parameters, as in (n-2)*(2*s-1)*Kbar(q,b) < Kbar(q,a).
Everything is exact: numbers are fractions, and `Affine` is a linear form in named integer variables.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor, gcd, lcm
from typing import NamedTuple

from kattn_bounds.errors import InputError, shorten

MAX_TEXT = 2000
MAX_POWER = 64
_PARAMETER = re.compile(r"[a-z][0-9]?$")
_BITS = re.compile(r"[01]+$")
_CALL = re.compile(r"\b(K(?:_\d+|bar)?|N|t)\(\s*(\w+)\s*,\s*(\w+)\s*\)")
_FLIP = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "="}
_HELP = "use K(q,a), K_1(q,a), Kbar(q,a), N(q,a), t(q,a), |q|, |a|, m, n, tau and one-letter parameters"


@dataclass(frozen=True)
class Affine:
    """A linear form: sum of coefficient * variable, plus a constant. Exact.

    >>> x, y = Affine.variable("x"), Affine.variable("y")
    >>> str(2 * x - y + 1), str((x + x) * Fraction(1, 2))
    ('2x - y + 1', 'x')
    >>> (2 * x - y).value({"x": 3, "y": 1})
    Fraction(5, 1)
    """

    terms: Mapping[str, Fraction] = field(default_factory=dict)
    constant: Fraction = Fraction(0)

    @staticmethod
    def variable(name: str) -> Affine:
        return Affine({name: Fraction(1)})

    @staticmethod
    def number(value: int | Fraction) -> Affine:
        return Affine({}, Fraction(value))

    @property
    def is_number(self) -> bool:
        return not self.terms

    def __add__(self, other: Affine | int | Fraction) -> Affine:
        if not isinstance(other, Affine):
            return Affine(self.terms, self.constant + other)
        terms = dict(self.terms)
        for name, coefficient in other.terms.items():
            terms[name] = terms.get(name, Fraction(0)) + coefficient
        return Affine({k: c for k, c in terms.items() if c}, self.constant + other.constant)

    __radd__ = __add__

    def __neg__(self) -> Affine:
        return self * Fraction(-1)

    def __sub__(self, other: Affine | int | Fraction) -> Affine:
        return self + (-other)

    def __mul__(self, factor: int | Fraction) -> Affine:
        if not factor:
            return Affine()
        return Affine({k: c * factor for k, c in self.terms.items()}, self.constant * factor)

    __rmul__ = __mul__

    def value(self, point: Mapping[str, int | Fraction]) -> Fraction:
        """The form at a point; KeyError if a variable is missing."""
        return sum((c * point[k] for k, c in self.terms.items()), self.constant)

    def substitute(self, point: Mapping[str, int | Fraction]) -> Affine:
        """The form with some variables replaced by numbers."""
        rest = {k: c for k, c in self.terms.items() if k not in point}
        fixed = sum((c * point[k] for k, c in self.terms.items() if k in point), self.constant)
        return Affine(rest, fixed)

    def integral(self) -> Affine:
        """The form f of the condition f >= 0 over integers, in lowest terms with the constant rounded down.

        >>> str((2 * Affine.variable("x") - 1).integral())
        'x - 1'
        """
        if not self.terms:
            return Affine({}, Fraction((self.constant > 0) - (self.constant < 0)))
        scale = lcm(*(c.denominator for c in self.terms.values()))
        common = gcd(*(int(c * scale) for c in self.terms.values()))
        factor = Fraction(scale, common)
        return Affine({k: c * factor for k, c in self.terms.items()}, Fraction(floor(self.constant * factor)))

    def __str__(self) -> str:
        text = ""
        for name, c in self.terms.items():
            size = "" if abs(c) == 1 else str(abs(c)) + ("*" if c.denominator > 1 else "")
            sign = ("-" if c < 0 else "") if not text else (" - " if c < 0 else " + ")
            text += sign + size + name
        if self.constant or not text:
            c = self.constant
            sign = ("-" if c < 0 else "") if not text else (" - " if c < 0 else " + ")
            text += sign + str(abs(c))
        return text


class Entry(NamedTuple):
    """One unknown of a query's row: K(q,token), K_position(q,token) or N(q,token)."""

    kind: str
    position: int | None
    token: str

    def show(self, query: str) -> str:
        index = "" if self.position is None else f"_{self.position}"
        return f"{self.kind}{index}({query},{self.token})"


Linear = dict[Entry, Affine]
"""A linear expression in entries; the claim is that it is < 0 or <= 0."""


@dataclass(frozen=True)
class Statement:
    """A parsed claim with its conditions: for every query and tokens with all `conditions` >= 0, `left` < 0 (or <= 0).

    query, tokens   their names; `tokens` holds every other named token, in order of appearance
    conditions      forms that are >= 0 over the integers
    parameters      free integer parameters of the conditions
    unknown         the constant that --best looks for, or None
    concrete        the bit masks of the tokens when they are given as bit strings, else empty
    """

    text: str
    given: str
    left: Linear
    strict: bool
    query: str
    tokens: tuple[str, ...]
    conditions: tuple[Affine, ...]
    parameters: tuple[str, ...]
    positions: bool
    free: bool
    unknown: str | None
    concrete: Mapping[str, int] = field(default_factory=dict)


def concrete_length(texts: Iterable[str]) -> int | None:
    """The length of the bit strings that stand for tokens in a claim and its conditions; None when there are none.

    Raises InputError when bit strings and names are mixed, or lengths differ.

    >>> concrete_length(["3*K(110,111) < K(110,001)"]), concrete_length(["K(q,a) < K(q,b)"])
    (3, None)
    """
    names = [name for text in texts for hit in _CALL.finditer(text) for name in hit.groups()[1:]]
    lengths = {len(name) for name in names if _BITS.match(name)}
    if not lengths:
        return None
    mixed = sorted(name for name in names if not _BITS.match(name))
    if mixed:
        raise InputError(
            f"token '{mixed[0]}' stands beside bit strings: name all tokens, or write all as bit strings"
        )
    if len(lengths) > 1:
        raise InputError(f"tokens have {' and '.join(map(str, sorted(lengths)))} bits: give one length")
    return lengths.pop()


def size_name(token: str) -> str:
    return f"|{token}|"


def level_name(query: str, token: str) -> str:
    return size_name(query) if token == query else f"t({query},{token})"


def parse_statement(
    text: str,
    given: Iterable[str] = (),
    *,
    n: int,
    tau: Fraction,
    m: int | None = None,
    parameters: Mapping[str, int] | None = None,
    best: bool = False,
    positions: bool = False,
    free: bool = False,
) -> Statement:
    """Parse a claim and its conditions at one n, with some parameters fixed.

    Raises InputError with one line per fault: unknown names, products of entries, constants in a homogeneous claim.

    >>> s = parse_statement("3*K(q,b) < K(q,a)", ["t(q,b) >= t(q,a)+2"], n=3, tau=Fraction(1, 2))
    >>> [(e.show("q"), str(c)) for e, c in s.left.items()], [str(c) for c in s.conditions]
    ([('K(q,b)', '3'), ('K(q,a)', '-1')], ['t(q,b) - t(q,a) - 2'])
    >>> parse_statement("K(q,a)*K(q,b) < 1", n=3, tau=Fraction(1, 2))
    Traceback (most recent call last):
        ...
    kattn_bounds.errors.InputError: claim 'K(q,a)*K(q,b) < 1' multiplies two kernel entries: a claim must be linear in them
    """
    numbers: dict[str, Fraction] = {"n": Fraction(n), "tau": tau}
    if m is not None:
        numbers["m"] = Fraction(m)
    for name, value in (parameters or {}).items():
        numbers[name] = Fraction(value)
    reader = _Reader(text, numbers, n)
    claim_tree = reader.parse(text, "claim")
    given_texts = [g for g in given if g.strip()]
    condition_trees = [(g, reader.parse(g, "condition")) for g in given_texts]
    reader.collect_names([claim_tree, *(tree for _, tree in condition_trees)])

    conditions: list[Affine] = []
    for source, tree in condition_trees:
        reader.context = f"condition '{shorten(source)}'"
        conditions += reader.conditions(tree)
    bound = {name for form in conditions for name in form.terms if _PARAMETER.match(name) and name != "m"}

    reader.context = f"claim '{shorten(text)}'"
    left, strict = reader.claim(claim_tree)
    loose = sorted(
        {name for form in left.values() for name in form.terms if _PARAMETER.match(name)} - bound - {"m"}
    )
    unknown = None
    if best:
        if len(loose) != 1:
            found = ", ".join(loose) or "none"
            raise InputError(
                f"{reader.context} has {found} as constant to find: write one, for instance c*K(q,b) < K(q,a)"
            )
        unknown = loose[0]
    elif loose:
        raise InputError(
            f"unknown name '{loose[0]}' in {reader.context}: {_HELP}, bound by --given or --family"
        )
    if not left:
        raise InputError(f"{reader.context} says nothing: its entries cancel")

    concrete = {x: int(x, 2) for x in sorted(reader.token_names) if _BITS.match(x)}
    mentioned = {name for form in [*conditions, *left.values()] for name in form.terms}
    for x, mask in concrete.items():
        facts = {level_name(reader.query, x): (concrete[reader.query] & mask).bit_count()}
        if size_name(x) in mentioned:
            facts[size_name(x)] = mask.bit_count()
        for name, number in facts.items():
            difference = Affine.variable(name) - number
            conditions += [difference, -difference]

    tokens = [e.token for e in left if e.token != reader.query]
    for form in [*conditions, *left.values()]:
        for name in form.terms:
            for pattern in (r"t\(\w+,(\w+)\)$", r"\|(\w+)\|$"):
                hit = re.match(pattern, name)
                if hit and hit[1] != reader.query:
                    tokens.append(hit[1])
    indexed = any(e.position is not None for e in left)
    if (positions or indexed) and any(e.position is None for e in left):
        raise InputError(
            f"{reader.context} uses K without a position in a position-dependent setting: "
            "write K_1(q,a) or Kbar(q,a) throughout"
        )
    if indexed and (free or any(e.kind == "N" for e in left)):
        raise InputError(f"{reader.context} mixes positions with the free readout: use one of them")
    return Statement(
        text=" ".join(text.split()),
        given=", ".join(" ".join(g.split()) for g in given_texts),
        left=left,
        strict=strict,
        query=reader.query,
        tokens=tuple(dict.fromkeys(tokens)),
        conditions=tuple(conditions),
        parameters=tuple(sorted(bound)),
        positions=positions or indexed,
        free=free or any(e.kind == "N" for e in left),
        unknown=unknown,
        concrete=concrete,
    )


class _Reader:
    """Turns syntax trees into forms, with every fault named."""

    def __init__(self, text: str, numbers: dict[str, Fraction], n: int) -> None:
        self.numbers, self.n = numbers, n
        self.context = f"claim '{shorten(text)}'"
        self.query = "q"
        self.token_names: set[str] = set()

    def parse(self, text: str, what: str) -> ast.expr:
        if len(text) > MAX_TEXT:
            raise InputError(f"{what} has {len(text)} characters: give at most {MAX_TEXT}")
        clean = text.replace("≤", "<=").replace("≥", ">=").replace("−", "-")
        clean = _CALL.sub(lambda hit: f"{hit[1]}({_identifier(hit[2])},{_identifier(hit[3])})", clean)
        clean = re.sub(r"\|\s*(\w+)\s*\|", lambda hit: f"size({_identifier(hit[1])})", clean)
        clean = re.sub(r"(?<![<>=!])=(?!=)", "==", clean)
        try:
            return ast.parse(clean.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise InputError(
                f"{what} '{shorten(text)}' cannot be read: write it like 3*K(q,b) < K(q,a) or t(q,b) >= t(q,a)+2"
            ) from None

    def collect_names(self, trees: list[ast.expr]) -> None:
        """Token names are the arguments of K, N, t and |.|; the query is the first argument of every entry."""
        queries: list[str] = []
        calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
        for call in calls:
            if not isinstance(call.func, ast.Name):
                raise InputError(f"{self.context} cannot be read: {_HELP}")
            name = call.func.id
            if not re.match(r"(K|N|K_\d+|Kbar|t|size)$", name):
                raise InputError(f"unknown name '{shorten(name)}' in {self.context}: {_HELP}")
            arguments = _arguments(call)
            wanted = 1 if name == "size" else 2
            if len(arguments) != wanted or len(call.args) != wanted or call.keywords:
                raise InputError(
                    f"{name}(...) in {self.context} takes {wanted} token name{'s' * (wanted > 1)}: {_HELP}"
                )
            self.token_names.update(arguments)
            if name not in ("t", "size"):
                queries.append(arguments[0])
        if not queries:
            raise InputError(f"{self.context} has no kernel entry: {_HELP}")
        if len(set(queries)) > 1:
            raise InputError(
                f"{self.context} speaks of the rows of {' and '.join(sorted(set(queries)))}: rows of different "
                "queries are independent conditions, so state one claim per row"
            )
        self.query = queries[0]
        clash = sorted(self.token_names & (set(self.numbers) | {"m"}))
        if clash:
            raise InputError(f"'{clash[0]}' is a number and cannot name a token in {self.context}: rename it")

    def claim(self, tree: ast.expr) -> tuple[Linear, bool]:
        if not isinstance(tree, ast.Compare) or len(tree.ops) != 1 or type(tree.ops[0]) not in _FLIP:
            raise InputError(f"{self.context} is not one inequality: write left < right, with <, <=, > or >=")
        relation = _FLIP[type(tree.ops[0])]
        if relation == "=":
            raise InputError(f"{self.context} is an equality: state it as two inequalities, <= and >=")
        left, right = self.linear(tree.left), self.linear(tree.comparators[0])
        if relation in (">", ">="):
            left, right = right, left
        total: Linear = dict(left[0])
        for entry, form in right[0].items():
            total[entry] = total.get(entry, Affine()) - form
        constant = left[1] - right[1]
        if constant.terms or constant.constant:
            raise InputError(
                f"{self.context} has the constant {constant} beside the entries: solving kernels may be scaled, "
                "so a claim must be homogeneous (compare with 0)"
            )
        total = {e: f for e, f in total.items() if f.terms or f.constant}
        return total, relation in ("<", ">")

    def linear(self, node: ast.expr) -> tuple[Linear, Affine]:
        """A sum of coefficient * entry, and the part without entries."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            name = node.func.id
            arguments = _arguments(node)
            if name in ("K", "N"):
                return {Entry(name, None, arguments[1]): Affine.number(1)}, Affine()
            if name == "Kbar":
                if self.n < 2:
                    raise InputError(
                        f"Kbar in {self.context} needs n >= 2: it sums over the positions before the query"
                    )
                return {Entry("K", j, arguments[1]): Affine.number(1) for j in range(1, self.n)}, Affine()
            if name.startswith("K_"):
                position = int(name[2:])
                if not 1 <= position <= self.n:
                    raise InputError(f"{name} in {self.context}: positions are 1..{self.n} at n = {self.n}")
                return {Entry("K", position, arguments[1]): Affine.number(1)}, Affine()
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            entries, rest = self.linear(node.operand)
            sign = -1 if isinstance(node.op, ast.USub) else 1
            return {e: f * sign for e, f in entries.items()}, rest * sign
        if isinstance(node, ast.BinOp):
            if isinstance(node.op, ast.Pow):
                return {}, self.power(node)
            left, right = self.linear(node.left), self.linear(node.right)
            if isinstance(node.op, ast.Add | ast.Sub):
                sign = 1 if isinstance(node.op, ast.Add) else -1
                total = dict(left[0])
                for entry, form in right[0].items():
                    total[entry] = total.get(entry, Affine()) + form * sign
                return total, left[1] + right[1] * sign
            if isinstance(node.op, ast.Mult):
                if left[0] and right[0]:
                    raise InputError(
                        f"{self.context} multiplies two kernel entries: a claim must be linear in them"
                    )
                entries, form = (left[0], right[1]) if left[0] else (right[0], left[1])
                if not entries:
                    return {}, self.product(left[1], right[1])
                other = left[1] if left[0] else right[1]
                return {e: self.product(f, form) for e, f in entries.items()}, self.product(other, form)
            if isinstance(node.op, ast.Div):
                if right[0] or not right[1].is_number:
                    raise InputError(
                        f"{self.context} divides by something that is not a number: multiply it out"
                    )
                if not right[1].constant:
                    raise InputError(f"{self.context} divides by zero: give another divisor")
                inverse = 1 / right[1].constant
                return {e: f * inverse for e, f in left[0].items()}, left[1] * inverse
        return {}, self.atom(node)

    def power(self, node: ast.BinOp) -> Affine:
        (base_entries, base), (_, exponent) = self.linear(node.left), self.linear(node.right)
        whole = exponent.is_number and exponent.constant.denominator == 1
        if base_entries or not base.is_number or not whole or abs(exponent.constant) > MAX_POWER:
            raise InputError(
                f"{self.context} has a power that is not number**integer (at most {MAX_POWER}): "
                "a claim must be linear in the entries"
            )
        if not base.constant and exponent.constant < 0:
            raise InputError(f"{self.context} divides by zero: give another divisor")
        return Affine.number(base.constant ** int(exponent.constant))

    def product(self, x: Affine, y: Affine) -> Affine:
        if x.is_number:
            return y * x.constant
        if y.is_number:
            return x * y.constant
        raise InputError(
            f"{self.context} multiplies ({x}) by ({y}): only linear forms are handled, fix a parameter with --family"
        )

    def atom(self, node: ast.expr) -> Affine:
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, int)
            and not isinstance(node.value, bool)
        ):
            return Affine.number(node.value)
        if isinstance(node, ast.Constant) and isinstance(node.value, float):
            return Affine.number(Fraction(repr(node.value)))
        if isinstance(node, ast.Name):
            name = node.id
            if name in self.numbers:
                return Affine.number(self.numbers[name])
            if name in self.token_names:
                raise InputError(
                    f"'{name}' is a token in {self.context}, not a number: write t({self.query},{name})"
                )
            if name == "m" or _PARAMETER.match(name):
                return Affine.variable(name)
            raise InputError(f"unknown name '{shorten(name)}' in {self.context}: {_HELP}")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            arguments = _arguments(node)
            if node.func.id == "size":
                return Affine.variable(size_name(arguments[0]))
            if self.query not in arguments:
                raise InputError(
                    f"t({','.join(arguments)}) in {self.context} leaves out the query {self.query}: "
                    f"the row of {self.query} depends on t({self.query},.) alone"
                )
            other = arguments[1] if arguments[0] == self.query else arguments[0]
            return Affine.variable(level_name(self.query, other))
        raise InputError(f"{self.context} cannot be read: {_HELP}")

    def conditions(self, tree: ast.expr) -> list[Affine]:
        if isinstance(tree, ast.Tuple):
            return [form for part in tree.elts for form in self.conditions(part)]
        if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And):
            return [form for part in tree.values for form in self.conditions(part)]
        if not isinstance(tree, ast.Compare):
            raise InputError(f"{self.context} is not a comparison: write it like t(q,b) >= t(q,a)+2")
        found: list[Affine] = []
        sides = [tree.left, *tree.comparators]
        for left_node, op, right_node in zip(sides, tree.ops, sides[1:], strict=False):
            if type(op) not in _FLIP:
                raise InputError(
                    f"{self.context} uses a comparison other than =, <=, >=, <, >: state two cases instead"
                )
            (left_entries, left), (right_entries, right) = self.linear(left_node), self.linear(right_node)
            if left_entries or right_entries:
                raise InputError(
                    f"{self.context} speaks of kernel entries: conditions are on t(q,a), |q|, |a|, m, n and parameters"
                )
            difference, relation = left - right, _FLIP[type(op)]
            if relation in (">=", "=", ">"):
                found.append(_at_least(difference, relation == ">"))
            if relation in ("<=", "=", "<"):
                found.append(_at_least(-difference, relation == "<"))
        return found


def _identifier(name: str) -> str:
    """A bit string as a Python identifier."""
    return f"_{name}" if _BITS.match(name) else name


def _arguments(call: ast.Call) -> list[str]:
    """The token names of a call; bit strings as they were written."""
    names = [a.id for a in call.args if isinstance(a, ast.Name)]
    return [name[1:] if name.startswith("_") and _BITS.match(name[1:]) else name for name in names]


def _at_least(form: Affine, strictly: bool) -> Affine:
    """f >= 0 or f > 0 over integers, as g >= 0."""
    if strictly:
        scale = lcm(*(c.denominator for c in (*form.terms.values(), form.constant)))
        form = form * scale - 1
    return form.integral()
