"""Certify a run: find a witness for one of the learner's theorems.

Only the rounds that changed the learner matter, so the search looks at their examples
alone. Any witness is valid; a better one gives a smaller bound.
"""

from littlestone.certifying._certify import LEARNERS, certify

__all__ = ["LEARNERS", "certify"]
