"""A user's formula, such as 3**-t, parsed to a tree by an allow-list and evaluated in exact fractions.

Names: t = <q,a>, u = |q| - t, k = |q|, l = |a|, m. Operations: + - * / ** and binom(a, b), min(...), max(...). Nothing in a
formula is ever executed as Python: the text is only parsed, every node that is not on the list is refused, and the
evaluator is the one below.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from fractions import Fraction
from math import comb

from kattn_bounds.errors import InputError, shorten
from kattn_bounds.kernels.base import ClassKernel

MAX_LENGTH = 2_000
MAX_DEPTH = 60
MAX_EXPONENT = 100_000
MAX_BITS = 200_000
"""Numbers longer than this many bits are refused while evaluating, so that a formula cannot exhaust memory."""

NAMES = ("t", "u", "k", "l", "m")
Evaluator = Callable[[dict[str, int]], Fraction]


def formula(text: str, m: int, signed: bool = False) -> ClassKernel:
    """The kernel of a formula; a function of |q|, |a| and <q,a>, so it is decided by orbits at any m.

    Raises InputError for anything outside the language, and, when an entry is needed, for a division by zero, an
    exponent that is not an integer, a number too large, or, unless `signed` is set, a negative entry.

    >>> formula("(2/5)**t", 4).value(0b1111, 0b0011)
    Fraction(4, 25)
    >>> formula("binom(u, 2) + 0.5", 4).value(0b1111, 0b0001)
    Fraction(7, 2)
    >>> formula("__import__('os')", 4)
    Traceback (most recent call last):
        ...
    kattn_bounds.errors.InputError: formula "__import__('os')": the function __import__ is not allowed: use binom, min or max
    """
    compiler = _Compiler(text.strip())
    evaluate = compiler.parse()

    def entry(k: int, l: int, t: int) -> Fraction:
        return evaluate({"t": t, "u": k - t, "k": k, "l": l, "m": m})

    uses = "t" + "k" * bool(compiler.used & {"k", "u"}) + "l" * ("l" in compiler.used)
    return ClassKernel(text.strip(), m, entry, signed=signed, uses=uses)


class _Compiler:
    """From the allow-listed syntax tree to nested closures over exact fractions."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.used: set[str] = set()

    def parse(self) -> Evaluator:
        """The evaluator of the whole text: from values of the five names to an exact fraction."""
        if len(self.text) > MAX_LENGTH:
            raise InputError(f"formula of {len(self.text)} characters: give at most {MAX_LENGTH}")
        try:
            tree = ast.parse(self.text, mode="eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            detail = error.msg if isinstance(error, SyntaxError) and error.msg else "it cannot be parsed"
            raise InputError(
                f'formula "{shorten(self.text)}" is not a formula ({shorten(detail)}): '
                "write for instance 3**-t or (2/5)**t"
            ) from None
        return self.compile(tree.body, 0)

    def fail(self, why: str) -> InputError:
        return InputError(f'formula "{shorten(self.text)}": {why}')

    def compile(self, node: ast.expr, depth: int) -> Evaluator:
        if depth > MAX_DEPTH:
            raise self.fail(f"nested deeper than {MAX_DEPTH}: simplify it")
        if isinstance(node, ast.Constant):
            return self.constant(node)
        if isinstance(node, ast.Name):
            return self.name(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd | ast.USub):
            inside = self.compile(node.operand, depth + 1)
            return (lambda env: -inside(env)) if isinstance(node.op, ast.USub) else inside
        if isinstance(node, ast.BinOp):
            return self.operation(node, depth)
        if isinstance(node, ast.Call):
            return self.call(node, depth)
        raise self.fail(
            f"{type(node).__name__} is not allowed: use numbers, t u k l m, + - * / **, binom, min, max"
        )

    def constant(self, node: ast.Constant) -> Evaluator:
        if isinstance(node.value, bool) or not isinstance(node.value, int | float):
            raise self.fail(f"the constant {shorten(repr(node.value))} is not allowed: use rational numbers")
        literal = ast.get_source_segment(self.text, node) or str(node.value)
        exponent = literal.lower().partition("e")[2]
        try:
            # The digits as written: 0.4 is 2/5, not the nearest float.
            value = Fraction(literal) if abs(int(exponent or 0)) <= 400 else None
        except (ValueError, ZeroDivisionError):
            value = None
        if value is None:
            raise self.fail(f"the number {shorten(literal)} is not allowed: write it as 3, 0.4 or 2/5")
        return lambda env: value

    def name(self, node: ast.Name) -> Evaluator:
        name = node.id
        if name not in NAMES:
            raise self.fail(f"the name {shorten(name)} is not allowed: use t, u, k, l or m")
        self.used.add(name)
        return lambda env: Fraction(env[name])

    def operation(self, node: ast.BinOp, depth: int) -> Evaluator:
        left = self.compile(node.left, depth + 1)
        right = self.compile(node.right, depth + 1)
        if isinstance(node.op, ast.Add):
            return lambda env: self.sized(left(env) + right(env))
        if isinstance(node.op, ast.Sub):
            return lambda env: self.sized(left(env) - right(env))
        if isinstance(node.op, ast.Mult):
            return lambda env: self.sized(left(env) * right(env))
        if isinstance(node.op, ast.Div):
            return lambda env: self.divide(left(env), right(env), env)
        if isinstance(node.op, ast.Pow):
            return lambda env: self.power(left(env), right(env), env)
        raise self.fail(f"the operator {type(node.op).__name__} is not allowed: use + - * / **")

    def call(self, node: ast.Call, depth: int) -> Evaluator:
        name = node.func.id if isinstance(node.func, ast.Name) else "call"
        if name not in ("binom", "min", "max"):
            raise self.fail(f"the function {shorten(name)} is not allowed: use binom, min or max")
        if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
            raise self.fail(f"{name} takes plain arguments only")
        arguments = [self.compile(a, depth + 1) for a in node.args]
        if name == "binom":
            if len(arguments) != 2:
                raise self.fail(f"binom takes two arguments, not {len(arguments)}")
            upper, lower = arguments
            return lambda env: self.binomial(upper(env), lower(env), env)
        if not arguments:
            raise self.fail(f"{name} takes at least one argument")
        pick = min if name == "min" else max
        return lambda env: pick(a(env) for a in arguments)

    def sized(self, value: Fraction) -> Fraction:
        if value.numerator.bit_length() > MAX_BITS or value.denominator.bit_length() > MAX_BITS:
            raise self.fail(f"a value has more than {MAX_BITS} bits: use smaller numbers")
        return value

    def divide(self, a: Fraction, b: Fraction, env: dict[str, int]) -> Fraction:
        if b == 0:
            raise self.fail(f"division by zero at {_where(env)}: add a term that keeps it from 0")
        return self.sized(a / b)

    def power(self, a: Fraction, b: Fraction, env: dict[str, int]) -> Fraction:
        if b.denominator != 1:
            raise self.fail(
                f"the exponent {shorten(b)} at {_where(env)} is not an integer: powers must stay exact"
            )
        exponent = int(b)
        if abs(exponent) > MAX_EXPONENT:
            raise self.fail(f"the exponent {shorten(exponent)} is too large: give at most {MAX_EXPONENT}")
        size = max(a.numerator.bit_length(), a.denominator.bit_length())
        if (size - 1) * abs(exponent) > MAX_BITS:
            raise self.fail(f"a power has more than {MAX_BITS} bits: use a smaller base or exponent")
        if a == 0 and exponent < 0:
            raise self.fail(f"division by zero (0 to a negative power) at {_where(env)}")
        return a**exponent

    def binomial(self, a: Fraction, b: Fraction, env: dict[str, int]) -> Fraction:
        if a.denominator != 1 or b.denominator != 1 or a < 0:
            raise self.fail(
                f"binom({shorten(a)}, {shorten(b)}) at {_where(env)} needs integers, the first >= 0"
            )
        n, k = int(a), int(b)
        if k < 0 or k > n:
            return Fraction(0)
        if n > MAX_EXPONENT:
            raise self.fail(
                f"binom({shorten(a)}, {shorten(b)}) is too large: give at most binom({MAX_EXPONENT}, ..)"
            )
        return self.sized(Fraction(comb(n, k)))


def _where(env: dict[str, int]) -> str:
    return f"|q| = {env['k']}, |a| = {env['l']}, t = {env['t']}"
