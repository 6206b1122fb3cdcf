"""The native core of littlestone. Private: use the Python front."""

from collections.abc import Sequence
from typing import Annotated, Any, overload

import numpy
import numpy.typing
from numpy.typing import NDArray


def label(y: object | None) -> bool:
    """The truth value of one label."""

@overload
def labels(labels: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def labels(labels: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def labels(labels: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def labels(labels: Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def labels(labels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def labels(labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def labels(labels: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def labels(labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def labels(labels: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def labels(labels: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def labels(labels: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def labels(labels: list[object], out: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Write the truth value of each label into out."""

class Rows:
    """Rows borrowed from arrays."""

    def __len__(self) -> int: ...

    def nonzeros(self, row: int) -> int:
        """How many entries a row has."""

    def most_nonzeros(self, first: int, last: int) -> int:
        """How many entries a row of [first, last) has at most."""

    def part(self, first: int, last: int) -> Rows:
        """The rows of [first, last) alone; nothing is copied."""

    def row(self, row: int) -> dict[Any, float]:
        """One row as a mapping from name or column number to value."""

    def entry(self, row: int, position: int) -> tuple[str | int, float]:
        """The feature and the value at one position of a row."""

@overload
def dense(values: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Rows: ...

@overload
def dense(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Rows:
    """Rows of a C-ordered matrix."""

@overload
def named(values: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], names: list[str]) -> Rows: ...

@overload
def named(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], names: list[str]) -> Rows:
    """Rows of a C-ordered matrix whose columns have names."""

@overload
def csr(offsets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int) -> Rows: ...

@overload
def csr(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int) -> Rows: ...

@overload
def csr(offsets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int) -> Rows: ...

@overload
def csr(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int) -> Rows:
    """Compressed sparse rows."""

class ExampleReader:
    """Reads examples, and refuses them, as every learner does."""

    def __init__(self, owner: str) -> None: ...

    def read(self, x: object) -> dict[str | int, float]:
        """The features and values of an example, without those of value 0."""

    def read_row(self, rows: Rows, row: int, first: int) -> dict[str | int, float]:
        """The same for a row of a block that is played from row `first` on."""

class NameTable:
    """Names of features, numbered in the order of entry."""

    def __init__(self) -> None: ...

    def __len__(self) -> int: ...

    @overload
    def add(self, text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int: ...

    @overload
    def add(self, text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int:
        """
        Add concatenated texts, all of them new; return the number of the first.
        """

def words(offsets: numpy.typing.NDArray[numpy.uint64], ids: numpy.typing.NDArray[numpy.uint32], values: numpy.typing.NDArray[numpy.float64], names: NameTable) -> Rows:
    """
    Sparse rows of numbered names, each at most once in a row; the table must not change any more.
    """

class LabelRule:
    """How the labels of a file are read."""

    def __init__(self, outcome: str = 'label', positive: str | None = None, *, unlabelled: str = 'refuse') -> None: ...

class LineBlock:
    """
    Rows parsed from lines; reused from one buffer to the next, which changes its arrays.
    """

    def truncate(self, count: int) -> None:
        """Drop the rows from `count` on."""

    def __len__(self) -> int: ...

    @property
    def labels(self) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,), writable=False)]: ...

    @property
    def lines(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), writable=False)]: ...

    @property
    def label_codes(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), writable=False)]: ...

    @property
    def label_numbers(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...

    @property
    def label_names(self) -> list[str]:
        """The labels of the codes, if any label is allowed."""

    @property
    def unlabelled(self) -> list[int]:
        """Rows without a label."""

    @property
    def other_labels(self) -> list[bytes]:
        """
        What no is called, where yes has a name, and an empty text if not only so.
        """

    @property
    def line_count(self) -> int: ...

    @property
    def skipped(self) -> int: ...

    @property
    def left_out(self) -> int: ...

    @property
    def first_zero(self) -> int | None:
        """The first row labelled 0."""

    @property
    def first_minus(self) -> int | None:
        """The first row labelled -1."""

    @property
    def fault(self) -> tuple[str, int, bytes] | None:
        """The fault that stopped the parsing: its kind, the line, and its text."""

    @property
    def fault_place(self) -> tuple[int, bytes] | None:
        """The position in that line, from 1, and the text there, if known."""

class SvmlightBlock(LineBlock):
    """Rows of svmlight text."""

    def __init__(self) -> None: ...

    def parse(self, text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], first: int, last: int, rule: LabelRule, skip: bool) -> None:
        """Parse the bytes [first, last), which are whole lines or records."""

    def rows(self) -> Rows:
        """The rows, borrowed."""

class TextRule:
    """Which columns of a text are read, and what its words become."""

    def __init__(self, label_rule: LabelRule, *, label: int | None, columns: Sequence[int], width: int, shortest: int, longest: int, lowercase: bool, counts: bool) -> None: ...

class TextBlock(LineBlock):
    """Rows of the words of a text."""

    def __init__(self) -> None: ...

    def parse(self, text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], first: int, last: int, rule: TextRule, skip: bool) -> None:
        """Parse the bytes [first, last), which are whole lines or records."""

    def rows(self) -> Rows:
        """The rows, borrowed."""

class VwRule:
    """
    Which lines and namespaces of Vowpal Wabbit text are read, and what its features become.
    """

    def __init__(self, label_rule: LabelRule, *, weights: str, sum: bool, hash_bits: int, keeps: bool, letters: Sequence[str], spaces: Sequence[str]) -> None: ...

class VwBlock(LineBlock):
    """Rows of Vowpal Wabbit text, hashed if the rule has hash_bits."""

    def __init__(self) -> None: ...

    def parse(self, text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], first: int, last: int, rule: VwRule, skip: bool) -> None:
        """Parse the bytes [first, last), which are whole lines or records."""

    def rows(self) -> Rows:
        """The rows, borrowed."""

    def tag(self, row: int) -> str:
        """The tag of a row; empty if it has none."""

    @property
    def repeated(self) -> list[tuple[int, int]]:
        """Rows that the caller must repeat, and how often."""

    def count(self, hasher: Hasher, first: int, last: int) -> None:
        """Count the collisions of the hashed rows [first, last)."""

class JsonLinesRule:
    """Where in an object the label and the features are."""

    def __init__(self, label_rule: LabelRule, *, label: str, features: str | None, weight: str | None, sum: bool, ignore: Sequence[str]) -> None: ...

class JsonLinesBlock(LineBlock):
    """Rows of JSON Lines."""

    def __init__(self) -> None: ...

    def parse(self, text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], first: int, last: int, rule: JsonLinesRule, skip: bool) -> None:
        """Parse the bytes [first, last), which are whole lines or records."""

    def rows(self) -> Rows:
        """The rows, borrowed."""

class TableRule:
    """How the columns of a table are read."""

    def __init__(self, *, columns: Sequence[tuple[str, str]], delimiter: str, missing: str, labels: str, positive: Sequence[str], negative: Sequence[str], unlabelled: str = 'refuse', dense: bool = False) -> None: ...

class TableBlock(LineBlock):
    """Rows of the cells of a table."""

    def __init__(self) -> None: ...

    def parse(self, text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], first: int, last: int, rule: TableRule, skip: bool) -> None:
        """Parse the bytes [first, last), which are whole lines or records."""

    def rows(self) -> Rows:
        """The rows, borrowed."""

    @property
    def values(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]:
        """The values of all rows, concatenated."""

    @property
    def outcomes(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...

    @property
    def fault_cell(self) -> tuple[int, int, bytes]:
        """
        The column at fault, the number of columns if that is wrong, and the text of the cell.
        """

def whole_records(text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], first: int, last: int, delimiter: str) -> int:
    """The end of the last whole record in the bytes [first, last)."""

def count_records(text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], first: int, last: int, delimiter: str, width: int, most: int) -> int:
    """
    How many records of `width` cells those bytes have, or of as many as the first if it is 0; at most `most`.
    """

def columns_of_numbers(text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], first: int, last: int, delimiter: str, width: int, most: int) -> list[bool]:
    """Which columns contain only numbers, in the first valid records."""

def read_record(text: Any, first: int, last: int, delimiter: str) -> tuple[list[bytes], int, int, str]:
    """
    The cells of the record at first, where the next begins, how many lines it takes, and what is wrong with it, if anything is.
    """

def plain_json(text: bytes) -> Any:
    """
    The value of a JSON text with one meaning beyond doubt, else NotImplemented.
    """

def plain_json_lines(text: bytes) -> list[Any]:
    """The same for each line."""

def asked_json(text: bytes) -> Any:
    """
    What asks for a prediction: the id or None, the example, and the example as JSON; NotImplemented if its meaning is not beyond doubt.
    """

def asked_json_lines(text: bytes) -> list[Any]:
    """The same for each line."""

def flat_lines(text: bytes) -> tuple[list[str | None], list[bytes]] | None:
    """
    The same for lines that all have an example of named numbers: the ids, and the examples as JSON; None if one of them is another.
    """

def chain(before: bytes, rows: list[Any]) -> list[bytes]:
    """
    The hashes of rows of a ledger (seq, kind, id, at, body, salt, digest, said, ...), each from the one before; the last is None, and of a row without the digest of its body, if there is one.
    """

def follows(seq: int, at: int, before: bytes, rows: list[Any]) -> int:
    """
    How many rows, with their hashes, follow from the row before: its number, its time and its hash.
    """

class HashedBlock:
    """Rows whose features are buckets."""

    def __len__(self) -> int: ...

    def rows(self) -> Rows:
        """The rows, borrowed."""

    @property
    def fault(self) -> tuple[str, int] | None:
        """
        The fault that stopped the hashing, in the row after the last: its kind and position.
        """

class Hasher:
    """Hashes features to buckets, and counts collisions."""

    def __init__(self, bits: int) -> None: ...

    def hash(self, rows: Rows, first: int, last: int) -> HashedBlock:
        """Hash rows [first, last), up to the first bad one."""

    def hash_one(self, features: list[Any], values: list[float]) -> HashedBlock:
        """Hash one example, given by its features and their values."""

    @property
    def buckets(self) -> int: ...

    @property
    def occurrences(self) -> int: ...

    @property
    def collided(self) -> int: ...

def bucket(feature: object, bits: int) -> int:
    """The column of a hashed feature."""

def pack_features(features: list[str | int]) -> dict[str, numpy.typing.NDArray[Any]]:
    """Features end to end as UTF-8, where each ends, and which are columns."""

def unpack_features(text: numpy.typing.NDArray[numpy.uint8], ends: numpy.typing.NDArray[numpy.uint64], kinds: numpy.typing.NDArray[numpy.uint8]) -> list[str | int]:
    """The features of these arrays."""

class KeptExamples:
    """Examples, with features numbered by their first occurrence."""

    def __init__(self) -> None: ...

    def add(self, rows: Rows, changed: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], first: int, last: int) -> None:
        """Keep the rows of [first, last) that changed the learner."""

    def add_one(self, features: list[str | int], values: Sequence[float]) -> None:
        """Keep one example, given by its features and their values."""

    def features(self) -> list[str | int]:
        """The features, in the order of their numbers."""

    def take(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float64]]:
        """
        Where each example ends, the numbers of its features, and their values; none are left.
        """

class Losses:
    """What a fixed vector loses on a stream, rounded up."""

    def __init__(self, features: list[str | int], weights: Sequence[float], levels: Sequence[tuple[float, float]], constant: float = 0.0, at_constant: float = 0.0, normalize: bool = False, counts: bool = False, sizes: bool = False, steps: tuple[float, float] | None = None) -> None: ...

    def add(self, rows: Rows, labels: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], first: int, last: int) -> None:
        """Add what is lost on the rows of [first, last)."""

    def sums(self) -> list[float]:
        """The sum of the losses, for each pair of levels."""

    def largest(self) -> float:
        """At least the largest squared length of a row."""

    def smallest(self) -> float:
        """
        The smallest size of a value that is not 0, if it is asked, or infinity.
        """

    def met(self) -> int:
        """How many features were not 0 in a row, if it counts."""

    def features(self) -> list[str | int]:
        """These features, the columns before the names."""

    def restore(self, sums: Sequence[float], largest: float, smallest: float) -> None:
        """Continue from what was added before."""

class StreamDigest:
    """The digest of a stream, written and hashed natively."""

    def __init__(self, begin: bytes) -> None: ...

    def add(self, rounds: bytes) -> None:
        """Add rounds that are written already."""

    def add_rows(self, rows: Rows, labels: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], first: int, last: int) -> None:
        """Add the rows of [first, last) with their labels."""

    def add_written(self, rows: Rows, labels: list[bytes], first: int, last: int) -> None:
        """The same with labels that are written already."""

    def digest(self) -> bytes:
        """The digest of all rounds so far."""

class MappedBlock:
    """Rows that a map has made."""

    def __len__(self) -> int: ...

    def rows(self) -> Rows:
        """The rows, borrowed."""

    @property
    def mixed(self) -> bool:
        """Whether some features have names and others column numbers."""

    @property
    def stopped(self) -> bool: ...

class Map:
    """Turns examples into others."""

    def apply(self, rows: Rows, first: int, last: int, learn: bool) -> MappedBlock:
        """Map rows [first, last), up to the first that cannot be."""

    def apply_one(self, x: object, learn: bool) -> Any:
        """Map one example: to a list of numbers, or to a mapping."""

    def refuse(self, rows: Rows, block: MappedBlock, row: int, first: int) -> None:
        """Raise what stopped a block at this row."""

    def mark(self) -> None:
        """Remember what was learned so far."""

    def undo(self) -> None:
        """Return to what was remembered."""

    def save(self) -> tuple[list[str | int], list[float]]:
        """The features met and what was learned of them."""

    def load(self, features: list[Any], state: list[float]) -> None:
        """Restore a new map from what save() returned."""

def fourier_map(*, dim: int, width: float, seed: int) -> Map: ...

def standardized_map(*, center: bool) -> Map: ...

def quadratic_map(*, bits: int) -> Map: ...

def crossed_map(pairs: list[tuple[str | int, str | int]]) -> Map: ...

@overload
def differing(a: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> int: ...

@overload
def differing(a: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> int: ...

@overload
def differing(a: object, b: object, out: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> int:
    """Write where two arrays differ, and return how often."""

def changes(labels: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int:
    """Count how often a label differs from the one before."""

def missing(labels: object, out: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')]) -> int:
    """Write which objects are None, and return how many."""

def add_labels(labels: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], wrong: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> int:
    """
    Count labels: no, yes, and no when there had been as many of each; return how often yes was wrong.
    """

def number_objects(labels: object, numbers: dict[object, int], out: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Write the number that a dict has for each label; new labels are added to it.
    """

def add_classes(labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], rounds: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], leader: int) -> tuple[int, int, list[int]]:
    """
    Count classes; return the commonest, how often it was not the label before, and the classes that are new.
    """

def add_errors(outcomes: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], said: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None:
    """
    Add rounds, errors, sizes, squares, outcomes above the first, squares, it.
    """

def add_chances(labels: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], losses: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], bins: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None:
    """Add rounds, log losses and Brier scores, and the same by tenths."""

def sum_through(sum: float, terms: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> float:
    """Add terms one by one; write the sum at some ends, and return the last."""

class Replayed:
    """What rows of a ledger that were played had."""

    @property
    def reached(self) -> int:
        """The first row that was not played."""

    @property
    def asked(self) -> int:
        """How many of them were predictions."""

    @property
    def labels(self) -> bytes:
        """The labels that were learned, a byte each."""

    @property
    def said(self) -> bytes:
        """What had been predicted, a byte each."""

    @property
    def delays(self) -> bytes:
        """How long each label took, as int64."""

    @property
    def late(self) -> int:
        """Predictions that would be others now."""

    @property
    def pairs(self) -> int:
        """Pairs of mistakes, one served before the other was known."""

    @property
    def outstanding(self) -> int:
        """The most others that waited when a label changed the learner."""

    @property
    def grown(self) -> int:
        """By how many bytes the open predictions grew."""

def keep_asked(open: dict[str, Any], rows: list[Any]) -> int:
    """
    Keep the predictions in rows as `replay` does; return by how many bytes what is kept grew.
    """

class Linear:
    """A learner of two labels: its rule, weights and names."""

    def predict_one(self, x: object | None) -> bool: ...

    def score_one(self, x: object | None) -> float: ...

    def learn_one(self, x: object | None, y: object | None, times: int = 1, importance: float = 1.0) -> None: ...

    def play_one(self, x: object | None, y: object | None, times: int = 1, importance: float = 1.0) -> bool: ...

    def add_one(self, x: object | None, y: object | None) -> None:
        """Learn as from a mistake, whatever is predicted now."""

    def play(self, rows: Rows, labels: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], predictions: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')] | None, repeats: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, first: int, last: int, changed: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')] | None = None, importances: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None = None, losses: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None = None, witness: Losses | None = None) -> None:
        """
        Play rows [first, last) in order; write the predictions, and which rounds changed the learner, what they scored, and what they cost. A witness is charged for them.
        """

    def score(self, rows: Rows, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], first: int, last: int) -> None:
        """Score rows [first, last); learn nothing."""

    def limit_features(self, most: int) -> None:
        """Refuse rows beyond so many features, if the rule has a full matrix."""

    def items(self) -> list[tuple[str | int, float]]:
        """Each feature whose weight is not the initial one."""

    def count(self) -> int:
        """How many features items() lists."""

    def weight(self, feature: object) -> float | None:
        """The weight of one feature; None while it is the initial one."""

    def cells(self) -> list[tuple[str | int, list[float]]]:
        """The numbers kept for each feature."""

    def save(self) -> dict[str, Any]:
        """Everything learned, and every name met, as arrays."""

    def load(self, columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, column_cells: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], kinds: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], name_cells: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], rule: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], updates: int, width: int) -> None:
        """Restore a new learner from what save() returned."""

    @property
    def updates(self) -> int: ...

    @property
    def width(self) -> int: ...

    @property
    def loss(self) -> float: ...

    @property
    def last_loss(self) -> float: ...

    @property
    def classes(self) -> int: ...

    @property
    def state(self) -> list[float]: ...

    def replay(self, rows: list[Any], first: int, *, most_labels: int, most_features: int, counts: tuple[int, int, int], open: dict[str, Any], older: dict[str, Any]) -> Replayed:
        """
        Play plain rows of a ledger again, up to so many labels; `counts` are the labels learned, the mistakes, and the predictions that wait.
        """

    def teach(self, told: list[Any], first: int, *, now: int, most_labels: int, most_features: int, counts: tuple[int, int, int], open: dict[str, Any], older: dict[str, Any]) -> Replayed:
        """
        Learn labels that come now, as pairs of the id of a prediction and its label, up to one that is not plainly that.
        """

    def score_bodies(self, bodies: list[bytes], most_features: int) -> list[float] | None:
        """
        What it says of the examples in the bodies of rows; None if one of them is not plain or is refused.
        """

class Multiclass:
    """A learner of many classes, which have numbers."""

    def predict_one(self, x: object | None) -> int: ...

    def score_one(self, x: object | None) -> list[float]: ...

    def learn_one(self, x: object | None, y: object | None, times: int = 1, importance: float = 1.0) -> None: ...

    def play_one(self, x: object | None, y: object | None, times: int = 1, importance: float = 1.0) -> int: ...

    def add_one(self, x: object | None, y: object | None) -> None:
        """Learn as from a mistake, whatever is predicted now."""

    def play(self, rows: Rows, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], predictions: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')] | None, repeats: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, first: int, last: int, changed: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')] | None = None, importances: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None = None, losses: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None = None, witness: Losses | None = None) -> None:
        """
        Play rows [first, last) in order; write the predictions, and which rounds changed the learner, what they scored, and what they cost. A witness is charged for them.
        """

    def score(self, rows: Rows, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], first: int, last: int) -> None:
        """Score rows [first, last); learn nothing."""

    def limit_features(self, most: int) -> None:
        """Refuse rows beyond so many features, if the rule has a full matrix."""

    def items(self) -> list[tuple[str | int, list[float]]]:
        """Each feature whose weight is not the initial one."""

    def count(self) -> int:
        """How many features items() lists."""

    def weight(self, feature: object) -> list[float] | None:
        """The weight of one feature; None while it is the initial one."""

    def cells(self) -> list[tuple[str | int, list[float]]]:
        """The numbers kept for each feature."""

    def save(self) -> dict[str, Any]:
        """Everything learned, and every name met, as arrays."""

    def load(self, columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, column_cells: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], kinds: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], name_cells: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], rule: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], updates: int, width: int) -> None:
        """Restore a new learner from what save() returned."""

    @property
    def updates(self) -> int: ...

    @property
    def width(self) -> int: ...

    @property
    def loss(self) -> float: ...

    @property
    def last_loss(self) -> float: ...

    @property
    def classes(self) -> int: ...

    @property
    def state(self) -> list[float]: ...

class Regressor:
    """A learner of numbers."""

    def predict_one(self, x: object | None) -> float: ...

    def score_one(self, x: object | None) -> float: ...

    def learn_one(self, x: object | None, y: object | None, times: int = 1, importance: float = 1.0) -> None: ...

    def play_one(self, x: object | None, y: object | None, times: int = 1, importance: float = 1.0) -> float: ...

    def add_one(self, x: object | None, y: object | None) -> None:
        """Learn as from a mistake, whatever is predicted now."""

    def play(self, rows: Rows, labels: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], predictions: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, repeats: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, first: int, last: int, changed: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')] | None = None, importances: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None = None, losses: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None = None, witness: Losses | None = None) -> None:
        """
        Play rows [first, last) in order; write the predictions, and which rounds changed the learner, what they scored, and what they cost. A witness is charged for them.
        """

    def score(self, rows: Rows, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], first: int, last: int) -> None:
        """Score rows [first, last); learn nothing."""

    def limit_features(self, most: int) -> None:
        """Refuse rows beyond so many features, if the rule has a full matrix."""

    def items(self) -> list[tuple[str | int, float]]:
        """Each feature whose weight is not the initial one."""

    def count(self) -> int:
        """How many features items() lists."""

    def weight(self, feature: object) -> float | None:
        """The weight of one feature; None while it is the initial one."""

    def cells(self) -> list[tuple[str | int, list[float]]]:
        """The numbers kept for each feature."""

    def save(self) -> dict[str, Any]:
        """Everything learned, and every name met, as arrays."""

    def load(self, columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, column_cells: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], kinds: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], name_cells: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], rule: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], updates: int, width: int) -> None:
        """Restore a new learner from what save() returned."""

    @property
    def updates(self) -> int: ...

    @property
    def width(self) -> int: ...

    @property
    def loss(self) -> float: ...

    @property
    def last_loss(self) -> float: ...

    @property
    def classes(self) -> int: ...

    @property
    def state(self) -> list[float]: ...

class SplitMix:
    """Random numbers from a seed."""

    def __init__(self, state: int) -> None: ...

    def below(self, end: int) -> int:
        """A whole number from 0 to end - 1."""

    @property
    def state(self) -> int: ...

def sinh_in_place(logs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """The weights of Balanced Winnow from their logarithms."""

def perceptron(owner: str, *, on_margin: bool, normalize: bool, strict: bool, bias: float) -> Linear: ...

def averaged_perceptron(owner: str, *, bias: float) -> Linear: ...

def voted_perceptron(owner: str, *, bias: float) -> Linear: ...

def kernel_perceptron(owner: str, *, kernel: str, gamma: float, offset: float, degree: int, on_margin: bool, budget: int | None, seed: int) -> Linear: ...

def passive_aggressive(owner: str, *, mode: str, c: float, bias: float) -> Linear: ...

def second_order_perceptron(owner: str, *, r: float, diagonal: bool, bias: float) -> Linear: ...

def arow(owner: str, *, r: float, diagonal: bool, bias: float) -> Linear: ...

def winnow(owner: str, *, threshold: float, promotion: float, log_promotion: float, eliminate: bool) -> Linear: ...

def balanced_winnow(owner: str, *, rate: float, scale: float, bias: float) -> Linear: ...

def multiclass_perceptron(owner: str, *, classes: int, bias: float) -> Multiclass: ...

def multiclass_passive_aggressive(owner: str, *, classes: int, mode: str, c: float, bias: float) -> Multiclass: ...

def multiclass_ada_grad(owner: str, *, classes: int, rate: float, normalize: bool, bias: float) -> Multiclass: ...

def soften(scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], classes: int) -> None:
    """Turn the scores of classes, a row an example, into probabilities."""

def gradient_descent(owner: str, *, loss: str, parameter: float, rate: float, bias: float) -> object:
    """Make a learner by its loss."""

def ada_grad(owner: str, *, loss: str, parameter: float, rate: float, normalize: bool, bias: float) -> object:
    """Make a learner by its loss."""

def coin_betting(owner: str, *, loss: str, parameter: float, wealth: float, scale: float, bias: float) -> object:
    """Make a learner by its loss."""

def ftrl(owner: str, *, loss: str, parameter: float, rate: float, l1: float, l2: float, normalize: bool, bias: float) -> object:
    """Make a learner by its loss."""

def exponentiated_gradient(owner: str, *, loss: str, parameter: float, rate: float, scale: float, bias: float) -> object:
    """Make a learner by its loss."""

def aioli(owner: str, *, a: float, reach: float, bias: float) -> Linear: ...

def vovk_azoury_warmuth(owner: str, *, a: float, bias: float) -> Regressor: ...

def respond(loss: str, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Turn scores into probabilities of a yes, or into the means they stand for.
    """

class OneVersusRest:
    """A learner of two labels for each of many classes."""

    def predict_one(self, x: object | None) -> int: ...

    def score_one(self, x: object | None) -> list[float]: ...

    def play_one(self, x: object | None, y: int, times: int = 1) -> int: ...

    def play(self, rows: Rows, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], predictions: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], repeats: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, first: int, last: int, changed: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')] | None = None, scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None = None) -> None:
        """
        Play rows [first, last) in order; write the predictions, and which rounds changed the learner, and what they scored.
        """

    def score(self, rows: Rows, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], first: int, last: int) -> None:
        """Score rows [first, last); learn nothing."""

    def limit_features(self, most: int) -> None:
        """Let full matrices refuse more features than this."""

    def items(self) -> list[tuple[str | int, list[float]]]:
        """Each feature with a weight, and its weights."""

    def weight(self, feature: object) -> list[float] | None:
        """The weights of one feature; None while they are the initial ones."""

    def features(self) -> list[str | int]:
        """The features met, in order."""

    def blocks(self) -> list[dict[str, Any]]:
        """What the learner of each class has learned, as arrays."""

    def load_features(self, features: list[Any], updates: int, width: int) -> None:
        """Restore the features of a new learner, and forget its classes."""

    def load(self, columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, column_cells: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], kinds: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], name_cells: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], rule: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], updates: int, width: int) -> None:
        """Restore one more class."""

    @property
    def updates(self) -> int: ...

    @property
    def width(self) -> int: ...

    @property
    def classes(self) -> int: ...

def multiclass_arow(owner: str, *, classes: int, r: float, diagonal: bool, bias: float) -> OneVersusRest: ...

def multiclass_second_order(owner: str, *, classes: int, r: float, diagonal: bool, bias: float) -> OneVersusRest: ...

class ClassReadings:
    """Reads scores of classes as probabilities."""

    def __init__(self, owner: str, members: int) -> None: ...

    @property
    def size(self) -> int:
        """How many readings there are."""

    def play(self, scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], known: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], chances: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
        """Write what each reading gives to the right class, and learn it."""

    def mix(self, scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], chances: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None:
        """
        Add the probabilities of all classes, each reading by its weight: of all rounds or of each. With labels, learn each round.
        """

    def state(self) -> list[list[float]]:
        """Of each stack its weights, and the squares of its slopes."""

    def restore(self, saved: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """Take the state of another."""

def exponentials(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Replace each number by its exponential, with equal bits on every machine.
    """

def vote_copies(votes: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], mistakes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], beta: float, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Let copies vote, row by row; write by how much yes wins, and learn the labels.
    """

class Forecaster:
    def begin(self, priors: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], names: object | None) -> None: ...

    def join(self, share: float, name: object | None) -> None: ...

    def predict_one(self, x: object | None) -> object: ...

    def play_one(self, x: object | None, y: object | None) -> object: ...

    def play_spread(self, x: object, y: float, said: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], pairs: bool) -> bool: ...

    def read_one(self, x: object | None) -> list[float]: ...

    def learn_given(self, advice: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], losses: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], own: float, slope: float, may_sleep: bool) -> None: ...

    def play(self, advice: object, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], predictions: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], losses: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], first: int, last: int, outcomes: int, may_sleep: bool, looks: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], seen: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    def predict(self, advice: object, predictions: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], first: int, last: int, outcomes: int, may_sleep: bool) -> None: ...

    @property
    def size(self) -> int: ...

    @property
    def rounds(self) -> int: ...

    @property
    def own_loss(self) -> float: ...

    @property
    def expected(self) -> float: ...

    @property
    def last_loss(self) -> float: ...

    def weights(self, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], asleep: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

    def losses(self, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    def own_losses(self, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    def state(self) -> list[list[float]]: ...

    def restore(self, numbers: Sequence[Sequence[float]], names: object | None) -> None: ...

def forecaster(owner: str, rule: str, numbers: Sequence[float], *, loss: int, tau: float, combine: int, gradient: bool, hedge: bool, labels: bool, probabilities: bool, low: float, high: float, least: float, most: float, seed: int) -> Forecaster: ...

class Halving:
    def __init__(self, owner: str, *, restart: bool, keep_losses: bool) -> None: ...

    def begin(self, experts: int, names: object | None, priors: Sequence[float]) -> None: ...

    def join(self, name: object | None) -> None: ...

    def predict_one(self, x: object | None) -> bool: ...

    def play_one(self, x: object | None, y: object | None) -> bool: ...

    def play(self, votes: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], awake: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, labels: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], predictions: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')], first: int, last: int) -> None: ...

    def predict(self, votes: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], awake: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, predictions: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    def alive(self, out: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    def losses(self, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    def own_losses(self, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    @property
    def size(self) -> int: ...

    @property
    def living(self) -> int: ...

    @property
    def mistakes(self) -> int: ...

    @property
    def rounds(self) -> int: ...

    @property
    def restarts(self) -> int: ...

    def state(self) -> list[list[int]]: ...

    def restore(self, words: Sequence[Sequence[int]], names: object | None) -> None: ...

class Boolean:
    """A learner of Boolean rules, and the features it has met."""

    def predict_one(self, x: object | None) -> bool: ...

    def play_one(self, x: object | None, y: object | None, times: int = 1) -> bool: ...

    def play(self, rows: Rows, labels: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], predictions: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')], repeats: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, first: int, last: int, changed: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')] | None = None, looks: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, seen: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')] | None = None) -> None:
        """
        Play rows [first, last) in order; write the predictions, which rounds changed the learner, and how many features were seen by the rows in looks, or -1 if no concept was left.
        """

    def predict(self, rows: Rows, predictions: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Write the prediction for each row; learn nothing."""

    def number(self, feature: object) -> int | None:
        """
        The number of a feature, in order of first occurrence; None if it is new.
        """

    def lesson(self, at: int) -> tuple[int, tuple[str | int, ...], bool]:
        """Round, true features and label of an example that updated it."""

    def dropped_by(self, clause: Sequence[int]) -> int | None:
        """The first lesson in which all of these literals are false."""

    def clauses(self) -> list[list[int]]:
        """The clauses left, by literals: twice the feature, plus 1 if negated."""

    def rules(self) -> list[tuple[list[int], bool]]:
        """The rules of a decision list, the last being the default."""

    def standing(self, term: list[int], label: bool) -> tuple[int, int | None]:
        """The level of a rule, and the lesson that moved it last."""

    def weights(self) -> list[tuple[list[int], float]]:
        """The terms that weigh more or less than 1, and their weights."""

    def state(self) -> tuple[list[str | int], int, int, dict[str, numpy.typing.NDArray[Any]], tuple[Any, ...] | None, list[int]]:
        """Everything learned."""

    def restore(self, features: list[str | int], rounds: int, updates: int, lessons: dict[str, numpy.typing.NDArray[Any]], proof: tuple[Any, ...] | None, state: list[int]) -> None:
        """Restore a new learner from what state() returned."""

    def join(self, features: list[str | int], rounds: int, lessons: dict[str, numpy.typing.NDArray[Any]]) -> None:
        """Learn what another learner was taught by a later part of the stream."""

    @property
    def features(self) -> list[str | int]: ...

    @property
    def lessons(self) -> int: ...

    @property
    def rounds(self) -> int: ...

    @property
    def updates(self) -> int: ...

    @property
    def ruled_out(self) -> bool: ...

    @property
    def unrealizable(self) -> tuple[int, list[tuple[int, tuple[str | int, ...], bool]]] | None: ...

def literals(owner: str, *, positive: bool, negative: bool, dual: bool, features: list[str | int] | None) -> Boolean:
    """Eliminates literals of a conjunction."""

def clauses(owner: str, *, k: int, dual: bool, features: list[str | int] | None) -> Boolean:
    """Eliminates clauses of a conjunction."""

def winnow_terms(owner: str, *, k: int, threshold: float, promotion: float, features: list[str | int] | None) -> Boolean:
    """Winnow over the terms of at most k literals."""

def decision_list(owner: str, *, k: int, features: list[str | int] | None) -> Boolean:
    """Moves rules of a decision list from level to level."""

def literal_rules(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], width: int) -> list[tuple[int, bool]]:
    """
    Cover rows labelled 0 or 1 by literals, each of one label; 2 is left out.
    """

def find_margin(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], signs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], duals: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], v: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], *, cap: float, ridge: float, tolerance: float, work: float, least: float = 0.0, useful: float = 0.0, seed: int = 0) -> tuple[float, float, int, bool]:
    """
    Minimize |v|^2/2 plus losses; return bounds on the minimum, the passes, and whether it is close.
    """

def find_level_margin(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], signs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], caps: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], levels: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], duals: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], v: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], *, tolerance: float, work: float, seed: int = 0) -> tuple[float, float, int, bool]:
    """The same with a price and a level to reach for each row."""

def find_gram_margin(products: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], signs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], duals: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], *, cap: float, ridge: float, tolerance: float, work: float, least: float = 0.0, seed: int = 0) -> tuple[float, float, int, bool]:
    """The same if only inner products are known."""

def best_scale(margins: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], radius: float, squares: bool) -> float:
    """The scale of a direction that minimizes the sum of length and losses."""

def score_bounds(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], v: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], low: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], high: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Write lower and upper bounds on the exact x.v of each row."""

def square_bounds(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int, high: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Write upper bounds on the exact x.x of each row."""

def scale_by_length(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scaled: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Write each row divided by its length; zero rows do not change."""

def replay_steps(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], signs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], v: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], *, cap: float, ridge: float, steps: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], gains: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Write the steps of a passive-aggressive learner, and what each gained."""

def replay_means(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], signs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, r: float, means: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ones: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], twos: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], steps: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], gains: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Write where the mean of AROW went, its steps, and what each gained."""

def hexadecimals(numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> list[str]:
    """Write numbers as `float.hex` does."""
