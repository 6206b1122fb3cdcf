"""Learners that follow advice, or nothing but the labels told so far."""

from littlestone.experts.cover import Cover
from littlestone.experts.follow_the_majority import FollowTheMajority

__all__ = ["Cover", "FollowTheMajority"]
