"""Train over 45 files on all cores, certify the run, and check the certificate.

Run it with `python examples/many_files.py`. Each file stands for a day of mail; on a
cluster the same call takes `client=` and a path that all workers can read.
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

from littlestone import cluster, run, streams, verify
from littlestone.linear import Perceptron

DAYS = 45
SPAM = ("free", "money", "pills", "winner")
HAM = ("lunch", "meeting", "report", "thanks")


def write_days(folder: Path, mails: int) -> str:
    """Write a file a day, and return the pattern that matches them."""
    rng = random.Random(7)  # noqa: S311 - makes data, not secrets
    for day in range(DAYS):
        with (folder / f"day{day:02}.vw").open("w") as out:
            for _ in range(mails):
                spam = rng.random() < 0.4
                words = rng.choices(SPAM if spam else HAM, k=3)
                words += [rng.choice(SPAM + HAM), f"name{rng.randrange(500)}"]
                out.write(f"{1 if spam else -1} | {' '.join(dict.fromkeys(words))}\n")
    return str(folder / "day*.vw")


def main(mails: int = 400, workers: int | None = None) -> None:
    """Train, test, certify and verify."""
    with tempfile.TemporaryDirectory() as name:
        files = write_days(Path(name), mails)
        learner = Perceptron()
        record = cluster.run(
            learner, files, workers=workers, epochs=3, keep="updates", progress=True
        )
        print(record)
        print(record.price)
        for number, epoch in enumerate(record.epochs, 1):
            print(f"epoch {number}: {epoch.mistakes:,} mistakes")
        tested = run(learner, streams.vw(files), learn=False)
        print(f"on all of it now: {tested.mistakes:,} mistakes")
        certificate = cluster.certify(record)
        counted, bound = certificate.counted, certificate.bound
        print(f"{counted:.6g} weighted updates of at most {bound:.6g}")
        print(verify(certificate, streams.vw(files)))


if __name__ == "__main__":
    main(workers=int(sys.argv[1]) if len(sys.argv) > 1 else None)
