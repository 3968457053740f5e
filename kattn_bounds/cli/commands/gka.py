"""`kattn-bounds gka`: Gaussian Kernel Attention on the cube, its accounting, and a small training run."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING, Annotated

import typer

from kattn_bounds.cli.options import (
    JsonFile,
    M,
    MaskMode,
    N,
    SelfMode,
    Tolerance,
    build_setting,
    write_json,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kattn_bounds.gaussian.cube import Report

MAX_CUBE_M = 64


def register(app: typer.Typer) -> None:
    """Add the command and its three sub-commands."""
    gka = typer.Typer(
        name="gka",
        help="Gaussian Kernel Attention: exact analysis on the cube, accounting, a small training run.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    gka.command("cube")(cube)
    gka.command("account")(account)
    gka.command("train")(train)
    app.add_typer(gka)


def cube(
    m: M = 6,
    n: N = 3,
    sigma2: Annotated[
        str | None, typer.Option("--sigma2", metavar="R", help="Squared bandwidth, a rational > 0.")
    ] = None,
    tolerance: Tolerance = "1/2",
    self_mode: SelfMode = "included",
    mask: MaskMode = "final",
    precision: Annotated[int, typer.Option("--precision", help="Bits of the numerical rank.")] = 53,
    json_file: JsonFile = None,
) -> int:
    """Spectrum, rank and exact verdicts of Gaussian heads on {0,1}^m.

    Without --sigma2 everything is decided at every bandwidth at once, and the exit status is 0. With it,
    the exit status is the verdict of the norm-evening head on minimum inner product: 0 proved, 1 refuted.
    """
    from kattn_bounds.errors import InputError
    from kattn_bounds.gaussian.bandwidth import affinity, check_sigma2
    from kattn_bounds.gaussian.cube import MINIMUM_TASKS, RETRIEVAL_TASKS, analyse
    from kattn_bounds.gaussian.spectrum import numerical_rank, rank, spectrum
    from kattn_bounds.setting import parse_rational
    from kattn_bounds.verdict import Verdict

    setting = build_setting(m, n, tolerance, self_mode, mask=mask)
    if m > MAX_CUBE_M:
        raise InputError(f"m = {m} is out of range for gka cube: give 1 <= m <= {MAX_CUBE_M}")
    if precision < 1:
        raise InputError(f"--precision {precision} is out of range: give a number of bits >= 1")
    bandwidth = None if sigma2 is None else check_sigma2(parse_rational(sigma2, "sigma2"))

    minimum = [analyse(task, setting, bandwidth) for task in MINIMUM_TASKS]
    retrieval = {
        who: [analyse(t, build_setting(m, n, tolerance, who, mask=mask), bandwidth) for t in RETRIEVAL_TASKS]
        for who in ("included", "excluded")
        if n > 1 or who == "included"
    }
    eigenvalues = spectrum(m)
    full_rank = rank(m)
    kept = None if bandwidth is None else numerical_rank(m, bandwidth, precision)

    write_json(
        json_file,
        {
            "setting": setting.to_json(),
            "sigma2": None if bandwidth is None else str(bandwidth),
            "spectrum": [
                {
                    "j": e.j,
                    "multiplicity": e.multiplicity,
                    "eigenvalue": e.text(),
                    **({} if bandwidth is None else {"enclosure": e.enclosure(bandwidth).str(16)}),
                }
                for e in eigenvalues
            ],
            "rank": full_rank,
            "numerical_rank": None if kept is None else {"bits": precision, "rank": kept},
            "minimum_inner_product": [_report_json(r) for r in minimum],
            "retrieval": {who: [_report_json(r) for r in reports] for who, reports in retrieval.items()},
        },
    )
    if json_file != "-":
        print(f"Gaussian kernel attention on the cube: {setting.describe()}")
        if bandwidth is None:
            print("K(x, y) = g^|x-y|^2 with g = exp(-1/(2 sigma^2)), every sigma > 0 at once (g in (0, 1))")
        else:
            g = affinity(bandwidth).str(12)
            print(f"K(x, y) = g^|x-y|^2 with g = exp(-1/(2 sigma^2)) = {g}, sigma^2 = {bandwidth}")
        print("\nSpectrum (symbolic: product form = sum over the cube, as polynomials in g)")
        shown = eigenvalues if len(eigenvalues) <= 24 else [*eigenvalues[:12], *eigenvalues[-12:]]
        for e in shown:
            value = "" if bandwidth is None else f"   {e.enclosure(bandwidth).str(10)}"
            print(f"  {e.text():<22} x {e.multiplicity}{value}")
            if len(shown) < len(eigenvalues) and e is shown[11]:
                print("  ...")
        size = f"2^{m}" if m > 20 else str(full_rank)
        print(f"  rank {size} at every sigma: all 2^m eigenvalues are positive")
        if kept is not None:
            print(
                f"  numerical rank at {precision} bits: {kept} eigenvalues exceed 2^-{precision} of the largest"
            )
        print("\nMinimum inner product, by the maps in front of the kernel")
        _print_reports(minimum, at=bandwidth is not None)
        for who, reports in retrieval.items():
            print(f"\nWhat the projection-free head is made for, self {who}")
            _print_reports(reports, at=bandwidth is not None, name_task=True)
    if bandwidth is None:
        return 0
    verdict = minimum[1].verdict
    return Verdict.UNDECIDED.exit_code if verdict is None else verdict.exit_code


def _print_reports(reports: Sequence[Report], *, at: bool, name_task: bool = False) -> None:
    """Two or three lines a report: verdict, bandwidths, instance."""
    from kattn_bounds.verdict import Verdict

    for r in reports:
        name = r.task.name if name_task else f"{r.task.head.name} ({r.task.head.maps})"
        if r.verdict is None:
            word = "PROVED iff"
            where = f" {r.bandwidths()}"
        else:
            word = r.verdict.value
            everywhere = not r.windows or (r.windows[0].low is None and r.windows[0].high is None)
            where = " at every sigma" if everywhere else f" (solves iff {r.bandwidths()})"
        print(f"  {name}\n    {word}{where}")
        if r.instance is not None and r.verdict is Verdict.REFUTED:
            got = f", output {r.output}" if at else ""
            line = f"fails on {r.instance.describe(r.setting.m)}: target {r.target}{got}"
            print(fill(line, 100, initial_indent="    ", subsequent_indent="      "))
            print(f"    because {r.argument()}")


def _report_json(report: Report) -> dict[str, object]:
    return {
        "task": report.task.name,
        "head": report.task.head.name,
        "maps": report.task.head.maps,
        "verdict": None if report.verdict is None else report.verdict.value,
        "method": "symbolic",
        "solves": report.bandwidths(),
        "instance": None if report.instance is None else report.instance.describe(report.setting.m),
        "target": report.target,
        "output": report.output,
        "argument": report.argument(),
    }


def account(
    depth: Annotated[int, typer.Option("--depth", help="Number of layers.")] = 20,
    width: Annotated[
        int | None, typer.Option("--width", help="Channels; default 64 x depth, rounded up.")
    ] = None,
    vocab: Annotated[int, typer.Option("--vocab", help="Vocabulary.")] = 32768,
    context: Annotated[int, typer.Option("--context", help="Context length in tokens.")] = 2048,
    head_width: Annotated[int, typer.Option("--head-width", help="Channels of a head.")] = 128,
    windows: Annotated[
        str, typer.Option("--windows", help="Pattern of S (short) and L (full) layers.")
    ] = "SSSL",
    short: Annotated[
        str, typer.Option("--short", help="Short window: half or quarter of the context.")
    ] = "half",
    table: Annotated[bool, typer.Option("--table", help="Also the ratios at depths 4 to 32.")] = False,
    figure: Annotated[
        str | None, typer.Option("--figure", metavar="FILE", help="Write the figure over depths 4 to 32.")
    ] = None,
    json_file: JsonFile = None,
) -> int:
    """Parameters and training FLOPs of a nanochat-style GPT and of its GKA version, by component."""
    from kattn_bounds.errors import InputError, shorten
    from kattn_bounds.gaussian import accounting as acc

    if short not in ("half", "quarter"):
        raise InputError(f"--short {shorten(short)} is unknown: give half or quarter")
    window: acc.Short = "quarter" if short == "quarter" else "half"
    shape = acc.Shape(depth, width, vocab, context, head_width, windows, window)
    report = acc.report(shape)
    write_json(json_file, report)
    if figure is not None:
        from kattn_bounds.gaussian.account_figure import save

        save(figure, shape)
    if json_file == "-":
        return 0
    print(
        f"Depth {depth}, width {shape.channels}, {shape.heads} heads, vocabulary {vocab}, context {context}, "
        f"windows {windows} (short = {short})"
    )
    for title, count in (("Parameters", acc.parameters), ("Training FLOPs per token", acc.flops_per_token)):
        base, gka = count(shape, "baseline"), count(shape, "gka")
        print(f"\n{title:<34}{'baseline':>16}{'GKA':>16}{'ratio':>9}")
        for name in base:
            print(f"  {name:<32}{acc.human(base[name]):>16}{acc.human(gka[name]):>16}")
        total = sum(base.values()), sum(gka.values())
        print(f"  {'total':<32}{acc.human(total[0]):>16}{acc.human(total[1]):>16}{total[1] / total[0]:>9.4f}")
    print()
    for line in acc.explanation(shape):
        print(fill(line, 100, subsequent_indent="    ", break_on_hyphens=False, drop_whitespace=True))
    if table:
        print(f"\n{'depth':>5}{'width':>7}{'baseline':>11}{'GKA':>10}", end="")
        print(f"{'param.':>9}{'FLOPs':>9}{'FLOPs, tokens':>16}")
        print(f"{'':>33}{'ratio':>9}{'ratio':>9}{'~ parameters':>16}")
        for row in acc.depth_table(shape):
            print(
                f"{row.depth:>5}{row.width:>7}{acc.human(row.baseline):>11}{acc.human(row.gka):>10}"
                f"{float(row.parameters):>9.4f}{float(row.flops):>9.4f}{float(row.flops_scaled):>16.4f}"
            )
    return 0


def train(
    config: Annotated[
        str | None, typer.Option("--config", metavar="FILE", help="YAML file; default: a tiny run.")
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", metavar="FOLDER", help="Append to and resume from here.")
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Only this seed.")] = None,
) -> int:
    """Train the small byte-level GPT and its GKA version on the standard library's source text (needs torch)."""
    from kattn_bounds.gaussian.torch_extra import require_torch

    require_torch()
    from kattn_bounds.gaussian.language import run_command

    return run_command(config, output, seed)
