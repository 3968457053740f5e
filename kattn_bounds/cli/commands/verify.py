"""`kattn-bounds verify`: the ledger. One line for every claim, with its verdict and how it is known."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import typer

from kattn_bounds.cli import options as opt

if TYPE_CHECKING:
    from kattn_bounds.claims import Claim
    from kattn_bounds.setting import Setting
    from kattn_bounds.verdict import Finding


def verify(
    m: opt.M,
    n: opt.N = 3,
    tolerance: opt.Tolerance = "1/2",
    self_mode: opt.SelfMode = "included",
    json_file: opt.JsonFile = None,
) -> int:
    """Check every claim at this size: one line each, with its verdict, its method and its evidence.

    A claim marked "must fail" is a negative twin: its refutation is the expected result. Exit status 0 when every
    verdict is the expected one, 1 when one is not, 3 when one is undecided.
    """
    from kattn_bounds.claims import NotApplicable, all_claims
    from kattn_bounds.verdict import Verdict

    setting = opt.build_setting(m, n, tolerance, self_mode)
    screen = _Screen(setting, quiet=json_file == "-")
    entries: list[dict[str, object]] = []
    surprises = undecided = 0
    for claim in all_claims():
        start = time.perf_counter()
        try:
            finding = claim.check(setting)
        except NotApplicable as reason:
            screen.skipped(claim, str(reason))
            entries.append(
                {"id": claim.id, "statement": claim.statement, "verdict": None, "evidence": str(reason)}
            )
            continue
        seconds = time.perf_counter() - start
        screen.line(claim, finding, seconds)
        surprises += finding.verdict is not claim.expected and finding.verdict is not Verdict.UNDECIDED
        undecided += finding.verdict is Verdict.UNDECIDED
        entries.append(
            {
                "id": claim.id,
                "statement": claim.statement,
                "verdict": finding.verdict.value,
                "expected": claim.expected.value,
                "method": finding.method,
                "evidence": finding.evidence,
                "details": finding.details,
                "rocq": list(claim.rocq),
                "seconds": round(seconds, 3),
            }
        )
    code = 1 if surprises else 3 if undecided else 0
    screen.close(entries, surprises, undecided)
    opt.write_json(json_file, {"setting": setting.to_json(), "claims": entries, "exit": code})
    return code


class _Screen:
    """The ledger on a terminal, a line as soon as it is known."""

    def __init__(self, setting: Setting, quiet: bool) -> None:
        from rich.console import Console

        from kattn_bounds.cli.render import WIDTH

        self.quiet = quiet
        self.console = Console(file=sys.stdout, width=WIDTH, highlight=False)
        if not quiet:
            self.console.print(f"kattn-bounds ledger: {setting.describe()}\n", markup=False)

    def line(self, claim: Claim, finding: Finding, seconds: float) -> None:
        from kattn_bounds.cli.render import colour

        if self.quiet:
            return
        expected = finding.verdict is claim.expected
        style = colour(finding.verdict) if claim.expected.value == "PROVED" or not expected else "cyan"
        note = "" if expected else "   <-- NOT what the theory says"
        if expected and finding.verdict.value == "REFUTED":
            note = "   (must fail)"
        self.console.print(f"{claim.id:<6}", style="bold", end="", markup=False)
        self.console.print(f"{finding.verdict.value:<10}", style=style, end="", markup=False)
        self.console.print(f"{finding.method:<12}{seconds:7.2f} s{note}", markup=False)
        self._indented(claim.statement)
        self._indented(finding.evidence, style="dim")
        if claim.rocq:
            self._indented(f"rocq, every m: {', '.join(claim.rocq)}", style="dim")

    def skipped(self, claim: Claim, reason: str) -> None:
        if self.quiet:
            return
        self.console.print(f"{claim.id:<6}{'-':<10}not applicable", style="dim", markup=False)
        self._indented(claim.statement, style="dim")
        self._indented(reason, style="dim")

    def _indented(self, text: str, style: str | None = None) -> None:
        from rich.padding import Padding
        from rich.text import Text

        self.console.print(Padding(Text(text, style=style or ""), (0, 0, 0, 6)))

    def close(self, entries: list[dict[str, object]], surprises: int, undecided: int) -> None:
        if self.quiet:
            return
        decided = [e for e in entries if e["verdict"] is not None]
        proved = sum(e["verdict"] == "PROVED" for e in decided)
        refuted = sum(e["verdict"] == "REFUTED" for e in decided)
        summary = f"\n{proved} proved, {refuted} refuted, {undecided} undecided"
        if surprises:
            summary += f"; {surprises} NOT as the theory says"
        elif not undecided:
            summary += "; all as the theory says"
        self.console.print(summary, markup=False)


def register(app: typer.Typer) -> None:
    app.command()(verify)
