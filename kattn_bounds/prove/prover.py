"""`prove`: a linear inequality between kernel entries is derived from the solving conditions, or broken by a solving kernel.

Scope. With m given, every class of query and tokens at that m is settled (method `orbit`). Without m, the claim is about every m:
each derivation found at one class is turned into one with levels as variables, valid on a polyhedron of classes, and exact
arithmetic shows that finitely many such polyhedra cover all classes of all m (method `symbolic`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from typing import cast

from kattn_bounds.errors import InputError, shorten
from kattn_bounds.kernels.base import EXHAUSTIVE_MAX_M
from kattn_bounds.prove.classes import Pattern, Point, claim_values, patterns, points, region
from kattn_bounds.prove.exactlp import certainly_empty, covered
from kattn_bounds.prove.farkas import BestConstant, ClassSystem, Multipliers, check
from kattn_bounds.prove.instance import Counterexample, extend
from kattn_bounds.prove.language import (
    Affine,
    Entry,
    Statement,
    concrete_length,
    level_name,
    parse_statement,
    size_name,
)
from kattn_bounds.prove.system import Convention, Row
from kattn_bounds.setting import Readout, Setting
from kattn_bounds.verdict import Method, Verdict

DEFAULT_MAX_M = 10
MAX_CLASSES = 20_000
_STAGES = 3


@dataclass(frozen=True, slots=True)
class Derivation:
    """A proof on a polyhedron of classes: claim = sum multiplier * row - sum residual * K, residuals >= 0 there.

    levels      of every symbol, as linear forms; a symbol that the statement does not name is any token on its level
    conditions  forms that are >= 0 where the derivation holds
    residuals   the non-negative forms
    base        the class it was found at, with its tokens
    merged      names that stand for one token (empty: none need to)
    """

    steps: tuple[tuple[Row, Fraction], ...]
    levels: Mapping[str, Affine]
    conditions: tuple[Affine, ...]
    residuals: Mapping[Entry, Affine]
    base: Point
    merged: Mapping[str, str] = field(default_factory=dict)

    def holds_at(self, point: Mapping[str, int]) -> bool:
        return all(form.value(point) >= 0 for form in self.conditions)


@dataclass(frozen=True, slots=True)
class Proof:
    """What `prove` found. Exit codes and methods as everywhere in the package.

    classes     number of classes of query and tokens looked at
    derivations those that together cover the claim (when PROVED)
    counterexample   a whole solving kernel that breaks it (when REFUTED)
    reason      why not (when UNDECIDED)
    """

    verdict: Verdict
    method: Method
    statement: Statement
    convention: Convention
    m: int | None
    classes: int
    derivations: tuple[Derivation, ...] = ()
    counterexample: Counterexample | None = None
    reason: str = ""

    def setting(self, m: int) -> Setting:
        """The setting at one m."""
        c = self.convention
        readout: Readout = "free" if c.free else "inner"
        return Setting(m, c.n, c.tau, c.self_included, readout)

    def text(self) -> str:
        """The proof, or the counterexample, for a terminal."""
        from kattn_bounds.prove.render import text

        return text(self)

    def latex(self) -> str:
        """The derivation as LaTeX `align*` blocks. Raises InputError when nothing was proved."""
        from kattn_bounds.prove.render import latex

        return latex(self)

    def certificates(self) -> list[dict[str, object]]:
        """One `derivation` certificate for each derivation, at the class it was found at."""
        from kattn_bounds.prove.render import certificates

        return certificates(self)


@dataclass(frozen=True, slots=True)
class Best:
    """The largest constant c of a claim, the proof at that constant, and why no larger one does.

    limit_point, limit   a class and entries with every condition at most 0 on which the claim at c is an equality: near them
                         there are solving kernels that break every larger constant
    """

    constant: Fraction
    proof: Proof
    limit_point: Point
    limit: Mapping[Entry, Fraction]
    limit_levels: Mapping[str, int]


def prove(
    text: str,
    given: Iterable[str] | str = (),
    *,
    n: int = 3,
    m: int | None = None,
    tolerance: Fraction = Fraction(1, 2),
    self_included: bool = True,
    readout: Readout = "inner",
    positions: bool = False,
    parameters: Mapping[str, int] | None = None,
    max_m: int = DEFAULT_MAX_M,
) -> Proof:
    """Derive a linear claim over kernel entries from the solving conditions, or refute it by a solving kernel.

    The claim is about every query and all tokens that satisfy the conditions, at the given m, or at every m. Exact. Raises
    InputError for a claim that cannot be read, contradictory conditions, or conditions that no tokens satisfy.

    >>> prove("3*K(q,b) < K(q,a)", "t(q,b) >= t(q,a)+2").verdict.value
    'PROVED'
    >>> prove("2*K(q,b) < K(q,a)", "t(q,b) = t(q,a)+1").counterexample.m
    2
    """
    convention, statement, m = _read(
        text, given, n, m, tolerance, self_included, readout, positions, parameters, best=False
    )
    return _Prover(statement, convention, m, max_m).run()


def best_constant(
    text: str,
    given: Iterable[str] | str = (),
    *,
    n: int = 3,
    m: int | None = None,
    tolerance: Fraction = Fraction(1, 2),
    self_included: bool = True,
    readout: Readout = "inner",
    positions: bool = False,
    parameters: Mapping[str, int] | None = None,
    max_m: int = 12,
) -> Best:
    """The largest c for which a claim such as c*K(q,b) < K(q,a) follows; exact, proved at c and tight.

    Raises InputError when every c or no c works, or when none could be confirmed up to max_m.

    >>> str(best_constant("c*K(q,b) < K(q,a)", "t(q,b) = t(q,a)+2").constant)
    '3'
    """
    convention, statement, m = _read(
        text, given, n, m, tolerance, self_included, readout, positions, parameters, best=True
    )
    return _best(statement, convention, m, max_m)


def _read(
    text: str,
    given: Iterable[str] | str,
    n: int,
    m: int | None,
    tolerance: Fraction,
    self_included: bool,
    readout: Readout,
    positions: bool,
    parameters: Mapping[str, int] | None,
    best: bool,
) -> tuple[Convention, Statement, int | None]:
    texts = [text, *([given] if isinstance(given, str) else given)]
    length = concrete_length(texts)
    if length is not None and m not in (None, length):
        raise InputError(f"m = {m}, but the tokens have {length} bits: leave m out, or give m = {length}")
    m = length if length is not None else m
    Setting(1 if m is None else m, n, tolerance, self_included, readout)
    if n > 64:
        raise InputError(f"n = {n} is too large for a derivation: give n <= 64")
    if m is not None and m > EXHAUSTIVE_MAX_M:
        raise InputError(
            f"m = {m} is too large to settle every class: give m <= {EXHAUSTIVE_MAX_M}, or leave m out for every m"
        )
    statement = parse_statement(
        text,
        texts[1:],
        n=n,
        tau=tolerance,
        m=m,
        parameters=parameters,
        best=best,
        positions=positions,
        free=readout == "free",
    )
    for entry in statement.left:
        if entry.position == n and (entry.token != statement.query or not self_included):
            raise InputError(
                f"{entry.show(statement.query)} is read by no sequence: position {n} is the query's own"
                + ("" if self_included else ", which does not attend to itself")
            )
    return Convention(n, tolerance, self_included, statement.positions, statement.free), statement, m


class _Prover:
    """One run: walks over the classes, small m first, and keeps the derivations found."""

    def __init__(self, statement: Statement, convention: Convention, m: int | None, max_m: int) -> None:
        self.statement, self.convention, self.m, self.max_m = statement, convention, m, max_m
        self.region = region(statement, m)
        self.pieces: list[Derivation] = []
        self.single: list[Derivation] = []
        self.classes = 0
        self.systems: dict[object, ClassSystem] = {}
        self.formal: dict[object, Multipliers | None] = {}

    def run(self) -> Proof:
        if certainly_empty(self.region):
            raise InputError(
                f"conditions '{shorten(self.statement.given)}' contradict each other"
                + ("" if self.m is None else f" at m = {self.m}")
                + ": no query and tokens satisfy them"
            )
        complete = True
        for m in [self.m] if self.m is not None else range(1, self.max_m + 1):
            for point in points(self.statement, m):
                self.classes += 1
                if self.classes > MAX_CLASSES:
                    return self.undecided(f"more than {MAX_CLASSES} classes of query and tokens", m)
                if any(d.holds_at(point) for d in self.pieces):
                    continue
                found = self.settle(point)
                if isinstance(found, Proof):
                    return found
                complete &= found
                if self.m is None and complete and self._covered():
                    return self.proved("symbolic")
            if self.m is not None:
                break
        if not self.classes:
            where = f"m = {self.m}" if self.m is not None else f"m <= {self.max_m}"
            raise InputError(
                f"no query and tokens satisfy '{shorten(self.statement.given)}' at {where}: "
                "change the conditions, or give a larger m"
            )
        if self.m is not None:
            return self.proved("symbolic" if complete and self._covered() else "orbit")
        return self.undecided(
            f"the derivations found hold for all m <= {self.max_m} but cover no general case", None
        )

    def _covered(self) -> bool:
        return bool(self.pieces) and covered(self.region, [d.conditions for d in self.pieces])

    def proved(self, method: Method) -> Proof:
        used = tuple(self.pieces + self.single)
        return Proof(
            Verdict.PROVED, method, self.statement, self.convention, self.m, self.classes, derivations=used
        )

    def undecided(self, reason: str, m: int | None) -> Proof:
        where = "" if m is None else f" (reached at m = {m})"
        return Proof(
            Verdict.UNDECIDED,
            "certificate",
            self.statement,
            self.convention,
            self.m,
            self.classes,
            derivations=tuple(self.pieces + self.single),
            reason=reason + where,
        )

    def settle(self, point: Point) -> Proof | bool:
        """Prove the claim at one class: True when by a general derivation, False when for equal tokens only."""
        piece = self.general(point)
        if piece is not None:
            self.pieces.append(piece)
            return True
        stuck: Pattern | None = None
        for pattern in patterns(self.statement, point):
            outcome = self.at_pattern(point, pattern)
            if isinstance(outcome, Derivation):
                self.single.append(outcome)
            elif isinstance(outcome, Counterexample):
                return Proof(
                    Verdict.REFUTED,
                    "exhaustive",
                    self.statement,
                    self.convention,
                    self.m,
                    self.classes,
                    counterexample=outcome,
                )
            else:
                stuck = pattern
        if stuck is not None:
            return self.undecided(
                "neither multipliers nor a kernel could be confirmed exactly at "
                + ", ".join(f"{name} = {value}" for name, value in point.items()),
                None,
            )
        return False

    def general(self, point: Point) -> Derivation | None:
        """A derivation with every named token distinct, and all levels as variables."""
        query = self.statement.query
        named = {query: point[size_name(query)]}
        named |= {x: point[level_name(query, x)] for x in self.statement.tokens}
        merge = {x: x for x in named}
        claim = cast("dict[Entry, Fraction]", claim_values(self.statement, point, merge))
        key = (tuple(named.items()), tuple(claim.items()))
        if key not in self.formal:
            self.formal[key] = self.derive(named, claim, range(named[query] + 1))[0]
        found = self.formal[key]
        return None if found is None else self.generalise(found, named, point)

    def derive(
        self, named: Mapping[str, int], claim: Mapping[Entry, Fraction], extras: Iterable[int]
    ) -> tuple[Multipliers | None, ClassSystem]:
        """Multipliers over ever larger systems: the named tokens, those between them, all levels."""
        low, high = (
            min(named.values()),
            max(v for x, v in named.items() if x != self.statement.query or len(named) == 1),
        )
        system = None
        for stage in range(_STAGES):
            chosen = [t for t in extras if stage == 2 or (stage == 1 and low < t < high)]
            levels = {**named, **{f"@{t}": t for t in chosen}}
            if system is not None and len(levels) == len(system.levels):
                continue
            system = self.system(levels)
            found = system.derive(claim, self.statement.strict, set(named))
            if found is not None and check(found, system, claim):
                return found, system
        assert system is not None
        return None, system

    def system(self, levels: Mapping[str, int]) -> ClassSystem:
        key = tuple(levels.items())
        if key not in self.systems:
            self.systems[key] = ClassSystem(levels, self.statement.query, self.convention)
        return self.systems[key]

    def generalise(self, found: Multipliers, named: Mapping[str, int], point: Point) -> Derivation | None:
        """Levels become variables; a token without a name is tied to the named level below or above it."""
        query = self.statement.query
        extras = sorted({x for row, _ in found.steps for x in row.sequence if x not in named})
        options = []
        for x in extras:
            level = int(x[1:])
            below = max((v for v in named.values() if v <= level), default=None)
            above = min((v for v in named.values() if v >= level), default=None)
            anchors = [v for v in dict.fromkeys((below, above)) if v is not None]
            options.append([next(name for name, v in named.items() if v == anchor) for anchor in anchors])
        first: Derivation | None = None
        for choice in list(product(*options))[:16]:
            levels = {x: Affine.variable(level_name(query, x)) for x in named}
            for x, anchor in zip(extras, choice, strict=True):
                levels[x] = Affine.variable(level_name(query, anchor)) + (int(x[1:]) - named[anchor])
            piece = self._piece(found, levels, extras, point)
            if piece is None:
                continue
            if covered(self.region, [piece.conditions]):
                return piece
            first = first or piece
        return first

    def _piece(
        self, found: Multipliers, levels: Mapping[str, Affine], extras: Sequence[str], point: Point
    ) -> Derivation | None:
        statement, forms = self.statement, []
        top = levels[statement.query]
        for x in extras:
            forms += [levels[x], top - levels[x]]
        total: dict[Entry, Affine] = {}
        for row, multiplier in found.steps:
            attended = row.sequence if self.convention.self_included else row.sequence[:-1]
            forms += [levels[x] - levels[row.least] for x in dict.fromkeys(attended) if x != row.least]
            for entry, form in row.form(levels, self.convention).items():
                total[entry] = total.get(entry, Affine()) + form * multiplier
        for entry, form in statement.left.items():
            total[entry] = total.get(entry, Affine()) - form
        total = {e: f for e, f in total.items() if f.terms or f.constant}
        for entry, form in total.items():
            forms += [form] if entry.kind == "K" else [form, -form]
        conditions = tuple(dict.fromkeys(_key_form(f.integral()) for f in forms if f.terms or f.constant < 0))
        shown = tuple(Affine(dict(terms), constant) for terms, constant in conditions)
        if any(f.is_number for f in shown):
            return None
        return Derivation(found.steps, levels, shown, total, dict(point))

    def at_pattern(self, point: Point, pattern: Pattern) -> Derivation | Counterexample | None:
        """The claim for one choice of equal tokens at one class: multipliers, or a whole kernel, or neither."""
        claim = cast("dict[Entry, Fraction]", claim_values(self.statement, point, pattern.merge))
        strict = self.statement.strict
        found, system = self.derive(pattern.levels, claim, pattern.extras)
        if found is not None:
            levels = {x: Affine.number(t) for x, t in system.levels.items()}
            residuals = {e: Affine.number(c) for e, c in found.slack.items()}
            merged = {x: y for x, y in pattern.merge.items() if x != y}
            return Derivation(found.steps, levels, (), residuals, dict(point), merged)
        full = self.system({**pattern.levels, **{f"@{t}": t for t in pattern.extras}})
        values = full.break_claim(claim, strict)
        if values is None:
            return None
        return extend(values, pattern, self.statement, self.convention, point)


def _key_form(form: Affine) -> tuple[tuple[tuple[str, Fraction], ...], Fraction]:
    return tuple(sorted(form.terms.items())), form.constant


def _best(statement: Statement, convention: Convention, m: int | None, max_m: int) -> Best:
    assert statement.unknown is not None
    unknown = statement.unknown
    for form in statement.left.values():
        if unknown in form.terms and len(form.terms) > 1:
            raise InputError(
                f"constant {unknown} must stand alone before an entry, for instance {unknown}*K(q,b)"
            )
    base_claim = replace(statement, left={e: f.substitute({unknown: 0}) for e, f in statement.left.items()})
    slope_claim = replace(
        statement,
        left={e: Affine.number(f.terms[unknown]) for e, f in statement.left.items() if unknown in f.terms},
    )
    if certainly_empty(region(statement, m)):
        raise InputError(
            f"conditions '{shorten(statement.given)}' contradict each other: no tokens satisfy them"
        )
    best: tuple[Fraction, Point, BestConstant, Mapping[str, int]] | None = None
    seen: dict[object, BestConstant | str] = {}
    broken: dict[Fraction, int] = {}
    for size in [m] if m is not None else range(1, max_m + 1):
        for point in points(statement, size):
            for pattern in patterns(statement, point):
                base = cast("dict[Entry, Fraction]", claim_values(base_claim, point, pattern.merge))
                slope = cast("dict[Entry, Fraction]", claim_values(slope_claim, point, pattern.merge))
                key = (pattern.key, tuple(base.items()), tuple(slope.items()))
                levels = {**pattern.levels, **{f"@{t}": t for t in pattern.extras}}
                if key not in seen:
                    seen[key] = ClassSystem(levels, statement.query, convention).best(base, slope)
                found = seen[key]
                if found == "unbounded":
                    continue
                if isinstance(found, str):
                    raise InputError(
                        f"no constant {unknown} makes '{shorten(statement.text)}' true at {_where(point)}"
                        if found == "none"
                        else f"the best constant at {_where(point)} could not be confirmed exactly"
                    )
                if best is None or found.constant < best[0]:
                    best = (found.constant, point, found, levels)
        if best is None or best[2].limit is None:
            continue
        if best[0] not in broken:
            proof = _Prover(_at_constant(statement, best[0]), convention, m, min(max_m, size + 1)).run()
            if proof.verdict is Verdict.PROVED:
                return Best(best[0], proof, best[1], best[2].limit, best[3])
            if proof.counterexample is not None:
                broken[best[0]] = proof.counterexample.m
        if broken.get(best[0], max_m + 1) <= size:
            raise InputError(
                f"no constant {unknown} above {best[0]} works in '{shorten(statement.text)}', and {best[0]} itself fails: "
                "state it with <= instead of <"
            )
    if best is None:
        raise InputError(
            f"'{shorten(statement.text)}' holds for every {unknown} at every class looked at: there is no best constant"
        )
    raise InputError(
        f"the best constant found is {best[0]}, but no proof for every class was found up to m = {max_m}: give --m"
    )


def _at_constant(statement: Statement, constant: Fraction) -> Statement:
    """The claim with its unknown constant replaced by a number."""
    assert statement.unknown is not None
    unknown = statement.unknown
    left = {}
    for entry, form in statement.left.items():
        slope = form.terms.get(unknown, Fraction(0))
        rest = Affine({v: c for v, c in form.terms.items() if v != unknown}, form.constant)
        left[entry] = rest + slope * constant
    left = {e: f for e, f in left.items() if f.terms or f.constant}
    text = re.sub(rf"\b{unknown}\b(?=\s*\*)", str(constant), statement.text, count=1)
    return replace(statement, left=left, unknown=None, text=text)


def _where(point: Mapping[str, int]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in point.items())
