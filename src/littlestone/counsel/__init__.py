"""Which linear learner to use on a stream, and why."""

from __future__ import annotations

from littlestone.counsel._advise import Counsel, advise
from littlestone.counsel._margins import Margin
from littlestone.counsel._survey import Survey
from littlestone.counsel._trials import Trial

__all__ = ["Counsel", "Margin", "Survey", "Trial", "advise"]
