"""The Python API with operators, for notebooks and tests.

K = kernel(n=3)
assert_proved(claim(3 * K("q", "b") < K("q", "a"), given=K.t("q", "b") >= K.t("q", "a") + 2))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from kattn_bounds.prove.prover import Best, Proof, best_constant, prove
from kattn_bounds.setting import Readout
from kattn_bounds.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Relation:
    """One comparison, as text of the claim language."""

    text: str
    kernel: Kernel | None = None

    def __bool__(self) -> bool:
        raise TypeError(
            f"'{self.text}' is a statement, not a truth value: prove it, and do not chain comparisons"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Expression:
    """A term of the claim language, built by operators.

    >>> str((kernel()("q", "b") * 3 < kernel()("q", "a")).text)
    '3*K(q,b) < K(q,a)'
    """

    text: str
    kernel: Kernel | None = None

    def _join(self, other: Any, operator: str, swapped: bool = False) -> Expression:
        left, right = _text(self), _text(other)
        if swapped:
            left, right = right, left
        return Expression(f"({left} {operator} {right})", self.kernel)

    def __add__(self, other: Any) -> Expression:
        return self._join(other, "+")

    def __radd__(self, other: Any) -> Expression:
        return self._join(other, "+", True)

    def __sub__(self, other: Any) -> Expression:
        return self._join(other, "-")

    def __rsub__(self, other: Any) -> Expression:
        return self._join(other, "-", True)

    def __neg__(self) -> Expression:
        return Expression(f"-{self.text}", self.kernel)

    def __mul__(self, other: Any) -> Expression:
        return Expression(f"{_text(other)}*{self.text}", self.kernel)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Expression:
        return Expression(f"{self.text}/{_text(other)}", self.kernel)

    def _compare(self, other: Any, relation: str) -> Relation:
        return Relation(f"{_text(self)} {relation} {_text(other)}", self.kernel)

    def __lt__(self, other: Any) -> Relation:
        return self._compare(other, "<")

    def __le__(self, other: Any) -> Relation:
        return self._compare(other, "<=")

    def __gt__(self, other: Any) -> Relation:
        return self._compare(other, ">")

    def __ge__(self, other: Any) -> Relation:
        return self._compare(other, ">=")

    def __eq__(self, other: object) -> Relation:  # type: ignore[override]
        return self._compare(other, "=")

    __hash__ = None  # type: ignore[assignment]


def _text(value: Any) -> str:
    if isinstance(value, Expression):
        return value.text
    if isinstance(value, Fraction) and value.denominator != 1:
        return f"({value})"
    return str(value)


@dataclass(frozen=True, slots=True)
class Kernel:
    """A solving kernel under given conventions: call it for an entry.

    K("q", "a") is K(q,a), K[1]("q", "a") is K_1(q,a), K.bar sums over the positions before the query, K.N is the free
    readout's numerator; K.t and K.size are <q,a> and |a|; K.parameter("s") is a free integer.
    """

    n: int = 3
    m: int | None = None
    tolerance: Fraction = Fraction(1, 2)
    self_included: bool = True
    readout: Readout = "inner"
    position: int | None = None

    def __call__(self, q: str, a: str) -> Expression:
        name = "K" if self.position is None else f"K_{self.position}"
        return Expression(f"{name}({q},{a})", self)

    def __getitem__(self, position: int) -> Kernel:
        return Kernel(self.n, self.m, self.tolerance, self.self_included, self.readout, position)

    def bar(self, q: str, a: str) -> Expression:
        return Expression(f"Kbar({q},{a})", self)

    def N(self, q: str, a: str) -> Expression:
        return Expression(f"N({q},{a})", self)

    def t(self, q: str, a: str) -> Expression:
        return Expression(f"t({q},{a})", self)

    def size(self, a: str) -> Expression:
        return Expression(f"|{a}|", self)

    def parameter(self, name: str) -> Expression:
        return Expression(name, self)


def kernel(
    n: int = 3,
    m: int | None = None,
    tolerance: Fraction = Fraction(1, 2),
    self_included: bool = True,
    readout: Readout = "inner",
) -> Kernel:
    """A solving kernel at length n, at one m or (None) at every m.

    >>> kernel(n=4)("q", "a").text
    'K(q,a)'
    """
    return Kernel(n, m, tolerance, self_included, readout)


@dataclass(frozen=True, slots=True)
class Claim:
    """An inequality with its conditions and conventions."""

    text: str
    given: tuple[str, ...] = ()
    conventions: Kernel = field(default_factory=Kernel)

    def prove(self) -> Proof:
        """PROVED, REFUTED or UNDECIDED, with the evidence."""
        k = self.conventions
        return prove(
            self.text, self.given, n=k.n, m=k.m, tolerance=k.tolerance,
            self_included=k.self_included, readout=k.readout,
        )  # fmt: skip

    def best(self) -> Best:
        """The largest constant for which the claim holds."""
        k = self.conventions
        return best_constant(
            self.text, self.given, n=k.n, m=k.m, tolerance=k.tolerance,
            self_included=k.self_included, readout=k.readout,
        )  # fmt: skip


def claim(
    inequality: Relation | str,
    given: Relation | str | Sequence[Relation | str] = (),
    conventions: Kernel | None = None,
) -> Claim:
    """A claim from operators or from text; conventions are those of the kernel in it.

    >>> K = kernel(n=3)
    >>> c = claim(3 * K("q", "b") < K("q", "a"), given=K.t("q", "b") >= K.t("q", "a") + 2)
    >>> c.prove().verdict.value
    'PROVED'
    """
    parts = [given] if isinstance(given, Relation | str) else list(given)
    texts = tuple(p.text if isinstance(p, Relation) else p for p in parts)
    if isinstance(inequality, str):
        return Claim(inequality, texts, conventions or Kernel())
    return Claim(inequality.text, texts, conventions or inequality.kernel or Kernel())


def assert_proved(statement: Claim) -> Proof:
    """The proof of a claim, or AssertionError with the counterexample (or the gap) as its text.

    >>> K = kernel()
    >>> len(assert_proved(claim(K("q", "b") < K("q", "a"), K.t("q", "b") == K.t("q", "a") + 1)).derivations)
    1
    """
    found = statement.prove()
    if found.verdict is not Verdict.PROVED:
        raise AssertionError("\n" + found.text())
    return found


def assert_refuted(statement: Claim) -> Proof:
    """The refutation of a claim, or AssertionError with its proof (or the gap) as text."""
    found = statement.prove()
    if found.verdict is not Verdict.REFUTED:
        raise AssertionError("\n" + found.text())
    return found
