"""`littlestone export`: write a model for other runtimes."""

from __future__ import annotations

import json as json_format
from pathlib import Path
from typing import Annotated, Any

import typer

from littlestone.cli._options import Json
from littlestone.cli._say import say
from littlestone.cli._summary import check_place
from littlestone.errors import ParameterError
from littlestone.outputs import replacing

__all__ = ["export"]


def export(
    model: Annotated[
        str, typer.Argument(help="A model file, as run --save writes it.")
    ],
    onnx: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write an ONNX graph here.")
    ] = None,
    sql: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a rule as a SQL condition here."),
    ] = None,
    python: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a rule as a Python function here."),
    ] = None,
    name: Annotated[
        str, typer.Option(help="The name of the Python function.")
    ] = "rule",
    features: Annotated[
        str | None,
        typer.Option(
            metavar="N or A,B,…",
            help="The columns of the input: how many, or their names in order. By "
            "default the columns met, then the names that have a weight.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Write a learner of a model file for other runtimes: ONNX, SQL or Python.

    For example:

        littlestone run mail.svm --learner arow --save mail.lst

        littlestone export mail.lst --onnx mail.onnx

        littlestone export iris.lst --onnx iris.onnx --features length,width

        littlestone export mushrooms.lst --sql rule.sql --python rule.py --name edible

    Linear learners can be written as ONNX. The graph takes rows of float64 numbers, X,
    and gives the label and score of each row. Its metadata lists the feature of each
    column. It needs the extra `onnx`.

    Learners of rules can be written as SQL and Python, which need nothing else. The SQL
    is a condition that is true or false, never null: odor=foul asks the column odor.
    The Python is a function of a mapping from feature to value.
    """
    from littlestone import models

    learner = models.load(model)
    if [onnx, sql, python] == [None, None, None]:
        raise ParameterError("one of --onnx, --sql and --python must be given")
    _rule(learner, model, sql=sql, python=python, name=name, json=json)
    if onnx is None:
        return
    from littlestone.compat import onnx as room

    if onnx.exists() and onnx.samefile(model):
        raise ParameterError(f"--onnx must not be the model file, got {str(onnx)!r}")
    columns: int | list[str | int] | None = None
    if features is not None:
        columns = int(features) if features.isdecimal() else [*features.split(",")]
    graph = room.export(learner, onnx, features=columns)
    told = {prop.key: prop.value for prop in graph.metadata_props}
    names, classes = json_format.loads(told["features"]), told["classes"]
    if json:
        say(
            json_format.dumps(
                {
                    "path": str(onnx),
                    "learner": told["learner"],
                    "features": names,
                    "classes": json_format.loads(classes),
                }
            )
        )
        return
    counted = f"{len(names):,} column{'' if len(names) == 1 else 's'}"
    say(f"{onnx}: {told['learner']} of {counted}, with the labels {classes}")


def _rule(
    learner: Any,
    model: str,
    *,
    sql: Path | None,
    python: Path | None,
    name: str,
    json: bool,
) -> None:
    """Write a rule in other languages."""
    texts = []
    for option, path in (("--sql", sql), ("--python", python)):
        if path is None:
            continue
        if not hasattr(learner, "concept_"):
            raise ParameterError(
                f"{option} is for learners of rules, got {type(learner).__name__}"
            )
        if path.exists() and path.samefile(model):
            raise ParameterError(
                f"{option} must not be the model file, got {str(path)!r}"
            )
        check_place(option, path)
        concept = learner.concept_
        is_sql = option == "--sql"
        text = concept.to_sql(cells=True) + "\n" if is_sql else concept.to_python(name)
        texts.append((path, text))
    for path, text in texts:
        with replacing(path) as file:
            file.write(text.encode())
        facts = {"path": str(path), "learner": type(learner).__name__}
        words = f"{path}: the rule of {facts['learner']}"
        say(json_format.dumps(facts) if json else words)
