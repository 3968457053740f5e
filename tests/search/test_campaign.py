"""Campaigns: interruption by SIGKILL, torn files, budgets, the pool, and a dask cluster that loses a worker."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from kattn_bounds.certificates import checker
from kattn_bounds.cli.main import run
from kattn_bounds.errors import InputError
from kattn_bounds.search import campaign as module
from kattn_bounds.search.campaign import (
    Campaign,
    CampaignConfig,
    LocalRunner,
    SerialRunner,
    run_campaign,
    run_seed,
)
from kattn_bounds.search.store import certificate_name, read_accepted, store_if_better, without_note
from kattn_bounds.setting import Setting

SMALL = CampaignConfig(m=3, features=3)


def best_of(campaign):
    return without_note(campaign.best())


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """The best of seeds 0..5, one after another in this process."""
    campaign = Campaign(tmp_path_factory.mktemp("reference"), SMALL)
    assert run_campaign(campaign, range(6), SerialRunner())
    return best_of(campaign)


def test_the_pool_finds_the_same_best(tmp_path, reference):
    campaign = Campaign(tmp_path, SMALL)
    assert run_campaign(campaign, range(6), LocalRunner(2))
    assert best_of(campaign) == reference
    assert sorted(campaign.finished) == list(range(6))


def test_any_order_and_any_split_give_the_same_best(tmp_path, reference):
    results = {seed: run_seed(SMALL, seed) for seed in range(6)}
    for order in ([5, 4, 3, 2, 1, 0], [2, 0, 5, 1, 4, 3]):
        folder = tmp_path / "-".join(map(str, order))
        for seed in order:
            Campaign(folder, SMALL).record(results[seed])  # a new process for every seed
        assert best_of(Campaign(folder, SMALL)) == reference


def test_sigkill_loses_nothing_that_was_found(tmp_path, reference):
    """Kill the command with SIGKILL as soon as it has found something, then run it again."""
    folder = tmp_path / "campaign"
    command = [sys.executable, "-m", "kattn_bounds", "search", "--m", "3", "--features", "3", "--seeds", "6"]
    command += ["--jobs", "2", "--folder", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        deadline = time.monotonic() + 60
        while not list(folder.glob("found/seed-*.json")):
            assert time.monotonic() < deadline
            time.sleep(0.01)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    found = {path.name: path.read_text() for path in folder.glob("found/seed-*.json")}
    assert found
    again = Campaign(folder, SMALL)
    assert checker.check(again.best())
    before = len(again.finished)
    assert before < 6
    assert run(command[3:]) == 0
    after = Campaign(folder, SMALL)
    assert best_of(after) == reference
    lines = [json.loads(line)["seed"] for line in after.journal.read_text().splitlines()]
    assert sorted(lines) == list(range(6))
    for name, text in found.items():
        kept = json.loads((folder / "found" / name).read_text())
        assert without_note(kept) == without_note(json.loads(text))


def test_workers_end_with_their_parent(tmp_path):
    script = (
        "import sys, pathlib\n"
        "from kattn_bounds.search.campaign import *\n"
        "if __name__ == '__main__':\n"
        "    c = Campaign(pathlib.Path(sys.argv[1]), CampaignConfig(m=5, features=5, max_steps=10**6))\n"
        "    run_campaign(c, range(50), LocalRunner(2))\n"
    )
    path = tmp_path / "long.py"
    path.write_text(script)
    process = subprocess.Popen([sys.executable, str(path), str(tmp_path / "c")])
    children = []
    deadline = time.monotonic() + 60
    while len(children) < 2 and time.monotonic() < deadline:
        time.sleep(0.2)
        with open(f"/proc/{process.pid}/task/{process.pid}/children") as file:
            children = [int(pid) for pid in file.read().split() if _is_worker(int(pid))]
    process.kill()
    process.wait()
    assert len(children) == 2
    while any(_is_worker(pid) for pid in children) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert not any(_is_worker(pid) for pid in children)


def _is_worker(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return b"spawn_main" in file.read()
    except OSError:
        return False


@pytest.mark.parametrize("tail", [b'{"seed": 7, "viol', b"\xff\xfe garbage\n", b"[]\n", b'{"seed": 9}\n'])
def test_a_torn_journal_is_cut_at_the_tear(tmp_path, tail):
    campaign = Campaign(tmp_path, SMALL)
    campaign.record(run_seed(SMALL, 0))
    whole = campaign.journal.read_bytes()
    campaign.journal.write_bytes(whole + tail)
    assert list(Campaign(tmp_path, SMALL).finished) == [0]
    assert campaign.journal.read_bytes() == whole


def test_damaged_certificates_are_ignored_and_replaced(tmp_path):
    campaign = Campaign(tmp_path, SMALL)
    campaign.record(run_seed(SMALL, 0))
    good = best_of(campaign)
    certificate = json.loads(campaign.best_path.read_text())
    certificate["data"]["phi"][7] = [0, 0, 0]
    campaign.best_path.write_text(json.dumps(certificate))
    (campaign.found_folder / "seed-1.json").write_text('{"format": "kattn')
    assert best_of(Campaign(tmp_path, SMALL)) == good


def test_a_folder_holds_one_search(tmp_path):
    Campaign(tmp_path, SMALL)
    with pytest.raises(InputError, match="features = 3"):
        Campaign(tmp_path, CampaignConfig(m=3, features=4))
    (tmp_path / "config.json").write_text('{"m": 3, "features": 3, "colour": "red"}')
    with pytest.raises(InputError, match="configuration"):
        Campaign(tmp_path, SMALL)


def test_a_budget_stops_and_the_campaign_resumes(tmp_path, monkeypatch):
    calls = []

    def slow(config, seed):
        calls.append(seed)
        time.sleep(0.3)
        return run_seed(config, seed)

    monkeypatch.setattr(module, "run_seed", slow)
    campaign = Campaign(tmp_path, SMALL)
    assert not run_campaign(campaign, range(50), SerialRunner(), time_budget=0.2)
    done = len(campaign.finished)
    assert 1 <= done < 50
    assert not run_campaign(campaign, range(50), LocalRunner(1), time_budget=0.1)
    assert run_campaign(campaign, range(done + 1), SerialRunner())
    assert len(calls) == len(set(calls))


def test_first_stops_at_the_first_kernel(tmp_path):
    campaign = Campaign(tmp_path, SMALL)
    assert run_campaign(campaign, range(1000), SerialRunner(), first=True)
    assert len(campaign.finished) < 1000
    assert run_campaign(campaign, range(1000), SerialRunner(), first=True)


def test_only_better_accepted_certificates_are_stored(tmp_path):
    path = tmp_path / "best.json"
    four = run_seed(CampaignConfig(m=3, features=4), 0).certificate
    three = run_seed(SMALL, 0).certificate
    assert store_if_better(path, four)
    assert store_if_better(path, three)
    assert not store_if_better(path, four)
    forged = json.loads(json.dumps(three))
    forged["claim"]["value"] = 2
    with pytest.raises(InputError, match="not valid"):
        store_if_better(path, forged)
    assert without_note(read_accepted(path)) == without_note(three)
    with pytest.raises(InputError, match="another setting"):
        store_if_better(path, run_seed(CampaignConfig(m=2, features=2), 0).certificate)
    assert certificate_name(Setting(3, readout="free"), 1, nonneg=True) == "factors-m3-n3-d1-nonneg-free.json"


def test_the_command(tmp_path, capsys):
    folder = str(tmp_path / "c")
    base = ["search", "--m", "3", "--seeds", "2", "--folder", folder]
    assert run([*base, "--features", "3", "--json", "-"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["verdict"] == "PROVED"
    assert report["finished"] == 2
    assert checker.check_file(report["certificate"])
    assert (
        run(["search", "--m", "3", "--features", "2", "--seeds", "1", "--folder", str(tmp_path / "d")]) == 3
    )
    assert "UNDECIDED" in capsys.readouterr().out
    assert run([*base, "--features", "4"]) == 2
    assert run(["search", "--m", "3", "--features", "0", "--n", "1", "--seeds", "0", "--jobs", "0"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 5
    assert all(line.startswith("error: ") for line in lines)
    for bad in (["--group", "9"], ["--group", "(1 1)"], ["--start", "zero"], ["--time-budget", "0"]):
        assert run([*base, "--features", "3", *bad]) == 2


def test_dask_loses_a_worker_but_nothing_found(tmp_path, reference):
    distributed = pytest.importorskip("distributed")
    from kattn_bounds.search.cluster import DaskRunner

    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as cluster:
        campaign = Campaign(tmp_path, SMALL)
        killed = []

        def kill_once(result):
            if not killed:
                worker = next(iter(cluster.workers.values()))
                killed.append(worker.process.pid)
                os.kill(worker.process.pid, signal.SIGKILL)

        assert run_campaign(campaign, range(6), DaskRunner(cluster.scheduler_address), report=kill_once)
    assert killed
    assert best_of(campaign) == reference
    assert sorted(campaign.finished) == list(range(6))


def test_an_absent_scheduler_is_one_line():
    pytest.importorskip("distributed")
    from kattn_bounds.search.cluster import DaskRunner

    with pytest.raises(InputError, match="does not answer") as error:
        DaskRunner("tcp://127.0.0.1:9", timeout=0.5)
    assert len(error.value.faults) == 1


def test_without_dask_the_scheduler_option_says_what_to_install(monkeypatch):
    from kattn_bounds.search.cluster import DaskRunner

    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r"install kattn-bounds\[distributed\]"):
        DaskRunner("tcp://127.0.0.1:8786")
