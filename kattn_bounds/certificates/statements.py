"""The kinds of certificate that write sequences out: independence, derivation, transcript. Standard library only."""

from collections import defaultdict
from fractions import Fraction

from kattn_bounds.certificates.reading import (
    MAX_DIGITS,
    Setting,
    choice,
    common,
    fields,
    integer,
    items,
    limit,
    lower_claim,
    rational,
    require,
    scaled,
    token,
)


def attended_by(s: Setting, sequence: list[int]) -> tuple[list[int], int]:
    """The tokens that the last one attends to, and their least inner product y."""
    tokens = sequence if s.self_included else sequence[:-1]
    return tokens, min((sequence[-1] & x).bit_count() for x in tokens)


def independence(s: Setting, claim: object, data: object) -> str:
    require(not s.free, "kind independence is for the inner readout")
    obj = fields(data, "data", "queries patterns", "symmetry")
    queries = [token(q, s.m) for q in items(obj["queries"], "queries")]
    require(0 < len(set(queries)) == len(queries) <= 20, "queries must be 1 to 20 distinct tokens")
    moves = [query_move(g, queries, s.m) for g in items(obj.get("symmetry", []), "symmetry")]
    stack = []
    for pattern in items(obj["patterns"], "patterns"):
        fields(pattern, "a pattern", "signs v multipliers")
        signs = pattern["signs"]
        require(isinstance(signs, str) and len(signs) == len(queries) and not signs.strip("+-"), "bad signs")
        entries = [items(entry, "an entry of v", 2) for entry in items(pattern["v"], "v")]
        coefficients = [rational(c) for _, c in entries]
        one = common(coefficients)
        v: defaultdict[int, int] = defaultdict(int)
        for (a, _), c in zip(entries, scaled(coefficients, one), strict=True):
            v[token(a, s.m)] += c
        combinations = items(pattern["multipliers"], "multipliers", len(queries))
        for q, sign, combination in zip(queries, signs, combinations, strict=True):
            found, scale = dual_vector(s, q, combination)
            scale *= 1 if sign == "+" else -1
            agree = all(found[a] * one == v[a] * scale for a in v.keys() | found.keys())
            require(agree, f"pattern {signs}: the multipliers of query {q:0{s.m}b} do not give v")
        stack.append(signs)
    limit(len(moves) * len(queries) << len(queries))
    covered: set[str] = set()
    while stack:
        signs = stack.pop()
        signs = signs if signs[0] == "+" else signs.translate({43: "-", 45: "+"})
        if signs not in covered:
            covered.add(signs)
            stack += ["".join(signs[i] for i in move) for move in moves]
    require(2 * len(covered) == 1 << len(queries), f"only {len(covered)} sign patterns up to a global sign")
    return lower_claim(s, claim, len(queries))


def query_move(value: object, queries: list[int], m: int) -> list[int]:
    """How a permutation of the coordinates permutes the queries."""
    images = [integer(i, "a coordinate", 1, m) for i in items(value, "a permutation", m)]
    require(len(set(images)) == m, "a symmetry is not a permutation")
    moved = [sum((q >> (m - 1 - i) & 1) << (m - image) for i, image in enumerate(images)) for q in queries]
    require(set(moved) == set(queries), "a symmetry does not keep the set of queries")
    return [queries.index(q) for q in moved]


def dual_vector(s: Setting, q: int, combination: object) -> tuple[defaultdict[int, int], int]:
    """sum of multiplier * constraint times a positive scale, and that scale.

    It is > 0 on every solving row of q, since one constraint in it is strict.
    """
    entries = [items(entry, "a multiplier", 2) for entry in items(combination, "multipliers of a query")]
    multipliers = [rational(multiplier) for _, multiplier in entries]
    require(min(multipliers, default=Fraction(1)) > 0, "multipliers must be positive")
    scale, p, d = common(multipliers), s.tau.numerator, s.tau.denominator
    total: defaultdict[int, int] = defaultdict(int)
    strict = False
    for (tokens, _), weight in zip(entries, scaled(multipliers, scale), strict=True):
        sequence = [token(x, s.m) for x in items(tokens, "a sequence")]
        if len(sequence) == 1:
            total[sequence[0]] += weight * d
            continue
        require(2 <= len(sequence) <= s.n, f"a sequence must have 2 to {s.n} tokens")
        require(sequence[-1] == q, "a sequence must end in its query")
        strict = True
        attended, y = attended_by(s, sequence)
        for x in attended:
            total[x] -= weight * (d * ((q & x).bit_count() - y) - p)
    require(strict, "a query has no strict constraint")
    return total, scale * d


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

    steps = items(fields(data, "data", "steps")["steps"], "steps")
    signs = [isinstance(step, dict) and "nonneg" in step for step in steps]
    for step, sign in zip(steps, signs, strict=True):
        fields(step, "a step", "nonneg multiplier" if sign else "sequence multiplier" + " side" * s.free)
    coefficients = [rational(c) for c, _ in terms]
    multipliers = [rational(step["multiplier"]) for step in steps]
    require(min(multipliers, default=Fraction(1)) > 0, "multipliers must be positive")
    scale, p, d = common(coefficients + multipliers), s.tau.numerator, s.tau.denominator

    left: defaultdict[Entry, int] = defaultdict(int)  # claim minus steps, times scale * d
    for (_, e), coefficient in zip(terms, scaled(coefficients, scale), strict=True):
        left[entry(e)] += coefficient * d
    for step, sign, multiplier in zip(steps, signs, scaled(multipliers, scale), strict=True):
        if sign:
            key = entry(step["nonneg"])
            require(key[0] == "K", "only K is known to be >= 0")
            left[key] += multiplier * d
            continue
        tokens = [token(x, s.m) for x in items(step["sequence"], "a sequence", s.n)]
        q, (attended, y) = tokens[-1], attended_by(s, tokens)
        side = -1 if s.free and choice(step["side"], "side", "upper", "lower") == "lower" else 1
        for position, x in enumerate(attended, 1):
            j = position if positional else 0
            t = 0 if s.free else (q & x).bit_count()
            left["K", q, x, j] -= multiplier * (side * d * (t - y) - p)
            if s.free:
                left["N", q, x, j] -= multiplier * side * d
    require(not any(left.values()), "the steps do not add up to the claim")
    require(relation == "<=" or not all(signs), "a strict claim needs a strict step")
    shown = [written(c, entry(e), s.m) for c, (_, e) in zip(coefficients[:6], terms[:6], strict=True)] + [
        "..."
    ] * (len(terms) > 6)
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
