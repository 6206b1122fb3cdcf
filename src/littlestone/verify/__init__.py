"""The judge's room: certificates are verified here, alone.

It imports the standard library, the theorems and the concepts. What it knows of the
learners are their twins, a dozen plain lines each.
"""

from __future__ import annotations

from littlestone.verify._certificate import FORMAT, Certificate, as_number, as_text
from littlestone.verify._digest import Digest
from littlestone.verify._judge import Verdict, verify
from littlestone.verify.proofs import PROOFS, Proof, Unsound

__all__ = [
    "FORMAT",
    "PROOFS",
    "Certificate",
    "Digest",
    "Proof",
    "Unsound",
    "Verdict",
    "as_number",
    "as_text",
    "verify",
]
