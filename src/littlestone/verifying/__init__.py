"""The judge: verifies certificates, independently of the learners.

It imports the standard library, the theorems and the concepts. Instead of the learners
it has their twins, a dozen plain lines each. The names below are loaded on first use,
because a run takes a digest but needs no judge.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from littlestone.verifying._certificate import FORMAT, Certificate
    from littlestone.verifying._digest import Digest
    from littlestone.verifying._judge import verify
    from littlestone.verifying._late import Late
    from littlestone.verifying._numbers import as_number, as_text
    from littlestone.verifying._verdict import Verdict
    from littlestone.verifying._work import MOST_WORK
    from littlestone.verifying.proofs import PROOFS, STREAM_PROOFS, Proof, Unsound

__all__ = [
    "FORMAT",
    "MOST_WORK",
    "PROOFS",
    "STREAM_PROOFS",
    "Certificate",
    "Digest",
    "Late",
    "Proof",
    "Unsound",
    "Verdict",
    "as_number",
    "as_text",
    "verify",
]

_HOMES = {
    "FORMAT": "_certificate",
    "MOST_WORK": "_work",
    "PROOFS": "proofs",
    "STREAM_PROOFS": "proofs",
    "Certificate": "_certificate",
    "Digest": "_digest",
    "Late": "_late",
    "Proof": "proofs",
    "Unsound": "proofs",
    "Verdict": "_verdict",
    "as_number": "_numbers",
    "as_text": "_numbers",
    "verify": "_judge",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
