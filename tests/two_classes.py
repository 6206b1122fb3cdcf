"""Every real data set of two classes, where it is at hand, read by plain Python."""

from __future__ import annotations

import csv
import gzip
import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from sklearn import datasets

from data import data_file

if TYPE_CHECKING:
    from collections.abc import Iterator

Examples = list[tuple[dict[int | str, float], bool]]


@dataclass(frozen=True)
class TwoClasses:
    """A file, the column of its label unless it is svmlight, and what means yes."""

    file: str
    label: str = ""
    positive: str = "1"
    texts: tuple[str, ...] = ()  # the columns whose words are features
    sorted: bool = False  # by class, so that its first lines are of one

    @property
    def path(self) -> Path:
        """Where it is; a test that asks is skipped if it is missing."""
        return data_file(self.file)

    def __str__(self) -> str:
        return Path(self.file).name.removesuffix(".gz")

    def read(self, most: int | None = None) -> Examples:
        """Return the examples, or the first of them, shuffled if they are sorted."""
        rows: Iterator[tuple[dict[int | str, float], bool]]
        with gzip.open(self.path, "rt", encoding="utf-8", newline="") as lines:
            if self.label:
                tabs = ".tsv" in self.file
                table = csv.DictReader(
                    lines,
                    delimiter="\t" if tabs else ",",
                    quoting=csv.QUOTE_NONE if tabs else csv.QUOTE_MINIMAL,
                )
                rows = (self._of_cells(row) for row in table)
            else:
                rows = map(_of_pairs, lines)
            if not self.sorted:
                return list(itertools.islice(rows, most))
            whole = list(rows)
        order = np.random.default_rng(1962).permutation(len(whole))[:most]
        return [whole[i] for i in order]

    def _of_cells(self, row: dict[str, str]) -> tuple[dict[int | str, float], bool]:
        x: dict[int | str, float] = {}
        y = row.pop(self.label) == self.positive
        if self.texts:
            words = " ".join(row[column] for column in self.texts).lower().split()
            return dict.fromkeys(words, 1.0), y
        for column, cell in row.items():
            try:
                x[column] = float(cell)
            except ValueError:
                x[f"{column}={cell}"] = 1.0
        return x, y


@dataclass(frozen=True)
class Shipped:
    """A third of a set of scikit-learn, its columns divided by their largest value.

    It is there without any file, so its certificates can always be compared.
    """

    name: str = "breast_cancer"

    def __str__(self) -> str:
        return f"{self.name} of scikit-learn"

    def read(self, most: int | None = None) -> Examples:
        """Return the examples, or the first of them."""
        X, y = getattr(datasets, f"load_{self.name}")(return_X_y=True)
        X, y = np.round(X / X.max(axis=0), 3)[::3], y[::3]
        rows = zip(X[:most].tolist(), y[:most].tolist(), strict=True)
        return [(dict(enumerate(x)), bool(label)) for x, label in rows]


def _of_pairs(line: str) -> tuple[dict[int | str, float], bool]:
    """Read a line of svmlight, or of Vowpal Wabbit with one namespace."""
    label, *pairs = (part for part in line.split() if not part.startswith("|"))
    named = (pair.split(":") for pair in pairs)
    return {int(index): float(value) for index, value in named}, float(label) == 1


def _all() -> Iterator[TwoClasses]:
    for file in (
        "agaricus/agaricus.train.svm",
        "agaricus/agaricus.test.svm",
        "a9a/a9a.train.svm",
        "a9a/a9a.test.svm",
        "a1a-libol/a1a.svm",
        "a1a-libol/a1a.t.svm",
        "w8a/w8a.train.svm",
        "w1a-libol/w1a.svm",
        "phishing/phishing.svm",
        "heart_scale/heart_scale.svm",
        "breast-cancer_scale/breast-cancer_scale.svm",
        "svmguide3/svmguide3.svm",
        "reuters-moneyfx/reuters-moneyfx.train.svm",
        "reuters-moneyfx/reuters-moneyfx.test.svm",
        "spam-drift/spam_drift.svm",
        "vw-rcv1-small/rcv1_small.vw",
        "vw-rcv1-small/rcv1_small_test.vw",
    ):
        of_one = file.startswith(("svmguide3", "w1a", "w8a"))
        yield TwoClasses(f"{file}.gz", sorted=of_one)
    for file, label, positive in (
        ("skin_nonskin/skin_nonskin.csv", "label", "1"),
        ("magic04/magic04.csv", "class", "g"),
        ("spambase/spambase.csv", "type", "spam"),
        ("airlines-5pct/airlines_5pct.csv", "Delay", "1"),
        ("elec2/elec.csv", "target", "1"),
        ("sea/sea_stream.csv", "class", "1"),
        ("river-phishing/phishing_river.csv", "is_phishing", "1"),
        ("tic-tac-toe/tic-tac-toe.csv", "class", "positive"),
        ("vote/house-votes-84.csv", "class", "republican"),
        ("agaricus/agaricus-lepiota.csv", "class", "p"),
        *(
            (f"monks/monks-{i}.{part}.csv", "class", "1")
            for i in (1, 2, 3)
            for part in ("train", "test")
        ),
    ):
        of_one = file.startswith(("skin", "magic", "spambase", "tic"))
        yield TwoClasses(f"{file}.gz", label, positive, sorted=of_one)
    for file, positive, texts in (
        ("sms-spam/sms_spam.tsv", "spam", ("text",)),
        ("enron-spam/enron_spam.tsv", "spam", ("subject", "text")),
        ("spamassassin/spamassassin.tsv", "spam", ("subject", "body")),
        ("movie-reviews-polarity2.0/movie_reviews.tsv", "pos", ("text",)),
        ("sentence-polarity/sentence_polarity.tsv", "pos", ("text",)),
        ("subjectivity/subjectivity.tsv", "subj", ("text",)),
        ("pros-cons/pros_cons.tsv", "pros", ("text",)),
    ):
        yield TwoClasses(f"{file}.gz", "label", positive, texts)


TWO_CLASSES = tuple(_all())
