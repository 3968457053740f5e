"""Run the stored search campaigns and keep their best certificates.

    python experiments/upper_bounds/run_campaigns.py                 every campaign, resuming; finished seeds are not repeated
    python experiments/upper_bounds/run_campaigns.py m6-n3-d6        those whose name contains the text
    python experiments/upper_bounds/run_campaigns.py --fresh DIR     from nothing, into DIR; the package is untouched
    python experiments/upper_bounds/run_campaigns.py --table         only the table of what is stored, all checked again

Every campaign of campaigns.yaml has a folder below campaigns/ with its configuration, journal (one line per seed) and best
certificate. The best ones also go to kattn_bounds/data/upper, where a better certificate replaces a worse one.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import yaml

from kattn_bounds.certificates import checker
from kattn_bounds.cli.commands.search import default_folder, make_runner
from kattn_bounds.errors import InputError
from kattn_bounds.search.campaign import Campaign, CampaignConfig, SeedResult, run_campaign
from kattn_bounds.search.store import STORED, certificate_name, store_if_better

HERE = Path(__file__).resolve().parent


def read_campaigns(path: Path) -> list[tuple[str, CampaignConfig, range, bool]]:
    """Name, configuration, seeds, and whether to stop at the first kernel found."""
    campaigns = []
    for entry in yaml.safe_load(path.read_text(encoding="utf-8")):
        first_seed, first = entry.pop("first_seed", 0), entry.pop("first", False)
        seeds = range(first_seed, first_seed + entry.pop("seeds"))
        config = CampaignConfig(**entry)
        campaigns.append((default_folder(config).name.removeprefix("search-"), config, seeds, first))
    return campaigns


def run(name: str, config: CampaignConfig, seeds: range, first: bool, folder: Path, options: Any) -> None:
    campaign = Campaign(folder / name, config)
    began = time.monotonic()

    def report(result: SeedResult) -> None:
        print(
            f"  seed {result.seed}: {'found' if result.found else f'violation {result.violation:.3g}'} "
            f"({result.steps} steps, {result.seconds:.0f} s, {result.representation})",
            flush=True,
        )

    print(name, flush=True)
    run_campaign(
        campaign,
        seeds,
        make_runner(options.jobs, options.scheduler),
        time_budget=options.time_budget,
        first=first,
        report=report,
    )
    best = campaign.best()
    if best is not None:
        print(f"  {checker.check(best)}  ({time.monotonic() - began:.0f} s)", flush=True)
        if not options.fresh:
            STORED.mkdir(parents=True, exist_ok=True)
            store_if_better(
                STORED / certificate_name(config.setting, config.features, nonneg=config.nonneg), best
            )


def table() -> list[dict[str, Any]]:
    """One line for every stored certificate of factors, accepted by the checker now."""
    rows = []
    for path in sorted(STORED.glob("factors-*.json")):
        certificate = json.loads(path.read_text(encoding="utf-8"))
        rows.append(
            {
                "file": path.name,
                **certificate["setting"],
                "features": certificate["claim"]["features"],
                "D": certificate["claim"]["value"],
                "checked": checker.check_file(str(path)),
            }
        )
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name", nargs="?", default="", help="run the campaigns whose name contains this")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--scheduler", default=None, help="address of a dask scheduler")
    parser.add_argument("--time-budget", type=float, default=None, help="seconds for each campaign")
    parser.add_argument("--fresh", type=Path, default=None, help="start anew in this folder")
    parser.add_argument("--table", action="store_true", help="print the table only")
    options = parser.parse_args()
    try:
        if not options.table:
            folder = options.fresh or HERE / "campaigns"
            for name, config, seeds, first in read_campaigns(HERE / "campaigns.yaml"):
                if options.name in name:
                    run(name, config, seeds, first, folder, options)
    except InputError as error:
        print("\n".join(f"error: {line}" for line in error.faults), file=sys.stderr)
        return 2
    for row in table():
        print(f"{row['file']:42} {row['checked']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
