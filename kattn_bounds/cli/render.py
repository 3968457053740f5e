"""How results look on a screen of 100 columns: exact fractions first, decimals beside them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from kattn_bounds.attention import Attention
from kattn_bounds.cube import format_sequence, format_token, inner
from kattn_bounds.verdict import Verdict

WIDTH = 100
SHOWN_TOKENS = 12


def number(x: Fraction | None) -> str:
    """A fraction with its decimal value beside it.

    >>> number(Fraction(2, 5)), number(Fraction(1, 3)), number(Fraction(2)), number(None)
    ('2/5', '1/3 = 0.3333..', '2', 'undefined (the normaliser vanishes)')
    """
    if x is None:
        return "undefined (the normaliser vanishes)"
    text = fraction(x)
    if x.denominator == 1 or (x.denominator <= 10 and x.denominator in (2, 4, 5, 8, 10)):
        return text
    return f"{text} = {decimal(x)}"


def fraction(x: Fraction, limit: int = 40) -> str:
    """The exact text of a fraction, shortened in the middle when it has very many digits."""
    text = str(x)
    if len(text) <= limit:
        return text
    return f"{text[: limit // 2 - 2]}..{text[-(limit // 2 - 2) :]}"


def decimal(x: Fraction, places: int = 4) -> str:
    """Decimal digits cut off (never rounded up), marked by two dots when something was cut."""
    scaled = abs(x.numerator) * 10**places // x.denominator
    text = f"{scaled // 10**places}.{scaled % 10**places:0{places}d}"
    if scaled == 0 and x != 0:
        return f"{float(x):.2e}"
    exact = scaled * x.denominator == abs(x.numerator) * 10**places
    return ("-" if x < 0 else "") + (text if exact else text + "..")


def table(header: Sequence[str], rows: Iterable[Sequence[str]], indent: str = "  ") -> str:
    """A plain table; columns as wide as they need, numbers to the right and words to the left.

    >>> print(table(["token", "t"], [["110", "2"]]))
      token  t
      110    2
    """
    lines = [list(header), *[list(row) for row in rows]]
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
    words = [i == 0 or any(line[i][:1].isalpha() for line in lines[1:]) for i in range(len(header))]
    return "\n".join(
        indent
        + "  ".join(
            cell.ljust(width) if words[i] else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def attention_screen(tokens: Sequence[int], m: int, head: Attention, tolerance: Fraction) -> str:
    """One head on one sequence: a row for every attended token, then output, target and error."""
    q = tokens[-1]
    rows: list[list[str]] = []
    counted: list[tuple[int, int]] = []
    for j, x in enumerate(head.attended):
        if counted and head.attended[counted[-1][0]] == x and head.kernel[counted[-1][0]] == head.kernel[j]:
            counted[-1] = (counted[-1][0], counted[-1][1] + 1)
        else:
            counted.append((j, 1))
    for j, count in counted[:SHOWN_TOKENS]:
        x = head.attended[j]
        weight = "undefined" if head.weights is None else fraction(head.weights[j], 24)
        last = j + count == len(tokens)
        rows.append(
            [
                token_text(x, m) + (" (query)" if last and count == 1 else ""),
                str(count),
                str(inner(q, x)),
                fraction(head.kernel[j], 24),
                weight,
                fraction(head.values[j], 24),
            ]
        )
    shown = table(["token", "copies", "<q,x>", "K(q,x)", "weight", "value"], rows)
    more = len(counted) - SHOWN_TOKENS
    if more > 0:
        shown += f"\n  .. and {more} more"
    verdict = "right" if head.solved(tolerance) else "wrong"
    relation = "<" if head.solved(tolerance) else ">="
    error = (
        f"  error   {number(head.error)} {relation} {tolerance}: {verdict}"
        if head.error is not None
        else "  error   undefined (the normaliser vanishes): wrong"
    )
    return "\n".join(
        [
            f"  query   {token_text(q, m)}",
            shown,
            f"  output  {number(head.output)}",
            f"  target  {head.target}",
            error,
        ]
    )


def token_text(token: int, m: int, limit: int = 48) -> str:
    """A token's bits, with the middle left out when there are very many."""
    bits = format_token(token, m)
    return bits if m <= limit else f"{bits[: limit - 8]}..{bits[-6:]}"


def sequence_text(tokens: Sequence[int], m: int) -> str:
    """A sequence as `replay` reads it."""
    return format_sequence(tokens, m)


def attention_json(tokens: Sequence[int], m: int, head: Attention) -> dict[str, object]:
    """The same as JSON, exact values as text."""

    def texts(values: Sequence[Fraction] | None) -> list[str] | None:
        return None if values is None else [str(v) for v in values]

    return {
        "sequence": format_sequence(tokens, m),
        "kernel": texts(head.kernel),
        "weights": texts(head.weights),
        "values": texts(head.values),
        "output": None if head.output is None else str(head.output),
        "target": head.target,
        "error": None if head.error is None else str(head.error),
    }


def colour(verdict: Verdict) -> str:
    """The style in which a verdict is shown on a terminal."""
    return {Verdict.PROVED: "green", Verdict.REFUTED: "red", Verdict.UNDECIDED: "yellow"}[verdict]
