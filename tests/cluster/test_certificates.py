"""Certificates of clusters are replayed alone, and forged ones are found out."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from cluster_worlds import MIXED
from littlestone import Certificate, certify, cluster, streams, theorems, verify
from littlestone.cluster._shards import cut_finer, shards_of
from littlestone.errors import CertificateError, ParameterError
from littlestone.experts import ExponentialWeights, FollowTheMajority
from littlestone.linear import PassiveAggressive, Perceptron
from littlestone.verifying._mixtures import together
from littlestone.verifying.twins import TWINS
from littlestone.verifying.twins._mixing import copied, mixed, renewed

LINEAR = [name for name in MIXED if name not in ("hedge", "absolute")]


def _rows(data: Any) -> list[Any]:
    return list(zip(*data, strict=True)) if isinstance(data, tuple) else data


def _certified(name: str, **options: Any) -> tuple[Certificate, list[Any]]:
    make, data = MIXED[name]
    given = {"shards": 3, "epochs": 2, "workers": 0, "keep": "updates", **options}
    record = cluster.run(make(), data, **given)
    return cluster.certify(record, stream=_rows(data)), _rows(data)


def _separable(**options: Any) -> tuple[Certificate, list[Any]]:
    data = [({k % 5: 1.0, 9: 0.25}, k % 5 < 2) for k in range(40)]
    given = {"shards": 4, "epochs": 3, "workers": 0, "keep": "updates", **options}
    record = cluster.run(PassiveAggressive(mode=None), data, **given)
    return cluster.certify(record), data


@pytest.mark.parametrize("name", [n for n in MIXED if n != "passive-aggressive"])
def test_the_judge_accepts_what_a_cluster_has_played(name: str) -> None:
    certificate, rows = _certified(name)
    assert certificate.holds
    verdict = verify(certificate, rows)
    assert verdict.accepted, verdict
    assert verdict.checked[-1] == "the proof"
    assert Certificate.from_json(certificate.to_json()) == certificate


def test_steps_without_a_limit_on_separable_shards() -> None:
    certificate, rows = _separable()
    assert verify(certificate, rows).accepted
    assert "PassiveAggressive" in str(certificate)
    assert "in 3 epochs over 4 shards" in str(certificate)


def test_a_notebook_shows_what_each_shard_did() -> None:
    data = [({"a": 1.0}, False), ({"a": 1.0}, False), ({"b": 4.0}, False)]
    data += [({"c": 4.0}, False)]
    options: dict[str, Any] = {"workers": 0, "keep": "updates", "epochs": 2}
    record = cluster.run(Perceptron(), data, shards=2, **options)
    shown = cluster.certify(record)._repr_html_()
    assert "8 in 2 epochs over 2 shards" in shown
    rows = re.findall(r"<tr>(.*?)</tr>", shown)
    cells = [re.findall(r"<t[hd] [^>]*>([^<]*)<", row) for row in rows]
    begin = cells.index(["epoch", "shard", "mistakes", "updates", "weight"])
    assert cells[begin + 1 :] == [
        ["1", "1", "1", "1", "1"],
        ["1", "2", "2", "2", "2"],
        ["2", "1", "0", "0", "0"],
        ["2", "2", "0", "0", "0"],
    ]
    many = cluster.run(Perceptron(), data * 60, shards=51, **options)
    assert '<th scope="col"' not in cluster.certify(many)._repr_html_()


@pytest.mark.parametrize("mix", ["mistakes", "uniform"])
def test_weights_of_either_kind(mix: str) -> None:
    certificate, rows = _certified("perceptron", mix=mix, shards=7, epochs=3)
    assert verify(certificate, rows).accepted


def test_the_price_is_certified() -> None:
    data = [({k: 1.0}, False) for _ in range(4) for k in range(6)]
    record = cluster.run(Perceptron(), data, shards=4, workers=0, keep="updates")
    certificate = cluster.certify(record)
    assert certificate.counted == 6
    assert certificate.mistakes == 24
    assert certificate.bound == pytest.approx(6)
    assert verify(certificate, data).accepted


def test_a_witness_of_your_own() -> None:
    data = [({"a": 1.0}, True), ({"b": 1.0}, False)] * 6
    record = cluster.run(Perceptron(), data, shards=3, workers=0, keep="updates")
    certificate = cluster.certify(record, {"a": 3.0, "b": -3.0})
    assert verify(certificate, data).accepted


@pytest.mark.parametrize("name", [*LINEAR, "hedge"])
@pytest.mark.parametrize("shards", [1, 3])
@pytest.mark.parametrize("mixes", [1, 2])
def test_twins_mix_as_learners_do(name: str, shards: int, mixes: int) -> None:
    make, data = MIXED[name]
    learner = make()
    options: dict[str, Any] = {"epochs": 3, "workers": 0, "mixes": mixes}
    record = cluster.run(learner, data, shards=shards, **options)
    parameters = learner.get_params()
    twin = TWINS[type(learner).__name__](**parameters)
    cut = cut_finer(shards_of(_rows(data), shards=shards), mixes)
    parts = [list(part.data) for part in cut]  # type: ignore[attr-defined]  # it is in memory
    assert len(parts) == shards * mixes
    for number, epoch in enumerate(record.epochs):
        twin = renewed(twin) if number and shards > 1 else twin
        for some in together(len(parts), mixes):
            ended = [copied(twin) for _ in some]
            for each, at in zip(ended, some, strict=True):
                for x, y in parts[at]:
                    named = x if isinstance(x, dict) else dict(enumerate(x.tolist()))
                    each.play(named, bool(y) if name != "hedge" else y)
            twin = mixed(twin, ended, [epoch.weights[at] for at in some])
    learned = learner.weights_
    for feature, weight in twin.weights.items():
        assert weight == (learned.get(feature, 0.0) if name != "hedge" else weight)
    if name == "hedge":
        assert list(learned.values()) == list(twin.weights.values())
        assert learner.loss_ == twin.own.value()


@pytest.mark.parametrize("name", [n for n in MIXED if n != "passive-aggressive"])
def test_a_certificate_says_how_often_shards_were_mixed(name: str) -> None:
    certificate, rows = _certified(name, mixes=2, shards=2)
    assert verify(certificate, rows).accepted
    assert "over 4 shards, mixed 2 times an epoch" in str(certificate)
    shards = certificate.shards
    assert shards is not None
    for forged in (1, 3, 4):
        lie = replace(certificate, shards={**shards, "mixes": forged})
        assert not verify(lie, rows).accepted
    for wrong in (0, 5, True, "2", 2.0):
        with pytest.raises(CertificateError, match=r"mixes must be from 1 to 4"):
            replace(certificate, shards={**shards, "mixes": wrong})


def test_the_first_certificates_have_the_mean_of_all_epochs() -> None:
    def as_before(certificate: Certificate) -> Certificate:
        shards = dict(certificate.shards or {})
        del shards["mixes"]
        return replace(certificate, shards=shards)

    certificate, rows = _certified("averaged", epochs=3)
    # Now a mean begins with each epoch, which makes other mistakes.
    assert "mistakes must be" in str(verify(as_before(certificate), rows))
    old = as_before(_certified("averaged", epochs=1)[0])
    assert verify(old, rows).accepted
    assert Certificate.from_json(old.to_json()) == old


@pytest.mark.parametrize("loss", ["square", "log", "zero-one"])
def test_losses_are_certified_against_an_expert(loss: str) -> None:
    data = [
        ({"a": 0.75, "b": 0.25, "c": (t % 4) / 4 + 0.1}, t % 3 > 0) for t in range(30)
    ]
    if loss == "zero-one":
        data = [({name: f > 0.5 for name, f in x.items()}, y) for x, y in data]
    learner = ExponentialWeights(0.5, loss)
    options: dict[str, Any] = {"epochs": 2, "workers": 0, "keep": "updates"}
    record = cluster.run(learner, data, shards=3, **options)
    certificate = cluster.certify(record, stream=data)
    assert (certificate.theorem, certificate.counts) == ("MIX-EWA", "weighted regret")
    assert ("rounds" in certificate.numbers_exact) == (loss == "zero-one")
    assert verify(certificate, data).accepted
    worse = cluster.certify(record, "b", data)
    assert worse.counted < certificate.counted
    assert verify(worse, data).accepted


def test_the_scale_is_how_far_apart_losses_are() -> None:
    data = [((0.0, 1.0 + t % 4), 4.0) for t in range(12)]
    learner = ExponentialWeights(0.25, "absolute", range=(0, 5))
    record = cluster.run(learner, data, shards=3, workers=0, keep="updates")
    certificate = cluster.certify(record, stream=data)
    assert certificate.numbers["scale"] == 4
    assert certificate.numbers["rounds"] == 4  # of 12, in 3 shards
    assert verify(certificate, data).accepted


def test_a_shard_without_rounds_has_no_part_in_it(tmp_path: Path) -> None:
    (tmp_path / "0.csv").write_text("a,b,y\n0.5,1,1\n0.25,0,0\n")
    (tmp_path / "1.csv").write_text("a,b,y\n")
    stream = streams.forecasts(f"{tmp_path}/*.csv", label="y")
    options: dict[str, Any] = {"epochs": 2, "workers": 0, "keep": "updates"}
    record = cluster.run(ExponentialWeights(), stream, **options)
    rows = list(streams.forecasts(tmp_path / "0.csv", label="y"))
    assert verify(cluster.certify(record, stream=rows), rows).accepted


# What is rejected ------------------------------------------------------------


def _with(certificate: Certificate, epoch: int, name: str, at: int, value: int) -> Any:
    assert certificate.shards is not None
    epochs = [
        {k: list(v) for k, v in each.items()} for each in certificate.shards["epochs"]
    ]
    epochs[epoch][name][at] = value
    return replace(certificate, shards={**certificate.shards, "epochs": epochs})


def test_forged_counts_weights_and_digests_are_rejected() -> None:
    certificate, rows = _certified("perceptron")
    shards = certificate.shards
    assert shards is not None
    forged = [
        _with(certificate, 0, "mistakes", 1, shards["epochs"][0]["mistakes"][1] + 1),
        _with(certificate, 1, "updates", 0, shards["epochs"][1]["updates"][0] - 1),
        _with(certificate, 0, "weights", 2, 0),
        replace(certificate, digest="sha256:" + 64 * "0"),
        replace(certificate, mistakes=certificate.mistakes - 1),
        replace(certificate, rounds=certificate.rounds + 1),
        replace(certificate, counted_exact="1"),
        replace(
            certificate, numbers_exact={**certificate.numbers_exact, "radius": "1/8"}
        ),
    ]
    for each in forged:
        assert not verify(each, rows).accepted


def test_forged_regrets_and_experts_are_rejected() -> None:
    certificate, rows = _certified("hedge")
    numbers = certificate.numbers_exact
    forged = [
        replace(certificate, counted_exact="0"),
        replace(certificate, witness={"kind": "expert", "expert": 0}),
        replace(certificate, numbers_exact={**numbers, "prior": "1/2"}),
        _with(certificate, 1, "weights", 2, 0),
    ]
    for each in forged:
        bound = theorems.MIX_EWA.bound(
            **{name: Fraction(text) for name, text in each.numbers_exact.items()}
        )
        assert not verify(replace(each, bound_exact=bound.hex()), rows).accepted
    certificate, rows = _certified("absolute")
    short = dict(certificate.numbers_exact, scale="1/1024")
    assert not verify(replace(certificate, numbers_exact=short), rows).accepted


def test_another_stream_or_order_is_rejected() -> None:
    certificate, rows = _certified("perceptron")
    assert "digest" in str(verify(certificate, rows[::-1]).wrong)
    assert "shard 3: digest must be" in str(verify(certificate, rows[:-1]).wrong)
    assert not verify(certificate, [*rows, rows[0]]).accepted


def test_a_theorem_of_one_machine_has_no_shards() -> None:
    certificate, _ = _certified("perceptron")
    assert "shards must be given" in str(
        verify(replace(certificate, shards=None)).wrong
    )
    with pytest.raises(CertificateError, match="shards must have 2 epochs"):
        replace(certificate, shards={**(certificate.shards or {}), "epochs": []})
    with pytest.raises(CertificateError, match="one whole number from 0 on"):
        _with(certificate, 0, "weights", 0, -1)


def test_what_cannot_be_certified() -> None:
    make, data = MIXED["perceptron"]
    with pytest.raises(ParameterError, match="keep='updates'"):
        cluster.certify(cluster.run(make(), data, workers=0))
    labels = [(None, True)] * 3
    exact = cluster.run(FollowTheMajority(), labels, workers=0)
    with pytest.raises(ParameterError, match="merges exactly"):
        cluster.certify(exact)
    make_hedge, advice = MIXED["hedge"]
    played = cluster.run(make_hedge(), advice, workers=0, keep="updates")
    with pytest.raises(ParameterError, match="needs the stream"):
        cluster.certify(played)
    with pytest.raises(ParameterError, match="must be that of the record"):
        cluster.certify(played, stream=_rows(advice)[1:])
    with pytest.raises(ParameterError, match="must be one of the experts.*got 'x'"):
        cluster.certify(played, "x", _rows(advice))
    learner = make()
    cluster.run(learner, data, workers=0)
    with pytest.raises(ParameterError, match="had learned before"):
        cluster.certify(cluster.run(learner, data, workers=0, keep="updates"))


def test_certify_of_another_room_names_that_of_clusters() -> None:
    record = cluster.run(Perceptron(), [({"a": 1.0}, True)] * 9, workers=0)
    with pytest.raises(ParameterError, match=r"; cluster\.certify takes it"):
        certify(record)  # type: ignore[call-overload]  # to be refused
