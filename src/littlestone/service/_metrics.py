"""What Prometheus may know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.metrics_core import GaugeMetricFamily, HistogramMetricFamily

from littlestone.service._served import DELAYS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["Metrics"]

_COUNTS = {
    "rounds": "Labels that were learned",
    "mistakes": "Predictions that were wrong",
    "updates": "Labels that changed the learner",
    "open": "Predictions that wait for their label",
    "held": "Labels that wait for their prediction",
    "expired": "Predictions whose label did not come in time",
    "late": "Predictions that would have been others when their label came",
    "seq": "Rows of the ledger",
    "bound": "What a theorem guarantees, without hindsight",
    "regret": "Loss beyond that of the best expert",
    "loss": "Loss of the learner",
    "outstanding": "The most other predictions that waited when a label changed it",
    "pairs": "Pairs of mistakes of which one was served before the other was known",
}


class Metrics:
    """Counts requests, and shows the counts of models."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "littlestone_requests",
            "Requests by route and status",
            ["method", "route", "status"],
            registry=self._registry,
        )
        self._seconds = Histogram(
            "littlestone_request_seconds",
            "Time from a request to its answer",
            ["route"],
            registry=self._registry,
        )
        self._known: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        # A stranger may choose any method for what is no route.
        key = "other" if route == "other" else method, route, status
        if key not in self._known:
            counter = self._requests.labels(key[0], route, str(status))
            self._known[key] = counter, self._seconds.labels(route)
        counter, histogram = self._known[key]
        counter.inc()
        histogram.observe(seconds)

    def text(
        self, states: Mapping[str, Mapping[str, Any]], readers: int
    ) -> tuple[str, bytes]:
        """Return the type and the text of all metrics."""
        made = CollectorRegistry()
        made.register(_States(states, readers))
        return CONTENT_TYPE_LATEST, generate_latest(self._registry) + generate_latest(
            made
        )


class _States:
    """The counts of models, as Prometheus collects them."""

    def __init__(self, states: Mapping[str, Mapping[str, Any]], readers: int) -> None:
        self._states, self._readers = states, readers

    def collect(self) -> Iterator[Any]:
        """Yield the metrics."""
        yield GaugeMetricFamily(
            "littlestone_event_readers", "Readers of events", value=self._readers
        )
        for name, what in _COUNTS.items():
            gauge = GaugeMetricFamily(f"littlestone_{name}", what, labels=["model"])
            for model, state in self._states.items():
                if state.get(name) is not None:
                    gauge.add_metric([model], float(state[name]))
            yield gauge
        delays = HistogramMetricFamily(
            "littlestone_label_delay_seconds",
            "Time from a prediction to its label",
            labels=["model"],
        )
        for model, state in self._states.items():
            total, buckets = 0, []
            ends = [*map(str, DELAYS), "+Inf"]
            for end, count in zip(ends, state["delays"], strict=True):
                total += count
                buckets.append((end, total))
            delays.add_metric([model], buckets, sum_value=None)
        yield delays
