"""Check certificates about kernel attention. Standard library only; SPEC.md has the format and the proofs.

A certificate is untrusted: the checker rebuilds every constraint from the setting and the claim, in exact
integers and fractions, and uses the data only as a proposal. Exit status 0 if every file is accepted, else 1:

    python -m kattn_bounds.certificates.checker FILE...

`check_file(path)` and `check(object)` return the proved claim as text, or raise `Rejected` with the reason.
"""

import sys
from collections.abc import Callable
from fractions import Fraction
from math import comb, isqrt
from operator import add, mul
from pathlib import Path
from typing import Any

if not __package__:  # run by its path, from anywhere
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from kattn_bounds.certificates import statements
from kattn_bounds.certificates.reading import (
    MAX_BYTES,
    Rejected,
    Setting,
    choice,
    common,
    fields,
    integer,
    items,
    limit,
    lower_claim,
    parse,
    rational,
    rationals,
    read_bound,
    read_setting,
    require,
    scaled,
    token,
)
from kattn_bounds.certificates.spectrum import class_rank

__all__ = ["Rejected", "check", "check_file", "main"]


# ------------------------------------------------------------------------------------------ exact arithmetic


def integer_factors(
    phi: list[list[Fraction]], psi: list[list[Fraction]]
) -> tuple[list[list[int]], list[list[int]]]:
    """Integer factors of phi psi^T up to positive scales of its rows (which solving does not see)."""
    scales = [common(column) for column in zip(*psi, strict=True)]
    columns = [[x.numerator * (s // x.denominator) for x, s in zip(row, scales, strict=True)] for row in psi]
    divided = ([x / s for x, s in zip(row, scales, strict=True)] for row in phi)
    return [scaled(row, common(row)) for row in divided], columns


def size(rows: list[list[int]]) -> int:
    return max((abs(x).bit_length() for row in rows for x in row), default=0)


def failing_level(
    s: Setting, k: int, gain: Callable[[int, int], int], own: Callable[[int], int]
) -> int | None:
    """Level reduction for a query of k ones: the least target y at which some sequence fails, or None.

    A token x contributes c(x, y) and a sequence is right when its sum is negative. gain(y, t) is the largest
    c(x, y) over the tokens x of level t = <q, x>, and own(y) = c(q, y). One competitor is at level y, the other
    n - 2 are at level y or above.
    """
    for y in range(k if s.n == 1 else 0, k + 1):
        total = own(y) if s.self_included else 0
        if s.n > 1:
            total += gain(y, y) + (s.n - 2) * max(gain(y, t) for t in range(y, k + 1))
        if total >= 0:
            return y
    return None


def check_levels(s: Setting, k: int, low: list[int], high: list[int], own: int, query: str) -> None:
    """Inner readout: c(x, y) = K(q, x)(t - y - tau), with low[t] <= K(q, .) <= high[t] on level t."""
    p, d = s.tau.numerator, s.tau.denominator
    require(min(low[: k + 1]) >= 0, f"the kernel is negative for query {query}")

    def gain(y: int, t: int) -> int:
        weight = d * (t - y) - p
        return weight * (high[t] if weight > 0 else low[t])

    y = failing_level(s, k, gain, lambda y: own * (d * (k - y) - p))
    require(y is None, f"the kernel fails for query {query} at target {y}")


def check_free(s: Setting, q: int, row: list[int], values: list[Fraction]) -> None:
    """Free readout: c(x, y) = K(q, x)(+-(V(q, x) - y) - tau), one check for each sign."""
    require(min(row) >= 0, f"the kernel is negative for query {q:0{s.m}b}")
    e, p, d, k = common(values), s.tau.numerator, s.tau.denominator, q.bit_count()
    levels: list[list[tuple[int, int]]] = [[] for _ in range(k + 1)]
    entries = list(zip(row, map(mul, row, scaled(values, e)), strict=True))
    for a, entry in enumerate(entries):
        levels[(q & a).bit_count()].append(entry)
    for sign in (1, -1):

        def c(y: int, entry: tuple[int, int], sign: int = sign) -> int:
            return sign * d * (entry[1] - y * e * entry[0]) - p * e * entry[0]

        y = failing_level(s, k, lambda y, t: max(c(y, x) for x in levels[t]), lambda y: c(y, entries[q]))
        require(y is None, f"the head fails for query {q:0{s.m}b} at target {y}")


def decay(s: Setting, top: int) -> tuple[list[Fraction | None], int]:
    """h(0..top), None where nothing is said, and how far the decaying matrix's rank may exceed D (L3)."""
    require(s.n >= 3, "the decay argument needs n >= 3")
    tau = 2 * s.tau if s.free else s.tau
    require(tau <= 1, "the free readout decays for tolerance <= 1/2 only")
    limit(30_000 * top * (s.n.bit_length() + tau.numerator.bit_length() + tau.denominator.bit_length()))
    h: list[Fraction | None] = [Fraction(1)]
    for t in range(1, top + 1):  # parts of at most 6 suffice, see SPEC.md
        parts = [(j, h[t - j]) for j in range(1, min(t, 6) + 1) if j > tau]
        h.append(min((tau / ((s.n - 2) * (j - tau)) * rest for j, rest in parts if rest), default=None))
    return h, int(s.free and s.self_included)


def integer_decay(s: Setting, top: int) -> tuple[list[int], int, int]:
    """h times a common denominator (0 where nothing is said), that denominator, and the excess."""
    h, excess = decay(s, top)
    scale = common(x for x in h if x)
    return [x.numerator * (scale // x.denominator) if x else 0 for x in h], scale, excess


# ------------------------------------------------------------------------------------ upper bounds: `kernel`


def kernel(s: Setting, claim: object, data: object) -> str:
    """D* <= value: each construction returns its number of features and whether they are non-negative."""
    value, features = read_bound(claim, "<=")
    if not isinstance(data, dict) or "construction" not in data:
        raise Rejected("data must be an object with a construction")
    name = choice(data["construction"], "data.construction", *CONSTRUCTIONS)
    require(name == "factors" or not s.free, f"construction {name} is for the inner readout")
    cost, nonneg = CONSTRUCTIONS[name](s, data, value)
    require(cost <= value, f"the construction has {cost} features, more than the claimed {value}")
    require(nonneg or features == "signed", "the construction has negative features")
    return f"D*({s}) <= {value}, {features} features"


def factors(s: Setting, data: dict[str, Any], value: int) -> tuple[int, bool]:
    fields(data, "data", "construction phi psi" + " values" * s.free)
    limit(4**s.m * (value + 10))
    phi, psi = (
        [rationals(row, f"a row of {name}", value) for row in items(data[name], name, 1 << s.m)]
        for name in ("phi", "psi")
    )
    left, right = integer_factors(phi, psi)
    limit(4**s.m * (value * (1 + (size(left) * size(right) >> 15)) + 10 * (1 + s.free * s.m)))
    values = items(data["values"], "values", 1 << s.m) if s.free else []
    for q, features in enumerate(left):
        row = [sum(map(mul, features, column)) for column in right]
        if s.free:
            check_free(s, q, row, rationals(values[q], "a row of values", 1 << s.m))
            continue
        low, high = [max(row)] * (s.m + 1), [min(row)] * (s.m + 1)
        for a, entry in enumerate(row):
            t = (q & a).bit_count()
            low[t], high[t] = min(low[t], entry), max(high[t], entry)
        check_levels(s, q.bit_count(), low, high, row[q], f"{q:0{s.m}b}")
    return value, all(x >= 0 for row in phi + psi for x in row)


def blocks(s: Setting, data: dict[str, Any], value: int) -> tuple[int, bool]:
    m, cost, columns, shapes = s.m, 0, [], []
    given = items(fields(data, "data", "construction blocks")["blocks"], "blocks")
    limit(m**3 * (len(given) + 10))
    for block in given:
        fields(block, "a block", "side degree alpha beta")
        d = integer(block["degree"], "degree", 0, m)
        shapes.append((choice(block["side"], "side", "q", "a"), d))
        columns.append([rationals(block[name], name, m + 1) for name in ("alpha", "beta")])
        cost += comb(m, d)
    alpha, beta = ([[block[i][k] for block in columns] for k in range(m + 1)] for i in (0, 1))
    left, right = integer_factors(alpha, beta)
    limit(m**3 * (len(given) * (1 + (size(left) * (size(right) + m) >> 15)) + 10))
    for k in range(m + 1):
        low, high, own = [0] * (k + 1), [0] * (k + 1), 0
        for t in range(k + 1):
            entries = []
            for l in range(t, m - k + t + 1):
                choose = [comb(k - t if side == "q" else l - t, d) for side, d in shapes]
                entries.append(sum(map(mul, map(mul, left[k], right[l]), choose)))
            low[t], high[t] = min(entries), max(entries)
            own = entries[0] if t == k else own
        check_levels(s, k, low, high, own, f"of {k} ones")
    return cost, all(x >= 0 for row in alpha + beta for x in row)


def setfunction(s: Setting, data: dict[str, Any], value: int) -> tuple[int, bool]:
    given = items(fields(data, "data", "construction terms")["terms"], "terms")
    limit(s.m * 2**s.m * 10)
    terms = [items(term, "a term", 2) for term in given]
    masks, weights = [token(mask, s.m) for mask, _ in terms], [rational(weight) for _, weight in terms]
    require(len(set(masks)) == len(masks), "a mask occurs twice")
    f = [0] * (1 << s.m)
    for mask, weight in zip(masks, scaled(weights, common(weights)), strict=True):
        f[mask] = weight
    limit(s.m * 2**s.m * (10 + (size([f]) >> 8)))
    for _ in range(s.m):  # subset sums: each round adds over the last coordinate and moves it to the front
        without, having = f[::2], f[1::2]
        f = without + list(map(add, without, having))
    low, high = [max(f)] * (s.m + 1), [min(f)] * (s.m + 1)
    for u, entry in enumerate(f):
        t = s.m - u.bit_count()
        low[t], high[t] = min(low[t], entry), max(high[t], entry)
    check_levels(s, s.m, low, high, f[0], "of all ones")
    return len(terms), min(weights, default=Fraction(0)) >= 0


def expanded(s: Setting, data: dict[str, Any], value: int) -> tuple[int, bool]:
    x = rational(fields(data, "data", "construction x")["x"])
    require(0 < x < 1, "x must be in (0, 1)")
    limit(s.m**2 * (10 + s.m * x.denominator.bit_length()))
    row = [x.numerator**t * x.denominator ** (s.m - t) for t in range(s.m + 1)]
    check_levels(s, s.m, row, row, row[-1], "of all ones")
    return 2**s.m, True


def classes(s: Setting, data: dict[str, Any], value: int) -> tuple[int, bool]:
    """K by its values on the classes of (free bits, ones among the other m); its rank type by type, see SPEC.md."""
    fields(data, "data", "construction table", "bits")
    bits = integer(data.get("bits", 0), "data.bits", 0, s.m - 1)
    limit(4**bits * s.m**3)
    m = s.m - bits
    count = (m + 1) << bits
    limit(count**2 * m**3)
    table: list[list[list[int]]] = []
    for r, lines in enumerate(items(data["table"], "table", count)):
        e, k = divmod(r, m + 1)
        starts = [max(0, k + c % (m + 1) - m) for c in range(count)]
        spans = [min(k, c % (m + 1)) - start + 1 for c, start in enumerate(starts)]
        lines = items(lines, "a row of table", count)
        row = [rationals(line, "a class", span) for line, span in zip(lines, spans, strict=True)]
        scale = common(x for line in row for x in line)
        table.append([scaled(line, scale) for line in row])
        limit(count**2 * m**3 * (1 + (size(table[-1]) >> 8)))
        entries: list[list[int]] = [[] for _ in range(k + e.bit_count() + 1)]
        for c, line in enumerate(table[-1]):
            for t, x in enumerate(line, starts[c] + (e & c // (m + 1)).bit_count()):
                entries[t].append(x)
        low, high = ([pick(level) for level in entries] for pick in (min, max))
        check_levels(s, k + e.bit_count(), low, high, table[r][r][-1], f"of class {r}")
    return class_rank(m, table), False


CONSTRUCTIONS = {
    "factors": factors,
    "blocks": blocks,
    "classes": classes,
    "setfunction": setfunction,
    "expanded": expanded,
}


# --------------------------------------------------------------------------------------------- lower bounds


def layer(s: Setting, claim: object, data: object) -> str:
    """L1 and L3; with a shift b, a polynomial in t = |S - T|, whose matrix has rank at most C(m, degree)."""
    obj = fields(data, "data", "k", "shift")
    k = integer(obj["k"], "data.k", 1, s.m - 1)
    top = min(k, s.m - k)
    h, one, excess = integer_decay(s, top)
    given = [rational(c) for c in items(obj.get("shift", []), "shift")]
    require(len(given) <= top + 1, f"the shift has a degree of more than {top}")
    scale = common(given)
    limit(top * len(given) * (10 + s.m + size([scaled(given, scale)])))
    b = [one * sum(c * comb(t, i) for i, c in enumerate(scaled(given, scale))) for t in range(top + 1)]
    total, pairs = 0, 1
    for t in range(top + 1):  # pairs = C(k, t) C(m - k, t)
        if h[t]:
            entry = h[t] * scale - b[t]
            total += pairs * (max(abs(entry), abs(b[t])) if t else entry) ** 2
        pairs = pairs * (k - t) * (s.m - k - t) // (t + 1) ** 2
    require(total > 0, "the shift leaves nothing")
    rows = comb(s.m, k) if h[1] else -(-comb(s.m, k) // s.m)  # without h(1): equal sums of elements mod m
    lost = excess + (comb(s.m, len(given) - 1) if given else 0)
    return lower_claim(s, claim, -(-rows * (one * scale - b[0]) ** 2 // total) - lost)


def nonneg(s: Setting, claim: object, data: object) -> str:
    """L9: no D below the claimed value leaves room for the sum of all p_f(S) = phi_f(S) psi_f(S)."""
    k = integer(fields(data, "data", "k")["k"], "data.k", 1, s.m - 1)
    value, features = read_bound(claim, ">=")
    require(features == "nonneg", "the bound is for non-negative features")
    top = min(k, s.m - k)
    h, one, excess = integer_decay(s, top)
    require(h[1] > 0, "h(1) is undefined")
    limit(top**2 * (100 + s.m + one.bit_length()))
    sets, smaller, weight, pairs, total = comb(s.m, k), value - 1 + excess, 0, 1, 0
    precision = 64 + s.m
    for r in range(top + 1):  # levels w in (low, high], where any two sets of a feature have |S - T| <= r
        weight += pairs * h[r]
        pairs = pairs * (k - r) * (s.m - k - r) // (r + 1) ** 2
        high, low = (min(one, max(h[j:], default=0)) for j in (r, r + 1))
        if high > low:
            linear = smaller * intersecting(s.m, k, k - r) * (high - low) << precision
            square = smaller * sets * weight << 2 * precision
            root = 2 * (isqrt(square * high) + 1 - isqrt(square * low))
            total += min(linear, root)
    require(total < sets * one << precision, f"{smaller} features are not excluded")
    return lower_claim(s, claim, value)


def intersecting(m: int, k: int, t: int) -> int:
    """The most k-sets of m points that meet pairwise in t or more (Ahlswede and Khachatrian)."""
    if t <= 0 or m <= 2 * k - t:
        return comb(m, k)
    i = 0
    while (k - t + 1) * (2 * (i + 1) + t - 1) > m * (i + 1):
        i += 1
    core = t + 2 * i
    return sum(comb(core, j) * comb(m - core, k - j) for j in range(t + i, min(core, k) + 1))


def read_pairs(s: Setting, value: object) -> list[tuple[int, int]]:
    pairs = [items(pair, "a pair", 2) for pair in items(value, "pairs")]
    limit(len(pairs) ** 2 * 10)
    return [(token(q, s.m), token(a, s.m)) for q, a in pairs]


def decay_row(h: list[int], one: int, pairs: list[tuple[int, int]], i: int) -> list[int]:
    """h(t(q_i, a_j) - t(q_i, a_i)) for every j, times `one`; 1 for j = i, 0 where nothing is said."""
    q, own = pairs[i][0], (pairs[i][0] & pairs[i][1]).bit_count()
    steps = [(q & a).bit_count() - own for _, a in pairs]
    return [one if j == i else h[step] if step > 0 else 0 for j, step in enumerate(steps)]


def dominance(s: Setting, claim: object, data: object) -> str:
    obj = fields(data, "data", "pairs", "scale")
    pairs = read_pairs(s, obj["pairs"])
    given = rationals(obj.get("scale", [1] * len(pairs)), "scale", len(pairs))
    scale = scaled(given, common(given))
    require(min(scale, default=1) > 0, "scale must be positive")
    h, one, excess = integer_decay(s, s.m)
    limit(len(pairs) ** 2 * (10 + (one.bit_length() * size([scale]) >> 15)))
    for i in range(len(pairs)):
        row = decay_row(h, one, pairs, i)
        require(min(row) > 0, f"pair {i + 1} does not decay towards every other pair")
        require(
            sum(map(mul, row, scale)) <= 2 * one * scale[i], f"row {i + 1} is not dominated by its diagonal"
        )
    return lower_claim(s, claim, len(pairs) - excess)


def trace(s: Setting, claim: object, data: object) -> str:
    obj = fields(data, "data", "pairs x y", "shift")
    pairs, shift = read_pairs(s, obj["pairs"]), rational(obj.get("shift", 0))
    require(0 <= shift < 1, "shift must be at least 0 and below 1")
    given = [rationals(obj[name], name, len(pairs)) for name in ("x", "y")]
    x, y = (scaled(numbers, common(numbers)) for numbers in given)
    require(min(x + y, default=0) >= 0, "x and y must be >= 0")
    h, one, excess = integer_decay(s, s.m)
    unit, c = shift.denominator, shift.numerator * one  # entries are in units of 1 / (one * unit)
    limit(len(pairs) ** 2 * (10 + ((one * unit).bit_length() * size([x, y]) >> 14)))
    diagonal, total = sum(map(mul, x, y)) * (one * unit - c), 0
    require(diagonal > 0, "sum x_i y_i must be positive")
    for i in range(len(pairs)):
        if x[i]:
            row = decay_row(h, one, pairs, i)
            require(
                all(e for e, y_j in zip(row, y, strict=True) if y_j),
                f"pair {i + 1} does not decay where y > 0",
            )
            row = [max(c, e * unit - c) for e in row]
            row[i] = one * unit - c
            total += x[i] ** 2 * sum((y_j * e) ** 2 for e, y_j in zip(row, y, strict=True))
    return lower_claim(s, claim, -(-(diagonal**2) // total) - excess - (shift > 0))


def singletons(s: Setting, claim: object, data: object) -> str:
    fields(data, "data", "")
    h, excess = decay(s, 2)
    size = 1 if h[1] is not None and h[1] <= 1 else 2  # h(2) <= 1 always
    return lower_claim(s, claim, s.m // size - excess)


KINDS = {
    "kernel": kernel,
    "layer": layer,
    "dominance": dominance,
    "trace": trace,
    "singletons": singletons,
    "nonneg": nonneg,
    "independence": statements.independence,
    "derivation": statements.derivation,
    "transcript": statements.transcript,
}


def check(certificate: object) -> str:
    """Check a parsed certificate. Returns the proved claim as text; raises Rejected with the reason."""
    obj = fields(certificate, "certificate", "format version kind setting claim data", "note")
    choice(obj["format"], "format", "kattn-bounds-certificate")
    integer(obj["version"], "version", 1, 1)
    kind = choice(obj["kind"], "kind", *KINDS)
    return f"{kind}: {KINDS[kind](read_setting(obj['setting']), obj['claim'], obj['data'])}"


def check_file(path: str) -> str:
    """The claim proved by the certificate in a file; raises Rejected, or OSError when it cannot be read."""
    with open(path, "rb") as file:
        raw = file.read(MAX_BYTES + 1)
    require(len(raw) <= MAX_BYTES, f"longer than {MAX_BYTES} bytes")
    try:
        return check(parse(raw.decode("utf-8")))
    except (MemoryError, RecursionError):
        raise Rejected("too large") from None
    except ValueError as error:
        raise Rejected(f"not valid UTF-8 JSON: {str(error)[:120]}") from None


def main(paths: list[str]) -> int:
    status = 0
    for path in paths:
        try:
            print(f"ACCEPTED {path}: {check_file(path)}")
        except (Rejected, OSError) as error:
            print(f"REJECTED {path}: {error}")
            status = 1
    return status


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: python -m kattn_bounds.certificates.checker FILE...")
    sys.exit(main(sys.argv[1:]))
