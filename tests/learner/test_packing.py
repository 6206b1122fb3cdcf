"""Features are written end to end, and read again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone.errors import ParameterError
from littlestone.learner.packing import packed_features, unpacked_features

COLUMNS = st.integers(0, 2**32 - 1)
NAMES = st.text(st.characters(exclude_categories=["Cs"]))


@given(st.lists(COLUMNS | NAMES))
def test_what_was_packed_is_unpacked(features: list[Any]) -> None:
    packed = packed_features(features)
    written = [str(feature).encode() for feature in features]
    assert packed["text"].tobytes() == b"".join(written)
    assert packed["ends"].tolist() == np.cumsum([*map(len, written)]).tolist()
    found = unpacked_features("Test", packed)
    assert found == features
    assert [*map(type, found)] == [*map(type, features)]


@pytest.mark.parametrize("written", ["", "01", "-1", "1x", str(2**32), "9" * 30])
def test_what_is_no_column_number_is_refused(written: str) -> None:
    packed = packed_features([written])
    packed["kinds"][:] = 1
    with pytest.raises(ParameterError, match=r"Test: .*column numbers below 2\*\*32"):
        unpacked_features("Test", packed)


def test_other_arrays_are_refused() -> None:
    packed = packed_features(["a", "b"])
    with pytest.raises(ParameterError, match="expected features as arrays"):
        unpacked_features("Test", {**packed, "ends": packed["ends"].astype(np.int64)})
    with pytest.raises(ParameterError, match="expected features one after another"):
        unpacked_features("Test", {**packed, "kinds": packed["kinds"][:1]})
    every_other = np.repeat(packed["kinds"], 2)[::2]  # which is not contiguous
    assert unpacked_features("Test", {**packed, "kinds": every_other}) == ["a", "b"]
