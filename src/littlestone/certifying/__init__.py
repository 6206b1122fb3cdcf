"""Hold a run against its theorem: find a witness, and say what it proves.

A witness is searched among the examples of the rounds that changed the learner, because
only those matter. Whatever is found is valid: a better witness only tightens the bound.
"""

from littlestone.certifying._certify import LEARNERS, certify

__all__ = ["LEARNERS", "certify"]
