"""Proofs as text, LaTeX and certificates."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from math import gcd, lcm
from typing import TYPE_CHECKING

from kattn_bounds.cube import format_token
from kattn_bounds.errors import InputError
from kattn_bounds.prove.classes import patterns, token_on_level
from kattn_bounds.prove.language import Affine, Entry
from kattn_bounds.verdict import Verdict

if TYPE_CHECKING:
    from kattn_bounds.prove.prover import Best, Derivation, Proof

_EXTRA_NAMES = "cdefgh"
WIDTH = 100


def scope(proof: Proof) -> str:
    """What the verdict is about, in one line."""
    c = proof.convention
    m = "every m" if proof.m is None else f"m = {proof.m}"
    own = "self included" if c.self_included else "self excluded"
    readout = "free readout" if c.free else "inner readout"
    maps = ", position-dependent" if c.positions else ""
    return f"{m}, n = {c.n}, tolerance {c.tau}, {own}, {readout}{maps}"


def steps_of(derivation: Derivation, proof: Proof) -> list[tuple[Fraction, str, str]]:
    """For each step: the integer multiplier of its cleared inequality, the sequence, the inequality."""
    names, scale = extra_names(derivation, proof), claim_scale(derivation, proof)
    found = []
    for row, multiplier in derivation.steps:
        form = row.form(derivation.levels, proof.convention)
        factor = _clearing(form)
        cleared = simplified({e: f * factor for e, f in form.items()}, proof)
        sequence = "(" + ", ".join(_runs([names.get(x, x) for x in row.sequence])) + ")"
        if row.side != "inner":
            sequence += f" {row.side}"
        formula = inequality(cleared, proof.statement.query, names) + " < 0"
        found.append((scale * multiplier / factor, sequence, formula))
    return found


def simplified(form: Mapping[Entry, Affine], proof: Proof) -> dict[Entry, Affine]:
    """The same expression with the statement's equations used: from t(q,b) = t(q,a) + s, b's level is replaced."""
    conditions = proof.statement.conditions
    found = dict(form)
    for i, equation in enumerate(conditions):
        opposite = -equation
        if not any(
            c.terms == opposite.terms and c.constant == opposite.constant for c in conditions[i + 1 :]
        ):
            continue
        unit = next((v for v, c in equation.terms.items() if c == 1 and v.startswith(("t(", "|"))), None)
        if unit is not None:
            found = {e: f - equation * f.terms.get(unit, Fraction(0)) for e, f in found.items()}
    return {e: f for e, f in found.items() if f.terms or f.constant}


def residual_of(derivation: Derivation, proof: Proof) -> dict[Entry, Affine]:
    """What is subtracted from the sum, on the scale of the integer multipliers."""
    scale = claim_scale(derivation, proof)
    weights = {e: f * scale for e, f in derivation.residuals.items() if e.kind == "K"}
    return simplified(weights, proof)


def claim_scale(derivation: Derivation, proof: Proof) -> int:
    """The least positive integer by which the claim is multiplied so that every multiplier is an integer."""
    factors = [
        multiplier / _clearing(row.form(derivation.levels, proof.convention))
        for row, multiplier in derivation.steps
    ]
    return lcm(*(x.denominator for x in factors))


def extra_names(derivation: Derivation, proof: Proof) -> dict[str, str]:
    """Readable names of the tokens that the statement does not name."""
    taken = {proof.statement.query, *proof.statement.tokens}
    free = [x for x in _EXTRA_NAMES if x not in taken] + [f"x{i}" for i in range(1, 40)]
    extras = sorted(
        {x for row, _ in derivation.steps for x in row.sequence if x.startswith("@")},
        key=lambda x: int(x[1:]),
    )
    return dict(zip(extras, free, strict=False))


def inequality(form: Mapping[Entry, Affine], query: str, names: Mapping[str, str]) -> str:
    """A linear expression in entries."""
    text = ""
    for entry, coefficient in form.items():
        shown = entry._replace(token=names.get(entry.token, entry.token)).show(query)
        if coefficient.is_number:
            size = abs(coefficient.constant)
            sign = "-" if coefficient.constant < 0 else "+"
            body = shown if size == 1 else f"{size} {shown}"
        else:
            sign, body = "+", f"({coefficient}) {shown}"
        text += f" {sign} {body}" if text else (f"-{body}" if sign == "-" else body)
    return text or "0"


def text(proof: Proof) -> str:
    """The whole report of `prove`, at most 100 columns where formulas allow."""
    statement = proof.statement
    lines = [
        f"{statement.text}",
        *([f"  given {statement.given}"] if statement.given else []),
        f"  {scope(proof)}",
        "",
    ]
    if proof.verdict is Verdict.PROVED:
        lines += _proved(proof)
    elif proof.verdict is Verdict.REFUTED:
        lines += _refuted(proof)
    else:
        lines.append(f"UNDECIDED: {proof.reason}; {proof.classes} classes looked at")
    return "\n".join(lines)


def _proved(proof: Proof) -> list[str]:
    where = "every level and every m" if proof.m is None else f"every level at m = {proof.m}"
    how = {
        "symbolic": f"the derivation is valid at {where}",
        "orbit": f"all {proof.classes} classes of query and tokens at m = {proof.m}",
    }[proof.method]
    if proof.statement.concrete:
        how = "for these tokens"
    count = len(proof.derivations)
    lines = [
        f"PROVED ({proof.method}: {how})" if count == 1 else f"PROVED ({proof.method}: {how}; {count} cases)"
    ]
    for number, derivation in enumerate(proof.derivations, start=1):
        lines.append("")
        if count > 1:
            lines.append(f"case {number}: {case_text(derivation, proof)}")
        names = extra_names(derivation, proof)
        for x, name in names.items():
            lines.append(
                f"  let {name} be any token with t({proof.statement.query},{name}) = {derivation.levels[x]}"
            )
        steps, scale = steps_of(derivation, proof), claim_scale(derivation, proof)
        for multiplier, sequence, formula in steps:
            start = f"  {multiplier!s:>5} x  sequence {sequence}:"
            joined = f"{start}  {formula}"
            lines += [joined] if len(joined) <= WIDTH else [start, f"            {formula}"]
        dropped = residual_of(derivation, proof)
        times = "" if not steps or steps[0][0] == 1 else f"{steps[0][0]} times "
        total = "0" if not steps else "the sum" if len(steps) > 1 else f"{times}the sequence's left side"
        side = (
            "left side - right side of the claim"
            if scale == 1
            else f"{scale} times (left - right) of the claim"
        )
        if not dropped:
            lines.append(f"  {side} = {total}")
            continue
        rest = inequality(dropped, proof.statement.query, names)
        lines.append(f"  {side} = {total}, minus")
        lines.append(f"        {rest}")
        lines.append("  which is >= 0: so is every K, and so is every coefficient under the conditions")
    return lines


def case_text(derivation: Derivation, proof: Proof) -> str:
    """When a derivation applies."""
    if derivation.merged:
        equal = ", ".join(f"{x} = {y}" for x, y in derivation.merged.items())
        return "at " + ", ".join(f"{k} = {v}" for k, v in derivation.base.items()) + f", {equal}"
    if not derivation.conditions:
        return "at " + ", ".join(f"{k} = {v}" for k, v in derivation.base.items())
    return "when " + ", ".join(comparison(f) for f in derivation.conditions)


def comparison(form: Affine) -> str:
    """f >= 0 with positive terms on the left and negative ones on the right.

    >>> comparison(Affine.variable("t(q,b)") - Affine.variable("t(q,a)") - 2)
    't(q,b) >= t(q,a) + 2'
    """
    left = Affine({k: c for k, c in form.terms.items() if c > 0})
    right = Affine({k: -c for k, c in form.terms.items() if c < 0})
    if not left.terms:
        return f"{right} <= {form.constant}"
    return f"{left} >= {right - form.constant}"


def _refuted(proof: Proof) -> list[str]:
    found = proof.counterexample
    assert found is not None
    statement, m = proof.statement, found.m
    lines = ["REFUTED by a kernel that solves (exhaustive: the verifier accepts every sequence)", ""]
    shown = [f"{x} = {found.show(x)}" for x in (statement.query, *statement.tokens)]
    lines.append(
        f"  m = {m}, "
        + ", ".join(shown)
        + "   ("
        + ", ".join(f"{k} = {v}" for k, v in found.point.items())
        + ")"
    )
    for (kind, j), values in found.row.items():
        label = kind if j is None else f"{kind}_{j}"
        width = max(len(str(v)) for v in values)
        cells = [f"{format_token(a, m)}:{v!s:>{width}}" for a, v in enumerate(values)]
        per = max(1, 88 // (len(cells[0]) + 2))
        lines.append(f"  row {label}({statement.query},.)")
        lines += ["    " + "  ".join(cells[i : i + per]) for i in range(0, len(cells), per)]
    lines.append(f"  other rows (1/{found.base})^t" + (", V = t" if found.convention.free else ""))
    file = "k.npz" if found.convention.positions else "k.npy"
    if not found.convention.free:
        c = found.convention
        options = (f" --n {c.n}" if c.n != 3 else "") + (
            "" if c.tau == Fraction(1, 2) else f" --tolerance {c.tau}"
        )
        options += "" if c.self_included else " --self excluded"
        lines.append(
            f"  replay: add --counterexample {file}, then kattn-bounds check {file} --m {m}{options}"
        )
    relation = ">= 0" if statement.strict else "> 0"
    lines.append(
        f"  claimed: left - right {'<' if statement.strict else '<='} 0; here it is {found.total} {relation}"
    )
    return lines


def latex(proof: Proof) -> str:
    """One `align*` for each derivation. Raises InputError when the claim was not proved."""
    if proof.verdict is not Verdict.PROVED:
        raise InputError("there is no derivation to typeset: the claim was not proved")
    blocks = []
    for derivation in proof.derivations:
        names = extra_names(derivation, proof)
        query = proof.statement.query
        lines = []
        for x, name in names.items():
            lines.append(
                rf"&\text{{let }} {_tex(f't({query},{name})')} = {_tex(str(derivation.levels[x]))} \\"
            )
        for multiplier, sequence, formula in steps_of(derivation, proof):
            lines.append(rf"{_tex(str(multiplier))} \times {_tex(sequence)}:\quad & {_tex(formula)} \\")
        dropped = residual_of(derivation, proof)
        for entry, form in dropped.items():
            lines.append(rf"&{_tex(inequality({entry: form}, query, names))} \ge 0 \\")
        lines.append(rf"\Longrightarrow\quad & {_tex(proof.statement.text)}")
        blocks.append("\\begin{align*}\n" + "\n".join(lines) + "\n\\end{align*}")
    return "\n\n".join(blocks)


def _tex(text_: str) -> str:
    """A formula of this package as LaTeX."""
    out = re.sub(r"(?<![A-Za-z_])t\((\w+),(\w+)\)", r"\\langle \1,\2\\rangle", text_)
    out = re.sub(r"\bKbar\(", r"\\bar K(", out)
    out = re.sub(r"(\d+)/(\d+)", r"\\tfrac{\1}{\2}", out)
    out = re.sub(r"\|(\w+)\|", r"\\lvert \1\\rvert", out)
    out = re.sub(r"([KN])_(\d+)", r"\1_{\2}", out)
    out = re.sub(r"(\w)\^(\d+)", r"\1^{\2}", out)
    out = re.sub(r" (upper|lower)", r"\\ \\text{\1}", out)
    return out.replace("<=", r"\le ").replace(">=", r"\ge ").replace("*", r"\,")


def certificates(proof: Proof) -> list[dict[str, object]]:
    """One certificate for each derivation, at concrete tokens of the class it was found at. Empty unless PROVED."""
    if proof.verdict is not Verdict.PROVED:
        return []
    return [_certificate(d, proof) for d in proof.derivations]


def _certificate(derivation: Derivation, proof: Proof) -> dict[str, object]:
    statement, convention = proof.statement, proof.convention
    point = derivation.base
    m = point["m"]
    chosen = None
    for pattern in patterns(statement, point):
        if all(pattern.merge[x] == pattern.merge[y] for x, y in derivation.merged.items()):
            chosen = pattern
            break
    assert chosen is not None
    query = chosen.tokens[statement.query]
    tokens = {x: chosen.tokens[y] for x, y in chosen.merge.items()}
    levels = {x: int(f.value(point)) for x, f in derivation.levels.items()}
    for x, level in levels.items():
        if x not in tokens:
            tokens[x] = token_on_level(query, level)

    def entry(e: Entry) -> dict[str, object]:
        shown: dict[str, object] = {"q": format_token(query, m), "a": format_token(tokens[e.token], m)}
        if e.position is not None:
            shown["j"] = e.position
        if convention.free:
            shown["kind"] = e.kind
        return shown

    steps: list[dict[str, object]] = []
    for row, multiplier in derivation.steps:
        step: dict[str, object] = {"sequence": [format_token(tokens[x], m) for x in row.sequence]}
        if row.side != "inner":
            step["side"] = row.side
        steps.append({**step, "multiplier": str(multiplier)})
    for e, form in derivation.residuals.items():
        value = form.value(point)
        if value:
            steps.append({"nonneg": entry(e), "multiplier": str(value)})
    return {
        "format": "kattn-bounds-certificate",
        "version": 1,
        "kind": "derivation",
        "setting": proof.setting(m).to_json(),
        "claim": {
            "quantity": "inequality",
            "relation": "<" if statement.strict else "<=",
            "terms": [[str(f.value(point)), entry(e)] for e, f in statement.left.items()],
        },
        "data": {"steps": steps},
        "note": {
            "claim": statement.text,
            "given": statement.given,
            "scope": scope(proof),
            "method": proof.method,
        },
    }


def _clearing(form: Mapping[Entry, Affine]) -> Fraction:
    """The positive factor that makes all coefficients integers without a common divisor."""
    numbers = [c for f in form.values() for c in (*f.terms.values(), f.constant) if c]
    scale = lcm(*(c.denominator for c in numbers))
    return Fraction(scale, gcd(*(int(c * scale) for c in numbers)))


def _runs(names: list[str]) -> list[str]:
    """Runs of one token as a power: b, b, b, a -> b^3, a."""
    out: list[tuple[str, int]] = []
    for name in names:
        if out and out[-1][0] == name:
            out[-1] = (name, out[-1][1] + 1)
        else:
            out.append((name, 1))
    return [name if count == 1 else f"{name}^{count}" for name, count in out]


def limit_text(best: Best) -> list[str]:
    """Why no larger constant works."""
    query = best.proof.statement.query
    tokens = [*best.proof.statement.tokens, query]
    lines = [
        "",
        f"  best constant {best.constant}: no larger one, since every condition is at most 0 at the entries",
    ]
    named = [f"{e.show(query)} = {v}" for e, v in best.limit.items() if e.token in tokens]
    others: dict[str, Fraction] = {}
    for e, v in best.limit.items():
        if e.token not in tokens:
            others[e._replace(token=f"level {e.token[1:]}").show(query)] = v
    at = ", ".join(f"{k} = {v}" for k, v in best.limit_point.items())
    lines.append("    " + ", ".join(named) + f"   ({at})")
    lines.append("    and on other tokens: " + ", ".join(f"{k} = {v}" for k, v in others.items()))
    lines.append(
        "  add epsilon times any solving row: it solves, and breaks every larger constant for small epsilon"
    )
    return lines


def to_json(proof: Proof, best: Best | None = None) -> dict[str, object]:
    """The result as JSON values; fractions as text."""
    statement = proof.statement
    derivations = []
    for d in proof.derivations:
        names = extra_names(d, proof)
        derivations.append(
            {
                "when": case_text(d, proof),
                "let": {name: f"t({statement.query},{name}) = {d.levels[x]}" for x, name in names.items()},
                "steps": [
                    {"multiplier": str(x), "sequence": s, "inequality": f} for x, s, f in steps_of(d, proof)
                ],
                "claim_scale": claim_scale(d, proof),
                "minus": {
                    e._replace(token=names.get(e.token, e.token)).show(statement.query): str(f)
                    for e, f in residual_of(d, proof).items()
                },
            }
        )
    found = proof.counterexample
    return {
        "claim": statement.text,
        "given": statement.given,
        "scope": scope(proof),
        "verdict": proof.verdict.value,
        "method": proof.method if proof.verdict is not Verdict.UNDECIDED else None,
        "classes": proof.classes,
        "derivations": derivations,
        "counterexample": None
        if found is None
        else {
            "m": found.m,
            "tokens": {x: found.show(x) for x in (statement.query, *statement.tokens)},
            "row": {k if j is None else f"{k}_{j}": list(v) for (k, j), v in found.row.items()},
            "other_rows": f"(1/{found.base})^t",
            "left_minus_right": str(found.total),
        },
        "reason": proof.reason or None,
        "best": None if best is None else str(best.constant),
    }


def pattern_text(proof: Proof) -> str:
    """Multipliers and sequences of the derivations in one line, for tables."""
    if proof.verdict is Verdict.REFUTED:
        found = proof.counterexample
        assert found is not None
        return "broken at m = " + str(found.m)
    if proof.verdict is Verdict.UNDECIDED:
        return proof.reason
    cases = []
    for d in proof.derivations:
        names = extra_names(d, proof)
        parts = [f"{x} x {sequence}" for x, sequence, _ in steps_of(d, proof)]
        if len(parts) > 4:
            parts = [*parts[:2], "...", parts[-1]]
        levels = [re.sub(r"t\(\w+,(\w+)\)", r"\1", str(d.levels[y])).replace(" ", "") for y in names]
        where = f"  [{', '.join(names.values())} at {', '.join(levels)}]" if names else ""
        cases.append(" + ".join(parts) + where)
    return " | ".join(cases)
