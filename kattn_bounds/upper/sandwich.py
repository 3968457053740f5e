"""Certified lower <= D*(m, n) <= certified upper over a range of sizes, as rows, text and LaTeX."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from kattn_bounds.bound import Bound
from kattn_bounds.certificates.writer import Certificate, write_certificate
from kattn_bounds.errors import InputError, shorten
from kattn_bounds.lower.bounds import lower_bounds
from kattn_bounds.setting import Features, Setting
from kattn_bounds.upper.bounds import upper_bounds


@dataclass(frozen=True, slots=True)
class Row:
    """What is known at one m: the best bound of each side. `upper` is None when no construction reaches the setting."""

    m: int
    lower: Bound
    upper: Bound | None

    @property
    def tight(self) -> bool:
        """Whether both sides meet, so that D* is known."""
        return self.upper is not None and self.lower.value == self.upper.value

    @property
    def ratio(self) -> Fraction | None:
        """upper / lower."""
        return None if self.upper is None else Fraction(self.upper.value, self.lower.value)

    def to_json(self) -> dict[str, Any]:
        """The row as a JSON object; `ratio` is an exact fraction."""

        def side(bound: Bound | None) -> dict[str, Any] | None:
            if bound is None:
                return None
            certificate = bound.certificate
            return {
                "value": bound.value,
                "id": bound.id,
                "method": bound.method,
                "certificate": None if certificate is None else certificate["kind"],
            }

        return {
            "m": self.m,
            "lower": side(self.lower),
            "upper": side(self.upper),
            "ratio": None if self.ratio is None else str(self.ratio),
            "tight": self.tight,
        }


def sandwich(settings: Iterable[Setting], features: Features = "signed") -> Iterator[Row]:
    """One row a setting: the best lower and the best upper bound, those with a certificate first.

    >>> [(row.lower.value, row.tight) for row in sandwich([Setting(2), Setting(3)])]
    [(2, True), (3, True)]
    """
    for setting in settings:
        lower = lower_bounds(setting, features)
        upper = upper_bounds(setting, features)
        least = min(upper, key=lambda b: (b.value, b.certificate is None)) if upper else None
        greatest = max(lower, key=lambda b: (b.value, b.certificate is not None))
        if least is not None and greatest.value > least.value:
            raise AssertionError(f"lower bound {greatest} above upper bound {least} at {setting.describe()}")
        yield Row(setting.m, greatest, least)


def parse_range(text: str, most: int = 64) -> range:
    """The sizes "a:b" (both ends included) or "a". Raises InputError.

    >>> list(parse_range("2:4")), list(parse_range("7"))
    ([2, 3, 4], [7])
    """
    first, colon, last = text.partition(":")
    try:
        start, end = int(first), int(last if colon else first)
    except ValueError:
        start, end = 1, 0
    if not 1 <= start <= end <= most:
        raise InputError(
            f"--m {shorten(text)} is no range: give first:last with 1 <= first <= last <= {most}"
        )
    return range(start, end + 1)


def latex(rows: Iterable[Row], setting: Setting, features: Features) -> str:
    """The table as a LaTeX tabular.

    >>> "2 & 2 & L7 & 2 & search & 1 " in latex(sandwich([Setting(2)]), Setting(2), "signed")
    True
    """
    lines = [
        f"% D*(m, {setting.n}), {features} features, tolerance {setting.tolerance}",
        r"\begin{tabular}{rrlrlr}",
        r"$m$ & lower & by & upper & by & ratio \\",
        r"\hline",
    ]
    for row in rows:
        upper = ("--", "--") if row.upper is None else (str(row.upper.value), row.upper.id)
        ratio = "--" if row.ratio is None else decimal(row.ratio)
        lines.append(
            f"{row.m} & {row.lower.value} & {row.lower.id} & {upper[0]} & {upper[1]} & {ratio} " + r"\\"
        )
    return "\n".join([*lines, r"\end{tabular}"])


def decimal(x: Fraction) -> str:
    """Two decimals, rounded up (a ratio is never understated).

    >>> decimal(Fraction(7, 6)), decimal(Fraction(2))
    ('1.17', '2')
    """
    hundredths = -(-x.numerator * 100 // x.denominator)
    return str(hundredths // 100) if hundredths % 100 == 0 else f"{hundredths // 100}.{hundredths % 100:02d}"


def write_certificates(rows: Iterable[Row], folder: Path, setting: Setting, features: Features) -> list[Path]:
    """Write every certificate of the rows into the folder, each read by the checker first. Returns the files."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"cannot create '{shorten(folder)}' ({error.strerror}): give a folder that can be written"
        ) from None
    written = []
    for row in rows:
        sides: list[tuple[str, Certificate | None]] = [
            ("lower", row.lower.certificate),
            ("upper", row.upper.certificate if row.upper else None),
        ]
        for side, certificate in sides:
            if certificate is not None:
                path = folder / f"{side}-m{row.m}-n{setting.n}-{features}.json"
                write_certificate(path, certificate)
                written.append(path)
    return written


def settings(base: Setting, sizes: Iterable[int]) -> list[Setting]:
    """The setting at each size.

    >>> [s.m for s in settings(Setting(1, n=4), range(1, 4))]
    [1, 2, 3]
    """
    return [replace(base, m=m) for m in sizes]
