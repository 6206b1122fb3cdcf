"""Open models and serve them until a signal comes."""

from __future__ import annotations

import gc
import json
import logging
import os
import re
import shutil
import signal
import socket
import tempfile
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any

from littlestone.errors import (
    LedgerError,
    MissingPackageError,
    ParameterError,
)
from littlestone.logs import LOG
from littlestone.models._file import parse
from littlestone.models._models import unpacked
from littlestone.models._runs import _parameters
from littlestone.service._birth import born, now, reading_of
from littlestone.service._files import make_folder, text_of
from littlestone.service._ledger import Ledger
from littlestone.service._policy import Policy
from littlestone.service._served import ServedModel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from littlestone.learner import Learner
    from littlestone.running.late import LateRule
    from littlestone.service._app import Limits
    from littlestone.streams._reading import Reading
    from littlestone.theorems import Number

__all__ = ["LEDGER", "SNAPSHOT", "Plan", "open_model", "serve", "upload", "uploaded"]

LEDGER, SNAPSHOT, TOKENS = "ledger.db", "snapshot.lst", "tokens.json"
UPLOADED, _DRAFT = "uploaded.json", ".draft-"
_GARBAGE = 50_000  # objects made before it looks for cycles, which are rare here
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


@dataclass(frozen=True)
class Plan:
    """A model to serve.

    Attributes
    ----------
    name
        What it is called in addresses.
    learner
        The learner to begin with; None to continue what is in the data folder.
    reading
        How its stream was read, if it comes from a model file.
    late
        The rule for late labels.
    policy
        What the operator decides about labels.
    declare
        Numbers for theorems that you know beforehand.
    """

    name: str
    learner: Learner | None
    reading: Reading | None = None
    late: LateRule = "relearn"
    policy: Policy = field(default_factory=Policy)
    declare: Mapping[str, Number] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ParameterError(
                "the name of a model must be small letters, digits, - and _, got "
                f"{self.name!r:.80}",
                owner="serve",
            )


def open_model(plan: Plan, data: Path, clock: Callable[[], int] = now) -> ServedModel:
    """Open the ledger of a model, or begin one, and play what the snapshot lacks."""
    folder = data / plan.name
    make_folder(folder)
    ledger = Ledger(folder / LEDGER, create=True)
    try:
        with ledger.meaning():
            if ledger.seq:
                _refuse_other(plan, ledger)
            else:
                _begin(plan, ledger, clock())
            snapshot = folder / SNAPSHOT
            model = ServedModel(ledger, plan.policy, snapshot=snapshot, clock=clock)
    except BaseException:
        ledger.close()
        raise
    LOG.info("%s: %d rows, %s", plan.name, model.seq, model.recorder.record())
    return model


def upload(
    name: str,
    file: bytes,
    late: LateRule,
    data: Path,
    *,
    policy: Policy | None = None,
    clock: Callable[[], int] = now,
) -> ServedModel:
    """Begin a model with a model file, and open it; `uploaded` finds it later.

    The folder gets its name once all is in it, so that a crash leaves all or none.
    """
    learner, _ = unpacked(*parse(file))
    plan = Plan(name, learner, reading_of(file), late, policy or Policy())
    folder = data / name
    if folder.exists():
        raise FileExistsError(name)
    draft = Path(tempfile.mkdtemp(prefix=_DRAFT, dir=data))
    try:
        (draft / UPLOADED).write_text(json.dumps({"late": late}))
        with Ledger(draft / LEDGER, create=True) as ledger:
            _begin(plan, ledger, clock())
        draft.rename(folder)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    descriptor = os.open(data, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    try:
        return open_model(plan, data, clock)
    except BaseException:  # or no server could be started with it
        shutil.rmtree(folder, ignore_errors=True)
        raise


def uploaded(data: Path, policy: Policy | None = None) -> Iterator[Plan]:
    """Yield the models that were uploaded; remove what was not finished."""
    for draft in data.glob(f"{_DRAFT}*"):
        shutil.rmtree(draft, ignore_errors=True)
    for setting in sorted(data.glob(f"*/{UPLOADED}")):
        text = text_of(setting)
        try:
            late = json.loads(text)["late"]
        except (KeyError, RecursionError, TypeError, ValueError) as error:
            raise ParameterError(
                f"{setting} must say how labels come late: {error}", owner="serve"
            ) from None
        yield Plan(setting.parent.name, None, None, late, policy or Policy())


def _begin(plan: Plan, ledger: Ledger, at: int) -> None:
    if plan.learner is None:
        raise LedgerError(
            "a new ledger needs a learner to begin with", where=str(ledger.path)
        )
    born(
        ledger,
        plan.learner,
        reading=plan.reading,
        late=plan.late,
        declare=plan.declare,
        at=at,
    )


def _refuse_other(plan: Plan, ledger: Ledger) -> None:
    """Refuse to continue a ledger with another learner or another rule."""
    birth = ledger.row(1)
    assert birth is not None  # noqa: S101 - there are rows
    assert birth.body is not None  # noqa: S101 - which is never forgotten
    setting = json.loads(birth.said)
    was, _ = unpacked(*parse(birth.body))
    for what, then, given in (
        ("late", setting["late"], plan.late),
        ("declare", setting["declare"], {k: float(v) for k, v in plan.declare.items()}),
    ):
        if then != given:
            raise LedgerError(
                f"the ledger was begun with {what} {then!r}, got {given!r}",
                where=str(ledger.path),
            )
    if plan.learner is not None and _parameters(was) != _parameters(plan.learner):
        raise LedgerError(
            f"the ledger was begun with {was!r}, got {plan.learner!r}: name another "
            "model or data folder to begin anew",
            where=str(ledger.path),
        )


def serve(
    plans: Sequence[Plan],
    data: str | Path,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    limits: Limits | None = None,
    ready: Callable[[str], None] | None = None,
    until: Callable[[], bool] = lambda: False,
    clock: Callable[[], int] = now,
) -> int:
    """Serve models until SIGTERM or SIGINT, then finish what waits and save them.

    Parameters
    ----------
    plans
        The models.
    data
        The folder with a folder for each model, and the tokens.
    host, port
        Where to listen. Any address but the loopback needs tokens. Port 0 takes any
        that is free.
    limits
        How much to take at once.
    ready
        Called with the address before requests may come; they wait until then.
    until
        Asked now and then whether to stop, as by a signal.
    clock
        Returns microseconds since 1970, for the rows of ledgers.

    Returns
    -------
    int
        0, or 1 if a ledger could not be written.
    """
    try:
        import uvicorn  # noqa: PLC0415 - optional

        from littlestone.service._app import Limits, Service  # noqa: PLC0415 - optional
        from littlestone.service._patience import impatient  # noqa: PLC0415 - optional
        from littlestone.service._tokens import Tokens  # noqa: PLC0415 - optional
        from littlestone.service._writer import Writer  # noqa: PLC0415 - optional
    except ImportError as error:
        raise MissingPackageError(
            'serve needs more packages: pip install "littlestone[serve]"',
            owner="serve",
        ) from error
    data = Path(data)
    tokens = Tokens(data / TOKENS)
    if not tokens.known and not _is_loopback(host):
        raise ParameterError(
            f"an address that others can reach needs tokens, got --host {host} "
            "without: littlestone serve token add NAME",
            owner="serve",
        )
    with ExitStack() as opened:
        models = {}
        named = {plan.name for plan in plans}
        limits = limits or Limits()
        policy = Policy(most_features=limits.features)
        others = [plan for plan in uploaded(data, policy) if plan.name not in named]
        for plan in (*plans, *others):
            models[plan.name] = open_model(plan, data, clock)
            opened.callback(models[plan.name].ledger.close)
        listening = _listen(host, port)
        service = Service(
            {name: Writer(model) for name, model in models.items()},
            tokens if tokens.known else None,
            limits,
            begin=lambda name, file, late: upload(
                name, file, late, data, policy=policy, clock=clock
            ),
        )
        config = uvicorn.Config(
            service.app,
            http=impatient(service),
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_keep_alive=75,
            timeout_graceful_shutdown=10,
            backlog=2048,
        )
        server = _server(uvicorn.Server, until)(config)
        gc.collect()
        gc.freeze()  # what stays is not looked at again and again
        gc.set_threshold(_GARBAGE)
        service.closing = lambda: server.should_exit
        address = f"http://{_shown(host)}:{listening.getsockname()[1]}"
        LOG.info("serving on %s", address)
        if ready is not None:
            ready(address)
        server.run(sockets=[listening])
        return int(any(writer.fault for writer in service.writers.values()))


def _server(base: Any, until: Callable[[], bool]) -> Any:
    """Return a server that ends a signal's work itself, so that the exit code is 0."""

    class Server(base):  # type: ignore[misc]  # it is imported late
        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            how: dict[int, Any] = dict.fromkeys(
                (signal.SIGINT, signal.SIGTERM), self.handle_exit
            )
            if hasattr(signal, "SIGPIPE"):  # a client that goes ends nothing
                how[signal.SIGPIPE] = signal.SIG_IGN
            before = {each: signal.signal(each, how[each]) for each in how}
            try:
                yield
            finally:
                for each, handler in before.items():
                    signal.signal(each, handler)

        async def on_tick(self, counter: int) -> bool:
            if until():
                self.should_exit = True
            ends: bool = await super().on_tick(counter)
            return ends or until()

    return Server


def _listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; one that cannot is refused before anything runs."""
    kind = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(kind)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(2048)
    except OSError as error:
        made.close()
        raise ParameterError(
            f"the address must be free, got {host} port {port}: {error.strerror}",
            owner="serve",
        ) from None
    return made


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host


class JSONLines(logging.Formatter):
    """Writes each entry of the log as an object of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of an entry."""
        at = datetime.fromtimestamp(record.created, UTC)
        entry = {
            "at": at.isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            entry["exception"] = self.formatException(record.exc_info)
        return json.dumps(entry)
