"""The command line plays on many cores, and says what it costs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from command import call
from littlestone import models, run, streams
from littlestone.linear import Perceptron


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(5)
    for part in range(3):
        X = rng.random((60, 12)) < 0.3
        with (tmp_path / f"part{part}.svm").open("w") as out:
            for x in X:
                text = " ".join(f"{j + 1}:1" for j in np.flatnonzero(x))
                out.write(f"{1 if x[:3].any() else -1} {text}\n")
    return tmp_path


def test_run_states_the_price_and_saves_the_model(folder: Path) -> None:
    files, model = f"{folder}/part*.svm", folder / "m.lst"
    words = ("--workers", "0", "--passes", "2", "--save", model)
    done = call("run", files, "-l", "perceptron", *words)
    assert done.returncode == 0
    assert "360 rounds" in done.stdout
    assert "2 epochs over 3 shards" in done.stdout
    assert "3 shards: at most 3 times the bound of one machine" in done.stdout
    assert "epoch 2 of 2: 3 shards" in done.stderr
    learner = models.load(model)
    assert isinstance(learner, Perceptron)
    again = call("run", files, "--load", model, "-t", "-q", "--json")
    tested = run(learner, streams.svmlight(files), learn=False)
    assert json.loads(again.stdout)["mistakes"] == tested.mistakes


def test_json_lists_epochs_and_shards(folder: Path) -> None:
    files = f"{folder}/part*.svm"
    options = ("--workers", "0", "--shards", "5", "--mix", "uniform", "--json", "-q")
    facts = json.loads(call("run", files, "-l", "perceptron", *options).stdout)
    assert len(facts["shards"]) == 5
    assert [each["weight"] for each in facts["epochs"][0]["shards"]] == [1] * 5
    assert facts["theorem"] == "MIX-PERC"


def test_shards_are_mixed_as_often_as_asked(folder: Path) -> None:
    files, place = f"{folder}/part*.svm", folder / "c.json"
    words = ("-l", "perceptron", "--workers", "0", "--mixes", "2", "-q")
    done = call("certify", files, *words, "-o", place)
    assert "over 6 shards, mixed 2 times an epoch" in done.stdout
    assert call("verify", place, files).returncode == 0
    facts = json.loads(call("run", files, *words, "--json").stdout)
    assert (facts["mixes"], len(facts["shards"])) == (2, 6)


def test_certify_and_verify(folder: Path) -> None:
    files, place = f"{folder}/part*.svm", folder / "c.json"
    words = ("-l", "perceptron", "--workers", "0", "--passes", "2", "-q")
    done = call("certify", files, *words, "-o", place)
    assert done.returncode == 0
    assert "in 2 epochs over 3 shards" in done.stdout
    assert call("verify", place, files).returncode == 0
    assert call("verify", place, folder / "part0.svm").returncode == 1


def test_race_gives_each_learner_what_it_has_alone(folder: Path) -> None:
    files = f"{folder}/part*.svm"
    words = ("-l", "perceptron", "-l", "arow", "--json", "-q")
    one = json.loads(call("race", files, *words).stdout)["ranking"]
    two = json.loads(call("race", files, *words, "--workers", "0").stdout)["ranking"]
    for record in (*one, *two):
        del record["seconds"]
        record.pop("mistake_rounds", None)
    assert one == two


@pytest.mark.parametrize("option", ["--shards", "--mixes"])
def test_a_race_has_nothing_to_mix(folder: Path, option: str) -> None:
    words = ("-l", "perceptron", "--workers", "0", option, "2")
    done = call("race", folder / "part0.svm", *words)
    assert done.returncode == 2
    assert f"{option} must be given without --workers" in done.stderr


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--shards", "2"), "--shards needs --workers or --dask"),
        (("--mixes", "2"), "--mixes needs --workers or --dask"),
        (("--workers", "0", "--dask", "x"), "--workers must be given without --dask"),
        (("--workers", "0", "-t"), "--test-only must be given without --workers"),
        (("--workers", "0", "-l", "arow"), "--workers cannot mix shards of arow, as"),
        (("--workers", "2"), "averaged-perceptron can be mixed, and littlestone race"),
        (
            ("--workers", "2", "-l", "multiclass-perceptron"),
            "of multiclass-perceptron, as no theorem covers it; littlestone race plays",
        ),
        (("--workers", "2", "--shuffle", "1"), "--shuffle must be given without"),
    ],
)
def test_what_is_refused(folder: Path, options: tuple[str, ...], why: str) -> None:
    done = call("run", folder / "part0.svm", *options)
    assert done.returncode == 2
    assert why in done.stderr
