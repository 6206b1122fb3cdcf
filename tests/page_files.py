"""The files that the pages of the documentation speak of but do not show.

A page that shows a file needs no entry: a block with a title is written as a file.
"""

from __future__ import annotations

import gzip
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from data import data_file

__all__ = ["FILES", "lay_out"]


MAIL = [("spam", "free pills today"), ("ham", "lunch at noon"), ("spam", "free lunch")]


def _text(text: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        raw = text.encode()
        path.write_bytes(gzip.compress(raw) if path.suffix == ".gz" else raw)

    return write


def _copy(name: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        shutil.copy(data_file(name), path)

    return write


def _parquet(path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table(
        {
            "price": [3.0, 1.0, 4.0, 1.0],
            "page": ["a", "b", "a", "c"],
            "clicked": [True, False, True, False],
        }
    )
    pytest.importorskip("pyarrow.parquet").write_table(table, path)


def _svmlight(labels: tuple[str, ...] = ("1", "-1")) -> str:
    """Return lines whose label is told by a feature each."""
    draw = random.Random(1)  # noqa: S311 - a file to read, no secret
    lines = []
    for _ in range(60):
        k = draw.randrange(len(labels))
        lines.append(f"{labels[k]} {k + 1}:1 {draw.randrange(10, 20)}:1")
    return "\n".join(lines) + "\n"


_MAIL = "label\ttext\n" + "".join(f"{label}\t{text}\n" for label, text in MAIL)
_VW = "1 |ad shoes price:2 |u ann\n-1 |ad hats |u bob\n"
_VW_ODD = _VW + "1 2 |ad shoes |u bob\n| hats\n"  # a weight, and no label
_JSON = '{"clicked": 1, "price": 2, "page": "a"}\n{"clicked": 0, "price": 5}\n'
_LOAD = "gam,ar,load\n50,52,49\n51,50,50\n48,,49\n"
_FLATS = "rooms,city,zip,let\n2,Ghent,9000,yes\n3.5,Bruges,8000,no\n,Ghent,9000,yes\n"
_MUSHROOMS = "class,odor,cap\np,f,x\ne,n,x\np,f,b\ne,a,b\n"
_MINE = """\
from littlestone.experts import Halving as MyHalving
from littlestone.linear import Perceptron as MyPerceptron
"""

FILES: dict[str, Callable[[Path], None]] = {
    "ads.vw": _text(_VW_ODD),
    "ads.vw.gz": _text(_VW),
    "clicks.jsonl": _text(_JSON),
    "clicks.jsonl.gz": _text(_JSON),
    "clicks.parquet": _parquet,
    "clicks.svm": _text(_svmlight()),
    "flats.csv": _text(_FLATS),
    "huge.svm": _text(_svmlight()),
    "load.csv": _text(_LOAD.replace("48,,49\n", "")),
    "load.csv.gz": _text(_LOAD),
    "logs/2026-01/1.parquet": _parquet,
    "mail.svm.gz": _text(_svmlight()),
    "mail.tsv": _text(_MAIL),
    "mail.tsv.gz": _text(_MAIL),
    "mine.py": _text(_MINE),
    "monday.vw": _text(_VW),
    "mushrooms.csv": _text(_MUSHROOMS),
    "mushrooms.csv.gz": _copy("agaricus/agaricus-lepiota.csv.gz"),
    "mushrooms.svm.gz": _copy("agaricus/agaricus.train.svm.gz"),
    "news.svm": _text(_svmlight(("sport", "politics", "2"))),
    "seats.csv": _text("mean,last,trend,seats\n0.5,0.4,0.3,0.3\n0.5,0.3,0.2,0.4\n"),
    "tuesday.svm.gz": _text(_svmlight()),
    "tuesday.vw": _text(_VW),
}


def _ledger(path: Path, late: Any = "relearn") -> None:
    """Write a ledger of forty visits, each labelled when the next one comes."""
    from littlestone.linear import AROW, Perceptron  # noqa: PLC0415 - for a few pages
    from littlestone.service import Ledger, ServedModel, born  # noqa: PLC0415

    with Ledger(path, create=True) as ledger:
        born(ledger, AROW() if late == "relearn" else Perceptron(bias=1), late=late)
        model = ServedModel(ledger, snapshot=path.with_name("snapshot.lst"))
        with ledger.commit():
            for number in range(1, 41):
                features = {"price": number % 7 / 2, "shoes": number % 2}
                model.predict(f"visit-{number}", {"features": features})
                if number > 1:
                    model.label(f"visit-{number - 1}", number % 2 == 0)
        model.save()


FILES["shop/clicks/ledger.db"] = _ledger
FILES["shop/visits/ledger.db"] = lambda path: _ledger(path, "served")


def lay_out(folder: Path, words: str) -> None:
    """Write the files that are named among these words, or whose folder is."""
    for name, write in FILES.items():
        if name.split("/", maxsplit=1)[0] in words:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            write(path)
