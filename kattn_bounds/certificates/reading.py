"""Reading an untrusted certificate: bounded in size, depth and digits, exact, no unknown keys. Stdlib only."""

import json
import re
from collections.abc import Iterable
from fractions import Fraction
from itertools import accumulate
from math import lcm
from typing import Any, NamedTuple, NoReturn

MAX_BYTES, MAX_COMMAS, MAX_DEPTH, MAX_DIGITS = 1 << 26, 4_000_000, 64, 4000
MAX_M, MAX_N = 10_000, 10**12
MAX_BITS = 60_000  # of a common denominator
RATIONAL = re.compile(r"(-?[0-9]+)(?:/([0-9]+))?")
MAX_WORK = 10**9  # inner steps of a check; a step is an addition or a product of numbers of a few words


class Rejected(Exception):
    """The certificate does not prove its claim; the text is the reason."""


class Setting(NamedTuple):
    """m bits, n tokens with the query last, tolerance tau; does the query attend to itself; is V free?"""

    m: int
    n: int
    tau: Fraction
    self_included: bool
    free: bool

    def __str__(self) -> str:
        who, readout = ("excluded", "included")[self.self_included], ("inner", "free")[self.free]
        return f"m={self.m}, n={self.n}, tolerance {self.tau}, self {who}, {readout} readout"


def require(condition: bool, reason: str) -> None:
    if not condition:
        raise Rejected(reason)


def limit(work: int) -> None:
    require(work <= MAX_WORK, f"past the work limit of {MAX_WORK} steps")


def show(value: object) -> str:
    text = value if isinstance(value, str) else type(value).__name__
    return ascii(text if len(text) <= 40 else text[:37] + "...")


def parse(text: str) -> object:
    """The JSON value in the text. Size, depth and digits are bounded before anything is built from it."""
    require(text.count(",") <= MAX_COMMAS, f"more than {MAX_COMMAS} commas")
    outside_strings = "".join(text.replace("\\\\", "").replace('\\"', "").split('"')[::2])
    brackets = re.sub(r"[^][{}]+", "", outside_strings)
    depth = max(accumulate(1 if bracket in "[{" else -1 for bracket in brackets), default=0)
    require(depth <= MAX_DEPTH, f"nested deeper than {MAX_DEPTH}")

    def pairs(items: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(items)
        require(len(found) == len(items), f"duplicate key in an object with keys {show(', '.join(found))}")
        return found

    def no_float(literal: str) -> NoReturn:
        raise Rejected(f"{show(literal)} is not exact: write integers, or fractions as strings")

    return json.loads(
        text, object_pairs_hook=pairs, parse_int=integer_of, parse_float=no_float, parse_constant=no_float
    )


def integer_of(text: str) -> int:
    require(len(text) <= MAX_DIGITS + 1, f"a number of more than {MAX_DIGITS} digits")
    return int(text)


def fields(value: object, name: str, required: str, optional: str = "") -> dict[str, Any]:
    """The object, if it has the required keys and no others but the optional ones."""
    if not isinstance(value, dict):
        raise Rejected(f"{name} must be an object")
    for key in required.split():
        require(key in value, f"{name} has no key {key!r}")
    for key in value:
        require(key in required.split() + optional.split(), f"{name} has an unknown key {show(key)}")
    return value


def items(value: object, name: str, length: int | None = None) -> list[Any]:
    if not isinstance(value, list):
        raise Rejected(f"{name} must be a list")
    require(length in (None, len(value)), f"{name} must have {length} entries, not {len(value)}")
    return value


def integer(value: object, name: str, least: int, most: int) -> int:
    if type(value) is not int:
        raise Rejected(f"{name} must be an integer")
    require(least <= value <= most, f"{name} is out of range")
    return value


def choice(value: object, name: str, *allowed: str) -> str:
    require(type(value) is str and value in allowed, f"{name} must be one of {', '.join(allowed)}")
    return str(value)


def rational(value: object) -> Fraction:
    """A JSON integer, or a string -?digits or -?digits/digits."""
    if type(value) is int:
        require(value.bit_length() <= 4 * MAX_DIGITS, f"a number of more than {MAX_DIGITS} digits")
        return Fraction(value)
    short = isinstance(value, str) and len(value) <= 2 * MAX_DIGITS + 2
    match = RATIONAL.fullmatch(str(value)) if short else None
    if match is None:
        raise Rejected(f"{show(value)} is not a rational: write -?digits or -?digits/digits")
    above, below = integer_of(match[1]), integer_of(match[2] or "1")
    require(below > 0, "a rational has denominator 0")
    return Fraction(above, below)


def rationals(value: object, name: str, length: int) -> list[Fraction]:
    return [rational(x) for x in items(value, name, length)]


def common(numbers: Iterable[Fraction]) -> int:
    """The least common denominator."""
    result = 1
    for number in numbers:
        if result % number.denominator:
            result = lcm(result, number.denominator)
            require(result.bit_length() <= MAX_BITS, f"a common denominator of more than {MAX_BITS} bits")
    return result


def scaled(numbers: list[Fraction], scale: int) -> list[int]:
    return [x.numerator * (scale // x.denominator) for x in numbers]


def token(value: object, m: int) -> int:
    if not isinstance(value, str) or len(value) != m or value.strip("01"):
        raise Rejected(f"token {show(value)} must be a string of {m} characters 0 and 1")
    return int(value or "0", 2)


def read_setting(value: object) -> Setting:
    obj = fields(value, "setting", "m n tolerance self_included readout")
    require(type(obj["self_included"]) is bool, "setting.self_included must be true or false")
    own = bool(obj["self_included"])
    tau = rational(obj["tolerance"])
    require(0 < tau <= 1, "setting.tolerance must be in (0, 1]")
    m, n = integer(obj["m"], "setting.m", 1, MAX_M), integer(obj["n"], "setting.n", 1 if own else 2, MAX_N)
    return Setting(m, n, tau, own, choice(obj["readout"], "setting.readout", "inner", "free") == "free")


def read_bound(value: object, relation: str) -> tuple[int, str]:
    """A claim `features <= value` or `features >= value`."""
    claim = fields(value, "claim", "quantity relation value features")
    choice(claim["quantity"], "claim.quantity", "features")
    choice(claim["relation"], "claim.relation", relation)
    features = choice(claim["features"], "claim.features", "signed", "nonneg")
    return integer(claim["value"], "claim.value", 1, 10**MAX_DIGITS), features


def lower_claim(s: Setting, claim: object, proved: int) -> str:
    value, features = read_bound(claim, ">=")
    require(value <= proved, f"the data prove {proved} features, fewer than the claimed {value}")
    return f"D*({s}) >= {value}, {features} features"
