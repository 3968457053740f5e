"""`kattn-bounds search`: look for a kernel with few features, seed by seed, and certify what is found."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kattn_bounds.cli.options import (
    JsonFile,
    M,
    N,
    ReadoutMode,
    SelfMode,
    Tolerance,
    build_setting,
    write_json,
)
from kattn_bounds.errors import InputError, shorten

if TYPE_CHECKING:
    from kattn_bounds.search.campaign import Campaign, CampaignConfig, Runner

Features = Annotated[int, typer.Option("--features", help="Number of features D to search with.")]
Nonneg = Annotated[bool, typer.Option("--nonneg", help="Non-negative features: phi, psi >= 0.")]
GroupText = Annotated[
    str,
    typer.Option(
        "--group",
        help="Symmetry: the order r of a cyclic group of coordinates, or generators such as '(1 2 3);(1 2)'.",
    ),
]
Start = Annotated[str, typer.Option("--start", help="affine, positive, monomials or svd.")]
Seeds = Annotated[int, typer.Option("--seeds", help="Number of seeds.")]
FirstSeed = Annotated[int, typer.Option("--first-seed", help="The first seed.")]
Jobs = Annotated[int, typer.Option("--jobs", help="Processes on this machine.")]
Budget = Annotated[
    float | None, typer.Option("--time-budget", metavar="SECONDS", help="Stop after so long; resume later.")
]
Folder = Annotated[
    Path | None, typer.Option("--folder", help="Journal and certificates; an existing one is resumed.")
]
First = Annotated[bool, typer.Option("--first", help="Stop at the first kernel found.")]
MaxSteps = Annotated[int, typer.Option("--max-steps", help="Steps of one descent at most.")]
Scheduler = Annotated[
    str | None,
    typer.Option(
        "--scheduler", metavar="ADDRESS", help="Run on a dask cluster, for instance tcp://host:8786."
    ),
]


def register(app: typer.Typer) -> None:
    app.command("search")(search)


def search(
    m: M,
    features: Features,
    n: N = 3,
    tolerance: Tolerance = "1/2",
    self_mode: SelfMode = "included",
    readout: ReadoutMode = "inner",
    nonneg: Nonneg = False,
    group: GroupText = "1",
    start: Start = "affine",
    seeds: Seeds = 20,
    first_seed: FirstSeed = 0,
    jobs: Jobs = 1,
    time_budget: Budget = None,
    folder: Folder = None,
    first: First = False,
    max_steps: MaxSteps = 150,
    scheduler: Scheduler = None,
    json_file: JsonFile = None,
) -> int:
    """Search for a kernel with D features that solves, and certify it (upper bounds on D*).

    Every kernel found is made exact and checked. Interrupted at any moment, the same command goes on where it stopped.
    Exit status 0 when a kernel is found, 3 when none is (which proves nothing).
    """
    setting = build_setting(m, n, tolerance, self_mode, readout)
    from pydantic import ValidationError

    from kattn_bounds.certificates import checker
    from kattn_bounds.search.campaign import Campaign, CampaignConfig, run_campaign

    faults = [
        f"--{name} {value} is out of range: give at least {least}"
        for name, value, least in (("seeds", seeds, 1), ("jobs", jobs, 1), ("first-seed", first_seed, 0))
        if value < least
    ]
    if time_budget is not None and not time_budget > 0:
        faults.append(f"--time-budget {time_budget} is out of range: give a positive number of seconds")
    config: CampaignConfig | None = None
    try:
        config = CampaignConfig(
            m=m,
            n=n,
            tolerance=str(setting.tolerance),
            self_included=setting.self_included,
            readout=setting.readout,
            features=features,
            nonneg=nonneg,
            group=group,
            start=start,
            max_steps=max_steps,
        )
        config.validate_search()
    except ValidationError as error:
        faults += [
            f"--{str(e['loc'][0]).replace('_', '-')} {shorten(e['input'])} is not accepted: {e['msg'].lower()}"
            for e in error.errors()
        ]
    except InputError as error:
        faults += error.faults
    if faults or config is None:
        raise InputError(faults)

    campaign = Campaign(folder or default_folder(config), config)
    chosen = range(first_seed, first_seed + seeds)
    runner = make_runner(jobs, scheduler)
    with Screen(campaign, chosen) as screen:
        done = run_campaign(
            campaign, chosen, runner, time_budget=time_budget, first=first, report=screen.update
        )

    best = campaign.best()
    finished = [campaign.finished[seed] for seed in chosen if seed in campaign.finished]
    found = sum(bool(line["found"]) for line in finished)
    if json_file != "-":
        print(f"{setting.describe()}, {'non-negative' if nonneg else 'signed'} features, D = {features}")
        print(
            f"{len(finished)} of {seeds} seeds finished, {found} found a kernel{'' if done else ' (not finished)'}"
        )
        if best is None:
            least = campaign.least_violation()
            print(f"UNDECIDED  no kernel found{'' if least is None else f'; least violation {least:.3g}'}")
        else:
            print(f"PROVED  {checker.check(best)}")
            print(f"certificate  {campaign.best_path}")
    write_json(
        json_file,
        {
            "verdict": "UNDECIDED" if best is None else "PROVED",
            "setting": setting.to_json(),
            "features": features,
            "nonneg": nonneg,
            "finished": len(finished),
            "found": found,
            "least_violation": campaign.least_violation(),
            "certificate": None if best is None else str(campaign.best_path),
        },
    )
    return 3 if best is None else 0


def default_folder(config: CampaignConfig) -> Path:
    """Where a campaign lives when no folder is given: below the current one, one for each search."""
    from kattn_bounds.search.store import certificate_name

    name = Path(certificate_name(config.setting, config.features, nonneg=config.nonneg)).stem
    extras = (
        [] if config.group == "1" else ["".join(c if c.isalnum() else "_" for c in f"group{config.group}")]
    )
    extras += [] if config.start == "affine" else [config.start]
    extras += [] if config.max_steps == 150 else [f"steps{config.max_steps}"]
    return Path("campaigns", "-".join([name.replace("factors", "search"), *extras]))


def make_runner(jobs: int, scheduler: str | None) -> Runner:
    """Where the seeds run: on a dask cluster, in this process, or in a pool."""
    from kattn_bounds.search.campaign import LocalRunner, SerialRunner

    if scheduler is not None:
        from kattn_bounds.search.cluster import DaskRunner

        return DaskRunner(scheduler)
    return SerialRunner() if jobs == 1 else LocalRunner(jobs)


class Screen:
    """A progress bar on a terminal, one line for each improvement elsewhere."""

    def __init__(self, campaign: Campaign, seeds: range) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        self._campaign = campaign
        console = Console(stderr=True)
        self._progress = Progress(
            TextColumn("seeds"),
            BarColumn(bar_width=30),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.description}"),
            console=console,
            disable=not console.is_terminal,
        )
        done = len(seeds) - len(campaign.pending(seeds))
        self._task = self._progress.add_task(self._state(), total=len(seeds), completed=done)

    def _state(self) -> str:
        found = sum(bool(line["found"]) for line in self._campaign.finished.values())
        least = self._campaign.least_violation()
        return f"found {found}" + ("" if found or least is None else f", least violation {least:.3g}")

    def update(self, result: object) -> None:
        self._progress.update(self._task, advance=1, description=self._state())

    def __enter__(self) -> Screen:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()
