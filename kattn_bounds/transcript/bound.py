"""The transcript bound (P6): |Sigma|^(L H) must reach the number of answer vectors, and where it is met.

In the broadcast model each of H heads in each of L layers broadcasts one symbol of Sigma computed from the states of the
data tokens, so a query's answer is a function of its own token and the transcript in Sigma^(LH). Two prefixes with one
transcript get the same answers: |Sigma|^(LH) >= M. One query at a time this is also enough: number the answer functions
and broadcast the number of the prefix's one in base |Sigma|, a digit a head.
"""

from __future__ import annotations

from dataclasses import dataclass

from kattn_bounds.errors import Faults, InputError, shorten
from kattn_bounds.transcript.counting import MAX_BITS, Count, answer_functions, log2_exactly
from kattn_bounds.transcript.independent import Construction, Mode, construction
from kattn_bounds.verdict import Verdict

MAX_ALPHABET_BITS = 4096
_EXACT_POWER_BITS = 1_000_000


@dataclass(frozen=True, slots=True)
class Argument:
    """One reason why L*H must be large: M answer vectors, so L*H >= symbols.

    bits is log2 M as a float for display; answers the exact M, or None when only its logarithm was formed.
    """

    name: str
    answers: int | None
    bits: float
    symbols: int
    how: str


@dataclass(frozen=True, slots=True)
class TranscriptBound:
    """What the arguments give at one (m, n, alphabet, mode); n counts data tokens.

    least        L*H >= least for every sketch that answers exactly
    sufficient   L*H = sufficient is enough in the broadcast model, or None where that is not known
    skipped      why an argument was not used, if one was not
    """

    m: int
    n: int
    alphabet: int
    mode: Mode
    arguments: tuple[Argument, ...]
    least: int
    sufficient: int | None
    sufficient_how: str
    skipped: str | None
    plan: Construction

    @property
    def best(self) -> Argument:
        """The argument that gives most."""
        return max(self.arguments, key=lambda a: (a.symbols, a.bits))


def least_symbols(answers: int, alphabet: int) -> int:
    """The least T with alphabet^T >= answers, exact.

    >>> least_symbols(2**30, 256), least_symbols(256, 256), least_symbols(257, 256), least_symbols(1, 2)
    (4, 1, 2, 0)
    """
    if answers <= 1:
        return 0
    low = max(0, (answers.bit_length() - 1) // alphabet.bit_length())
    power = alphabet**low
    while power < answers:
        power *= alphabet
        low += 1
    while low and power >= answers * alphabet:  # pragma: no cover - low starts below the answer
        power //= alphabet
        low -= 1
    return low


def least_symbols_for_bits(k: int, alphabet: int) -> int:
    """The least T with alphabet^T >= 2^k; a lower bound on it for k > 10^5 and an alphabet that is no power of two.

    >>> least_symbols_for_bits(30, 256), least_symbols_for_bits(30, 3), least_symbols_for_bits(10**18, 4)
    (4, 19, 500000000000000000)
    """
    if alphabet & (alphabet - 1) == 0:
        return -(-k // (alphabet.bit_length() - 1))
    if k <= _EXACT_POWER_BITS // 10:
        return least_symbols(1 << k, alphabet)
    times = max(1, _EXACT_POWER_BITS // alphabet.bit_length())
    power: int = alphabet**times
    return -(-k * times // power.bit_length())


def transcript_bound(m: int, n: int, alphabet: int, mode: Mode = "one") -> TranscriptBound:
    """The transcript bound for n data tokens of m bits and an alphabet of the given size (P6). Exact integers.

    Raises InputError for m, n < 1, an alphabet of fewer than two symbols (it carries nothing) or an unknown mode.

    >>> bound = transcript_bound(8, 10, 256)
    >>> [(a.name, a.symbols) for a in bound.arguments], bound.least, bound.sufficient
    ([('independent answers', 4), ('counting answer functions', 7)], 7, 8)
    """
    faults = Faults()
    faults.require(
        isinstance(alphabet, int) and 2 <= alphabet < 1 << MAX_ALPHABET_BITS,
        f"alphabet = {shorten(alphabet)} is out of range: give a number of symbols from 2 to 2^{MAX_ALPHABET_BITS} - 1",
    )
    try:
        plan = construction(m, n, mode)
    except InputError as error:
        for line in error.faults:
            faults.add(line)
    faults.check()

    arguments = []
    room = m if mode == "one" else m - 1
    if plan.k:
        symbols = least_symbols_for_bits(plan.k, alphabet)
        answers = 1 << plan.k if plan.k <= 4096 else None
        how = f"{plan.tokens} tokens x {plan.payload} payload bits, {room - plan.payload} address bits"
        arguments.append(Argument("independent answers", answers, float(plan.k), symbols, how))
    count: Count | None = None
    skipped = None
    if room >= 1:
        try:
            count = answer_functions(room, n)
        except InputError:
            skipped = f"counting is left out: the count has more than about {MAX_BITS} bits"
    if count is not None:
        symbols = least_symbols(count.lower, alphabet)
        how = count.method if mode == "one" else f"{count.method}, queries told apart by one coordinate"
        arguments.append(
            Argument("counting answer functions", count.lower, log2_exactly(count.lower), symbols, how)
        )
    if not arguments:
        raise InputError(f"m = {m} is too small for mode all: give m >= 2")
    sufficient, sufficient_how = None, ""
    if count is not None and mode == "one":
        sufficient = least_symbols(count.upper, alphabet)
        sufficient_how = "exact count" if count.exact else f"counted as {count.upper_method}"
    least = max(a.symbols for a in arguments)
    return TranscriptBound(
        m, n, alphabet, mode, tuple(arguments), least, sufficient, sufficient_how, skipped, plan
    )


def judge(bound: TranscriptBound, layers: int, heads: int) -> tuple[Verdict, str]:
    """The verdict on "L layers of H heads can answer every query exactly", with its reason in one line.

    REFUTED below the bound; PROVED where the number of the answer function fits into the transcript (one query at a
    time, each symbol any function of the data states); UNDECIDED between. Raises InputError for layers or heads < 1.

    >>> judge(transcript_bound(6, 3, 256), 1, 1)[0].value, judge(transcript_bound(6, 3, 256), 2, 1)[0].value
    ('REFUTED', 'PROVED')
    """
    faults = Faults()
    for name, value in (("layers", layers), ("heads", heads)):
        faults.require(
            isinstance(value, int) and value >= 1,
            f"{name} = {shorten(value)} is out of range: give an integer {name} >= 1",
        )
    faults.check()
    symbols = layers * heads
    if symbols < bound.least:
        return Verdict.REFUTED, (
            f"L*H = {symbols} < {bound.least}: fewer transcripts than answer vectors, so two prefixes share a transcript "
            "although a query tells them apart"
        )
    if bound.sufficient is not None and symbols >= bound.sufficient:
        return Verdict.PROVED, (
            f"L*H = {symbols} >= {bound.sufficient}: number the answer functions and broadcast the number, a digit a head"
        )
    if bound.sufficient is not None:
        return Verdict.UNDECIDED, (
            f"L*H = {symbols} is between {bound.least} (needed) and {bound.sufficient} (enough): the count is a bracket"
        )
    why = "no construction is known to the tool" if bound.mode == "all" else "no upper bound was computed"
    return Verdict.UNDECIDED, f"L*H = {symbols} meets the bound {bound.least}; {why} that shows it is enough"
