"""P6: transcripts. In the ledger the data tokens are the query's n - 1 companions."""

from __future__ import annotations

from kattn_bounds.claims import NotApplicable, claim
from kattn_bounds.setting import Setting
from kattn_bounds.transcript.bound import least_symbols_for_bits, transcript_bound
from kattn_bounds.transcript.collisions import find_collision
from kattn_bounds.transcript.counting import (
    TRANSFER_MAX_M,
    answer_functions,
    antichains_of_size,
    dedekind,
    log2_exactly,
)
from kattn_bounds.transcript.independent import construction, faults_of, independent_answers
from kattn_bounds.transcript.sketches import linear_attention
from kattn_bounds.verdict import Finding, Verdict

ALPHABET = 256
_WRITTEN_OUT = 2_000
"""Independent answers that the ledger replays one by one; beyond, a smaller family of the same kind is replayed."""


def _data_tokens(setting: Setting) -> int:
    if setting.companions < 1:
        raise NotApplicable("no data tokens: the query has no companions at n = 1")
    return setting.companions


@claim(
    "P6",
    order=60,
    statement="Independent answers: |Sigma|^(L H) >= 2^k, k = n' (m - r), for n' = n - 1 data tokens.",
    rocq=("transcript_bound", "independent_answers_bound"),
)
def independent(setting: Setting) -> Finding:
    n = _data_tokens(setting)
    plan = construction(setting.m, n)
    if plan.k > _WRITTEN_OUT:
        raise NotApplicable(
            f"k = {plan.k} answers are too many to replay here: see `kattn-bounds transcript`"
        )
    family = independent_answers(setting.m, n)
    faults = faults_of(family)
    symbols = least_symbols_for_bits(family.k, ALPHABET)
    if faults:
        return Finding(Verdict.REFUTED, "certificate", faults[0])
    return Finding(
        Verdict.PROVED,
        "certificate",
        f"{family.k} payload bits replayed, r = {plan.r}: L*H >= {symbols} at {ALPHABET} symbols",
        {"k": family.k, "data_tokens": n, "addressed": plan.tokens, "r": plan.r},
    )


@claim(
    "P6",
    order=61,
    statement="Counting: answer functions are antichains; L H >= log M / log |Sigma|.",
    rocq=("answer_antichain",),
)
def counting(setting: Setting) -> Finding:
    n = _data_tokens(setting)
    m = setting.m
    if m * n > 20_000:
        raise NotApplicable("the count is too long to form here: see `kattn-bounds transcript`")
    if m == TRANSFER_MAX_M and n > 5:
        raise NotApplicable("the exact count takes some seconds here: see `kattn-bounds transcript`")
    count = answer_functions(m, n)
    bound = transcript_bound(m, n, ALPHABET)
    checks = []
    if m < TRANSFER_MAX_M and n <= 5:
        other = sum(antichains_of_size(m, k) for k in range(1, n + 1))
        if other != count.lower:
            return Finding(Verdict.REFUTED, "exhaustive", f"two exact counts differ: {count.lower}, {other}")
        checks.append("two exact counts agree")
    if m <= TRANSFER_MAX_M:
        checks.append(f"{dedekind(m) - 1} at every length")
    size = (
        f"M = {count.lower}"
        if count.exact and count.lower < 10**12
        else f"log2 M {'=' if count.exact else '>='} {log2_exactly(count.lower):.2f}"
    )
    return Finding(
        Verdict.PROVED,
        "exhaustive" if count.exact else "symbolic",
        "; ".join([f"{size}: L*H >= {bound.least} at {ALPHABET} symbols", *checks]),
        {"lower": str(count.lower), "upper": str(count.upper), "method": count.method, "data_tokens": n},
    )


@claim(
    "P6",
    order=62,
    statement="Twin: a linear-attention state of 4 features, 1 bit an entry, determines every answer.",
    expected=Verdict.REFUTED,
)
def small_state(setting: Setting) -> Finding:
    n = _data_tokens(setting)
    m = setting.m
    if m > 12 or n > 64:
        raise NotApplicable("the tokens are too many to list at this size: see `kattn-bounds collide`")
    sketch = linear_attention(m, n, features=4, bits=1)
    found = find_collision(sketch, limit=100_000)
    if found.collision is None:
        if found.verdict is Verdict.PROVED:
            raise NotApplicable(
                f"at m = {m} with {n} data tokens the state is large enough: no prefix collides"
            )
        return Finding(
            Verdict.UNDECIDED, "exhaustive", f"no collision among the first {found.listed} prefixes"
        )
    first, second = found.collision.sequences()
    a, b = found.collision.answers
    shown = f"{first} answers {a}, {second} answers {b}" if len(first) <= 40 else f"answers {a} and {b}"
    return Finding(
        Verdict.REFUTED,
        "exhaustive",
        f"one transcript: {shown}",
        {"first": first, "second": second, "answers": [a, b]},
    )
