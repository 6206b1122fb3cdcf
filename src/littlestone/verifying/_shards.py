"""The judge of clusters: plays shard by shard, and mixes the twins."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from littlestone.errors import WorkError
from littlestone.verifying._digest import Digest, format_of
from littlestone.verifying._faults import FAULTS, faults, is_wrong
from littlestone.verifying._mixtures import digest_of_shards, shares, together
from littlestone.verifying._reading import read_example, read_label
from littlestone.verifying.proofs import Unsound
from littlestone.verifying.twins import TWINS, outcome_of, reads_of
from littlestone.verifying.twins._mixing import copied, mixed, renewed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from littlestone.verifying._certificate import Certificate
    from littlestone.verifying._work import Work

__all__ = ["replay_shards"]


def replay_shards(
    given: Certificate,
    stream: Iterable[tuple[Any, Any]],
    proof: Any,
    checked: list[str],
    work: Work,
) -> None:
    """Replay all epochs: each shard from the mixed twin, then mix."""
    assert given.shards is not None  # noqa: S101 - it is one of a cluster
    name, parameters = given.learner["name"], given.learner["parameters"]
    if given.passes > 1 and isinstance(stream, Iterator):
        stream = list(stream)
    with faults("learner: it cannot be created"):
        twin = TWINS[name](**parameters)
    if digest_of_shards(given.shards["digests"]) != given.digest:
        raise Unsound("digest must be that of the digests of the shards")
    examples = iter(work.passes(stream, given))
    totals = {"rounds": 0, "mistakes": 0, "updates": 0}
    mixes = given.shards.get("mixes", 1)
    for number, epoch in enumerate(given.shards["epochs"], 1):
        weights = epoch["weights"]
        parted = shares(weights, mixes)
        twin = _begun(twin, given.shards, number)
        for some in together(len(weights), mixes):
            ended = []
            for at in some:
                where = f"epoch {number}, shard {at + 1}"
                part = _Part(given, where, at, twin)
                part.play(examples, proof, work)
                part.compare("mistakes", epoch["mistakes"][at])
                part.compare("updates", epoch["updates"][at])
                with faults("the proof must apply"):
                    proof.end_shard(parted[at])
                ended.append(part.twin)
                for count in totals:
                    totals[count] += part.counts[count]
            twin = mixed(twin, ended, weights[some.start : some.stop])
            with faults("the proof must apply"):
                proof.mix_shards()
    if next(examples, None) is not None:
        raise Unsound("rounds must be more: the stream is longer")
    checked.append("the digests of the shards")
    for count, true in totals.items():
        stated = getattr(given, count)
        if stated != true:
            raise Unsound(f"{count} must be {true}, got {stated}")
        checked.append(count)


def _begun(twin: Any, shards: Mapping[str, Any], epoch: int) -> Any:
    """Return the twin with which an epoch begins."""
    # The first certificates of clusters keep the mean of all epochs.
    renews = "mixes" in shards and len(shards["rounds"]) > shards["mixes"]
    return renewed(twin) if epoch > 1 and renews else twin


class _Part:
    """One shard in one epoch."""

    def __init__(self, given: Certificate, where: str, at: int, twin: Any) -> None:
        assert given.shards is not None  # noqa: S101 - it is one of a cluster
        name, parameters = given.learner["name"], given.learner["parameters"]
        self._reads, self._outcome = reads_of(name), outcome_of(name, parameters)
        self._where, self._rounds = where, given.shards["rounds"][at]
        self._stated = given.shards["digests"][at]
        form = format_of(self._stated)
        self._digest = Digest(self._reads, self._outcome, form or 1)
        self.twin = copied(twin)
        self.counts = {"rounds": 0, "mistakes": 0, "updates": 0}
        self._before = twin.updates

    def play(self, examples: Iterator[tuple[Any, Any]], proof: Any, work: Work) -> None:
        """Play the next rounds, and the proof with them."""
        twin = self.twin
        with faults("the proof must apply"):
            proof.begin_shard()
        doubt: Unsound | None = None  # a wrong digest is reported before a wrong proof
        for number in range(self._rounds):
            example = next(examples, None)
            if example is None:
                raise Unsound(f"{self._where}: the stream must be longer")
            before = twin.updates
            try:
                x = read_example(self._reads, example[0])
                y = read_label(self._outcome, example[1])
                self._digest.add(x, y)
                work.begin(x)
                work.round(x, twin)
                said = twin.play(x, y)
            except WorkError:
                raise
            except (Unsound, *FAULTS) as error:
                raise Unsound(
                    f"{self._where}, round {number}: it cannot be played: {error}"
                ) from None
            self.counts["mistakes"] += is_wrong(said, getattr(twin, "outcome", y))
            if doubt is None:
                try:
                    with faults("the proof must apply"):
                        proof.round(x, y, said, twin.updates > before, twin)
                except Unsound as found:
                    doubt = Unsound(f"{self._where}, round {number}: {found}")
        if str(self._digest) != self._stated:
            raise Unsound(f"{self._where}: digest must be that of the stream")
        self.counts["rounds"] = self._rounds
        self.counts["updates"] = twin.updates - self._before
        if doubt is not None:
            raise doubt

    def compare(self, count: str, stated: int) -> None:
        """Refuse a count that is not the true one."""
        true = self.counts[count]
        if stated != true:
            raise Unsound(f"{self._where}: {count} must be {true}, got {stated}")
