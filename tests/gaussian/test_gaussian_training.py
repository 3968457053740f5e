"""Training runs: a smoke run of both models, resuming, configurations, and the recorded locality."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from kattn_bounds.cli.main import run as run_cli  # noqa: E402
from kattn_bounds.errors import InputError  # noqa: E402
from kattn_bounds.gaussian import language, train  # noqa: E402
from kattn_bounds.gaussian.language import LanguageConfig, load_config, load_corpus  # noqa: E402

TINY = LanguageConfig(steps=12, evaluations=3, evaluation_windows=8, final_evaluation_windows=8)


@pytest.fixture(scope="module")
def corpus() -> language.Corpus:
    return load_corpus(200_000)


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def test_smoke_run_of_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run_cli(["gka", "train", "--output", str(tmp_path / "out")]) == 0
    out = capsys.readouterr().out
    assert "baseline seed 0" in out
    assert "gka seed 0" in out
    for variant in ("baseline", "gka"):
        record = json.loads((tmp_path / "out" / f"{variant}-seed0.json").read_text())
        first, last = record["curve"][0], record["curve"][-1]
        assert first["validation_bpb"] == pytest.approx(8.0)  # an untrained model: uniform over 256 bytes
        assert last["validation_bpb"] < 7.5
    assert not list((tmp_path / "out").glob("*.pt"))
    # A finished run is read, not repeated.
    assert run_cli(["gka", "train", "--output", str(tmp_path / "out")]) == 0
    assert capsys.readouterr().out == out


def test_an_interrupted_run_resumes_to_the_same_curve(
    corpus: language.Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = language.run(TINY, "gka", 0, corpus, None)
    original = language.windows_of

    def stop(text, count, length, seed):  # type: ignore[no-untyped-def]
        if seed == 9:
            raise KeyboardInterrupt
        return original(text, count, length, seed)

    monkeypatch.setattr(language, "windows_of", stop)
    with pytest.raises(KeyboardInterrupt):
        language.run(TINY, "gka", 0, corpus, tmp_path)
    monkeypatch.undo()
    assert (tmp_path / "gka-seed0.pt").exists()
    resumed = language.run(TINY, "gka", 0, corpus, tmp_path)

    def curve(record):  # type: ignore[no-untyped-def]
        # The greatest gradient norm since the last point forgets what was before the interruption.
        return [{k: v for k, v in c.items() if k != "gradient_norm_max"} for c in record["curve"]]

    assert curve(resumed) == curve(whole)
    assert resumed["final_validation_bpb"] == whole["final_validation_bpb"]


def test_another_configuration_is_refused_in_the_same_folder(corpus: language.Corpus, tmp_path: Path) -> None:
    language.run(TINY, "baseline", 0, corpus, tmp_path)
    other = TINY.model_copy(update={"rate": 0.1})
    with pytest.raises(InputError, match="another configuration"):
        language.run(other, "baseline", 0, corpus, tmp_path)


def test_equal_flops_means_equal_flops() -> None:
    config = LanguageConfig(steps=1000)
    base, steps = language.build(config, "baseline", 0)
    model, more = language.build(config, "gka_equal_flops", 0)
    assert steps == 1000
    assert more * model.flops_per_token() == pytest.approx(steps * base.flops_per_token(), rel=1e-3)


def test_corpus_is_split_by_file_and_repeatable(corpus: language.Corpus) -> None:
    assert load_corpus(200_000).digest == corpus.digest
    assert len(corpus.validation) > 1000
    assert len(corpus.train) > len(corpus.validation)


def test_locality_of_narrow_and_wide_heads(corpus: language.Corpus) -> None:
    model, _ = language.build(TINY, "gka", 0)
    windows = language.windows_of(corpus.train, 4, TINY.context, 0)
    layer = language.attentions(model)[0]
    with torch.no_grad():
        layer.log_sigma.copy_(torch.tensor([-6.0, 12.0]))
        found = language.locality(model, windows)
    assert found["own_weight"][0][0] == pytest.approx(1.0, abs=1e-3)
    assert found["distance"][0][0] == pytest.approx(0.0, abs=1e-2)
    # Window 16, all of it seen from every position of the second half: the mean of 0..15.
    assert found["distance"][0][1] == pytest.approx(7.5, abs=1e-3)
    assert found["own_weight"][0][1] == pytest.approx(1 / 16, abs=1e-4)


def test_bad_configurations_name_every_fault(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text("width: 30\nheads: 0\nlearning_rate: 1\n")
    with pytest.raises(InputError) as caught:
        load_config(str(file))
    assert "heads" in str(caught.value)
    assert "learning_rate" in str(caught.value)
    file.write_text("width: 30\nheads: 4\n")
    with pytest.raises(InputError, match="width = 30 is not a multiple of heads = 4"):
        load_config(str(file))
    with pytest.raises(InputError, match="cannot read"):
        load_config(str(tmp_path / "absent.yaml"))
    file.write_text("- 1\n")
    with pytest.raises(InputError, match="not a YAML mapping"):
        load_config(str(file))


def test_bandwidths_are_learned_and_not_decayed() -> None:
    model, _ = language.build(TINY, "gka", 0)
    optimiser = train.make_optimiser(model, 0.01)
    decayed = {id(p) for group in optimiser.param_groups if group["weight_decay"] for p in group["params"]}
    for layer in language.attentions(model):
        assert id(layer.log_sigma) not in decayed
        assert id(layer.output.weight) in decayed
    assert sum(len(g["params"]) for g in optimiser.param_groups) == len(list(model.parameters()))


def test_digits_smoke() -> None:
    pytest.importorskip("sklearn")
    from kattn_bounds.gaussian.vision import run

    for kind in ("baseline", "gka"):
        record = run(kind, 0, steps=150, width=32, heads=2, depth=1, evaluations=1)
        assert record["curve"][0]["validation_loss"] == pytest.approx(2.302585, abs=1e-4)
        assert record["curve"][-1]["validation_accuracy"] > 0.5
