"""Constructions, files, formulas and functions: exact entries, and one clear line for every bad input."""

from __future__ import annotations

import json
from fractions import Fraction
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kattn_bounds.cube import canonical, inner, instances
from kattn_bounds.errors import InputError
from kattn_bounds.kernels import FactorKernel, PositionKernel, expanded, formula, parse_kernel, softmax
from kattn_bounds.kernels.rank import exact_rank, expanded_features_agree, expanded_rank
from kattn_bounds.setting import Setting
from kattn_bounds.verify import decide


@pytest.mark.parametrize("m", range(1, 11))
def test_expanded_kernel_has_rank_two_to_the_m(m: int) -> None:
    assert expanded_rank(m, Fraction(1, 3)) == 2**m
    assert expanded_features_agree(m, Fraction(1, 3))


def test_rank_is_not_always_full() -> None:
    assert expanded_rank(3, Fraction(1)) == 1
    assert exact_rank([[1, 2, 3], [2, 4, 6], [1, 0, 0]]) == 2
    prime = 2**61 - 1
    assert exact_rank([[prime, 0], [0, 1]]) == 2  # singular modulo the first prime only


@pytest.mark.parametrize("nonneg", [False, True])
def test_expanded_equals_softmax(nonneg: bool) -> None:
    m, x = 3, Fraction(2, 5)
    kernel, reference = expanded(m, x, nonneg), softmax(m, x)
    for q in range(8):
        for a in range(8):
            by_hand = Fraction(
                sum(int(u) * int(v) for u, v in zip(kernel.phi[q], kernel.psi[a], strict=True)),
                kernel.denominator,
            )
            assert kernel.value(q, a) == by_hand == reference.value(q, a) == x ** inner(q, a)
    assert decide(kernel, Setting(m)).worst_error == decide(reference, Setting(m)).worst_error


def test_factors_are_exact_beyond_64_bits() -> None:
    big = 10**25
    kernel = FactorKernel("big", 1, [[big, 1], [1, big]], [[big, 0], [1, 1]])
    assert kernel.value(0, 0) == big * big
    assert kernel.numerators().tolist() == [[big * big, big + 1], [big, big + 1]]


@given(st.integers(1, 3), st.integers(1, 3))
def test_instances_cover_every_sequence_once(m: int, n: int) -> None:
    found = list(instances(m, n))
    assert sum(i.orbit_size for i in found) == 2 ** (m * n)
    assert len(found) == comb(2**n + m - 1, m)
    assert all(canonical(i.tokens, m) == i.tokens for i in found)


FORMULAS = {
    "3**-t": lambda k, l, t, m: Fraction(1, 3**t),
    "(2/5)**t": lambda k, l, t, m: Fraction(2, 5) ** t,
    "0.4**t": lambda k, l, t, m: Fraction(2, 5) ** t,
    "1e-2 + u": lambda k, l, t, m: Fraction(1, 100) + k - t,
    "binom(u,2)+binom(m,k)": lambda k, l, t, m: Fraction(comb(k - t, 2) + comb(m, k)),
    "max(l, k) - min(l, k, 1)": lambda k, l, t, m: Fraction(max(l, k) - min(l, k, 1)),
    "2**-(k*l) * -(-1)": lambda k, l, t, m: Fraction(1, 2 ** (k * l)),
    "-2**2 + 2**3**2": lambda k, l, t, m: Fraction(508),
    "1/3/2": lambda k, l, t, m: Fraction(1, 6),
}


@pytest.mark.parametrize("text", FORMULAS)
def test_formulas(text: str) -> None:
    m = 4
    kernel = formula(text, m)
    for k in range(m + 1):
        for l in range(m + 1):
            for t in range(max(0, k + l - m), min(k, l) + 1):
                assert kernel.class_value(k, l, t) == FORMULAS[text](k, l, t, m)


BAD_FORMULAS = {
    "__import__('os').system('true')": "not allowed",
    "t.real": "not allowed",
    "(lambda: 1)()": "not allowed",
    "[t for t in (1,)]": "not allowed",
    "t if t else 1": "not allowed",
    "'a'": "not allowed",
    "True": "not allowed",
    "3j": "not allowed",
    "t @ t": "not allowed",
    "t // 2": "not allowed",
    "x + 1": "the name x",
    "f(t)": "the function f",
    "binom(t)": "two arguments",
    "min()": "at least one",
    "min(*t)": "not allowed|plain",
    "binom(t, k=1)": "plain arguments",
    "3**": "not a formula",
    "": "not a formula|empty",
    "9**9**9**9": "too large|more than",
    "2**999999999": "too large",
    "10**100000": "more than",
    "1e99999": "number",
    "2**(1/2)": "not an integer",
    "1/t": "division by zero",
    "0**-1": "division by zero",
    "t - 1": "< 0",
    "binom(t - 5, 1)": "binom",
    "(" * 100 + "t" + ")" * 100 + "(": "not a formula",
    "-" * 500 + "t": "nested",
    "t+" * 3000 + "t": "characters",
    "\x00": "not a formula",
}


@pytest.mark.parametrize("text", BAD_FORMULAS)
def test_bad_formulas(text: str) -> None:
    with pytest.raises(InputError, match=BAD_FORMULAS[text]) as caught:
        decide(formula(text, 3), Setting(3))
    assert all("\n" not in line and len(line) < 300 for line in caught.value.faults)


def write(path: Path, content: object) -> str:
    if isinstance(content, np.ndarray):
        np.save(path, content)
    elif isinstance(content, str):
        path.write_text(content)
    else:
        path.write_text(json.dumps(content))
    return str(path)


def test_tables_from_files(tmp_path: Path) -> None:
    rational = [[Fraction(1, 3) ** inner(q, a) for a in range(4)] for q in range(4)]
    csv = write(tmp_path / "k.csv", "\n".join(",".join(map(str, row)) for row in rational))
    whole = np.array([[9 ** (2 - inner(q, a)) for a in range(4)] for q in range(4)])
    npy = write(tmp_path / "k.npy", whole)
    floats = write(tmp_path / "f.npy", whole.astype(np.float32))
    np.savez(tmp_path / "k.npz", table=whole)
    np.savez(tmp_path / "p.npz", K_1=whole, K_2=whole, K_3=whole)
    factors = write(
        tmp_path / "k.json",
        {"phi": [["1", 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], "psi": whole.T.tolist()},
    )
    setting = Setting(2)
    expected = decide(formula("9**-t", 2), setting).worst_error
    assert (
        decide(parse_kernel(csv, 2), setting).worst_error == decide(formula("3**-t", 2), setting).worst_error
    )
    for path in (npy, floats, factors, str(tmp_path / "k.npz"), str(tmp_path / "p.npz")):
        assert decide(parse_kernel(path, 2), setting).worst_error == expected
    assert isinstance(parse_kernel(str(tmp_path / "p.npz"), 2), PositionKernel)


def bad_files() -> dict[str, tuple[str, object, str]]:
    ones = np.ones((4, 4))
    return {
        "size": ("k.npy", np.ones((3, 3)), "2\\^m x 2\\^m"),
        "not square": ("k.npy", np.ones((4, 2)), "2\\^m x 2\\^m"),
        "other m": ("k.npy", np.ones((8, 8)), "give --m 3"),
        "negative": ("k.npy", ones - 2 * np.eye(4), "has -1.0 at q = 00, a = 00"),
        "nan": ("k.npy", np.where(np.eye(4) > 0, np.nan, 1), "has nan at q = 00"),
        "infinite": ("k.npy", np.where(np.eye(4) > 0, np.inf, 1), "has inf"),
        "complex": ("k.npy", ones.astype(complex), "entries of type"),
        "not numpy": ("k.npy", "hello", "not a readable .npy"),
        "not zip": ("k.npz", "hello", "not a readable .npz"),
        "ragged csv": ("k.csv", "1,2\n3\n", "different lengths"),
        "text csv": ("k.csv", "1,x\n3,4\n", "not a rational"),
        "nan csv": ("k.csv", "1,nan\n3,4\n", "not a rational"),
        "zero denominator": ("k.csv", "1,1/0\n3,4\n", "not a rational"),
        "malformed json": ("k.json", '{"phi": [', "not valid JSON"),
        "deep json": ("k.json", "[" * 100_000, "too deep|not valid"),
        "wrong keys": ("k.json", {"phi": [[1]] * 4}, "keys phi and psi"),
        "extra key": ("k.json", {"phi": [[1]] * 4, "psi": [[1]] * 4, "x": 1}, "keys phi and psi"),
        "float in json": ("k.json", {"phi": [[0.5]] * 4, "psi": [[1]] * 4}, "not an exact rational"),
        "ragged factors": ("k.json", {"phi": [[1], [1, 2], [1], [1]], "psi": [[1]] * 4}, "same D"),
        "few rows": ("k.json", {"phi": [[1]] * 4, "psi": [[1]] * 3}, "psi has 3 rows"),
        "no power of two": ("k.json", {"phi": [[1]] * 3, "psi": [[1]] * 3}, "2\\^m rows"),
        "negative kernel": ("k.json", {"phi": [[1]] * 4, "psi": [[-1]] * 4}, "< 0"),
    }


@pytest.mark.parametrize("case", bad_files())
def test_bad_files(case: str, tmp_path: Path) -> None:
    name, content, fault = bad_files()[case]
    path = write(tmp_path / name, content)
    with pytest.raises(InputError, match=fault) as caught:
        decide(parse_kernel(path, 2), Setting(2))
    assert all("\n" not in line and len(line) < 400 for line in caught.value.faults)


def test_missing_files_and_pickles(tmp_path: Path) -> None:
    for name in ("no.npy", "no.npz", "no.csv", "no.json"):
        with pytest.raises(InputError, match="cannot read"):
            parse_kernel(str(tmp_path / name), 2)
    np.save(tmp_path / "o.npy", np.array([[Fraction(1)] * 2] * 2, dtype=object))
    with pytest.raises(InputError, match="not a readable"):
        parse_kernel(str(tmp_path / "o.npy"), 1)


def test_functions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine_kernels.py").write_text(
        "from fractions import Fraction\n"
        "from kattn_bounds.kernels import softmax\n"
        "def third(q, a):\n    return Fraction(1, 3) ** sum(x * y for x, y in zip(q, a))\n"
        "def floating(q, a):\n    return 0.25 ** sum(x * y for x, y in zip(q, a))\n"
        "def made(m):\n    return softmax(m, Fraction(1, 4))\n"
        "def broken(q, a):\n    return 1 / 0\n"
        "def text(q, a):\n    return 'one'\n"
        "def infinite(q, a):\n    return float('inf')\n"
        "value = 3\n"
    )
    monkeypatch.chdir(tmp_path)
    setting = Setting(2)
    expected = decide(formula("3**-t", 2), setting).worst_error
    assert decide(parse_kernel("mine_kernels:third", 2), setting).worst_error == expected
    quarter = decide(formula("4**-t", 2), setting).worst_error
    for name in ("floating", "made"):
        assert decide(parse_kernel(f"mine_kernels:{name}", 2), setting).worst_error == quarter
    for spec, fault in {
        "mine_kernels:broken": "ZeroDivisionError",
        "mine_kernels:text": "return an integer",
        "mine_kernels:infinite": "return an integer",
        "mine_kernels:none": "has no function",
        "mine_kernels:value": "has no function",
        "no_such_module:f": "cannot import",
    }.items():
        with pytest.raises(InputError, match=fault):
            parse_kernel(spec, 2)
    with pytest.raises(InputError, match="too large to call"):
        parse_kernel("mine_kernels:third", 12)
