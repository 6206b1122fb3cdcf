"""How the tests run: no test may fail because the machine is busy.

By default a property is tried on 30 examples; `make soak` tries each on 500, with
`--hypothesis-profile=thorough`.
"""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("littlestone", deadline=None, max_examples=30)
settings.register_profile("thorough", deadline=None, max_examples=500)
settings.load_profile("littlestone")
