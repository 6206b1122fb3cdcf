"""`littlestone demo --serve`: two weeks of made-up traffic through the real server."""

from __future__ import annotations

import heapq
import http.client
import json
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from littlestone.cli._say import say

__all__ = ["serve_demo"]

_DAYS = 14
_MOST_BATCHES = 400
_ROWS = 50  # visits in a batch
_NEVER = 0.05  # of the labels
_NAMES = [f"page{k}" for k in range(40)]
_EXPERTS = ("recent", "prior", "seasonal")
_TYPE = {"content-type": "application/x-ndjson"}


def serve_demo(folder: Path, seconds: float, *, stays: bool) -> int:
    """Serve two models while traffic flows; return 0 if all bounds hold.

    Parameters
    ----------
    folder
        Where the ledgers go.
    seconds
        How many seconds the two weeks take.
    stays
        Whether to serve on after the last day, until Ctrl-C.
    """
    from littlestone.experts import WeightedMajority
    from littlestone.linear import Perceptron
    from littlestone.service import Policy, replay
    from littlestone.service._birth import now
    from littlestone.service._serving import LEDGER, Plan, serve

    # Labels are true if shoes weigh more than the rest: u has length 1 and margin 1/4.
    policy = Policy(ttl=3 * 86_400)
    plans = [
        Plan(
            "clicks",
            Perceptron(),
            late="served",
            policy=policy,
            declare={"margin": 0.25, "radius": 2},
        ),
        Plan("votes", WeightedMajority(0.5), policy=policy),
    ]
    begun, speed = now(), _DAYS * 86_400 / seconds
    traffic = _Traffic(seconds)

    def ready(address: str) -> None:
        say(f"Open {address} in a browser: {_DAYS} days pass in {seconds:g} seconds.")
        traffic.begin(address)

    code = serve(
        plans,
        folder,
        port=0,
        ready=ready,
        until=lambda: traffic.over.is_set() and not stays,
        clock=lambda: begun + int((now() - begun) * speed),
    )
    traffic.stop()
    for plan in plans:
        record = replay(folder / plan.name / LEDGER).record
        say(f"{plan.name}: every answer again as it was served: {record}")
        code = code or int(record.exceeded)
    return code or int(traffic.fault is not None)


class _Traffic:
    """Visitors, whose labels come after minutes or days, or never."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._batches = min(_MOST_BATCHES, int(20 * seconds))  # that a server can take
        self.over = threading.Event()
        self.fault: Exception | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._address = ""

    def begin(self, address: str) -> None:
        self._address = address.removeprefix("http://")
        self._thread.start()

    def stop(self) -> None:
        self.over.set()
        self._thread.join(10)

    def _run(self) -> None:
        try:
            self._flow()
        except Exception as error:  # noqa: BLE001 - told at the end
            self.fault = error
        self.over.set()

    def _flow(self) -> None:
        import numpy as np

        rng = np.random.default_rng(14)
        line = http.client.HTTPConnection(self._address, timeout=60)
        waiting: list[tuple[float, str, str, bool]] = []
        begun = time.monotonic()
        for batch in range(self._batches):
            if self.over.is_set():
                break
            day = _DAYS * batch / self._batches
            for model, make in (("clicks", _visit), ("votes", _vote)):
                rows, labels = [], []
                for k in range(_ROWS):
                    given, label = make(rng, day)
                    rows.append({"id": f"{model}-{batch}-{k}", **given})
                    labels.append(label)
                self._send(line, f"/v1/models/{model}/predictions", rows)
                for row, label in zip(rows, labels, strict=True):
                    if rng.random() >= _NEVER:
                        late = day + float(rng.lognormal(-3.0, 1.5))
                        heapq.heappush(waiting, (late, model, row["id"], label))
            for model in ("clicks", "votes"):
                due = [each for each in waiting if each[0] <= day and each[1] == model]
                told = [{"id": id_, "label": label} for _, _, id_, label in due]
                if told:
                    self._send(line, f"/v1/models/{model}/labels", told)
            waiting = [each for each in waiting if each[0] > day]
            ahead = (
                begun + (batch + 1) * self._seconds / self._batches - time.monotonic()
            )
            self.over.wait(max(0.0, ahead))
        with suppress(OSError):
            line.close()

    @staticmethod
    def _send(line: http.client.HTTPConnection, path: str, rows: list[Any]) -> None:
        line.request("POST", path, "\n".join(map(json.dumps, rows)), _TYPE)
        answer = line.getresponse()
        said = [json.loads(each) for each in answer.read().splitlines()]
        # A label may come after its prediction has expired.
        wrong = [each for each in said if each["status"] not in (200, 201, 410)]
        if answer.status != http.client.OK or wrong:
            raise RuntimeError(f"{path}: {answer.status} {wrong[:1]}")


def _visit(rng: Any, day: float) -> tuple[dict[str, Any], bool]:
    """Return a visit; which pages sell changes in the second week."""
    label = bool(rng.random() < 0.5)  # noqa: PLR2004 - a fair coin
    sells, bores = ("shoes", "hats") if day < _DAYS / 2 else ("hats", "shoes")
    features = {sells if label else bores: 1.0}
    for name in rng.choice(_NAMES, 3, replace=False):
        features[str(name)] = 0.25
    return {"features": features}, label


def _vote(rng: Any, day: float) -> tuple[dict[str, Any], bool]:
    """Return the advice of three experts; who is best changes with the week."""
    label = bool(rng.random() < 0.5)  # noqa: PLR2004 - a fair coin
    right = (0.9, 0.7, 0.6) if day < _DAYS / 2 else (0.6, 0.9, 0.7)
    advice = {
        name: label if rng.random() < chance else not label
        for name, chance in zip(_EXPERTS, right, strict=True)
    }
    return {"advice": advice}, label
