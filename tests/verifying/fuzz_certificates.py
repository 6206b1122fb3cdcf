"""Mutate certificates, seal them anew, and judge them: a verdict or our error comes.

    python tests/verifying/fuzz_certificates.py 100000 [--seed SEED]

The mutations are new ones each time, unless the seed is given. A certificate that takes
more than a minute, anything but a verdict or a `CertificateError`, and a certificate
that is accepted though what it says is false, end it.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import random
import secrets
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from certificates import sealed
from forgeable import Forgeable, forgeable
from littlestone import Certificate, theorems, verify
from littlestone.errors import CertificateError
from littlestone.verifying import as_number, as_text
from tampering import at, put, walked
from verifying.truth import truth_of

FOLDER = Path(__file__).parent.parent / "golden" / "0.1" / "certificates"
PATIENCE = 60  # seconds for one certificate, also on a busy machine
NINES = "9" * 3900
ODD: list[Any] = [
    *(None, True, False, 0, 1, -1, 2, 7, 10**6, 2**24, 10**9, 2**62, 2**63, 10**30),
    *("", "a", "0", "1", "-1", "1/3", NINES, f"1/{NINES}", f"-{NINES}", f"{NINES}/7"),
    *("1000000001/1000000000", f"1{'0' * 3899}1/1{'0' * 3900}", "\x1b[2J", "\ud800"),
    *([], {}, [[]], [["a", "1"]], {"kind": "none"}, {"map": []}, {"fraction": "1/3"}),
    *({"double": (1e300).hex()}, {"double": "inf"}, {"concept": ["KDNF", "(" * 500]}),
]


def mutated(plain: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """Return a certificate with a few places changed, often with the right bound."""
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        paths = list(walked(plain))
        path = chance.choice(paths)
        other = at(plain, chance.choice(paths))
        plain = put(plain, path, chance.choice((chance.choice(ODD), other)))
    if chance.random() < 0.5:
        try:
            exact = {name: as_number(text) for name, text in plain["numbers"].items()}
            bound = theorems.get(plain["theorem"]).bound(**exact)
            plain["bound"] = as_text(bound)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            pass
    return plain


def _golden() -> Iterator[Forgeable]:
    for path in sorted(FOLDER.glob("*.stream.json")):
        saved = path.with_name(path.name.replace(".stream", ""))
        plain = json.loads(saved.read_text())
        del plain["seal"]
        yield saved.name, plain, [tuple(each) for each in json.loads(path.read_text())]


def judge(count: int, seed: int, step: int = 1) -> Counter[str]:
    """Judge so many certificates, of every so many makers; count what came of it."""
    chance, found = random.Random(seed), Counter[str]()  # noqa: S311 - no secret
    given = [*_golden(), *forgeable(step)]
    for number in range(count):
        name, plain, stream = chance.choice(given)
        faulthandler.dump_traceback_later(PATIENCE, exit=True)
        try:
            text = sealed(mutated(plain, chance))
            certificate = Certificate.from_json(text)
            str(certificate)
            verdict = verify(certificate, stream)
            found["accepted" if verdict else "rejected"] += 1
            if verdict:
                honest = Certificate.from_json(sealed(plain))
                found[truth_of(certificate, honest, stream)] += 1
        except CertificateError as error:
            found[type(error).__name__] += 1
        except Exception:
            sys.stderr.write(f"seed {seed}, certificate {number}, of {name}:\n{text}\n")
            raise
        finally:
            faulthandler.cancel_dump_traceback_later()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    given = parser.parse_args()
    sys.stdout.write(f"seed {given.seed}\n")
    sys.stdout.write(f"{dict(judge(given.count, given.seed))}\n")


if __name__ == "__main__":
    main()
