"""Every upper bound on the number of features that the toolkit knows at a setting, and the best of them.

Stored certificates (data/upper/*.json) are restricted to the setting asked for and read by the checker before they are
reported; constructions C1, C3 and C4 are built on the spot. A kernel that solves (m', n', tau') solves every m <= m',
n <= n' and tau >= tau' (L6):

    m    give the tokens zeros: inner products stay.
    n    if t < |q| is the least level, the query itself is a token that contributes (|q| - t - tau) K(q,q) >= 0 as a
         competitor, so the worst sequence of n' tokens is at least as bad as that of n; where t = |q| no term is positive.
    tau  an error below tau' is below tau.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache, lru_cache
from importlib.resources import files
from math import comb, lcm
from typing import Any

from kattn_bounds.bound import Bound
from kattn_bounds.certificates import writer
from kattn_bounds.certificates.checker import Rejected, check
from kattn_bounds.certificates.reading import parse
from kattn_bounds.certificates.spectrum import class_rank
from kattn_bounds.errors import InputError
from kattn_bounds.kernels.isotypic import levels
from kattn_bounds.kernels.monomial import monomial_blocks
from kattn_bounds.setting import Features, Setting
from kattn_bounds.upper.monomial import MAX_M as MONOMIAL_MAX_M
from kattn_bounds.upper.monomial import Monomials, cheapest

EXPANDED_MAX_M = 400
"""Largest m at which x^t is written out: with x <= 1/2 the worst step is at most 2, so what solves here solves for every m."""
TABLE_MAX_M = 8
"""Largest m at which C1 is written out as a certificate of factors."""

METHODS = {
    "factors": ("search", "low-rank factors"),
    "classes": ("symmetric", "kernel of |q|, |a| and <q,a> with few isotypic types"),
    "blocks": ("C6", "blocks of monomials, weights by |q| and |a|"),
    "setfunction": ("C5", "sparse set function of q \\ a"),
}


def upper_bounds(setting: Setting, features: Features = "signed") -> list[Bound]:
    """All bounds at the setting, best first; every certificate in it has been accepted by the checker. Exact.

    `features`: "nonneg" counts non-negative features; those bounds hold for signed ones too. With the free readout the
    inner-product readout is one choice of V, so its kernels count as well.

    >>> for bound in upper_bounds(Setting(8, n=4), "nonneg"):
    ...     if bound.id == "C3":
    ...         print(bound.value, bound.method)
    256 K = x^<q,a> expanded, x = 1/4
    """
    found = [*_short(setting, features), *_stored_bounds(setting, features), *_built(setting, features)]
    return sorted(found, key=lambda b: (b.value, b.certificate is None))


def best(bounds: list[Bound]) -> Bound:
    """The first of the least. Raises InputError when there is none.

    >>> best(upper_bounds(Setting(5))).value <= 5
    True
    """
    if not bounds:
        raise InputError("no construction is known at this setting: give tolerance < 1 or a smaller m")
    return min(bounds, key=lambda b: b.value)


def _checked(bound: Bound) -> Bound | None:
    """The bound, once the checker has accepted its certificate; None when it has not."""
    try:
        check(bound.certificate)
    except Rejected:
        return None
    return replace(bound, checked=True)


# ------------------------------------------------------------------------------------- built on the spot


def _short(setting: Setting, features: Features) -> Iterator[Bound]:
    """C1: n <= 2."""
    if setting.n > 2:
        return
    small = setting.m <= TABLE_MAX_M
    plain, tokens = replace(setting, mask="final"), range(1 << setting.m if small else 0)
    if setting.n == 1 or not setting.self_included:
        ones = [[1] for _ in tokens]
        inner = replace(plain, readout="inner")
        yield Bound(
            "C1",
            1,
            "K = 1: one token is attended",
            writer.kernel_factors(inner, ones, ones, "nonneg") if small else None,
        )
    elif setting.readout == "free":
        values = [[2 * (q & a).bit_count() - q.bit_count() for a in tokens] if small else [] for q in tokens]
        ones = [[1] for _ in tokens]
        yield Bound(
            "C1",
            1,
            "K = 1, V = <q, 2a - 1>",
            writer.kernel_factors(plain, ones, ones, "nonneg", values) if small else None,
        )
    elif features == "signed":
        # (|q| - t) eps / (eps + (eps + 1)) < m eps <= tau.
        eps = setting.tolerance / setting.m
        phi = [[eps + q * q, -2 * q, 1] for q in tokens]
        psi = [[1, a, a * a] for a in tokens]
        yield Bound(
            "C1",
            3,
            "K = eps + (c(q) - c(a))^2, c injective",
            writer.kernel_factors(plain, phi, psi, "signed") if small else None,
        )


def _built(setting: Setting, features: Features) -> Iterator[Bound]:
    inner = replace(setting, readout="inner", mask="final")
    x = _expansion(replace(inner, m=min(inner.m, EXPANDED_MAX_M)))
    if x is not None:
        certificate = writer.kernel_expanded(inner, x) if inner.m <= EXPANDED_MAX_M else None
        yield Bound("C3", 1 << setting.m, f"K = x^<q,a> expanded, x = {x}", certificate)
    short = setting.n < 3 and (features == "signed" or not setting.self_included)  # C1 is better
    if setting.m <= MONOMIAL_MAX_M and not short and setting.tolerance < 1:
        found = _monomials(replace(inner, n=max(3, inner.n)))
        degrees = ", ".join(str(d) for d in sorted(found.weights))
        certificate = writer.kernel_blocks(
            inner, [(b.side, b.degree, b.alpha, b.beta) for b in monomial_blocks(inner.m, found.weights)]
        )
        bound = _checked(Bound("C4", found.features, f"monomials of degrees {degrees}", certificate))
        if bound is not None:
            yield bound


@lru_cache(maxsize=256)
def _monomials(setting: Setting) -> Monomials:
    return cheapest(setting, seconds=20)


def _expansion(setting: Setting) -> Fraction | None:
    """The first x = 1/j for which x^t solves, by the checker; at most a few are tried past the limit for large m."""
    tau = setting.tolerance
    start = max(2, int((setting.n - 1) * (1 - tau) / tau))
    for j in range(start, start + 6):
        try:
            check(writer.kernel_expanded(setting, Fraction(1, j)))
        except Rejected:
            continue
        return Fraction(1, j)
    return None


# ---------------------------------------------------------------------------------------------- stored


@cache
def _stored() -> tuple[tuple[dict[str, Any], str, Any], ...]:
    """Header, construction and file of every stored certificate; the data are read when needed."""
    folder = files("kattn_bounds") / "data" / "upper"
    if not folder.is_dir():
        return ()
    found = []
    for entry in sorted(folder.iterdir(), key=lambda e: e.name):
        if entry.name.endswith(".json"):
            header, construction = _header(entry)
            found.append((header, construction, entry))
    return tuple(found)


def _header(entry: Any) -> tuple[dict[str, Any], str]:
    """The keys before `data`, and the construction: canonical text has one key a line."""
    lines = []
    construction = ""
    with entry.open("r", encoding="utf-8") as file:
        for line in file:
            if line.startswith('"data"'):
                construction = line[:200].partition('"construction": "')[2].partition('"')[0]
                break
            lines.append(line)
    header: dict[str, Any] = json.loads("".join(lines).rstrip().rstrip(",") + "}")
    return header, construction


def _serves(header: dict[str, Any], construction: str, setting: Setting, features: Features) -> bool:
    """Whether a stored certificate may be restricted to the setting."""
    stored = header["setting"]
    longer = stored["n"] >= setting.n
    if stored["readout"] == "free":
        longer = setting.readout == "free" and stored["n"] == setting.n and setting.mask == "final"
    return (
        header["kind"] == "kernel"
        and construction in METHODS
        and longer
        and stored["m"] >= setting.m
        and Fraction(stored["tolerance"]) <= setting.tolerance
        and stored["self_included"] == setting.self_included
        and (features == "signed" or header["claim"]["features"] == "nonneg")
    )


def _least_value(header: dict[str, Any], construction: str, setting: Setting) -> int:
    """A lower estimate of what the restricted certificate will claim, to try the most promising first."""
    value: int = header["claim"]["value"]
    if header["setting"]["m"] == setting.m or construction == "factors":
        return value
    return 0


def _stored_bounds(setting: Setting, features: Features) -> Iterator[Bound]:
    """The best stored certificate of each construction that serves the setting, checked after restriction."""
    least: dict[str, int] = {}
    overall: int | None = None
    kept: dict[str, Bound] = {}
    usable = [
        (header, construction, entry)
        for header, construction, entry in _stored()
        if _serves(header, construction, setting, features)
    ]
    # The certificates of the nearest m first: they restrict the least.
    usable.sort(
        key=lambda item: (item[0]["setting"]["m"], item[0]["claim"]["value"], item[0]["setting"]["n"])
    )
    for header, construction, entry in usable:
        known = least.get(construction)
        if known is not None and _least_value(header, construction, setting) >= known:
            continue
        slow = construction in ("factors", "setfunction") and setting.m >= 10
        if slow and overall is not None and header["claim"]["value"] >= overall:
            continue
        certificate = restrict(parse(entry.read_text(encoding="utf-8")), setting, features)
        value = certificate["claim"]["value"]
        if known is not None and value >= known:
            continue
        id, method = METHODS[construction]
        origin = header["setting"]
        same = (origin["m"], origin["n"]) == (setting.m, setting.n)
        if construction == "blocks" and _plain(certificate["data"]["blocks"]):
            id, method = "C4", "sparse monomials"
        source = "" if same else f", from m={origin['m']}, n={origin['n']} (L6)"
        bound = _checked(Bound(id, value, f"stored {method}{source}", certificate))
        if bound is not None:
            kept[construction], least[construction] = bound, value
            overall = value if overall is None else min(overall, value)
    yield from kept.values()


def _plain(blocks: list[dict[str, Any]]) -> bool:
    """Whether the weights are those of C4: q-side monomials, weighted by their degree alone."""
    return all(b["side"] == "q" and len({*b["alpha"]}) == len({*b["beta"]}) == 1 for b in blocks)


def restrict(certificate: Any, setting: Setting, features: Features = "signed") -> writer.Certificate:
    """A kernel certificate restated at a smaller m and n and a larger tolerance: the tokens that end in zeros.

    Blocks lose their degrees above m and cost less; the rank of a kernel on classes is counted anew. The checker has
    the last word on the result.

    >>> from kattn_bounds.kernels.monomial import monomial_blocks
    >>> blocks = [(b.side, b.degree, b.alpha, b.beta) for b in monomial_blocks(4, {0: 1, 1: 20, 3: 20})]
    >>> restrict(writer.kernel_blocks(Setting(4), blocks), Setting(3))["claim"]["value"]
    5
    """
    old, data = certificate["setting"], certificate["data"]
    m, dropped = setting.m, old["m"] - setting.m
    value = certificate["claim"]["value"]
    free = old["readout"] == "free"
    new: dict[str, Any] = dict(data)
    if dropped and data["construction"] == "factors":
        keep = slice(None, None, 1 << dropped)
        new |= {name: data[name][keep] for name in ("phi", "psi")}
        if free:
            new["values"] = [row[keep] for row in data["values"][keep]]
    elif dropped and data["construction"] == "blocks":
        new["blocks"] = [
            {**block, "alpha": block["alpha"][: m + 1], "beta": block["beta"][: m + 1]}
            for block in data["blocks"]
            if block["degree"] <= m
        ]
        value = sum(comb(m, block["degree"]) for block in new["blocks"])
    elif dropped and data["construction"] == "classes":
        new["table"], bits = _smaller_table(data["table"], old["m"], data.get("bits", 0), dropped)
        new.pop("bits", None)
        if bits:
            new["bits"] = bits
        value = class_rank(m - bits, _integer_rows(new["table"]))
    elif dropped and data["construction"] == "setfunction":
        new["terms"] = [[mask[:m], w] for mask, w in data["terms"] if "1" not in mask[m:]]
        value = len(new["terms"])
    at = replace(setting, readout="free" if free else "inner", mask="final")
    claimed: Features = "nonneg" if features == "nonneg" else certificate["claim"]["features"]
    return {
        **certificate,
        "setting": at.to_json(),
        "claim": {**certificate["claim"], "value": value, "features": claimed},
        "data": new,
    }


def _smaller_table(
    table: list[list[list[Any]]], m: int, bits: int, dropped: int
) -> tuple[list[list[list[Any]]], int]:
    """The table on the tokens whose last `dropped` coordinates are 0, and how many free bits are left."""
    core, gone = m - bits, min(dropped, bits)
    inner = core - (dropped - gone)
    places = [
        (((x << gone) * (core + 1)) + k, k) for x in range(1 << (bits - gone)) for k in range(inner + 1)
    ]
    found = []
    for r, k in places:
        row = []
        for c, l in places:
            start = levels(core, k, l)[0]
            row.append([table[r][c][t - start] for t in levels(inner, k, l)])
        found.append(row)
    return found, bits - gone


def _integer_rows(table: list[list[list[Any]]]) -> list[list[list[int]]]:
    """The table with every row multiplied by its common denominator; ranks do not change."""
    found = []
    for row in table:
        exact = [[Fraction(x) for x in line] for line in row]
        scale = lcm(*(x.denominator for line in exact for x in line))
        found.append([[int(x * scale) for x in line] for line in exact])
    return found
