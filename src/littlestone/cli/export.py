"""`littlestone export`: write a model for other runtimes."""

from __future__ import annotations

import json as json_format
from pathlib import Path
from typing import Annotated

import typer

from littlestone.cli._options import Json
from littlestone.cli._say import say
from littlestone.errors import ParameterError

__all__ = ["export"]


def export(
    model: Annotated[
        str, typer.Argument(help="A model file, as run --save writes it.")
    ],
    onnx: Annotated[
        Path, typer.Option(metavar="FILE", help="Write an ONNX graph here.")
    ],
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
    """Write a linear learner of a model file as an ONNX graph.

    The graph takes rows of float64 numbers, X, and gives the label and score of each
    row. Its metadata lists the feature of each column. Learners of rules, kernels and
    votes cannot be exported. It needs the extra `onnx`.

    For example:

        littlestone run mail.svm --learner arow --save mail.lst

        littlestone export mail.lst --onnx mail.onnx

        littlestone export iris.lst --onnx iris.onnx --features length,width
    """
    from littlestone import models
    from littlestone.compat import onnx as room

    learner = models.load(model)
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
