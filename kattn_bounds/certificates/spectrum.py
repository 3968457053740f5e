"""The rank of a kernel that depends on |q|, |a| and <q, a> only, type by type (SPEC.md). Standard library only."""

from math import comb, gcd

from kattn_bounds.certificates.reading import limit


def class_rank(m: int, table: list[list[list[int]]]) -> int:
    """Rank of K with the values table[r][c] at t = max(0, k+l-m), ..., min(k,l); k, l are r, c mod m + 1. Exact."""
    total = 0
    for j in range(m // 2 + 1):
        span = [r for r in range(len(table)) if j <= r % (m + 1) <= m - j]
        found = rank([[eigenvalue(table[r][c], m, j, r % (m + 1), c % (m + 1)) for c in span] for r in span])
        total += found * (comb(m, j) - (comb(m, j - 1) if j else 0))
    return total


def eigenvalue(line: list[int], m: int, j: int, k: int, l: int) -> int:
    """lambda_j(k, l) of the values K(k, l, .)."""
    total, first = 0, max(0, k + l - m)
    for e in range(j + 1):
        for i in range(min(k, l) - j + 1):
            ways = comb(m - k - j, l - j - i)
            if ways:
                total += (-1) ** e * comb(j, e) * comb(k - j, i) * ways * line[j - e + i - first]
    return total


def rank(rows: list[list[int]]) -> int:
    """Exact, by elimination in integers; each row is divided by its greatest common divisor."""
    found, width = 0, len(rows[0])
    for c in range(width):
        pivot = next((i for i in range(found, len(rows)) if rows[i][c]), None)
        if pivot is None:
            continue
        rows[found], rows[pivot] = rows[pivot], rows[found]
        top = rows[found]
        limit(len(rows) ** 3 * (1 + (max(abs(x).bit_length() for x in top) >> 9)))
        for i in range(found + 1, len(rows)):
            row = [top[c] * x - rows[i][c] * y for x, y in zip(rows[i], top, strict=True)]
            divisor = gcd(*row) or 1
            rows[i] = [x // divisor for x in row]
        found += 1
    return found
