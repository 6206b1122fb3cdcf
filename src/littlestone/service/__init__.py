"""The service: predict now, learn when the label comes, lose nothing.

Every prediction and every label is a row of a durable, chained ledger before it is
answered. A model is its ledger: replayed, it gives the same answers and the same
weights, to the last bit.
"""

from __future__ import annotations

from littlestone.errors import MissingPackageError

try:
    import msgspec  # noqa: F401 - only to see whether it is there
except ImportError as error:
    raise MissingPackageError(
        'the service needs more packages: pip install "littlestone[serve]"',
        owner="service",
    ) from error

from littlestone.service._birth import born
from littlestone.service._ledger import Ledger, Row
from littlestone.service._policy import Answer, Policy
from littlestone.service._replay import (
    Replayed,
    arrivals,
    certify_ledger,
    replay,
    what_if,
)
from littlestone.service._served import ServedModel

__all__ = [
    "Answer",
    "Ledger",
    "Policy",
    "Replayed",
    "Row",
    "ServedModel",
    "arrivals",
    "born",
    "certify_ledger",
    "replay",
    "what_if",
]
