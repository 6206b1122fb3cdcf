"""`littlestone export` writes a graph that says what the saved learner says."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnxruntime

from command import call
from littlestone import models
from littlestone.boolean import ConjunctionLearner
from littlestone.linear import Perceptron


def test_the_graph_says_what_the_model_says(tmp_path: Path) -> None:
    model, graph = tmp_path / "mail.lst", tmp_path / "mail.onnx"
    learner = Perceptron(bias=1.0)
    learner.learn_one({"cheap": 1.0, "pills": 2.0}, y=False)
    models.save(learner, model)
    done = call("export", model, "--onnx", graph, "--features", "pills,cheap")
    assert (done.returncode, done.stderr) == (0, "")
    told = f"{graph}: Perceptron of 2 columns, with the labels [false, true]\n"
    assert done.stdout == told
    session = onnxruntime.InferenceSession(graph.read_bytes())
    labels, scores = session.run(None, {"X": np.array([[1.0, 0.0], [-1.0, 0.0]])})
    assert labels.tolist() == [False, True]
    assert scores.tolist() == [-3.0, 1.0]
    done = call("export", model, "--onnx", graph, "--json")
    assert json.loads(done.stdout)["features"] == ["cheap", "pills"]


def test_a_rule_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    model, graph = tmp_path / "rule.lst", tmp_path / "rule.onnx"
    models.save(ConjunctionLearner(), model)
    done = call("export", model, "--onnx", graph)
    assert done.returncode == 2
    assert "must score by one weight a feature" in done.stderr
    assert not graph.exists()
