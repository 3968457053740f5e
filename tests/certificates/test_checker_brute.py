"""The checker against brute force: it accepts a kernel exactly when the reference evaluator finds no bad sequence."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import comb

import pytest
from brute import worst_error
from flint import fmpz_mat
from samples import monomials

from kattn_bounds.certificates import writer
from kattn_bounds.certificates.checker import Rejected, check, decay
from kattn_bounds.certificates.reading import Setting as CheckerSetting
from kattn_bounds.certificates.spectrum import class_rank
from kattn_bounds.setting import Setting

Matrix = list[list[Fraction]]


def accepts(certificate: writer.Certificate) -> bool:
    try:
        check(certificate)
    except Rejected as error:
        if "fails" in str(error) or "negative" in str(error):
            return False
        raise
    return True


def product_of(phi: Matrix, psi: Matrix) -> Matrix:
    return [[sum((x * y for x, y in zip(p, s, strict=True)), Fraction(0)) for s in psi] for p in phi]


def truly_solves(setting: Setting, kernel: Matrix, values: Matrix | None = None) -> bool:
    if min(x for row in kernel for x in row) < 0:
        return False
    value = None if values is None else (lambda q, a, i, j: values[q][a])
    error = worst_error(lambda q, a, i, j: kernel[q][a], setting, value)
    return error is not None and error < setting.tolerance


def settings(readout: str) -> Iterator[Setting]:
    for m, n in ((1, 1), (1, 2), (1, 4), (2, 2), (2, 3), (2, 4), (3, 2)):
        for tau in (Fraction(1, 2), Fraction(1, 3), Fraction(1)):
            for own in (True, False):
                if n > 1 or own:
                    yield Setting(m, n, tau, own, "free" if readout == "free" else "inner")


def random_factors(rng: random.Random, m: int, x: Fraction) -> tuple[Matrix, Matrix]:
    """Factors of x^t, spoiled a little, or plain random ones: zeros, ties and negative entries occur."""
    phi, psi = monomials(m, x)
    for _ in range(rng.choice([0, 1, 1, 2])):
        rows = rng.choice([phi, psi])
        row = rng.choice(rows)
        row[rng.randrange(len(row))] += Fraction(rng.choice([-1, 1]), rng.choice([3, 10, 50]))
    if rng.random() < 0.2:
        small = [[Fraction(rng.choice([0, 1, 1, 5, 30])) for _ in range(2)] for _ in range(2 << m)]
        return small[: 1 << m], small[1 << m :]
    return phi, psi


def test_factors_agree_with_brute_force() -> None:
    rng = random.Random(5)
    outcomes = []
    for setting in settings("inner"):
        for _ in range(6):
            phi, psi = random_factors(
                rng, setting.m, rng.choice([Fraction(1, 3), Fraction(1, 20), Fraction(1, 2)])
            )
            expected = truly_solves(setting, product_of(phi, psi))
            assert accepts(writer.kernel_factors(setting, phi, psi)) == expected, (setting, phi, psi)
            outcomes.append(expected)
    assert 20 < sum(outcomes) < len(outcomes) - 20


def test_solving_a_length_solves_the_shorter_ones() -> None:
    """L6, on which the kind `independence` relies; and self excluded at n + 1 contains self included at n."""
    rng = random.Random(12)
    solved = 0
    for _ in range(400):
        m, n = rng.choice([1, 2, 2]), rng.choice([3, 4])
        tau, own = (
            rng.choice([Fraction(1, 2), Fraction(1, 3), Fraction(4, 5), Fraction(1)]),
            rng.random() < 0.5,
        )
        if rng.random() < 0.5:
            phi, psi = random_factors(rng, m, rng.choice([Fraction(1, 3), Fraction(1, 20), Fraction(1, 2)]))
            kernel = product_of(phi, psi)
        else:  # many zeros and huge ratios
            kernel = [
                [Fraction(rng.choice([0, 1, 1, 9]), 100 ** (q & a).bit_count()) for a in range(1 << m)]
                for q in range(1 << m)
            ]
        if not truly_solves(Setting(m, n, tau, own), kernel):
            continue
        solved += 1
        for shorter in range(1 if own else 2, n):
            assert truly_solves(Setting(m, shorter, tau, own), kernel)
        if not own:
            assert truly_solves(Setting(m, n - 1, tau, True), kernel)
    assert solved > 60


def test_free_readout_agrees_with_brute_force() -> None:
    rng = random.Random(6)
    outcomes = []
    for setting in settings("free"):
        tokens = range(setting.tokens)
        for _ in range(6):
            phi, psi = random_factors(rng, setting.m, Fraction(1, 20))
            values = [[Fraction((q & a).bit_count()) for a in tokens] for q in tokens]
            if setting.n == 2 and rng.random() < 0.6:
                phi, psi = [[Fraction(1)]] * setting.tokens, [[Fraction(1)]] * setting.tokens
                values = [[Fraction(2 * (q & a).bit_count() - q.bit_count()) for a in tokens] for q in tokens]
            for _ in range(rng.choice([0, 1, 3])):
                values[rng.choice(tokens)][rng.choice(tokens)] += Fraction(rng.choice([-2, -1, 1, 2]), 5)
            expected = truly_solves(setting, product_of(phi, psi), values)
            assert accepts(writer.kernel_factors(setting, phi, psi, values=values)) == expected, (
                setting,
                values,
            )
            outcomes.append(expected)
    assert 20 < sum(outcomes) < len(outcomes) - 20


def test_blocks_agree_with_brute_force() -> None:
    rng = random.Random(7)
    outcomes = []
    for _ in range(150):
        setting = rng.choice(
            [Setting(2, 3), Setting(2, 4), Setting(3, 2), Setting(3, 3), Setting(2, 3, Fraction(1, 2), False)]
        )
        m = setting.m
        blocks = []
        for _ in range(rng.choice([2, 3, 4])):
            d = rng.randint(0, m)
            alpha = [
                Fraction(rng.choice([1, 10, 40]) * (d > 0) + 1, rng.choice([1, 7])) for _ in range(m + 1)
            ]
            beta = [Fraction(rng.choice([1, 1, 1, 2, -1 if rng.random() < 0.1 else 1])) for _ in range(m + 1)]
            blocks.append((rng.choice(["q", "q", "q", "a"]), d, alpha, beta))
        kernel = [[Fraction(0)] * setting.tokens for _ in range(setting.tokens)]
        for q, a in product(range(setting.tokens), repeat=2):
            for side, d, alpha, beta in blocks:
                u = (q & ~a if side == "q" else a & ~q).bit_count()
                kernel[q][a] += alpha[q.bit_count()] * beta[a.bit_count()] * comb(u, d)
        expected = truly_solves(setting, kernel)
        assert accepts(writer.kernel_blocks(setting, blocks, features="signed")) == expected, (
            setting,
            blocks,
        )
        outcomes.append(expected)
    assert 10 < sum(outcomes) < len(outcomes) - 10


def test_setfunction_agrees_with_brute_force() -> None:
    """Only the query of all ones is read; brute force reads every query."""
    rng = random.Random(8)
    outcomes = []
    for _ in range(120):
        setting = rng.choice(
            [
                Setting(2, 3),
                Setting(3, 2),
                Setting(3, 3),
                Setting(2, 4, Fraction(2, 3)),
                Setting(3, 3, Fraction(1, 2), False),
            ]
        )
        masks = [mask for mask in range(setting.tokens) if mask == 0 or rng.random() < 0.9]
        weights = {mask: Fraction(rng.choice([20, 20, 30, 90]) if mask else 1) for mask in masks}
        if rng.random() < 0.3:
            weights[rng.choice(masks)] *= rng.choice([-1, Fraction(1, 9)])
        kernel = [
            [
                sum((w for t, w in weights.items() if t & q & ~a == t), Fraction(0))
                for a in range(setting.tokens)
            ]
            for q in range(setting.tokens)
        ]
        expected = truly_solves(setting, kernel)
        assert accepts(writer.kernel_setfunction(setting, weights, features="signed")) == expected, (
            setting,
            weights,
        )
        outcomes.append(expected)
    assert 10 < sum(outcomes) < len(outcomes) - 10


@pytest.mark.parametrize("m", [1, 2, 3, 4, 5])
def test_rank_of_a_kernel_on_classes(m: int) -> None:
    """Type by type against elimination on the whole matrix, degenerate kernels included."""
    rng = random.Random(m)
    for trial in range(12):
        table = [
            [
                [
                    rng.choice([0, 1, 1, 2, 5]) if trial % 3 else k + l * t
                    for t in range(max(0, k + l - m), min(k, l) + 1)
                ]
                for l in range(m + 1)
            ]
            for k in range(m + 1)
        ]
        if trial == 1:
            table = [[[1] * len(line) for line in row] for row in table]

        def entry(q: int, a: int, table: list[list[list[int]]] = table) -> int:
            k, l = q.bit_count(), a.bit_count()
            return table[k][l][(q & a).bit_count() - max(0, k + l - m)]

        whole = fmpz_mat([[entry(q, a) for a in range(1 << m)] for q in range(1 << m)])
        assert class_rank(m, table) == whole.rank()


def test_classes_agree_with_brute_force() -> None:
    rng = random.Random(11)
    outcomes = []
    for _ in range(150):
        setting = rng.choice(
            [Setting(2, 3), Setting(3, 2), Setting(3, 3), Setting(2, 4, Fraction(2, 3), False)]
        )
        m = setting.m
        table = [
            [
                [
                    Fraction(rng.randint(60, 90), 20 ** (t + (k == l == t)))
                    for t in range(max(0, k + l - m), min(k, l) + 1)
                ]
                for l in range(m + 1)
            ]
            for k in range(m + 1)
        ]
        if rng.random() < 0.5:
            table[rng.randint(1, m)][rng.randint(1, m)][-1] *= rng.choice([0, 5, 20, 100])
        tokens = range(setting.tokens)
        kernel = [
            [
                table[q.bit_count()][a.bit_count()][
                    (q & a).bit_count() - max(0, q.bit_count() + a.bit_count() - m)
                ]
                for a in tokens
            ]
            for q in tokens
        ]
        expected = truly_solves(setting, kernel)
        assert accepts(writer.kernel_classes(setting, table, setting.tokens)) == expected, (setting, table)
        outcomes.append(expected)
    assert 10 < sum(outcomes) < len(outcomes) - 10


@pytest.mark.parametrize("m", [1, 2, 3])
def test_expanded_agrees_with_brute_force(m: int) -> None:
    for n, own, tau in product((2, 3), (True, False), (Fraction(1, 2), Fraction(1))):
        setting = Setting(m, n, tau, own)
        for x in (Fraction(1, 6), Fraction(1, 3), Fraction(2, 5), Fraction(1, 2), Fraction(5, 6)):
            kernel = [[x ** (q & a).bit_count() for a in range(1 << m)] for q in range(1 << m)]
            assert accepts(writer.kernel_expanded(setting, x)) == truly_solves(setting, kernel), (setting, x)


# ------------------------------------------------------------------------------------ lower bounds


def compositions(s: int) -> Iterator[tuple[int, ...]]:
    if s == 0:
        yield ()
    for part in range(1, s + 1):
        for rest in compositions(s - part):
            yield (part, *rest)


@pytest.mark.parametrize("tau", ["1/2", "1/3", "1/50", "3/4", "99/100", "1"])
@pytest.mark.parametrize("n", [3, 4, 7, 1000])
def test_decay_is_the_minimum_over_all_compositions(n: int, tau: str) -> None:
    """Parts above 6 included, which the checker leaves out."""
    t = Fraction(tau)
    h, excess = decay(CheckerSetting(12, n, t, True, False), 12)
    assert excess == 0
    for s in range(13):
        allowed = [c for c in compositions(s) if all(part > t for part in c)]
        values = []
        for composition in allowed:
            value = Fraction(1)
            for part in composition:
                value *= t / ((n - 2) * (part - t))
            values.append(value)
        assert h[s] == min(values, default=None)


def test_a_shift_of_the_layer_has_small_rank_and_the_claimed_ratio() -> None:
    rng = random.Random(13)
    for m in range(2, 8):
        for k in range(1, m):
            top = min(k, m - k)
            sets = [s for s in range(1 << m) if s.bit_count() == k]
            degree = rng.randint(0, top)
            shift = [Fraction(rng.randint(-3, 9), rng.choice([10, 15, 40])) for _ in range(degree + 1)]

            def b(s: int, shift: list[Fraction] = shift) -> Fraction:
                return sum((c * comb(s, i) for i, c in enumerate(shift)), Fraction(0))

            whole = fmpz_mat([[int(1200 * b((s & ~t).bit_count())) for t in sets] for s in sets])
            assert whole.rank() <= comb(m, degree)
            n = rng.choice([3, 5, 20])
            h, _ = decay(CheckerSetting(m, n, Fraction(1, 2), True, False), m)
            squares = Fraction(0)
            for s, t in product(sets, sets):
                d = (s & ~t).bit_count()
                most = abs(1 - b(0)) if s == t else max(abs(b(d)), abs((h[d] or 0) - b(d)))
                squares += most**2
            if squares:
                proved = -(-((len(sets) * (1 - b(0))) ** 2) // squares) - comb(m, degree)
                if proved >= 1:
                    check(writer.layer(Setting(m, n), k, int(proved), shift=shift))
                with pytest.raises(Rejected):
                    check(writer.layer(Setting(m, n), k, max(0, int(proved)) + 1, shift=shift))


def random_pairs(rng: random.Random, m: int) -> list[tuple[int, int]]:
    size = rng.choice([2, 3, 3, 4])
    kind = rng.random()
    if kind < 0.4:
        sets = rng.sample([s for s in range(1 << m) if s.bit_count() == m // 2], size)
        return [(s, (1 << m) - 1 - s) for s in sets]
    return [(rng.randrange(1 << m), rng.randrange(1 << m)) for _ in range(size)]


def test_dominance_and_trace_agree_with_a_plain_evaluation() -> None:
    rng = random.Random(9)
    accepted = {"dominance": 0, "trace": 0}
    for _ in range(600):
        m, n = rng.choice([4, 5, 6]), rng.choice([3, 4, 6])
        pairs = random_pairs(rng, m)
        size = len(pairs)
        x, y = ([Fraction(rng.choice([0, 1, 1, 2, 3]), rng.choice([1, 2])) for _ in pairs] for _ in range(2))
        scale = [Fraction(rng.choice([1, 2, 3]), rng.choice([2, 3])) for _ in pairs]
        profile, _ = decay(CheckerSetting(m, n, Fraction(1, 2), True, False), m)
        bound: list[list[Fraction | None]] = []
        for q, a in pairs:
            steps = [(q & b).bit_count() - (q & a).bit_count() for _, b in pairs]
            bound.append([profile[s] if s > 0 else None for s in steps])

        off = [(i, j) for i in range(size) for j in range(size) if i != j]
        dominated = all(bound[i][j] is not None for i, j in off) and all(
            sum(bound[i][j] * scale[j] for j in range(size) if j != i) <= scale[i] for i in range(size)
        )
        certificate = writer.dominance(Setting(m, n), pairs, scale)
        try:
            check(certificate)
            assert dominated
            accepted["dominance"] += 1
        except Rejected:
            assert not dominated

        diagonal = sum(a * b for a, b in zip(x, y, strict=True))
        defined = all(bound[i][j] is not None for i, j in off if x[i] * y[j])
        proved = 0
        if defined and diagonal:
            squares = sum((a * b) ** 2 for a, b in zip(x, y, strict=True))
            squares += sum((x[i] * y[j] * bound[i][j]) ** 2 for i, j in off if x[i] * y[j])
            proved = -(-(diagonal**2) // squares)
            check(writer.trace(Setting(m, n), pairs, x, y, proved))
            accepted["trace"] += 1
        with pytest.raises(Rejected):
            check(writer.trace(Setting(m, n), pairs, x, y, proved + 1))
    assert min(accepted.values()) > 30
