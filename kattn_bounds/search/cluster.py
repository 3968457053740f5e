"""The same campaign on a dask.distributed cluster (optional extra `distributed`).

Results come back to the client, which writes them; when a worker dies, the scheduler gives its seeds to another one.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

from kattn_bounds.errors import InputError, shorten
from kattn_bounds.search.campaign import Campaign, SeedResult, run_seed


class DaskRunner:
    """Runs seeds on the cluster whose scheduler listens at an address such as tcp://127.0.0.1:8786.

    Raises InputError when dask.distributed is not installed or the scheduler does not answer within `timeout` seconds.
    """

    def __init__(self, address: str, *, timeout: float = 10.0) -> None:
        try:
            import distributed
        except ImportError:
            raise InputError(
                "--scheduler needs dask.distributed: install kattn-bounds[distributed], or leave --scheduler out"
            ) from None
        self._distributed: Any = distributed
        self._stopped = threading.Event()
        try:
            self._client: Any = self._distributed.Client(address, timeout=timeout)
        except (OSError, ValueError) as error:
            reason = type(error).__name__ if not str(error) else shorten(str(error).splitlines()[0], 80)
            raise InputError(
                f"--scheduler {shorten(address)} does not answer ({reason}): start one with `dask scheduler` and "
                "give its address"
            ) from None

    def run(self, campaign: Campaign, seeds: list[int]) -> Iterator[SeedResult]:
        futures = {
            self._client.submit(run_seed, campaign.config, seed, key=f"{campaign.folder}-{seed}", pure=False)
            for seed in seeds
        }
        try:
            while futures and not self._stopped.is_set():
                try:
                    done = self._distributed.wait(futures, timeout=0.5, return_when="FIRST_COMPLETED").done
                except (TimeoutError, self._distributed.TimeoutError):
                    continue
                futures -= done
                for future in done:
                    yield future.result()
        finally:
            if futures:
                self._client.cancel(list(futures), force=True)
            self._client.close()

    def stop(self) -> None:
        self._stopped.set()
