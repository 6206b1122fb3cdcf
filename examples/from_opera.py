"""What opera says of its electric load, and what `littlestone.compat.opera` says.

    python examples/from_opera.py FILE

FILE is opera_experts.csv or opera_experts.csv.gz: a week a line, with the columns y,
gam, ar and gbm. In R one writes

    m <- mixture(Y = y, experts = experts, model = "MLpol", loss.type = "square")

and here nearly the same. opera is a package of R, and is not run by this script: its
column is what it printed for this file, under R 4.2.2. So the time is ours alone.
"""

import gzip
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

from littlestone.compat.opera import Mixture, oracle
from littlestone.theorems import Theorem
from side_by_side import tell

EXPERTS = ["gam", "ar", "gbm"]

# By model: the root of the mean square, and the last weights, as opera printed them.
OPERA = {
    "MLpol": (1457.476154, (0.57711427, 0.42288573, 0.0)),
    "BOA": (1500.625517, (0.728124300, 0.215614107, 0.056261593)),
    "MLprod": (1507.073064, (0.703404898, 0.244501856, 0.052093246)),
}


def read(path: Path) -> pd.DataFrame:
    """Return the weeks."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt") as file:
        frame = pd.read_csv(file)
    if not {"y", *EXPERTS} <= {*frame.columns}:
        raise ValueError(f"the columns must be y, {', '.join(EXPERTS)}")
    return frame


def mixtures(frame: pd.DataFrame) -> dict[str, Mixture]:
    """Return each mixture, as opera makes it when nothing else is said."""
    return {
        model: Mixture(frame["y"], frame[EXPERTS], model, loss_type="square")
        for model in OPERA
    }


def root(said: object, outcomes: object) -> float:
    """Return the root of the mean square distance."""
    return float(np.sqrt(np.mean((np.asarray(said) - np.asarray(outcomes)) ** 2)))


def guarantees(mixture: Mixture) -> list[Theorem]:
    """Return the theorems of the learner beneath, which opera has not."""
    return list(mixture.learner.guarantees)


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        frame = read(Path(sys.argv[1]))
    except (OSError, ValueError) as error:
        sys.exit(f"{sys.argv[1]} must exist and hold opera's experts: {error}")
    started = time.perf_counter()
    made = mixtures(frame)
    seconds = time.perf_counter() - started
    for model, (distance, weights) in OPERA.items():
        mixture = made[model]
        tell(
            f"{model}, {len(frame)} weeks",
            "opera, printed",
            {
                "root of the mean square": (
                    distance,
                    root(mixture.prediction, frame["y"]),
                )
            }
            | {
                f"weight of {name}": (theirs, float(ours))
                for name, theirs, ours in zip(
                    EXPERTS, weights, mixture.coefficients, strict=True
                )
            }
            | {"theorem": ("-", ", ".join(t.id for t in guarantees(mixture)))},
        )
    best = oracle(frame["y"], frame[EXPERTS], model="convex")
    print(f"the best convex combination in hindsight: {best.rmse:,.4g}")
    print(f"the three of them took {seconds:.3f} s; opera was not there to be timed")


if __name__ == "__main__":
    main()
