"""How the tests run: no test may fail because the machine is busy."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("littlestone", deadline=None)
settings.load_profile("littlestone")
