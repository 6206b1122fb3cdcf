"""`littlestone serve`: answer over HTTP, and learn when the labels come."""

from __future__ import annotations

import logging
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from littlestone.cli._groups import LATE, MODELS, OUTPUT, TOKENS, with_options
from littlestone.cli._learner_options import LearnerOptions
from littlestone.cli._options import Declare, declared
from littlestone.cli._say import say
from littlestone.display.words import aligned
from littlestone.errors import ParameterError

if TYPE_CHECKING:
    from littlestone.service._app import Limits
    from littlestone.service._config import Config, ModelConfig
    from littlestone.service._serving import Plan

__all__ = ["serve"]


class LateRule(StrEnum):
    """What is learned from a late label."""

    RELEARN = "relearn"
    SERVED = "served"


@with_options
def serve(
    chosen: LearnerOptions,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[token add NAME | token remove NAME | token list]",
            help="Manage the tokens of the data folder instead of serving.",
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Where ledgers, snapshots and tokens are kept; made if missing.",
        ),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            metavar="MODEL",
            help="Begin with the learner of this model file, as run --save writes it.",
            rich_help_panel=MODELS,
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(
            help="What the model is called in addresses; by default, the name of the "
            "learner or of the model file.",
            rich_help_panel=MODELS,
        ),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A TOML file with several models.",
            rich_help_panel=MODELS,
        ),
    ] = None,
    host: Annotated[
        str | None,
        typer.Option(help="The address to listen on; only 127.0.0.1 without tokens."),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(help="The port; 0 for any that is free.", min=0, max=65535),
    ] = None,
    declare: Declare = None,
    late: Annotated[
        LateRule,
        typer.Option(
            help="Learn from a late label if the learner would err on it now "
            "(relearn), or if what was served was wrong (served; perceptron and "
            "kernel-perceptron).",
            rich_help_panel=LATE,
        ),
    ] = LateRule.RELEARN,
    ttl: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="Let predictions without a label expire after this time.",
            rich_help_panel=LATE,
        ),
    ] = None,
    hold: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="Keep a label that comes before its prediction for this time.",
            rich_help_panel=LATE,
        ),
    ] = None,
    default_label: Annotated[
        str | None,
        typer.Option(
            metavar="JSON",
            help="Learn this label when a prediction expires, such as false.",
            rich_help_panel=LATE,
        ),
    ] = None,
    scope: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help="What the token may do, comma-separated: predict, label, read, admin.",
            rich_help_panel=TOKENS,
        ),
    ] = "predict,label,read",
    only: Annotated[
        str,
        typer.Option(
            metavar="MODELS",
            help="The models that the token is for, comma-separated; all if not given.",
            rich_help_panel=TOKENS,
        ),
    ] = "",
    json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Write the log as objects of JSON, as without a terminal.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
) -> None:
    """Serve predictions over HTTP, and learn when the labels come.

    Every prediction and every label is in a ledger on the disk before it is answered,
    exactly once. After a crash the service continues where it was. The page at / shows
    the mistakes beside the bound while traffic flows.

    For example:

        littlestone serve -l arow --data folder

        littlestone serve --model mail.lst --data folder --ttl 86400

        littlestone serve --config serve.toml

        littlestone serve token add shop --scope predict,label --data folder

    Without --learner, --model and --config the models of the data folder are served
    again, with the options for late labels that are given now.
    """
    from littlestone.service._app import Limits
    from littlestone.service._config import read_config
    from littlestone.service._serving import serve as run

    settings = None if config is None else read_config(config)
    folder = data
    if folder is None and settings is not None and settings.data:
        folder = Path(settings.data)
    if folder is None:
        raise ParameterError("--data must name the folder for the ledgers, got none")
    if words:
        _tokens(folder, words, scope, only)
        return
    policy = _policy(ttl, hold, default_label)
    limits = Limits() if settings is None else settings.all_limits()
    if settings is not None:
        if model is not None or chosen != LearnerOptions():
            raise ParameterError("--config must be given without --learner and --model")
        plans = _configured(settings, limits)
        host, port = host or settings.host, settings.port if port is None else port
    else:
        plans = [
            _plan(each, late.value, policy, declare)
            for each in _chosen(chosen, model, name, folder)
        ]
    json = json or not sys.stderr.isatty()
    _log(json=json)
    code = run(
        plans,
        folder,
        host=host or "127.0.0.1",
        port=8000 if port is None else port,
        limits=limits,
        ready=None if json else lambda at: say(f"Serving on {at}", err=True),
    )
    if code:
        raise typer.Exit(code)


def _chosen(
    chosen: LearnerOptions, model: Path | None, name: str | None, data: Path
) -> list[tuple[str, Any, Any]]:
    """Return the name, the learner and the reading of each model to serve."""
    if model is not None:
        if chosen != LearnerOptions():
            raise ParameterError("--model must be given without --learner")
        return [(name or _as_name(model.stem), *_loaded(model))]
    known = sorted(path.parent.name for path in data.glob("*/ledger.db"))
    if chosen == LearnerOptions() and known:
        return [(each, None, None) for each in known if name in (None, each)]
    named = chosen.learner.partition(":")[0]
    return [(name or _as_name(named), chosen.make(), None)]


def _loaded(path: Path) -> tuple[Any, Any]:
    from littlestone import models

    return models.load(path), models.reading(path)


def _as_name(text: str) -> str:
    """Return a text as the name of a model."""
    kept = "".join(each if each.isalnum() else "-" for each in text.lower())
    return kept.strip("-")[:64] or "model"


def _plan(which: tuple[str, Any, Any], late: Any, policy: Any, declare: Any) -> Plan:
    from littlestone.service._serving import Plan

    name, learner, reading = which
    return Plan(name, learner, reading, late, policy, declared(declare))


def _policy(ttl: float | None, hold: float | None, default: str | None) -> Any:
    from littlestone.service import Policy
    from littlestone.service._strict import BadJSONError, loads

    given: tuple[Any, ...] = ()
    if default is not None:
        try:
            given = (loads(default),)
        except BadJSONError:
            raise ParameterError(
                "--default-label must be JSON, such as false or '\"spam\"', got "
                f"{default!r}"
            ) from None
    return Policy(ttl=ttl, hold=hold, default=given)


def _configured(config: Config, limits: Limits) -> list[Plan]:
    from littlestone.service._serving import Plan

    return [
        Plan(
            name,
            *_begun(name, each),
            each.late,
            each.policy(limits),
            each.declare,
        )
        for name, each in config.models.items()
    ]


def _begun(name: str, given: ModelConfig) -> tuple[Any, Any]:
    if given.learner is not None and given.model is not None:
        raise ParameterError(f"models.{name} must have a learner or a model, got both")
    if given.model is not None:
        return _loaded(Path(given.model))
    if given.learner is None:
        return None, None
    return LearnerOptions.parse(given.learner).make(in_a_word=True), None


def _tokens(folder: Path, words: list[str], scope: str, only: str) -> None:
    """Add, remove or list tokens."""
    from littlestone.service._serving import TOKENS
    from littlestone.service._tokens import Tokens

    known = Tokens(folder / TOKENS)
    match words:
        case ["token", "add", name]:
            models = [each for each in only.split(",") if each]
            say(known.add(name, scope.split(","), models))
            say("This is the only time that it is shown.", err=True)
        case ["token", "remove", name]:
            known.remove(name)
        case ["token", "list"]:
            rows = [("name", "scopes", "models", "created")] + [
                (
                    token.name,
                    ",".join(token.scopes),
                    ",".join(token.models) or "all",
                    token.created,
                )
                for token in known.known
            ]
            say("\n".join(aligned(rows)))
        case _:
            raise ParameterError(
                "serve takes token add NAME, token remove NAME or token list, got "
                f"{' '.join(words)!r}"
            )


def _log(*, json: bool) -> None:
    """Send the log to standard error."""
    from littlestone.service._serving import JSONLines

    handler = logging.StreamHandler(sys.stderr)
    if json:
        handler.setFormatter(JSONLines())
    else:
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    for name in ("littlestone", "uvicorn.error"):
        log = logging.getLogger(name)
        log.addHandler(handler)
        log.setLevel("INFO")
