"""Tables behind figures, and the list of figures."""

from __future__ import annotations

import csv
import importlib
import io
import pkgutil
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from kattn_bounds.errors import InputError, shorten

Cell = str | int | Fraction | None
"""What a table's rows hold."""


@dataclass(frozen=True, slots=True)
class Table:
    """A tidy table: one row a point, exact values as integers or fractions, None where there is none.

    >>> table = Table(("n", "error"), [(3, Fraction(2, 5))])
    >>> print(table.csv(), end="")
    n,error
    3,2/5
    >>> Table.parse(table.csv()) == table
    True
    """

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]

    def csv(self) -> str:
        """Comma-separated text with a header; fractions as p/q, None as nothing."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.columns)
        for row in self.rows:
            writer.writerow(["" if cell is None else str(cell) for cell in row])
        return out.getvalue()

    def latex(self) -> str:
        """A LaTeX tabular; decimals of long fractions, the exact values stand in the CSV."""

        def cell(value: Cell) -> str:
            if value is None:
                return "--"
            if isinstance(value, Fraction) and len(str(value)) > 9:
                return f"{float(value):.6g}"
            text = str(value)
            for old, new in (
                ("\\", r"\textbackslash{}"),
                ("_", r"\_"),
                ("^", r"\^{}"),
                ("%", r"\%"),
                ("&", r"\&"),
            ):
                text = text.replace(old, new)
            return text.replace("<", r"\textless{}").replace(">", r"\textgreater{}")

        numeric = [
            all(isinstance(row[i], int | Fraction) or row[i] is None for row in self.rows)
            for i in range(len(self.columns))
        ]
        lines = [r"\begin{tabular}{" + "".join("r" if n else "l" for n in numeric) + "}", r"\hline"]
        lines += [" & ".join(cell(c) for c in self.columns) + r" \\", r"\hline"]
        lines += [" & ".join(cell(value) for value in row) + r" \\" for row in self.rows]
        return "\n".join([*lines, r"\hline", r"\end{tabular}", ""])

    @classmethod
    def parse(cls, text: str) -> Table:
        """The table that `csv` wrote."""
        header, *rows = list(csv.reader(io.StringIO(text)))
        return cls(tuple(header), [tuple(_parse(cell) for cell in row) for row in rows])

    def series(self, column: str) -> dict[Any, list[dict[str, Any]]]:
        """Rows as dictionaries, grouped by one column, in order of first appearance."""
        groups: dict[Any, list[dict[str, Any]]] = {}
        for row in self.rows:
            entry = dict(zip(self.columns, row, strict=True))
            groups.setdefault(entry[column], []).append(entry)
        return groups


def _parse(cell: str) -> Cell:
    if cell == "":
        return None
    try:
        value = Fraction(cell)
    except (ValueError, ZeroDivisionError):
        return cell
    return int(value) if value.denominator == 1 else value


def decimal_fraction(x: float, digits: int = 6) -> Fraction:
    """A float as the fraction of its decimal text, for tables of measured or enclosed values.

    >>> decimal_fraction(0.342500001)
    Fraction(137, 400)
    """
    return Fraction(f"{x:.{digits}g}")


def names() -> list[str]:
    """Names of all figures.

    >>> "cliff" in names()
    True
    """
    package = importlib.import_module("kattn_bounds.figures")
    found = [module.name for module in pkgutil.iter_modules(package.__path__)]
    return sorted(name for name in found if name not in ("base", "style"))


def module(name: str) -> Any:
    """The module of a figure; InputError names the known ones."""
    if name not in names():
        raise InputError(f"figure '{shorten(name)}' is unknown: give one of {', '.join(names())}")
    return importlib.import_module(f"kattn_bounds.figures.{name}")


def stored_folder() -> Path | None:
    """Where a repository keeps the tables of its figures, when we run inside one."""
    folder = Path(__file__).parent.parent.parent / "experiments" / "figures"
    return folder if folder.is_dir() else None


def table_of(name: str, source: str = "stored") -> Table:
    """The table of a figure: "stored" (computed at small size where none is stored), "small" or "full" (computed anew)."""
    folder = stored_folder()
    if source == "stored" and folder is not None and (folder / f"{name}.csv").exists():
        return Table.parse((folder / f"{name}.csv").read_text())
    found: Table = module(name).data(small=source != "full")
    return found
