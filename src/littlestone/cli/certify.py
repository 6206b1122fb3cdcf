"""`littlestone certify`: play a file, and certify the run by a theorem."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from littlestone.cli._auto import suited
from littlestone.cli._cluster import ClusterOptions, shown
from littlestone.cli._complete import theorems as complete_theorems
from littlestone.cli._groups import with_options
from littlestone.cli._learner_options import LearnerOptions
from littlestone.cli._ledgers import ledger_in
from littlestone.cli._options import Files, Passes, Quiet, ReadingOptions, watched
from littlestone.cli._say import say
from littlestone.cli._stopping import Stoppable, interrupted
from littlestone.cli._streams import (
    OnError,
    Player,
    accepted,
    tell_left_out,
)
from littlestone.cli._summary import check_apart
from littlestone.cli._witness import read_witness
from littlestone.display.words import counted
from littlestone.errors import ParameterError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from littlestone.learner import Learner
    from littlestone.running import Record
    from littlestone.verifying import Certificate

__all__ = ["certify", "searching", "tell"]


@with_options
def certify(  # noqa: C901 - one kind of file after another
    files: Files,
    reading: ReadingOptions,
    chosen: LearnerOptions,
    workers: ClusterOptions,
    passes: Passes = 1,
    theorem: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="The theorem to certify, such as PERC-SEP, even if another one has a "
            "smaller bound.",
            autocompletion=complete_theorems,
        ),
    ] = None,
    witness: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Your own witness instead of a search: JSON with a number for each "
            "feature, or a certificate that has one.",
        ),
    ] = None,
    scope: Annotated[
        str | None,
        typer.Option(
            metavar="run|stream",
            help="Measure the witness on the rounds that changed the learner, or on "
            "all rounds, for a bound that holds in every order. Unless given, run, and "
            "stream where that would say nothing.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="CERT", help="Write the certificate here."
        ),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print the certificate as JSON.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Play a file with a learner, and certify the run by a theorem.

    The command searches for a witness on the rounds that changed the learner, and
    certifies the theorem with the smallest bound. Anyone can check the certificate
    with littlestone verify; with the file, every claim in it is checked. With
    --on-error skip it is about the examples that can be read and that the learner
    takes, and verify needs --on-error skip too.

    FILE may be a ledger of littlestone serve: then the learner is that of the ledger,
    and the labels are taken in the order in which they came.

    The exit code is 0 if the certificate holds, 1 if it does not: then a premise
    is broken, or there is a bug.

    For example:

        littlestone certify mail.svm.gz --bias 1 -o mail.json

        littlestone certify mail.svm.gz --scope stream

        littlestone certify mail.svm.gz --theorem PERC-SEP --witness mine.json

        littlestone certify clicks.svm -l winnow:threshold=5000,promotion=1.5

        littlestone certify "logs/*.svm" -l perceptron --workers 8 -o logs.json

        littlestone certify shop/clicks/ledger.db -o clicks.json
    """
    from littlestone import certify as held_against
    from littlestone import theorems
    from littlestone.running import run as play

    if theorem is not None:
        theorems.get(theorem)  # refused before anything is played
    if scope not in (None, "run", "stream"):
        raise ParameterError(f"--scope must be run or stream, got {scope!r}")
    workers.check(
        {
            "--theorem": theorem,
            "--witness": witness,
            "--scope": scope,
            "--shuffle": reading.shuffle is not None,
        }
    )
    file = files.paths
    if output is not None:
        check_apart("--output", output, file)
    given = None if witness is None else read_witness(witness)
    if (ledger := ledger_in(file)) is not None:
        code = _ledger(ledger, chosen, given, theorem, output, json=json, quiet=quiet)
        if code:
            raise typer.Exit(code)
        return
    chosen = suited(chosen, file, reading)
    learner = chosen.make()
    _refuse_intervals(learner)
    stream = reading.open(file, Player(chosen.entry, learner.outcome, chosen.map or ()))
    if workers.asked:
        from littlestone import cluster

        played = workers.run(
            learner,
            stream,
            epochs=passes,
            keep="updates",
            progress=shown(quiet=quiet),
        )
        with searching(quiet=quiet):
            certificate = cluster.certify(played, stream=stream)
        code = tell(certificate, output, json=json)
        if code:
            raise typer.Exit(code)
        return
    _check_committee(chosen, reading, stream, file)
    if reading.on_error is OnError.SKIP:
        stream = accepted(learner.clone(), stream, file)
    counts = hasattr(learner, "updates_")
    with Stoppable(stream) as stream, watched(quiet=quiet) as watch:
        record = play(
            learner,
            stream,
            passes=passes,
            observe=watch,
            keep=_kept(scope) if counts else "mistakes",
            digest=True,
        )
    tell_left_out(skipped=stream.skipped)
    if stream.stopped:
        interrupted(record.rounds, _so_far(record), "nothing is certified")
    try:
        with searching(quiet=quiet):
            certificate = held_against(
                record,
                None if given is None else given.of(learner, record),
                stream=stream if stream.repeatable else None,
                theorem=theorem,
                scope=scope,  # type: ignore[arg-type]  # any other is refused
            )
    except KeyboardInterrupt:
        told = "in the search for a witness, so nothing is certified"
        yours = "" if given is not None else "; --witness takes one of yours instead"
        interrupted(record.rounds, _so_far(record), told + yours)
    _check_members(chosen, certificate)
    code = tell(certificate, output, json=json)
    if code:
        raise typer.Exit(code)


def _refuse_intervals(learner: Learner) -> None:
    """Refuse a learner whose certificate is about other examples than the file's."""
    from littlestone.conformal import Adaptive

    if isinstance(learner, Adaptive):
        raise ParameterError(
            "intervals are certified from Python, by certify(learner, stream), as the "
            "certificate is about what the forecaster says and not about a file",
            owner="certify",
        )


def _check_committee(
    chosen: LearnerOptions, reading: ReadingOptions, stream: Any, file: Any
) -> None:
    """Refuse, before anything is played, what no committee can be certified on."""
    if chosen.learner != "committee":
        return
    if reading.on_error is OnError.SKIP:
        raise ParameterError(
            "--on-error must be stop for a committee, as only the committee knows what "
            "it refuses, and its certificate could not be verified"
        )
    if not stream.repeatable:
        raise ParameterError(
            "FILE must be readable again for a committee, as its members play it once "
            f"more to be certified, got {file}"
        )


def _check_members(chosen: LearnerOptions, certificate: Certificate) -> None:
    """Refuse a committee's certificate that the file alone could not verify."""
    named = "committee" in certificate.learner["parameters"]
    if chosen.learner == "committee" and not named:
        raise ParameterError(
            "members must be learners of features that predict labels, or numbers "
            "under a rule for numbers, as the judge plays no others; from Python, "
            "certify(learner, stream) certifies the rule on what they say",
            owner="certify",
        )


def _so_far(record: Record) -> str:
    """Return what came of the rounds that were played."""
    if record.outcome.charged:
        return f"a loss of {record.loss:.8g} by then"
    return f"{counted(record.mistakes, 'mistake')} by then"


def _kept(scope: str | None) -> Literal["updates", "rounds"]:
    return "rounds" if scope == "stream" else "updates"


def _ledger(
    path: Path,
    chosen: LearnerOptions,
    witness: Any,
    theorem: str | None,
    output: Path | None,
    *,
    json: bool,
    quiet: bool,
) -> int:
    """Certify the run in a ledger, and return the exit code."""
    from littlestone.service import certify_ledger, replay

    if chosen != LearnerOptions():
        raise ParameterError(
            "a ledger has its own learner, so --learner must be left out"
        )
    if witness is not None:
        raise ParameterError("a witness cannot be given for a ledger yet")
    with searching(quiet=quiet):
        certificate = certify_ledger(path, theorem=theorem)
    code = tell(certificate, output, json=json)
    if certificate.theorem != "DELAY-SERVED" and not json:
        record = replay(path).record
        if record.late:
            say(
                f"This is about the labels in the order in which they came. As served, "
                f"there were {record.mistakes:,} mistakes, {record.late:,} of the "
                "predictions having waited while the learner changed."
            )
    return code


def tell(certificate: Certificate, output: Path | None, *, json: bool) -> int:
    """Print a certificate, write it, and return the exit code."""
    if output is not None:
        certificate.save(output)
    if json:
        say(certificate.to_json(), nl=False)
    else:
        say(str(certificate))
        if output is not None:
            say(f"Written to {output}.")
    if json and certificate.emptiness and sys.stderr is not None:
        said = f"{certificate.theorem} is {certificate.emptiness}"
        sys.stderr.write(f"littlestone: {said}\n")
    if certificate.holds:
        return 0
    if sys.stderr is not None:
        sys.stderr.write(
            f"littlestone: THE CERTIFICATE DOES NOT HOLD: {certificate.theorem} is "
            "exceeded, so a premise is broken, or there is a bug\n"
        )
    return 1


def searching(*, quiet: bool) -> AbstractContextManager[Any]:
    """Show on a terminal that the search is still running."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console

    return Console(file=sys.stderr).status("searching for a witness")
