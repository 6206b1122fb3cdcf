"""The logger of the library, which a program configures as any other.

Nothing is printed unless the program asks for it:
`logging.getLogger("littlestone").setLevel("INFO")` and a handler. Runs, checkpoints and
certificates are logged as INFO; what was left out, and which learners left a race, as
WARNING.

Examples
--------
>>> import logging, sys
>>> from littlestone import run
>>> from littlestone.linear import Perceptron
>>> handler = logging.StreamHandler(sys.stdout)
>>> log = logging.getLogger("littlestone")
>>> log.addHandler(handler)
>>> log.setLevel("INFO")
>>> record = run(Perceptron(), [({"a": 1}, True)])
run begins: Perceptron(update='mistake', normalize=False, bias=0.0)
run ends: Record(Perceptron: 1 round, 0 mistakes (0.00%), 0 updates)
>>> log.setLevel("NOTSET")
>>> log.removeHandler(handler)
"""

from __future__ import annotations

import logging

__all__ = ["LOG"]

LOG = logging.getLogger("littlestone")
"""The logger `littlestone`."""

LOG.addHandler(logging.NullHandler())  # so that Python prints no warning of its own
