"""Build and write certificates. Every constructor returns a JSON object as SPEC.md describes it.

Tokens are bit masks here and bit strings in the file; numbers may be integers, fractions, numpy scalars or text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from math import comb
from pathlib import Path
from typing import Any, Literal

from kattn_bounds.certificates import checker
from kattn_bounds.certificates.reading import Rejected, parse
from kattn_bounds.certificates.schema import rational_json, validate
from kattn_bounds.cube import format_token
from kattn_bounds.errors import InputError, shorten
from kattn_bounds.files import write_atomic
from kattn_bounds.setting import Features, Setting

Certificate = dict[str, Any]
Number = Any
"""Anything that `rational_json` takes."""

Note = Mapping[str, object] | None


def certificate_text(certificate: Certificate) -> str:
    """Canonical JSON text: keys in the order of SPEC.md, one line each.

    >>> from kattn_bounds.setting import Setting
    >>> print(certificate_text(layer(Setting(16), k=8, value=37)), end="")
    {
    "format": "kattn-bounds-certificate",
    "version": 1,
    "kind": "layer",
    "setting": {"m": 16, "n": 3, "tolerance": "1/2", "self_included": true, "readout": "inner"},
    "claim": {"quantity": "features", "relation": ">=", "value": 37, "features": "signed"},
    "data": {"k": 8}
    }
    """
    lines = (
        f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}"
        for key, value in validate(certificate).items()
    )
    return "{\n" + ",\n".join(lines) + "\n}\n"


def write_certificate(path: str | Path, certificate: Certificate, *, check: bool = True) -> str:
    """Write a certificate atomically. Returns the checker's statement of the claim ("" with check=False).

    The checker reads what will be written first, and InputError is raised when it rejects it; `check=False` skips
    this for data that have just been checked.
    """
    path = Path(path)
    text = certificate_text(certificate)
    claim = ""
    if check:
        try:
            claim = checker.check(parse(text))
        except Rejected as error:
            raise InputError(f"certificate for '{shorten(path)}' is not valid: {error}") from None
    write_atomic(path, text)
    return claim


def _certificate(
    kind: str, setting: Setting, claim: Mapping[str, object], data: Mapping[str, object], note: Note
) -> Certificate:
    whole: Certificate = {
        "format": "kattn-bounds-certificate",
        "version": 1,
        "kind": kind,
        "setting": setting.to_json(),
        "claim": dict(claim),
        "data": {key: value for key, value in data.items() if value is not None},
    }
    if note is not None:
        whole["note"] = dict(note)
    return whole


def _bound(relation: str, value: int, features: Features) -> dict[str, object]:
    return {"quantity": "features", "relation": relation, "value": value, "features": features}


def _row(numbers: Iterable[Number]) -> list[int | str]:
    return [rational_json(number) for number in numbers]


def _pairs(pairs: Iterable[tuple[int, int]], m: int) -> list[list[str]]:
    return [[format_token(q, m), format_token(a, m)] for q, a in pairs]


def kernel_factors(
    setting: Setting,
    phi: Iterable[Iterable[Number]],
    psi: Iterable[Iterable[Number]],
    features: Features = "signed",
    values: Iterable[Iterable[Number]] | None = None,
    note: Note = None,
) -> Certificate:
    """K = phi psi^T solves. phi, psi: 2^m x D; values: V as 2^m x 2^m, for the free readout only.

    >>> from kattn_bounds.setting import Setting
    >>> checker.check(kernel_factors(Setting(1), [[1], [1]], [[3], [1]]))
    'kernel: D*(m=1, n=3, tolerance 1/2, self included, inner readout) <= 1, signed features'
    """
    left = [_row(row) for row in phi]
    data = {
        "construction": "factors",
        "phi": left,
        "psi": [_row(row) for row in psi],
        "values": None if values is None else [_row(row) for row in values],
    }
    return _certificate("kernel", setting, _bound("<=", len(left[0]), features), data, note)


def kernel_blocks(
    setting: Setting,
    blocks: Sequence[tuple[Literal["q", "a"], int, Sequence[Number], Sequence[Number]]],
    features: Features = "nonneg",
    note: Note = None,
) -> Certificate:
    """K = sum of alpha[|q|] beta[|a|] C(u, d) over blocks (side, d, alpha, beta); D is the sum of the C(m, d).

    >>> from kattn_bounds.setting import Setting
    >>> plain = [1] * 5
    >>> nine = [("q", 0, [1] * 5, plain), ("q", 1, [20] * 5, plain), ("q", 3, [20] * 5, plain)]
    >>> checker.check(kernel_blocks(Setting(4), nine))
    'kernel: D*(m=4, n=3, tolerance 1/2, self included, inner readout) <= 9, nonneg features'
    """
    data = {
        "construction": "blocks",
        "blocks": [
            {"side": side, "degree": degree, "alpha": _row(alpha), "beta": _row(beta)}
            for side, degree, alpha, beta in blocks
        ],
    }
    cost = sum(comb(setting.m, degree) for _, degree, _, _ in blocks)
    return _certificate("kernel", setting, _bound("<=", cost, features), data, note)


def kernel_classes(
    setting: Setting,
    table: Sequence[Sequence[Sequence[Number]]],
    value: int,
    note: Note = None,
    bits: int = 0,
) -> Certificate:
    """K by its values on the classes: table[k][l] lists those at t = max(0, k+l-m), ..., min(k,l); value is its rank.

    With `bits` free coordinates at the end the rows and columns are x (m - bits + 1) + k, x the free bits' number.

    >>> from kattn_bounds.setting import Setting
    >>> checker.check(kernel_classes(Setting(1), [[[2], [2]], [[3], [1]]], value=2))
    'kernel: D*(m=1, n=3, tolerance 1/2, self included, inner readout) <= 2, signed features'
    """
    data = {
        "construction": "classes",
        "bits": bits or None,
        "table": [[_row(line) for line in lines] for lines in table],
    }
    return _certificate("kernel", setting, _bound("<=", value, "signed"), data, note)


def kernel_setfunction(
    setting: Setting, weights: Mapping[int, Number], features: Features = "nonneg", note: Note = None
) -> Certificate:
    """K(q, a) = sum of the weights of the masks inside q and disjoint from a; one feature per mask.

    >>> from kattn_bounds.setting import Setting
    >>> checker.check(kernel_setfunction(Setting(1), {0b0: 1, 0b1: 2}))
    'kernel: D*(m=1, n=3, tolerance 1/2, self included, inner readout) <= 2, nonneg features'
    """
    data = {
        "construction": "setfunction",
        "terms": [
            [format_token(mask, setting.m), rational_json(weight)] for mask, weight in sorted(weights.items())
        ],
    }
    return _certificate("kernel", setting, _bound("<=", len(weights), features), data, note)


def kernel_expanded(
    setting: Setting, x: Number, features: Features = "nonneg", note: Note = None
) -> Certificate:
    """K = x^t with 2^m features (C3).

    >>> from kattn_bounds.setting import Setting
    >>> checker.check(kernel_expanded(Setting(6), "1/3"))
    'kernel: D*(m=6, n=3, tolerance 1/2, self included, inner readout) <= 64, nonneg features'
    """
    data = {"construction": "expanded", "x": rational_json(x)}
    return _certificate("kernel", setting, _bound("<=", 1 << setting.m, features), data, note)


def layer(
    setting: Setting,
    k: int,
    value: int,
    features: Features = "signed",
    note: Note = None,
    shift: Sequence[Number] | None = None,
) -> Certificate:
    """D* >= value by the layer bound L1 on the k-sets (L3 for the free readout).

    `shift`: coefficients c_i of a polynomial sum c_i C(s, i) that is subtracted from the matrix.

    >>> from kattn_bounds.setting import Setting
    >>> checker.check(layer(Setting(16), k=8, value=37))
    'layer: D*(m=16, n=3, tolerance 1/2, self included, inner readout) >= 37, signed features'
    >>> checker.check(layer(Setting(16), k=8, value=54, shift=["1/15"]))
    'layer: D*(m=16, n=3, tolerance 1/2, self included, inner readout) >= 54, signed features'
    """
    data = {"k": k, "shift": _row(shift) if shift else None}
    return _certificate("layer", setting, _bound(">=", value, features), data, note)


def dominance(
    setting: Setting,
    pairs: Sequence[tuple[int, int]],
    scale: Sequence[Number] | None = None,
    value: int | None = None,
    features: Features = "signed",
    note: Note = None,
) -> Certificate:
    """D* >= number of pairs (q, a) by diagonal dominance (L5).

    >>> from kattn_bounds.setting import Setting
    >>> pairs = [(q, 63 - q) for q in (0b111000, 0b100110, 0b010101, 0b001011)]
    >>> checker.check(dominance(Setting(6), pairs))
    'dominance: D*(m=6, n=3, tolerance 1/2, self included, inner readout) >= 4, signed features'
    """
    data = {"pairs": _pairs(pairs, setting.m), "scale": None if scale is None else _row(scale)}
    return _certificate("dominance", setting, _bound(">=", value or len(pairs), features), data, note)


def trace(
    setting: Setting,
    pairs: Sequence[tuple[int, int]],
    x: Sequence[Number],
    y: Sequence[Number],
    value: int,
    features: Features = "signed",
    note: Note = None,
    shift: Number | None = None,
) -> Certificate:
    """D* >= value by the weighted trace bound on pairs (q, a) with row and column weights x, y >= 0 (L5).

    >>> from kattn_bounds.setting import Setting
    >>> pairs = [(1 << i, 0b111 - (1 << i)) for i in range(3)]
    >>> checker.check(trace(Setting(3, n=5), pairs, [1] * 3, [1] * 3, value=3))
    'trace: D*(m=3, n=5, tolerance 1/2, self included, inner readout) >= 3, signed features'
    """
    data: dict[str, Any] = {"pairs": _pairs(pairs, setting.m), "x": _row(x), "y": _row(y)}
    if shift:
        data["shift"] = rational_json(shift)
    return _certificate("trace", setting, _bound(">=", value, features), data, note)


def singletons(setting: Setting, value: int, features: Features = "signed", note: Note = None) -> Certificate:
    """D* >= value by L7: m while h(1) <= 1, else floor(m/2); one less for the free readout with self included.

    >>> from kattn_bounds.setting import Setting
    >>> checker.check(singletons(Setting(9), value=9))
    'singletons: D*(m=9, n=3, tolerance 1/2, self included, inner readout) >= 9, signed features'
    """
    return _certificate("singletons", setting, _bound(">=", value, features), {}, note)


def nonneg(setting: Setting, k: int, value: int, note: Note = None) -> Certificate:
    """D* >= value for non-negative features, by L9 on the k-sets.

    >>> from kattn_bounds.setting import Setting
    >>> checker.check(nonneg(Setting(13), k=6, value=14))
    'nonneg: D*(m=13, n=3, tolerance 1/2, self included, inner readout) >= 14, nonneg features'
    """
    return _certificate("nonneg", setting, _bound(">=", value, "nonneg"), {"k": k}, note)


Multiplier = tuple[Sequence[int], Number]
"""A sequence of tokens, the query last, or one token a for K(q, a) >= 0; and its positive multiplier."""


def independence(
    setting: Setting,
    queries: Sequence[int],
    patterns: Iterable[tuple[str, Mapping[int, Number], Sequence[Sequence[Multiplier]]]],
    symmetry: Sequence[Sequence[int]] | None = None,
    features: Features = "signed",
    note: Note = None,
) -> Certificate:
    """D* >= number of queries, always independent (L8).

    patterns  (signs, v, multipliers): signs is a string of + and -, v maps tokens to coefficients, and multipliers
              has one list for every query
    symmetry  permutations of the coordinates as lists of 1..m, entry i being the image of coordinate i

    >>> from kattn_bounds.setting import Setting
    >>> checker.check(independence(Setting(1), [0b1], [("+", {0b1: 1}, [[((1, 1), 1)]])]))
    'independence: D*(m=1, n=3, tolerance 1/2, self included, inner readout) >= 1, signed features'
    """
    m = setting.m
    data = {
        "queries": [format_token(q, m) for q in queries],
        "symmetry": None if symmetry is None else [list(images) for images in symmetry],
        "patterns": [
            {
                "signs": signs,
                "v": [[format_token(a, m), rational_json(c)] for a, c in sorted(v.items())],
                "multipliers": [
                    [[[format_token(x, m) for x in tokens], rational_json(c)] for tokens, c in combination]
                    for combination in multipliers
                ],
            }
            for signs, v, multipliers in patterns
        ],
    }
    return _certificate("independence", setting, _bound(">=", len(queries), features), data, note)


def entry(
    setting: Setting, q: int, a: int, j: int | None = None, kind: Literal["K", "N"] | None = None
) -> dict[str, object]:
    """The kernel entry K(q, a), K_j(q, a), or N(q, a) of the free readout, as a certificate writes it."""
    whole = {"q": format_token(q, setting.m), "a": format_token(a, setting.m), "j": j, "kind": kind}
    return {key: value for key, value in whole.items() if value is not None}


def derivation(
    setting: Setting,
    relation: Literal["<", "<="],
    terms: Iterable[tuple[Number, Mapping[str, object]]],
    steps: Iterable[Mapping[str, object]],
    note: Note = None,
) -> Certificate:
    """sum of coefficient * entry (<, <=) 0 for every solving head; `steps` as SPEC.md has them, with tokens as text.

    >>> from kattn_bounds.setting import Setting
    >>> s = Setting(1, self_included=False)
    >>> steps = [{"sequence": ["1", "0", "1"], "multiplier": 2}]
    >>> checker.check(derivation(s, "<", [(1, entry(s, 1, 1)), (-1, entry(s, 1, 0))], steps))
    'derivation: 1*K(1,1) - 1*K(1,0) < 0 in every solving head (m=1, n=3, tolerance 1/2, self excluded, inner readout)'
    """
    claim = {
        "quantity": "inequality",
        "relation": relation,
        "terms": [[rational_json(c), dict(e)] for c, e in terms],
    }
    data = {"steps": [{**step, "multiplier": rational_json(step["multiplier"])} for step in steps]}
    return _certificate("derivation", setting, claim, data, note)


def transcript(
    setting: Setting,
    value: int,
    mode: Literal["one", "all"],
    addresses: Sequence[str],
    queries: Sequence[tuple[int, int, int]],
    note: Note = None,
) -> Certificate:
    """|alphabet|^(layers * heads) >= 2^value. queries: (j, b, token): bit b of payload j answers this token.

    >>> from kattn_bounds.setting import Setting
    >>> s = Setting(3, n=2)
    >>> checker.check(transcript(s, 2, "one", ["10", "01"], [(1, 1, 0b011), (2, 1, 0b101)]))
    'transcript: |alphabet|^(layers*heads) >= 2^2 (m=3, 2 data tokens, queries: one)'
    """
    claim = {"quantity": "answers", "relation": ">=", "value": value, "mode": mode}
    data = {
        "addresses": list(addresses),
        "queries": [[j, b, format_token(token, setting.m)] for j, b, token in queries],
    }
    return _certificate("transcript", setting, claim, data, note)
