"""The two kinds of certificate that are not about D: derivations and transcripts. Standard library only."""

from collections import defaultdict
from fractions import Fraction

from kattn_bounds.certificates.reading import (
    MAX_DIGITS,
    Setting,
    choice,
    fields,
    integer,
    items,
    limit,
    rational,
    require,
    token,
)

Entry = tuple[str, int, int, int]  # K or N, query, token, position (0: the kernel has none)


def derivation(s: Setting, claim: object, data: object) -> str:
    obj = fields(claim, "claim", "quantity relation terms")
    choice(obj["quantity"], "claim.quantity", "inequality")
    relation = choice(obj["relation"], "claim.relation", "<", "<=")
    terms = [items(term, "a term", 2) for term in items(obj["terms"], "claim.terms")]
    require(bool(terms), "the claim has no terms")
    positional = isinstance(terms[0][1], dict) and "j" in terms[0][1]

    def entry(value: object) -> Entry:
        e = fields(value, "an entry", "q a" + " j" * positional, "kind" * s.free)
        j = integer(e["j"], "j", 1, s.n) if positional else 0
        return choice(e.get("kind", "K"), "kind", "K", "N"), token(e["q"], s.m), token(e["a"], s.m), j

    left: defaultdict[Entry, Fraction] = defaultdict(Fraction)
    for coefficient, e in terms:
        left[entry(e)] += rational(coefficient)
    strict = False
    for step in items(fields(data, "data", "steps")["steps"], "steps"):
        is_sign = isinstance(step, dict) and "nonneg" in step
        fields(step, "a step", "nonneg multiplier" if is_sign else "sequence multiplier" + " side" * s.free)
        multiplier = rational(step["multiplier"])
        require(multiplier > 0, "multipliers must be positive")
        if is_sign:
            key = entry(step["nonneg"])
            require(key[0] == "K", "only K is known to be >= 0")
            left[key] += multiplier
            continue
        strict = True
        tokens = [token(x, s.m) for x in items(step["sequence"], "a sequence", s.n)]
        q, attended = tokens[-1], tokens if s.self_included else tokens[:-1]
        y = min((q & x).bit_count() for x in attended)
        sign = -1 if s.free and choice(step["side"], "side", "upper", "lower") == "lower" else 1
        for position, x in enumerate(attended, 1):
            j = position if positional else 0
            t = 0 if s.free else (q & x).bit_count()
            left["K", q, x, j] -= multiplier * (sign * (t - y) - s.tau)
            if s.free:
                left["N", q, x, j] -= multiplier * sign
    require(not any(left.values()), "the steps do not add up to the claim")
    require(strict or relation == "<=", "a strict claim needs a strict step")
    shown = [written(rational(c), entry(e), s.m) for c, e in terms[:6]] + ["..."] * (len(terms) > 6)
    text = " + ".join(shown).replace("+ -", "- ")
    return f"{text} {relation} 0 in every solving head ({s})"


def written(coefficient: Fraction, e: Entry, m: int) -> str:
    kind, q, a, j = e
    position = f"_{j}" if j else ""
    return f"{coefficient}*{kind}{position}({q:0{m}b},{a:0{m}b})"


def transcript(s: Setting, claim: object, data: object) -> str:
    obj = fields(claim, "claim", "quantity relation value mode")
    choice(obj["quantity"], "claim.quantity", "answers")
    choice(obj["relation"], "claim.relation", ">=")
    mode = choice(obj["mode"], "claim.mode", "one", "all")
    value = integer(obj["value"], "claim.value", 1, 10**MAX_DIGITS)
    content = fields(data, "data", "addresses queries")
    addresses = items(content["addresses"], "addresses", s.n)
    r = len(addresses[0]) if isinstance(addresses[0], str) else -1
    require(0 <= r < s.m, "an address must leave at least one payload bit")
    free = s.m - r
    heads = [token(c, r) << free for c in addresses]
    queries = [items(query, "a query", 3) for query in items(content["queries"], "queries")]
    tokens = [token(q, s.m) for _, _, q in queries]
    bits = [(integer(j, "j", 1, s.n), integer(b, "b", 1, free)) for j, b, _ in queries]
    require(len(set(bits)) == len(bits), "a payload bit occurs twice")
    require(value <= len(bits), f"the data give {len(bits)} answers, fewer than the claimed {value}")
    limit(len(bits) * (s.n + len(bits)) * 20)
    for (j, b), q in zip(bits, tokens, strict=True):
        bit, ones = 1 << (free - b), (1 << free) - 1
        fixed = tokens if mode == "all" else [q] * s.self_included
        least_fixed = min(((q & x).bit_count() for x in fixed), default=s.m)

        def answer(own: int, payload: int, j: int = j, q: int = q, least: int = least_fixed) -> int:
            attended = (h | (own if i == j else payload) for i, h in enumerate(heads, 1))
            return min(least, min((q & x).bit_count() for x in attended))

        # The answer never decreases when a payload bit is set, so the extreme payloads decide.
        answers = answer(ones ^ bit, ones), answer(bit, 0), answer(ones, ones)
        require(answers == (0, 1, 1), f"bit {b} of payload {j} is not the answer of its query")
    return f"|alphabet|^(layers*heads) >= 2^{value} (m={s.m}, {s.n} data tokens, queries: {mode})"
