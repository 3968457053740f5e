"""Attacks on the checker: every mutant that does not prove its claim is rejected with a reason, every valid rewriting
of a certificate is accepted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from samples import SAMPLES, Certificate, factors, independence, sample, singleton_pattern

import kattn_bounds
from kattn_bounds.certificates import checker, writer
from kattn_bounds.certificates.checker import Rejected, check, check_file
from kattn_bounds.certificates.schema import validate
from kattn_bounds.errors import InputError
from kattn_bounds.setting import Setting

TINY = Fraction(1, 10**30)


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_are_accepted(name: str, tmp_path: Path) -> None:
    certificate = sample(name)
    claim = check(certificate)
    path = tmp_path / "certificate.json"
    assert writer.write_certificate(path, certificate) == claim == check_file(str(path))
    assert list(json.loads(path.read_text())) == list(certificate)


def test_the_example_of_the_specification_is_accepted() -> None:
    text = (Path(kattn_bounds.__file__).parent / "certificates" / "SPEC.md").read_text()
    example = text.split("```json\n")[1].split("```")[0]
    assert check(json.loads(example)).endswith(">= 4, signed features")
    assert writer.certificate_text(json.loads(example)) == example


def test_the_specification_names_every_kind() -> None:
    text = (Path(kattn_bounds.__file__).parent / "certificates" / "SPEC.md").read_text()
    for kind in checker.KINDS:
        assert f"## kind `{kind}`" in text
    for construction in checker.CONSTRUCTIONS:
        assert f"- `{construction}`" in text


# --------------------------------------------------------------------- mutants of every certificate


def at(certificate: Certificate, path: str) -> tuple[Any, Any]:
    """The container and key of a dotted path."""
    *steps, last = path.split(".")
    node: Any = certificate
    for step in steps:
        node = node[int(step)] if isinstance(node, list) else node[step]
    return node, int(last) if isinstance(node, list) else last


def put(path: str, value: Any) -> Callable[[Certificate], None]:
    """Set what stands at the path; a function is applied to the old value."""

    def mutate(certificate: Certificate) -> None:
        node, key = at(certificate, path)
        node[key] = value(node[key]) if callable(value) else value

    return mutate


def drop(path: str) -> Callable[[Certificate], None]:
    def mutate(certificate: Certificate) -> None:
        node, key = at(certificate, path)
        del node[key]

    return mutate


def nudge(value: int | str) -> str:
    """One part in 10^30 more."""
    return str(Fraction(value) * (1 + TINY))


def swap(path: str, other: str) -> Callable[[Certificate], None]:
    def mutate(certificate: Certificate) -> None:
        (x, i), (y, j) = at(certificate, path), at(certificate, other)
        x[i], y[j] = y[j], x[i]

    return mutate


COMMON: dict[str, Callable[[Certificate], None]] = {
    "format": put("format", "other-certificate"),
    "version 2": put("version", 2),
    "version true": put("version", True),
    "unknown kind": put("kind", "proof"),
    "kind is a list": put("kind", ["kernel"]),
    "m + 1": put("setting.m", lambda m: m + 1),
    "m = 0": put("setting.m", 0),
    "m = 10^9": put("setting.m", 10**9),
    "m as text": put("setting.m", "6"),
    "m true": put("setting.m", True),
    "n = 0": put("setting.n", 0),
    "n negative": put("setting.n", -3),
    "n past the limit": put("setting.n", 10**13),
    "tolerance 0": put("setting.tolerance", 0),
    "tolerance above 1": put("setting.tolerance", "3/2"),
    "tolerance 1/0": put("setting.tolerance", "1/0"),
    "tolerance with a point": put("setting.tolerance", "0.5"),
    "tolerance 1/10^4001": put("setting.tolerance", "1/1" + "0" * 4001),
    "self as a number": put("setting.self_included", 1),
    "unknown readout": put("setting.readout", "outer"),
    "other readout": put("setting.readout", lambda r: "free" if r == "inner" else "inner"),
    "no setting": drop("setting"),
    "no claim": drop("claim"),
    "no data": drop("data"),
    "extra key": put("extra", 1),
    "extra key in setting": put("setting.mask", "causal"),
    "extra key in claim": put("claim.extra", 1),
    "extra key in data": put("data.extra", 1),
    "claim of another quantity": put("claim.quantity", "parameters"),
    "reversed relation": put("claim.relation", lambda r: {"<=": ">=", ">=": "<=", "<": ">"}[r]),
    "claim is a list": put("claim", []),
    "data is null": put("data", None),
    "setting is text": put("setting", "m=4"),
}


@pytest.mark.parametrize("mutant", COMMON)
def test_mutants_of_the_common_part(mutant: str) -> None:
    for name in SAMPLES:
        certificate = sample(name)
        if (name, mutant) in STILL_TRUE or (mutant == "other readout" and name in READOUT_STILL_TRUE):
            continue
        COMMON[mutant](certificate)
        with pytest.raises(Rejected) as caught:
            check(certificate)
        assert 0 < len(str(caught.value)) < 300


STILL_TRUE = {
    *(
        (name, "m + 1")
        for name in ("layer", "shifted layer", "sloped layer", "free layer", "singletons", "nonneg")
    ),  # L6: bounds grow with m
}
READOUT_STILL_TRUE = {
    "transcript",
    "transcript, all",
    "free layer",
}  # transcripts have no readout; L1 is above L3

SPECIFIC: list[tuple[str, str, Callable[[Certificate], None]]] = [
    # kernel
    ("factors", "one feature fewer", put("claim.value", 3)),
    ("factors", "one feature more", put("claim.value", 5)),
    ("factors", "non-negative features claimed", put("claim.features", "nonneg")),
    ("factors", "one weight", put("data.phi.3.3", 0)),
    ("factors", "one sign", put("data.psi.1.1", -1)),
    ("factors", "two rows swapped", swap("data.phi.0", "data.phi.3")),
    ("factors", "row dropped", drop("data.phi.2")),
    ("factors", "entry dropped", drop("data.psi.2.1")),
    ("factors", "a float", put("data.phi.1.0", 1.0)),
    ("factors", "NaN as text", put("data.phi.1.0", "NaN")),
    ("factors", "a boolean", put("data.phi.1.0", True)),
    ("factors", "null", put("data.phi.1.0", None)),
    ("factors", "a negative denominator", put("data.phi.1.0", "1/-2")),
    ("factors", "a sign +", put("data.phi.1.0", "+1")),
    ("factors", "a space", put("data.phi.1.0", " 1")),
    ("factors", "a line break", put("data.phi.1.0", "1\n")),
    ("factors", "digits of another script", put("data.phi.1.0", "١")),
    ("factors", "4001 digits", put("data.phi.1.0", "1" * 4001)),
    ("factors", "an integer of 5000 digits", put("data.phi.1.0", 10**5000)),
    ("factors", "unknown construction", put("data.construction", "tensor")),
    ("factors", "no construction", drop("data.construction")),
    ("factors", "values with the inner readout", put("data.values", [[0] * 4] * 4)),
    ("factors", "a longer sequence", put("setting.n", 4)),
    ("factors", "a smaller tolerance", put("setting.tolerance", "1/4")),
    ("factors", "all zero", put("data.phi", [[0] * 4] * 4)),
    ("free factors", "one value", put("data.values.3.3", 0)),
    ("free factors", "length three", put("setting.n", 3)),
    ("free factors", "self excluded", put("setting.self_included", False)),
    ("free factors", "no values", drop("data.values")),
    ("free factors", "value row dropped", drop("data.values.1")),
    ("free factors", "value entry dropped", drop("data.values.1.1")),
    ("blocks", "block dropped", drop("data.blocks.2")),
    ("blocks", "one block weight", put("data.blocks.2.alpha.4", 1)),
    ("blocks", "one block sign", put("data.blocks.1.alpha.1", -20)),
    ("blocks", "cheaper claim", put("claim.value", 8)),
    ("blocks", "other side", put("data.blocks.1.side", "a")),
    ("blocks", "degree past m", put("data.blocks.1.degree", 5)),
    ("blocks", "degree 2", put("data.blocks.2.degree", 2)),
    ("blocks", "short alpha", drop("data.blocks.0.alpha.0")),
    ("blocks", "negative features", put("data.blocks.0.beta.0", "-1/1000")),
    ("classes", "fewer features claimed", put("claim.value", 2)),
    ("classes", "non-negative claimed", put("claim.features", "nonneg")),
    ("classes", "an entry nudged raises the rank", put("data.table.1.1.0", nudge)),
    ("classes", "a level missing", drop("data.table.1.1.0")),
    ("classes", "a line missing", drop("data.table.2.0")),
    ("classes", "a row missing", drop("data.table.0")),
    ("classes", "levels swapped", swap("data.table.1.1.0", "data.table.1.1.1")),
    ("classes", "a negative entry", put("data.table.1.1.1", -1)),
    ("classes", "no own weight", put("data.table.2.2.0", 0)),
    ("setfunction", "term dropped", drop("data.terms.8")),
    ("setfunction", "one mask", put("data.terms.8.0", "1111")),
    ("setfunction", "mask twice", put("data.terms.8.0", "0001")),
    ("setfunction", "mask too long", put("data.terms.8.0", "01110")),
    ("setfunction", "mask with another letter", put("data.terms.8.0", "0112")),
    ("setfunction", "one weight", put("data.terms.1.1", 1)),
    ("setfunction", "fewer terms claimed", put("claim.value", 8)),
    ("expanded", "x = 1/2", put("data.x", "1/2")),
    ("expanded", "x = 1", put("data.x", 1)),
    ("expanded", "x = 0", put("data.x", 0)),
    ("expanded", "fewer features claimed", put("claim.value", 31)),
    # lower bounds
    ("layer", "one more", put("claim.value", 38)),
    ("layer", "another layer", put("data.k", 7)),
    ("layer", "k = 0", put("data.k", 0)),
    ("layer", "k = m", put("data.k", 16)),
    ("layer", "k as text", put("data.k", "8")),
    ("layer", "length two", put("setting.n", 2)),
    ("layer", "a larger tolerance", put("setting.tolerance", "3/5")),
    ("layer", "a smaller m", put("setting.m", 15)),
    ("shifted layer", "one more", put("claim.value", 55)),
    ("shifted layer", "no shift", drop("data.shift")),
    ("shifted layer", "another shift", put("data.shift.0", "1/5")),
    ("shifted layer", "a negative shift", put("data.shift.0", "-1/15")),
    ("shifted layer", "a shift of everything", put("data.shift.0", 1)),
    ("shifted layer", "a shift of high rank", put("data.shift", ["1/15", 0, 0])),
    ("shifted layer", "degree past k", put("data.shift", [0] * 10)),
    ("shifted layer", "not a list", put("data.shift", "1/15")),
    ("sloped layer", "a steeper slope", put("data.shift.1", "-1/10")),
    ("free layer", "one more", put("claim.value", 4)),
    ("free layer", "tolerance above 1/2", put("setting.tolerance", "501/1000")),
    ("dominance", "one more", put("claim.value", 5)),
    ("dominance", "one set", put("data.pairs.2.0", "010110")),
    ("dominance", "pair dropped", drop("data.pairs.1")),
    ("dominance", "pair twice", swap("data.pairs.1.0", "data.pairs.2.0")),
    ("dominance", "tolerance more by 10^-30", put("setting.tolerance", str(Fraction(1, 2) + TINY))),
    ("dominance", "short token", put("data.pairs.0.0", "11100")),
    ("scaled dominance", "one scale more by 10^-30", put("data.scale.0", nudge)),
    ("scaled dominance", "negative scale", put("data.scale.0", -2)),
    ("scaled dominance", "zero scale", put("data.scale.0", 0)),
    ("scaled dominance", "short scale", drop("data.scale.0")),
    ("trace", "one more", put("claim.value", 6)),
    ("trace", "one set", put("data.pairs.0.1", "1111")),
    ("trace", "weight dropped", drop("data.x.0")),
    ("trace", "negative weight", put("data.x.0", -1)),
    ("trace", "length four", put("setting.n", 4)),
    ("trace", "all weights zero", put("data.x", [0] * 6)),
    ("nonneg", "one more", put("claim.value", 15)),
    ("nonneg", "signed features", put("claim.features", "signed")),
    ("nonneg", "another layer", put("data.k", 4)),
    ("nonneg", "tolerance 1", put("setting.tolerance", 1)),
    ("nonneg", "length two", put("setting.n", 2)),
    ("singletons", "one more", put("claim.value", 8)),
    ("singletons", "tolerance more by 10^-30", put("setting.tolerance", str(Fraction(1, 2) + TINY))),
    ("independence", "one more", put("claim.value", 4)),
    ("independence", "pattern dropped", drop("data.patterns.2")),
    ("independence", "signs swapped", put("data.patterns.1.signs", "+--")),
    ("independence", "sign 0", put("data.patterns.1.signs", "+0-")),
    ("independence", "multiplier more by 10^-30", put("data.patterns.1.multipliers.0.0.1", nudge)),
    ("independence", "negative multiplier", put("data.patterns.1.multipliers.0.1.1", -1)),
    ("independence", "entry of v more by 10^-30", put("data.patterns.3.v.0.1", nudge)),
    ("independence", "sequence of another query", put("data.patterns.1.multipliers.0.0.0.2", "010")),
    ("independence", "sequence too long", put("data.patterns.1.multipliers.0.0.0", ["111"] * 4)),
    ("independence", "only K >= 0", drop("data.patterns.1.multipliers.0.0")),
    ("independence", "multipliers of a query dropped", drop("data.patterns.1.multipliers.0")),
    ("independence", "query twice", put("data.queries.0", "010")),
    ("independence", "query dropped", drop("data.queries.0")),
    ("independence", "self excluded", put("setting.self_included", False)),
    ("independence", "tolerance", put("setting.tolerance", "2/5")),
    ("independence", "length two", put("setting.n", 2)),
    ("symmetric independence", "no symmetry", drop("data.symmetry")),
    ("symmetric independence", "one generator only", drop("data.symmetry.1")),
    ("symmetric independence", "not a permutation", put("data.symmetry.0", [1, 1, 3, 4, 5])),
    ("symmetric independence", "short permutation", put("data.symmetry.0", [2, 1, 3, 4])),
    ("symmetric independence", "representative dropped", drop("data.patterns.1")),
    # derivations and transcripts
    ("derivation", "coefficient less by 10^-30", put("claim.terms.1.0", str(-Fraction(1, 15) + TINY))),
    ("derivation", "multiplier more by 10^-30", put("data.steps.0.multiplier", nudge)),
    ("derivation", "step dropped", drop("data.steps.0")),
    ("derivation", "sign step dropped", drop("data.steps.2")),
    ("derivation", "another token", put("data.steps.0.sequence.0", "11110")),
    ("derivation", "order of the query", swap("data.steps.0.sequence.1", "data.steps.0.sequence.2")),
    ("derivation", "short sequence", drop("data.steps.0.sequence.0")),
    ("derivation", "no terms", put("claim.terms", [])),
    ("derivation", "a position", put("claim.terms.0.1.j", 1)),
    ("derivation", "an N entry", put("claim.terms.0.1.kind", "N")),
    ("derivation", "no steps", put("data.steps", [])),
    ("free derivation", "other side", put("data.steps.0.side", "lower")),
    ("free derivation", "no side", drop("data.steps.0.side")),
    (
        "free derivation",
        "N >= 0",
        put("data.steps.0", {"nonneg": {"q": "1111", "a": "1111", "kind": "N"}, "multiplier": 1}),
    ),
    ("position derivation", "another position", put("claim.terms.0.1.j", 2)),
    ("position derivation", "position past n", put("claim.terms.0.1.j", 5)),
    ("position derivation", "no position", drop("claim.terms.0.1.j")),
    ("position derivation", "sequence dropped", drop("data.steps.1")),
    ("transcript", "one more", put("claim.value", 7)),
    ("transcript", "query bit", put("data.queries.0.2", "001111")),
    ("transcript", "another payload", put("data.queries.0.0", 2)),
    ("transcript", "bit twice", put("data.queries.1.1", 1)),
    ("transcript", "bit past the payload", put("data.queries.1.1", 3)),
    ("transcript", "address repeated", put("data.addresses.1", "1100")),
    ("transcript", "address dropped", drop("data.addresses.1")),
    ("transcript", "uneven address", put("data.addresses.1", "101")),
    ("transcript", "no payload", put("data.addresses", ["110000", "101000", "011000"])),
    ("transcript", "mode", put("claim.mode", "some")),
    (
        "transcript, all",
        "queries disturb",
        lambda c: [put(f"data.queries.{i}.2", lambda t: t[:3] + "0" + t[4:])(c) for i in range(6)] and None,
    ),
]


@pytest.mark.parametrize(("name", "mutant"), [(name, mutant) for name, mutant, _ in SPECIFIC])
def test_mutants_of_each_kind(name: str, mutant: str) -> None:
    certificate = sample(name)
    (mutate,) = [f for n, what, f in SPECIFIC if (n, what) == (name, mutant)]
    mutate(certificate)
    assert certificate != sample(name) or mutant in ("a float", "a boolean")  # 1 == 1.0 == True
    with pytest.raises(Rejected) as caught:
        check(certificate)
    assert 0 < len(str(caught.value)) < 300


def test_a_strict_claim_needs_a_strict_step() -> None:
    s = Setting(2)
    sign = {"nonneg": writer.entry(s, 3, 3), "multiplier": 2}
    assert "<= 0" in check(writer.derivation(s, "<=", [(-2, writer.entry(s, 3, 3))], [sign]))
    with pytest.raises(Rejected, match="strict"):
        check(writer.derivation(s, "<", [(-2, writer.entry(s, 3, 3))], [sign]))


def test_queries_in_mode_all_must_not_meet_in_zero() -> None:
    """Without the spare coordinate the queries 0 answer one another with 0."""
    certificate = sample("transcript")
    for query in certificate["data"]["queries"]:
        query[2] = query[2][:3] + "0" + query[2][4:]
    check(certificate)
    certificate["claim"]["mode"] = "all"
    with pytest.raises(Rejected, match="not the answer"):
        check(certificate)


def test_the_boundary_temperature_fails_by_one_part_in_10_to_the_30() -> None:
    """At n = 4 softmax solves iff x < 1/3."""
    check(factors(2, 4, Fraction(1, 3) - TINY))
    with pytest.raises(Rejected, match="fails"):
        check(factors(2, 4, Fraction(1, 3)))
    with pytest.raises(Rejected, match="fails"):
        check(writer.kernel_expanded(Setting(3, 4), Fraction(1, 3)))
    check(writer.kernel_expanded(Setting(3, 4), Fraction(1, 3) - TINY))


# --------------------------------------------------------------------- valid rewritings


def permuted(token: str, order: list[int]) -> str:
    return "".join(token[i] for i in order)


def walk(value: Any, m: int, order: list[int]) -> Any:
    """Permute the coordinates of every token of m bits in the data."""
    if isinstance(value, str) and len(value) == m and not value.strip("01"):
        return permuted(value, order)
    if isinstance(value, list):
        return [walk(x, m, order) for x in value]
    if isinstance(value, dict):
        return {key: walk(x, m, order) for key, x in value.items()}
    return value


@pytest.mark.parametrize(
    "name",
    ["setfunction", "dominance", "scaled dominance", "trace", "independence", "derivation", "free derivation",
     "position derivation"],
)  # fmt: skip
def test_permuted_coordinates_are_accepted(name: str) -> None:
    certificate = sample(name)
    m = certificate["setting"]["m"]
    order = [*range(1, m), 0]
    certificate["data"] = walk(certificate["data"], m, order)
    certificate["claim"] = walk(certificate["claim"], m, order)
    assert certificate != sample(name)
    check(certificate)


def test_permuted_lists_and_scaled_rows_are_accepted() -> None:
    certificate = sample("factors")
    data = certificate["data"]
    order = [2, 0, 3, 1]
    data["phi"] = [[str(7 * Fraction(row[f]) / 3) for f in order] for row in data["phi"]]
    data["psi"] = [[row[f] for f in order] for row in data["psi"]]
    data["phi"][2] = [str(10**30 * Fraction(x)) for x in data["phi"][2]]
    check(certificate)

    certificate = sample("blocks")
    certificate["data"]["blocks"].reverse()
    check(certificate)

    certificate = sample("scaled dominance")
    certificate["data"]["pairs"].reverse()
    certificate["data"]["scale"] = ["2/3"] * 4
    check(certificate)

    certificate = sample("trace")
    for key in ("pairs", "x", "y"):
        certificate["data"][key].reverse()
    certificate["data"]["x"] = ["5/7"] * 6
    check(certificate)

    certificate = sample("independence")
    certificate["data"]["patterns"].reverse()
    certificate["data"]["queries"].reverse()
    for pattern in certificate["data"]["patterns"]:
        pattern["signs"] = pattern["signs"][::-1]
        pattern["multipliers"].reverse()
    check(certificate)

    certificate = sample("transcript")
    certificate["data"]["queries"].reverse()
    check(certificate)

    certificate = sample("derivation")
    certificate["data"]["steps"].reverse()
    certificate["claim"]["terms"].reverse()
    certificate["data"]["steps"][1]["sequence"][:2] = certificate["data"]["steps"][1]["sequence"][1::-1]
    check(certificate)


def test_a_lower_claim_and_a_note_are_accepted() -> None:
    certificate = sample("layer")
    certificate["claim"]["value"] = 1
    certificate["claim"]["features"] = "nonneg"
    certificate["note"] = {"seed": 3, "anything": [{}, None, "x"]}
    check(certificate)


def test_the_negated_pattern_is_the_same_pattern() -> None:
    certificate = sample("independence")
    first = writer.independence(Setting(3), [1, 2, 4], [singleton_pattern(3, "---")])["data"]["patterns"][0]
    assert certificate["data"]["patterns"][0]["signs"] == "+++"
    certificate["data"]["patterns"][0] = first
    check(certificate)
    certificate["data"]["patterns"].append(first)
    check(certificate)


def test_shorter_sequences_serve_a_longer_length() -> None:
    """L6 inside the kind `independence`: the certificate of n = 3 is read at n = 5."""
    certificate = independence(3)
    certificate["setting"]["n"] = 5
    check(certificate)


# --------------------------------------------------------------------- text that is not a certificate


def text_of(name: str) -> str:
    return json.dumps(sample(name))


BAD_TEXTS: dict[str, bytes] = {
    "empty": b"",
    "a list": b"[]",
    "a number": b"7",
    "null": b"null",
    "cut off": text_of("layer").encode()[:-1],
    "two objects": (text_of("layer") * 2).encode(),
    "not UTF-8": b'{"format": "\xff"}',
    "byte order mark": b"\xef\xbb\xbf" + text_of("layer").encode(),
    "duplicate key": text_of("layer").replace('"version": 1', '"version": 1, "version": 1').encode(),
    "duplicate key in data": text_of("layer").replace('"k": 8', '"k": 3, "k": 8').encode(),
    "duplicate key by escape": text_of("layer").replace('"k": 8', '"k": 8, "\\u006b": 8').encode(),
    "NaN": text_of("layer").replace('"k": 8', '"k": NaN').encode(),
    "Infinity": text_of("layer").replace('"k": 8', '"k": -Infinity').encode(),
    "a float": text_of("layer").replace('"k": 8', '"k": 8.0').encode(),
    "an exponent": text_of("layer").replace('"k": 8', '"k": 8e0').encode(),
    "10^6 digits": text_of("layer").replace('"k": 8', '"k": ' + "8" * 10**6).encode(),
    "10^6 digits in text": text_of("layer").replace('"1/2"', '"1/' + "2" * 10**6 + '"').encode(),
    "10^6 digits in a note": text_of("layer")[:-1].encode() + b', "note": {"n": ' + b"1" * 10**6 + b"}}",
    "lists nested 10^5 deep": b"[" * 10**5 + b"]" * 10**5,
    "open lists nested 10^5 deep": b"[" * 10**5,
    "objects nested 10^5 deep": b'{"a":' * 10**5 + b"1" + b"}" * 10**5,
    "nested in a note": text_of("layer")[:-1].encode()
    + b', "note": {"x": '
    + b"[" * 10**5
    + b"]" * 10**5
    + b"}}",
    "nested behind an escaped quote": b'{"a\\"": ' + b"[" * 10**5,
    "nested behind an escaped backslash": b'{"a\\\\": ' + b"[" * 10**5,
    "five million entries": b"[" + b"0," * 5_000_000 + b"0]",
    "70 MB": b" " * (70 << 20),
    "open string of quotes": b'"' + b'\\"' * 10**6,
}

LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
from kattn_bounds.certificates.checker import main
sys.exit(main(sys.argv[1:]))
"""


def test_bad_texts_are_rejected_in_bounded_time_and_memory(tmp_path: Path) -> None:
    """All of them together within 60 seconds of processor time and 2 GB of address space."""
    paths = []
    for number, (name, content) in enumerate(BAD_TEXTS.items()):
        path = tmp_path / f"{number}.json"
        path.write_bytes(content)
        paths.append((name, path))
    run = subprocess.run(
        [sys.executable, "-c", LIMITED, *(str(path) for _, path in paths)],
        capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": os.getcwd()},
    )  # fmt: skip
    assert run.returncode == 1, run.stderr[-500:]
    lines = run.stdout.splitlines()
    assert len(lines) == len(paths)
    for (name, path), line in zip(paths, lines, strict=True):
        assert line.startswith(f"REJECTED {path}: "), (name, line)
        assert len(line) < len(str(path)) + 300
    assert run.stderr == ""


EXPENSIVE: dict[str, Certificate] = {
    "factors at m = 13": {
        **factors(),
        "setting": {**Setting(13).to_json()},
        "claim": {"quantity": "features", "relation": "<=", "value": 10**6, "features": "signed"},
    },
    "layer with a long tolerance": writer.layer(Setting(10_000, 3, Fraction(10**500, 10**501 + 1)), 5000, 1),
    "a huge common denominator": writer.kernel_factors(
        Setting(6),
        [[Fraction(1, 10**2000 + i)] for i in range(64)],
        [[Fraction(1, 10**2000 + i)] for i in range(64)],
    ),
    "setfunction at m = 26": writer.kernel_setfunction(Setting(26), {1: 1}),
    "blocks at m = 2000": writer.kernel_blocks(Setting(2000), [("q", 0, [1] * 2001, [1] * 2001)]),
    "expanded at m = 10000": writer.kernel_expanded(Setting(1000), Fraction(1, 10**1000)),
    "20000 pairs": writer.dominance(Setting(1), [(1, 0)] * 20_000),
    "a thousand coprime denominators": writer.derivation(
        Setting(1),
        "<",
        [(1, writer.entry(Setting(1), 1, 1))],
        [{"sequence": ["1"] * 3, "multiplier": Fraction(1, 10**2000 + i)} for i in range(1000)],
    ),
    "sixty symmetries of twenty queries": writer.independence(
        Setting(20),
        [1 << i for i in range(20)],
        [],
        [[*range(2 + i, 21), *range(1, 2 + i)] for i in range(19)] * 4,
    ),
    "many answers": writer.transcript(
        Setting(60, 1), 1, "all", ["0"], [(1, b, 1) for b in range(1, 60)] * 200
    ),
}


@pytest.mark.parametrize("name", EXPENSIVE)
def test_expensive_certificates_are_rejected_before_the_work(name: str) -> None:
    with pytest.raises(Rejected):
        check(EXPENSIVE[name])


# --------------------------------------------------------------------- the models and the writer


def test_models_refuse_what_the_checker_refuses_in_shape(tmp_path: Path) -> None:
    for mutate in (
        put("extra", 1),
        put("data.extra", 1),
        put("setting.m", "6"),
        drop("claim"),
        put("setting.m", True),
    ):
        certificate = sample("layer")
        mutate(certificate)
        with pytest.raises(InputError):
            validate(certificate)
        with pytest.raises(Rejected):
            check(certificate)


def test_the_writer_does_not_write_what_the_checker_rejects(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    with pytest.raises(InputError, match="not valid"):
        writer.write_certificate(path, writer.layer(Setting(16), 8, 38))
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(InputError, match="does not exist"):
        writer.write_certificate(tmp_path / "no" / "c.json", writer.layer(Setting(16), 8, 37))
