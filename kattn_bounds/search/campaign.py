"""A campaign: one search per seed, parallel, stopped and resumed at will, on this machine or on a dask cluster.

Files in the campaign's folder:

    config.json      what is searched; a folder resumes only the same search
    journal.jsonl    one line per finished seed, appended and flushed to disk
    found/           the certificate of every seed that found a kernel, written by the worker that found it
    best.json        the best certificate so far

A seed's result depends on the configuration and the seed alone, so the best of a campaign does not depend on the number of
jobs, on interruptions or on where it runs. SIGKILL loses at most the seeds that were running: they run again.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import asdict, dataclass
from fractions import Fraction
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from kattn_bounds._version import __version__
from kattn_bounds.certificates.writer import Certificate, certificate_text
from kattn_bounds.errors import InputError, shorten
from kattn_bounds.files import write_atomic
from kattn_bounds.search.conditions import require_searchable
from kattn_bounds.search.engine import descend
from kattn_bounds.search.exactify import certificate, exactify
from kattn_bounds.search.program import Program
from kattn_bounds.search.starts import STARTS, start
from kattn_bounds.search.store import cost, read_accepted, store_if_better
from kattn_bounds.search.symmetry import Representation, Symmetry, parse_group, representations
from kattn_bounds.setting import Setting

MAX_SEARCH_M = 10


class CampaignConfig(BaseModel):
    """What a campaign searches for. Unknown fields are an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    m: int = Field(ge=1, le=MAX_SEARCH_M)
    n: int = Field(default=3, ge=2)
    tolerance: str = "1/2"
    self_included: bool = True
    readout: Literal["inner", "free"] = "inner"
    features: int = Field(ge=1)
    nonneg: bool = False
    group: str = "1"
    start: str = "affine"
    max_steps: int = Field(default=150, ge=1)

    @property
    def setting(self) -> Setting:
        return Setting(self.m, self.n, Fraction(self.tolerance), self.self_included, self.readout)

    def choices(self) -> list[Representation]:
        """The representations of the group that the seeds take in turn."""
        natural = self.readout == "inner" and self.n >= 3
        group = parse_group(self.group, self.m)
        return representations(group, self.features, nonneg=self.nonneg, natural=natural)

    def validate_search(self) -> None:
        """Raise InputError, with every fault, when the search makes no sense."""
        faults: list[str] = []
        for check in (self._check_setting, self._check_group, self._check_start):
            try:
                check()
            except InputError as error:
                faults += error.faults
        if faults:
            raise InputError(faults)

    def _check_setting(self) -> None:
        require_searchable(self.setting)

    def _check_group(self) -> None:
        if not self.choices():
            raise InputError(
                f"group '{shorten(self.group)}' has no representation tried here on {self.features} features: "
                "give another group or number of features"
            )

    def _check_start(self) -> None:
        if self.start not in STARTS:
            raise InputError(f"start '{shorten(self.start)}' is unknown: give one of {', '.join(STARTS)}")


@dataclass(frozen=True)
class SeedResult:
    """What one seed found. `certificate` is None unless the checker's arithmetic agrees that the kernel solves."""

    seed: int
    representation: str
    violation: float
    steps: int
    seconds: float
    certificate: Certificate | None

    @property
    def found(self) -> bool:
        return self.certificate is not None

    def line(self) -> dict[str, Any]:
        """The journal's line: everything but the certificate."""
        entry = asdict(self)
        del entry["certificate"]
        return {**entry, "found": self.found}


def run_seed(config: CampaignConfig, seed: int) -> SeedResult:
    """Search with one seed: representation by turns, start from the seeded generator, descent, exact rounding.

    >>> run_seed(CampaignConfig(m=2, features=2), 0).found
    True
    """
    began = time.monotonic()
    setting = config.setting
    choices = config.choices()
    representation = choices[seed % len(choices)]
    symmetry = Symmetry(parse_group(config.group, config.m), representation)
    program = Program(setting, symmetry, nonneg=config.nonneg)
    random = np.random.default_rng([seed, config.m, config.n, config.features])
    psi = start(config.start, config.m, config.features, random)
    outcome = descend(
        program, symmetry.restrict(np.abs(psi) if config.nonneg else psi), max_steps=config.max_steps
    )
    found = None
    if outcome.solved:
        exact = exactify(setting, symmetry.expand(outcome.columns), nonneg=config.nonneg)
        if exact is not None:
            note = {
                "command": command(config, seed),
                "version": __version__,
                "representation": representation.name,
                "steps": outcome.steps,
            }
            found = certificate(setting, *exact, nonneg=config.nonneg, note=note)
    return SeedResult(
        seed, representation.name, outcome.violation, outcome.steps, time.monotonic() - began, found
    )


def command(config: CampaignConfig, seed: int) -> str:
    """The command that finds the same kernel again."""
    parts = [f"kattn-bounds search --m {config.m} --n {config.n} --features {config.features}"]
    if config.tolerance != "1/2":
        parts.append(f"--tolerance {config.tolerance}")
    if not config.self_included:
        parts.append("--self excluded")
    if config.readout == "free":
        parts.append("--readout free")
    if config.nonneg:
        parts.append("--nonneg")
    if config.group != "1":
        parts.append(f'--group "{config.group}"')
    if config.start != "affine":
        parts.append(f"--start {config.start}")
    if config.max_steps != 150:
        parts.append(f"--max-steps {config.max_steps}")
    parts.append(f"--first-seed {seed} --seeds 1")
    return " ".join(parts)


class Campaign:
    """The state of a campaign in its folder. Opening an existing folder resumes it.

    Raises InputError when the folder holds another search.
    """

    def __init__(self, folder: Path, config: CampaignConfig) -> None:
        config.validate_search()
        self.folder, self.config = folder, config
        self.found_folder = folder / "found"
        self.journal = folder / "journal.jsonl"
        try:
            self.found_folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                f"cannot use folder '{shorten(folder)}' ({error.strerror}): give another one"
            ) from None
        self._claim_folder()
        self.finished = self._read_journal()
        for path in sorted(self.found_folder.glob("seed-*.json")):
            self._offer(read_accepted(path))

    @property
    def best_path(self) -> Path:
        return self.folder / "best.json"

    def best(self) -> Certificate | None:
        """The best certificate found so far."""
        return read_accepted(self.best_path)

    def least_violation(self) -> float | None:
        """The least violation among the finished seeds, None before the first."""
        return min((float(line["violation"]) for line in self.finished.values()), default=None)

    def pending(self, seeds: range) -> list[int]:
        """Seeds that have no line in the journal yet."""
        return [seed for seed in seeds if seed not in self.finished]

    def record(self, result: SeedResult) -> bool:
        """Keep a seed's result: certificate first, then the journal. Returns whether the best improved."""
        improved = False
        if result.certificate is not None:
            keep_found(self.found_folder, result)
            improved = self._offer(result.certificate)
        line = result.line()
        with self.journal.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
            file.flush()
            os.fsync(file.fileno())
        self.finished[result.seed] = line
        return improved

    def _offer(self, candidate: Certificate | None) -> bool:
        """Take the certificate as the best when it is; among equally good ones the same one wins in any order."""
        if candidate is None:
            return False
        known = self.best()
        if known is not None and _rank(known) <= _rank(candidate):
            return False
        if known is not None and cost(known) == cost(candidate):
            self.best_path.unlink()
        return store_if_better(self.best_path, candidate)

    def _claim_folder(self) -> None:
        path = self.folder / "config.json"
        text = self.config.model_dump_json(indent=2) + "\n"
        if path.exists():
            try:
                known = CampaignConfig.model_validate_json(path.read_text(encoding="utf-8"))
            except (ValidationError, UnicodeDecodeError):
                raise InputError(
                    f"'{shorten(path)}' is not a campaign's configuration: give another folder"
                ) from None
            if known != self.config:
                different = [
                    f"{name} = {getattr(known, name)}"
                    for name in CampaignConfig.model_fields
                    if getattr(known, name) != getattr(self.config, name)
                ]
                raise InputError(
                    f"folder '{shorten(self.folder)}' holds another search ({', '.join(different)}): give another folder"
                )
        else:
            write_atomic(path, text)

    def _read_journal(self) -> dict[int, dict[str, Any]]:
        """Finished seeds. A torn last line (the process was killed while writing) is cut off."""
        finished: dict[int, dict[str, Any]] = {}
        if not self.journal.exists():
            return finished
        whole = 0
        for raw in self.journal.read_bytes().splitlines(keepends=True):
            try:
                line = json.loads(raw) if raw.endswith(b"\n") else None
            except ValueError:
                line = None
            if not isinstance(line, dict) or not {"seed", "violation"} <= line.keys():
                break
            finished[line["seed"]] = line
            whole += len(raw)
        if whole < self.journal.stat().st_size:
            os.truncate(self.journal, whole)
        return finished


def keep_found(folder: Path, result: SeedResult) -> None:
    """Write a found certificate at once, whole or not at all."""
    if result.certificate is not None and folder.is_dir():
        write_atomic(folder / f"seed-{result.seed}.json", certificate_text(result.certificate))


def _rank(candidate: Certificate) -> tuple[tuple[int, int], str]:
    return cost(candidate), json.dumps(candidate["data"])


# --------------------------------------------------------------------------------------------------- running


class Runner(Protocol):
    """Runs seeds somewhere and yields results as they come."""

    def run(self, campaign: Campaign, seeds: list[int]) -> Iterator[SeedResult]: ...

    def stop(self) -> None:
        """Give up what is still running."""


def run_campaign(
    campaign: Campaign,
    seeds: range,
    runner: Runner,
    *,
    time_budget: float | None = None,
    first: bool = False,
    report: Callable[[SeedResult], None] | None = None,
) -> bool:
    """Run every seed that is not in the journal. Returns True when all are done (or, with `first`, one has found a kernel).

    `time_budget` in seconds: when it is over, running seeds are given up; they run again when the campaign resumes.
    """
    if first and campaign.best() is not None:
        return True
    pending = campaign.pending(seeds)
    if not pending:
        return True
    over = threading.Event()
    timer = None
    if time_budget is not None:

        def end() -> None:
            over.set()
            runner.stop()

        timer = threading.Timer(time_budget, end)
        timer.daemon = True
        timer.start()
    try:
        for result in runner.run(campaign, pending):
            campaign.record(result)
            if report is not None:
                report(result)
            if first and result.found:
                return True
            if over.is_set():
                break
    finally:
        if timer is not None:
            timer.cancel()
        runner.stop()
    return not campaign.pending(seeds)


class SerialRunner:
    """One seed after another in this process."""

    def __init__(self) -> None:
        self._stopped = False

    def run(self, campaign: Campaign, seeds: list[int]) -> Iterator[SeedResult]:
        for seed in seeds:
            if self._stopped:
                return
            yield run_seed(campaign.config, seed)

    def stop(self) -> None:
        self._stopped = True


class LocalRunner:
    """A pool of processes on this machine. Workers write what they find themselves, and end when their parent does."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._stopped = threading.Event()

    def run(self, campaign: Campaign, seeds: list[int]) -> Iterator[SeedResult]:
        context = get_context("spawn")
        pool = ProcessPoolExecutor(
            self._jobs, mp_context=context, initializer=_follow_parent, initargs=(os.getpid(),)
        )
        waiting: set[Future[SeedResult]] = {
            pool.submit(_run_and_keep, campaign.config, seed, campaign.found_folder) for seed in seeds
        }
        try:
            while waiting and not self._stopped.is_set():
                done, waiting = wait(waiting, timeout=0.5, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        finally:
            processes = list((pool._processes or {}).values())
            pool.shutdown(wait=False, cancel_futures=True)
            if waiting:
                for process in processes:
                    process.terminate()

    def stop(self) -> None:
        self._stopped.set()


def _run_and_keep(config: CampaignConfig, seed: int, folder: Path) -> SeedResult:
    result = run_seed(config, seed)
    keep_found(folder, result)
    return result


def _follow_parent(parent: int) -> None:
    """End this worker soon after its parent has gone, even by SIGKILL."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
