"""Certificates of every version are read, written and accepted for ever."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from littlestone import Certificate, verify

FOLDER = Path(__file__).parents[1] / "golden"
STREAMS = sorted(FOLDER.glob("*/certificates/*.stream.json"))


@pytest.mark.parametrize("path", STREAMS, ids=lambda path: path.name.partition(".")[0])
def test_a_certificate_of_then_is_accepted_as_it_was(path: Path) -> None:
    saved = path.with_name(path.name.replace(".stream", ""))
    certificate = Certificate.load(saved)
    assert certificate.to_json() == saved.read_text(encoding="ascii")
    assert certificate.counted <= certificate.bound
    stream = [tuple(each) for each in json.loads(path.read_text())]
    for verdict in (verify(saved), verify(saved, stream), verify(certificate, stream)):
        assert verdict, verdict
    assert not verify(saved, stream[:-1])


def test_there_are_some() -> None:
    assert len(STREAMS) >= 10
