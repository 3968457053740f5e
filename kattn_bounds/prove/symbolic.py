"""General proofs that sympy closes: C2 for all m, the geometric tail of C2 at x = 1/(n-1) or below, the sum over positions of L2.

Each function checks its identities with sympy's polynomial arithmetic and returns a Finding with method `symbolic`; a check that
does not come out gives UNDECIDED.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kattn_bounds.verdict import Finding, Verdict

Check = tuple[str, bool]


def _finding(name: str, premise: str, checks: list[Check], conclusion: str) -> Finding:
    failed = [text for text, good in checks if not good]
    evidence = "\n".join([premise, *(f"[{'checked' if good else 'FAILED'}] {text}" for text, good in checks)])
    if failed:
        return Finding(Verdict.UNDECIDED, "symbolic", evidence, {"failed": failed})
    details: dict[str, object] = {"theorem": name, "checks": [text for text, _ in checks]}
    return Finding(Verdict.PROVED, "symbolic", f"{evidence}\nso {conclusion}", details)


def _zero(expression: Any) -> bool:
    import sympy

    return bool(sympy.expand(sympy.powsimp(sympy.expand(expression), force=True)) == 0)


def _nonnegative(polynomial: Any, variable: Any) -> bool:
    """Whether every coefficient is >= 0, so that the polynomial is >= 0 at every variable >= 0."""
    import sympy

    return all(c >= 0 for c in sympy.Poly(sympy.expand(polynomial), variable).all_coeffs())


def c2_all_m() -> Finding:
    """C2: K = x^t solves (m, n), tolerance 1/2, self included, iff (n-1) max_s (2s-1) x^s < 1, for every m and n >= 2.

    >>> c2_all_m().verdict.value
    'PROVED'
    """
    import sympy

    x, n, s, y = sympy.symbols("x n s y", positive=True)
    half = sympy.Rational(1, 2)

    def share(level: Any) -> Any:
        """What one attended token adds to the condition, divided by x^y / 2; y is the least level."""
        return x**level * (level - y - half) * 2 / x**y

    worst = share(y) + (n - 2) * share(y + s) + share(y + s)
    checks = [
        ("a token at level y + s adds (2s-1) x^s", _zero(share(y + s) - (2 * s - 1) * x**s)),
        ("the token at the least level y adds -1", _zero(share(y) + 1)),
        (
            "|q| = y + s, every other competitor the query itself: -1 + (n-1)(2s-1) x^s, for each s = 1..m",
            _zero(worst - (-1 + (n - 1) * (2 * s - 1) * x**s)),
        ),
    ]
    return _finding(
        "C2",
        "let M = max over 1 <= s <= m of (2s-1) x^s > 0; a sequence has one token at the least level and n-1 others, "
        "each adding at most M",
        checks,
        "the condition is at most -1 + (n-1) M, attained: x^t solves (m, n) iff (n-1) M < 1, for all m, n >= 2",
    )


def geometric_tail() -> Finding:
    """C2 in closed form: for m >= 2 the kernel x^t solves n = 3 iff x < 1/sqrt 6, and n >= 4 iff x < 1/(n-1), at every m.

    >>> geometric_tail().verdict.value
    'PROVED'
    """
    import sympy

    x = sympy.symbols("x", positive=True)
    r = sympy.symbols("r", nonnegative=True)
    s = r + 1
    third, sixth = sympy.Rational(1, 3), sympy.Rational(1, 6)
    ratio = sympy.simplify((2 * s + 1) * x ** (s + 1) / ((2 * s - 1) * x**s))
    squares = [(2 * (2 * j - 1)) ** 2 * sixth**j for j in range(1, 3)]
    far = r + 2
    checks = [
        ("the ratio of consecutive terms is x (2s+1)/(2s-1)", _zero(ratio * (2 * s - 1) - x * (2 * s + 1))),
        (
            "at x <= 1/3 it is at most 1: (2s-1) - (2s+1)/3 >= 0 for s >= 1, so the largest term is x",
            _nonnegative((2 * s - 1) - (2 * s + 1) * third, r),
        ),
        ("n = 3, x = 1/sqrt 6: twice the term s = 1 is below 1", bool(squares[0] < 1)),
        ("n = 3, x = 1/sqrt 6: twice the term s = 2 is 1, so x < 1/sqrt 6 is needed", bool(squares[1] == 1)),
        (
            "n = 3, x = 1/sqrt 6: the terms fall from s = 2 on, 6 (2s-1)^2 >= (2s+1)^2, so x < 1/sqrt 6 suffices",
            _nonnegative(6 * (2 * far - 1) ** 2 - (2 * far + 1) ** 2, r),
        ),
    ]
    return _finding(
        "tail",
        "let the terms be (2s-1) x^s, s >= 1; each grows with x; "
        "(m, n) is solved iff (n-1) times each of s = 1..m is below 1 (C2)",
        checks,
        "at m >= 2: n = 3 iff x < 1/sqrt 6; n >= 4 iff x < 1/(n-1) (there x <= 1/3 and the largest term is x)",
    )


def position_sum() -> Finding:
    """L2: the n - 1 inequalities of (a at i, b elsewhere) add up to the decay of Kbar = sum_{j<n} K_j, for every n >= 3.

    >>> position_sum().verdict.value
    'PROVED'
    """
    import sympy

    i, j = sympy.symbols("i j", integer=True, positive=True)
    rest = sympy.symbols("rest", integer=True, nonnegative=True)
    n = j + 1 + rest  # position j is one of 1..n-1
    s, tau, e = sympy.symbols("s tau e", positive=True)
    holds_a = sympy.KroneckerDelta(i, j)

    def over_arrangements(term: Any) -> Any:
        return sympy.simplify(sympy.summation(sympy.expand(term), (i, 1, n - 1)))

    own = over_arrangements(e - tau)
    checks = [
        (
            "coefficient of K_j(q,a) in the sum: -tau, for every j < n",
            _zero(over_arrangements(-tau * holds_a) + tau),
        ),
        (
            "coefficient of K_j(q,b): (n-2)(s - tau), for every j < n",
            _zero(over_arrangements((s - tau) * (1 - holds_a)) - (n - 2) * (s - tau)),
        ),
        ("the query's own terms: (n-1)(|q| - t - tau) K_n(q,q)", _zero(own - (n - 1) * (e - tau))),
    ]
    return _finding(
        "L2",
        "arrangement i puts a at position i and b at the other positions before the query: "
        "K_j(q,a) has coefficient -tau [i = j], K_j(q,b) has (s - tau) [i != j]; |q| - t >= s >= 1 >= tau",
        checks,
        "(n-2)(s - tau) Kbar(q,b) < tau Kbar(q,a) for every m, n >= 3, s > tau, all multipliers one; "
        "(n-2)(2s-1) Kbar(q,b) < Kbar(q,a) at tau = 1/2",
    )


THEOREMS: dict[str, Callable[[], Finding]] = {"C2": c2_all_m, "tail": geometric_tail, "L2": position_sum}
