"""`littlestone verify`: check a certificate, alone or with the file."""

from __future__ import annotations

import json as json_format
import sys
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Annotated, Any

import typer

from littlestone.cli._groups import with_options
from littlestone.cli._learners import entry_for
from littlestone.cli._ledgers import ledger_in
from littlestone.cli._options import Files, Json, Quiet, ReadingOptions
from littlestone.cli._say import say
from littlestone.cli._streams import OnError, Player, accepted, fitting
from littlestone.display.words import counted
from littlestone.errors import CertificateError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager

    from littlestone.verifying import Certificate, Verdict

__all__ = ["verify"]


@with_options
def verify(
    certificate: Annotated[
        str, typer.Argument(metavar="CERT", help="A certificate, as certify writes it.")
    ],
    files: Files,
    reading: ReadingOptions,
    most_work: Annotated[
        int | None,
        typer.Option(
            metavar="STEPS",
            help="How many steps of work to allow beyond a hundred for each number "
            "of the certificate and of FILE; a million if not given.",
            min=0,
        ),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Check a certificate: accept it, or name the first thing that is wrong.

    Without the file, the arithmetic is checked: the theorem, its numbers, the
    bound, and that it holds. With the file, the run is played again by a plain
    twin of the learner, and the proof is replayed on it in exact rationals, so
    that every claim is checked. Give the same options for reading the file as
    when it was certified.

    The exit code is 0 if the certificate is accepted, 1 if it is rejected, and 2 if
    it cannot be read or takes more work than --most-work allows.

    For example:

        littlestone verify mail.json

        littlestone verify mail.json mail.svm.gz

        littlestone verify sms.json sms.tsv -F text --label label --positive spam

        littlestone verify clicks.json shop/clicks/ledger.db
    """
    file = files.paths if files else None
    if file is None and reading != ReadingOptions():
        raise ParameterError("FILE must be given with options for reading it, got none")
    given, verdict = _judged(certificate, file, reading, most_work, quiet=quiet)
    if json:
        facts = {
            "certificate": certificate,
            "file": file,
            "accepted": verdict.accepted,
            "checked": list(verdict.checked),
            "wrong": verdict.wrong,
            "unchecked": []
            if given is None
            else [*given.unchecked, *["others"] * bool(given.others_exact)],
            "learner": None if given is None else given.learner["name"],
            "theorem": None if given is None else given.theorem,
            "bound": None if given is None else given.bound,
            "vacuous": None if given is None else given.vacuous,
            "tautological": None if given is None else given.tautological,
            "scope": None if given is None else given.scope,
            "loss_share": None if given is None else given.loss_share,
        }
        say(json_format.dumps(facts))
    else:
        say(str(verdict))
        if verdict.accepted and given is not None:
            say(_meaning(given, str(files) if files else None))
            if given.emptiness:
                say(f"The bound is {given.emptiness}.")
            if given.unchecked:
                say(f"Not checked: {', and '.join(given.unchecked)}.")
            if given.others_exact:
                say("The bounds of other theorems in it are not checked.")
    if not verdict.accepted:
        raise typer.Exit(1)


def _judged(
    path: str,
    file: str | list[str] | None,
    reading: ReadingOptions,
    most_work: int | None,
    *,
    quiet: bool,
) -> tuple[Certificate | None, Verdict]:
    """Return the certificate, if it is one, and the verdict."""
    from littlestone.verifying import MOST_WORK, Certificate, Verdict
    from littlestone.verifying import verify as judge

    try:
        given = Certificate.load(path)
    except CertificateError as error:
        if _claims_to_be_one(path):
            return None, Verdict(False, (), error.what)
        raise
    most = MOST_WORK if most_work is None else most_work
    verdict = judge(given, most_work=most)
    if file is None or not verdict.accepted:
        return given, verdict  # no need to play a wrong one
    if (ledger := ledger_in(file)) is not None:
        from littlestone.service import arrivals

        with arrivals(ledger) as rounds, _progress(given.rounds, quiet=quiet) as tell:
            return given, judge(given, _Told(rounds, tell), most_work=most)
    stream = _opened(given, file, reading)
    if reading.on_error is OnError.SKIP and "committee" in given.learner["parameters"]:
        raise ParameterError(
            "--on-error must be stop for a committee's certificate, as only the "
            "committee knows what it refuses"
        )
    if reading.on_error is OnError.SKIP and given.learner["name"] != "Fit":
        stream = accepted(_learner(given), stream, file)
    if given.passes > 1 and not stream.repeatable:
        raise ParameterError(
            f"FILE must be readable again for {given.passes} passes, got {file}"
        )
    with _progress(given.rounds, quiet=quiet) as tell:
        return given, judge(given, _Told(stream, tell), most_work=most)


def _claims_to_be_one(path: str) -> bool:
    """Return whether an invalid file looks like a certificate.

    If so, it was changed, and is rejected. If not, it was given by mistake: a file of
    examples, say, or a certificate of a later format.
    """
    from littlestone.verifying import FORMAT
    from littlestone.verifying._certificate import text_of

    try:
        said = json_format.loads(text_of(path))
    except (OSError, ValueError, RecursionError, MemoryError):
        return False
    return isinstance(said, dict) and said.get("format") == FORMAT and "seal" in said


def _opened(given: Certificate, file: str | list[str], reading: ReadingOptions) -> Any:
    """Return the stream of the file, as the learner of the certificate takes it."""
    name = given.learner["name"]
    if name == "Fit":
        return reading.open(file, fitting())
    entry = entry_for(
        "Committee" if "committee" in given.learner["parameters"] else name
    )
    if entry is None:
        raise ParameterError(
            "the certificate must be of a learner that the command line can name to "
            f"be checked with FILE, got {name}"
        )
    return reading.open(file, Player(entry, given.outcome))


def _learner(given: Certificate) -> Any:
    """Return a newborn of the certificate: only it knows what it refuses.

    Which examples it leaves out is checked by their digest.
    """
    entry = entry_for(given.learner["name"])
    assert entry is not None  # noqa: S101 - the stream was opened for it
    return entry.load()(**given.learner["parameters"])


def _meaning(given: Certificate, file: str | None) -> str:
    """Return what it means that a certificate is accepted."""
    promised = f"{given.learner['name']}, {given.theorem}"
    if file is None:
        return (
            f"The arithmetic of the certificate ({promised}) is right. To check that "
            "it is about a given file, use littlestone verify CERT FILE."
        )
    return (
        f"{file} was played again, {counted(given.rounds, 'round')} with "
        f"{given.result}, and the proof ({promised}) holds on it."
    )


class _Told:
    """A stream that reports how many examples were taken."""

    def __init__(self, stream: Iterable[Any], tell: Callable[[int], None]) -> None:
        self._stream, self._tell, self._taken = stream, tell, 0

    def __iter__(self) -> Iterator[Any]:
        for example in self._stream:
            yield example
            self._taken += 1
            self._tell(self._taken)


def _progress(
    rounds: int, *, quiet: bool
) -> AbstractContextManager[Callable[[int], None]]:
    """Show how many rounds were checked: a bar on a terminal, else a few lines."""
    if quiet or sys.stderr is None:
        return nullcontext(lambda _: None)
    return _bar(rounds) if sys.stderr.isatty() else nullcontext(_Lines(rounds))


class _Lines:
    """Writes a line whenever the number of rounds has doubled."""

    def __init__(self, rounds: int) -> None:
        self._rounds, self._next = rounds, 1024

    def __call__(self, taken: int) -> None:
        if taken == self._next and sys.stderr is not None:
            self._next *= 2
            sys.stderr.write(f"{taken:,} of {self._rounds:,} rounds checked\n")
            sys.stderr.flush()


@contextmanager
def _bar(rounds: int) -> Iterator[Callable[[int], None]]:
    from rich.console import Console
    from rich.progress import Progress

    often = 64  # rounds between two looks at the clock
    with Progress(console=Console(file=sys.stderr)) as bar:
        task = bar.add_task("checking", total=rounds)

        def tell(taken: int) -> None:
            if taken % often == 0 or taken == rounds:
                bar.update(task, completed=taken)

        yield tell
