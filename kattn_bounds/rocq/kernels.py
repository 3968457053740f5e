"""Kernel certificates as Rocq files, each construction by the checker that fits it.

factors             the tables of phi and psi, and of the readout if it is free
blocks, classes     families of features on the d-sets T of coordinates, F(class of q, |T n q|) G(class of a, |T n a|)
setfunction         the terms as a binary tree
expanded            x
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import Any

from kattn_bounds.errors import InputError
from kattn_bounds.kernels.isotypic import levels, type_matrix, zonal
from kattn_bounds.rocq.terms import boolean, common, integers, seq, table, z

Matrix = list[list[Fraction]]


@dataclass(frozen=True, slots=True)
class Family:
    """Features on all d-sets T of the coordinates that are not free.

    left[r][s] is F for the queries of class r that meet T in s points, right[c][s] is G; missing entries are 0.
    """

    degree: int
    left: Matrix
    right: Matrix


def kernel(cert: dict[str, Any]) -> tuple[str, str]:
    """The modules and the text of the Rocq file. Raises InputError for a kernel on classes without features on subsets."""
    translators = {
        "factors": _factors,
        "blocks": _blocks,
        "classes": _classes,
        "setfunction": _setfunction,
        "expanded": _expanded,
    }
    return translators[cert["data"]["construction"]](cert)


def _nat(value: int) -> str:
    """A natural number as Rocq prints it, or as a binary one where unary numerals are too long."""
    return str(value) if value < 1000 else f"(Z.to_nat {value})"


def _setting(cert: dict[str, Any]) -> str:
    """Tolerance, self and signed, as all checkers take them."""
    setting, tolerance = cert["setting"], Fraction(cert["setting"]["tolerance"])
    signed = boolean(cert["claim"]["features"] == "signed")
    return f"{tolerance.numerator} {tolerance.denominator} {boolean(setting['self_included'])} {signed}"


def _file(
    cert: dict[str, Any], checker: str, record: str, sizes: str, data: str, bound: str = "upper_bound"
) -> tuple[str, str]:
    m, n, value = cert["setting"]["m"], cert["setting"]["n"], cert["claim"]["value"]
    head = _setting(cert)
    text = (
        f"Definition cert := ({record} {sizes} {n} {head} {value}\n  {data})%bZ.\n"
        f"Theorem certified : {bound} {m} {_nat(n)} {head} {_nat(value)}.\n"
        f"Proof. apply: (@{checker}_sound cert {_nat(n)}); [vm_cast_no_check (erefl true) | by rewrite ?Z2Nat.id]. Qed.\n"
    )
    return f"check_base {checker}", text


def _factors(cert: dict[str, Any]) -> tuple[str, str]:
    data, m = cert["data"], cert["setting"]["m"]
    phi, psi = ([[Fraction(x) for x in row] for row in data[name]] for name in ("phi", "psi"))
    # A positive factor of a row of phi is free (the row's queries solve as before); psi needs one factor for all rows.
    tables = f"{table(integers(row) for row in phi)}\n  {table(common(psi))}"
    if cert["setting"]["readout"] == "inner":
        return _file(cert, "check_kernel", "KernelCert", str(m), tables)
    values = [[Fraction(x) for x in row] for row in data["values"]]
    scales = [lcm(*(x.denominator for x in row)) for row in values]
    tables += f"\n  {seq(map(z, scales))}\n  {table(integers(row) for row in values)}"
    return _file(cert, "check_free", "FreeCert", str(m), tables, "upper_bound_free")


def _blocks(cert: dict[str, Any]) -> tuple[str, str]:
    m = cert["setting"]["m"]
    return _families(cert, m, 0, block_families(m, cert["data"]["blocks"]))


def block_families(m: int, blocks: Iterable[dict[str, Any]]) -> list[Family]:
    """alpha[|q|] beta[|a|] C(|q - a|, d): the d-sets T inside q and disjoint from a, or the mirror image."""
    families = []
    for block in blocks:
        d = block["degree"]
        if not len(block["alpha"]) == len(block["beta"]) == m + 1:
            raise InputError(
                f"alpha and beta of a block have {m + 1} numbers each, one for each size of a token"
            )
        on = {
            "alpha": [[Fraction(x)] for x in block["alpha"]],
            "beta": [[Fraction(x)] for x in block["beta"]],
        }
        whole = "alpha" if block["side"] == "q" else "beta"
        on[whole] = [[Fraction(0)] * d + x if k >= d else [] for k, x in enumerate(on[whole])]
        families.append(Family(d, on["alpha"], on["beta"]))
    return families


def _classes(cert: dict[str, Any]) -> tuple[str, str]:
    data = cert["data"]
    bits = data.get("bits", 0)
    m = cert["setting"]["m"] - bits
    values = [[[Fraction(x) for x in line] for line in lines] for lines in data["table"]]
    return _families(cert, m, bits, class_families(m, values))


def class_families(m: int, values: Sequence[Sequence[Sequence[Fraction]]]) -> list[Family]:
    """Features on subsets of a kernel on classes, values[r][c] at t = max(0, k+l-m), ..., min(k,l).

    A family of degree d acts on the functions of type j <= d by f_j(r) g_j(c): f_j is lambda_j (SPEC.md) of the matrix
    F(r, |T n q|) with the d-sets T for tokens a, and g_j that of G. So lambda_j of the kernel is the sum of the f_j g_j
    over the families of degree >= j, and f_j, j <= min(d, k, m-k), determine F(r, .) as `zonal` says. This needs
    rank lambda_0 >= rank lambda_1 >= ...; the numbers of features add up to the rank of the kernel.

    >>> families = class_families(1, [[[Fraction(2)], [Fraction(2)]], [[Fraction(3)], [Fraction(1)]]])
    >>> [family.degree for family in families]
    [0, 0]
    """
    factors = []
    for j in range(m // 2 + 1):
        span = [r for r in range(len(values)) if j <= r % (m + 1) <= m - j]
        matrix = [
            [_product(type_matrix(m, r % (m + 1), c % (m + 1))[j], values[r][c]) for c in span] for r in span
        ]
        factors.append((span, *rank_factors(matrix)))
    ranks = [len(rows) for _, _, rows in factors]
    if any(ranks[j] < ranks[j + 1] for j in range(len(ranks) - 1)):
        raise InputError(
            "the kernel has no features on subsets, as the Rocq checker wants them: its ranks type by type are "
            + ", ".join(map(str, ranks))
            + ", which is not a non-increasing sequence"
        )
    families = []
    for number in range(ranks[0]):
        degree = max(j for j, rank in enumerate(ranks) if rank > number)
        left: Matrix = [[] for _ in values]
        right: Matrix = [[] for _ in values]
        for r in range(len(values)):
            k = r % (m + 1)
            types = range(min(degree, k, m - k) + 1)
            places = [factors[j][0].index(r) for j in types]
            f = [factors[j][1][i][number] for j, i in zip(types, places, strict=True)]
            g = [factors[j][2][number][i] for j, i in zip(types, places, strict=True)]
            zeros = [Fraction(0)] * levels(m, k, degree)[0]
            left[r] = zeros + _mixture(f, zonal(m, k, degree))
            right[r] = zeros + _mixture(g, zonal(m, degree, k))
        families.append(Family(degree, left, right))
    return families


def _product(x: Iterable[int], y: Iterable[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(x, y, strict=True) if a), Fraction(0))


def _mixture(weights: Sequence[Fraction], rows: Sequence[Sequence[Fraction]]) -> list[Fraction]:
    return [
        sum((w * row[t] for w, row in zip(weights, rows, strict=True)), Fraction(0))
        for t in range(len(rows[0]))
    ]


def rank_factors(matrix: Matrix) -> tuple[Matrix, Matrix]:
    """A = C R with rank A columns in C; the rows of R are a reduced basis of the integral vectors in the row space.

    >>> one, two = Fraction(1), Fraction(2)
    >>> columns, rows = rank_factors([[one, two], [two, two + two]])
    >>> [[str(x) for x in row] for row in columns], [[str(x) for x in row] for row in rows]
    ([['1'], ['2']], [['1', '2']])
    """
    from flint import fmpq_mat, fmpz_mat

    rows = [list(row) for row in matrix]
    pivots: list[int] = []
    for c in range(len(matrix[0])):
        found = len(pivots)
        pivot = next((i for i in range(found, len(rows)) if rows[i][c]), None)
        if pivot is None:
            continue
        rows[found], rows[pivot] = rows[pivot], rows[found]
        rows[found] = [x / rows[found][c] for x in rows[found]]
        for i in range(len(rows)):
            if i != found and rows[i][c]:
                factor = rows[i][c]
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[found], strict=True)]
        pivots.append(c)
    rank = len(pivots)
    if not rank:
        return [[] for _ in matrix], []
    # x R is integral iff x is in the dual of the lattice that the columns of R span; that one has the basis H / scale.
    scale = lcm(*(x.denominator for row in rows[:rank] for x in row))
    columns = fmpz_mat([[int(row[c] * scale) for row in rows[:rank]] for c in range(len(matrix[0]))]).hnf()
    basis = fmpq_mat(fmpz_mat([[columns[i, j] for i in range(rank)] for j in range(rank)])).inv() * scale
    numerators = fmpz_mat([[int(x * scale) for x in row] for row in rows[:rank]])
    saturated, _ = (basis * fmpq_mat(numerators) / scale).numer_denom()
    short = saturated.lll()
    solve = fmpq_mat(fmpz_mat([[short[i, c] for c in pivots] for i in range(rank)])).inv()
    inverse = [[Fraction(int(solve[i, j].p), int(solve[i, j].q)) for j in range(rank)] for i in range(rank)]
    left = [
        [sum((row[c] * inverse[i][j] for i, c in enumerate(pivots)), Fraction(0)) for j in range(rank)]
        for row in matrix
    ]
    return left, [[Fraction(int(short[i, c])) for c in range(len(matrix[0]))] for i in range(rank)]


def integral(families: Sequence[Family]) -> list[tuple[int, list[list[int]], list[list[int]]]]:
    """The families with integers: a positive factor for each G, one for all F of a class."""
    scales = [_scale(x for line in family.right for x in line) for family in families]
    right = [[[int(x * s) for x in line] for line in f.right] for f, s in zip(families, scales, strict=True)]
    left: list[list[list[int]]] = [[] for _ in families]
    for r in range(len(families[0].left) if families else 0):
        lines = [[x / s for x in f.left[r]] for f, s in zip(families, scales, strict=True)]
        scale = _scale(x for line in lines for x in line)
        for family, line in zip(left, lines, strict=True):
            family.append([int(x * scale) for x in line])
    return [(f.degree, F, G) for f, F, G in zip(families, left, right, strict=True)]


def _scale(numbers: Iterable[Fraction]) -> Fraction:
    """The positive factor that makes the numbers integers without a common divisor."""
    given = [x for x in numbers if x]
    if not given:
        return Fraction(1)
    bottom = lcm(*(x.denominator for x in given))
    return Fraction(bottom, gcd(*(int(x * bottom) for x in given)))


def _families(cert: dict[str, Any], m: int, bits: int, families: Sequence[Family]) -> tuple[str, str]:
    def listing(lines: list[list[int]]) -> str:
        return seq(table(lines[x * (m + 1) : (x + 1) * (m + 1)]) for x in range(1 << bits))

    data = seq(
        f"Family {d}\n    {listing(left)}\n    {listing(right)}" for d, left, right in integral(families)
    )
    return _file(cert, "check_classes", "ClassCert", f"{m} {bits}", data)


def _setfunction(cert: dict[str, Any]) -> tuple[str, str]:
    m, terms = cert["setting"]["m"], cert["data"]["terms"]
    weights = integers(Fraction(weight) for _, weight in terms)
    masks = {mask: weight for (mask, _), weight in zip(terms, weights, strict=True)}
    if len(masks) < len(terms):
        raise InputError("a mask occurs twice")
    return _file(cert, "check_setfunction", "SetfunctionCert", str(m), _tree(masks))


def _tree(masks: dict[str, int]) -> str:
    """The masks that begin with 0 and those that begin with 1, without their first coordinate, and so on."""
    if not masks:
        return "Empty"
    if "" in masks:
        return f"(Leaf {z(masks[''])})"
    halves = ({mask[1:]: w for mask, w in masks.items() if mask[0] == bit} for bit in "01")
    return f"(Node {' '.join(_tree(half) for half in halves)})"


def _expanded(cert: dict[str, Any]) -> tuple[str, str]:
    m, n, value = cert["setting"]["m"], cert["setting"]["n"], cert["claim"]["value"]
    x, tolerance = Fraction(cert["data"]["x"]), Fraction(cert["setting"]["tolerance"])
    head = _setting(cert)
    self_included, signed = head.split()[2:]
    text = (
        f"Theorem certified : upper_bound {m} {_nat(n)} {head} {_nat(value)}.\n"
        f"Proof.\napply: (@check_expanded_sound {m} {n} {tolerance.numerator} {tolerance.denominator} "
        f"{z(x.numerator)} {x.denominator} {value} {self_included} {signed} {_nat(n)});\n"
        "  [vm_cast_no_check (erefl true) | by rewrite ?Z2Nat.id].\nQed.\n"
    )
    return "check_base check_setfunction", text
