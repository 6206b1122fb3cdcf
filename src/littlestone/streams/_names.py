"""Names of features for native rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["end_to_end"]


def end_to_end(names: list[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the bytes of names end to end, and where each begins."""
    written = [name.encode() for name in names]
    offsets = np.zeros(len(names) + 1, dtype=np.int64)
    np.cumsum([len(name) for name in written], out=offsets[1:])
    return np.frombuffer(b"".join(written), dtype=np.uint8), offsets
