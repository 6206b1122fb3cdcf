"""opera's rules once more, from the formulas, with NumPy and nothing of ours."""

# ruff: noqa: D101, D102 - the rules are called as in opera, and explained there

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Charge = Callable[[Any, Any], Any]

LOSSES: dict[str, tuple[Charge, Charge]] = {
    "square": (lambda p, y: (p - y) ** 2, lambda p, y: 2 * (p - y)),
    "absolute": (lambda p, y: abs(p - y), lambda p, y: np.sign(p - y)),
    "percentage": (lambda p, y: abs(p - y) / y, lambda p, y: np.sign(p - y) / y),
}


def pinball(tau: float) -> tuple[Charge, Charge]:
    return (lambda p, y: ((y < p) - tau) * (p - y), lambda p, y: (y < p) - tau)


def softmax(x: Floats) -> Floats:
    e = np.exp(x - x.max())
    return np.asarray(e / e.sum())


class Rule:
    """Raw weights `u`, and what regrets `r` do to them."""

    def __init__(self, n: int, **numbers: float) -> None:
        self.n = n
        self.prior = np.full(n, 1 / n)
        self.numbers = numbers
        self.R, self.V = np.zeros(n), np.zeros(n)
        self.awake = np.ones(n, dtype=np.bool_)
        self.begin()

    def begin(self) -> None:
        """Set what the rule needs beyond sums of regrets and of their squares."""

    def u(self) -> Floats:
        """Return the weights, of any scale."""
        raise NotImplementedError

    def learn(self, r: Floats) -> None:
        """Take the regrets of one round."""
        raise NotImplementedError


class MLpol(Rule):
    largest = 0.0

    def u(self) -> Floats:
        if self.R.max() <= 0:
            return np.zeros(self.n)
        return np.asarray(np.maximum(self.R, 0) / (self.V + self.largest))

    def learn(self, r: Floats) -> None:
        self.R, self.V = self.R + r, self.V + r * r
        self.largest = max(self.largest, float((r * r).max()))


class MLprod(Rule):
    def begin(self) -> None:
        self.V, self.M = np.ones(self.n), np.zeros(self.n)
        self.eta = np.full(self.n, np.sqrt(np.log(self.n)))

    def u(self) -> Floats:
        return np.asarray(self.eta * np.exp(self.R - self.R.max()))

    def learn(self, r: Floats) -> None:
        self.V, self.M = self.V + r * r, np.maximum(self.M, abs(r))
        with np.errstate(divide="ignore"):
            eta = np.minimum(0.5 / self.M, np.sqrt(np.log(self.n) / self.V))
        self.R = eta / self.eta * self.R + np.log1p(eta * r)
        self.eta = eta


class MLewa(Rule):
    def u(self) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            x = np.where(self.V > 0, np.sqrt(np.log(self.n) / self.V) * self.R, 0.0)
        return softmax(x + np.log(self.prior))

    def learn(self, r: Floats) -> None:
        self.R, self.V = self.R + r, self.V + r * r


class BOA(Rule):
    def u(self) -> Floats:
        u, on = self.prior.copy(), (self.V > 0) & self.awake
        if on.any():
            q = 2.2 * self.V[on]
            x = np.log(self.prior[on]) - np.log(q) / 2 + self.R[on] / np.sqrt(q)
            u[on] = self.prior[on].sum() * softmax(x)
        return u

    def learn(self, r: Floats) -> None:
        self.V = self.V + r * r
        on = self.V > 0
        self.R[on] += r[on] - r[on] ** 2 / np.sqrt(2.2 * self.V[on])


class EWA(Rule):
    def u(self) -> Floats:
        return softmax(np.log(self.prior) + self.numbers["eta"] * self.R)

    def learn(self, r: Floats) -> None:
        self.R = self.R + r


class FS(Rule):
    def begin(self) -> None:
        self.w = self.prior.copy()

    def u(self) -> Floats:
        return self.w

    def learn(self, r: Floats) -> None:
        alpha = self.numbers["alpha"]
        v = softmax(np.log(self.w) + self.numbers["eta"] * r)
        self.w = alpha / self.n + (1 - alpha) * v


RULES = {rule.__name__: rule for rule in (MLpol, MLprod, MLewa, BOA, EWA, FS)}


def combine(u: Floats, f: Floats) -> tuple[float, Floats]:
    """Return the prediction and the weights of those awake."""
    awake = ~np.isnan(f)
    w = np.where(awake, u, 0.0)
    if w.sum() == 0:
        w = awake.astype(float)
    w = w / w.sum()
    return float(np.where(awake, f, 0.0) @ w), w


def regret(
    f: Floats, y: float, p: float, loss: tuple[Charge, Charge], *, gradient: bool
) -> Floats:
    value, slope = loss
    g = slope(p, y)
    r = g * p - g * f if gradient else value(p, y) - value(f, y)
    return np.where(np.isnan(f), 0.0, r)


def play(
    rule: Rule, F: Floats, y: Floats, loss: tuple[Charge, Charge], *, gradient: bool
) -> tuple[Floats, Floats, Floats]:
    """Return predictions, the weights of every round, and the next ones."""
    said, weights = np.empty(len(y)), np.empty(F.shape)
    for t in range(len(y)):
        rule.awake = ~np.isnan(F[t])
        said[t], weights[t] = combine(rule.u(), F[t])
        rule.learn(regret(F[t], y[t], said[t], loss, gradient=gradient))
    rule.awake[:] = True
    return said, weights, combine(rule.u(), np.zeros(rule.n))[1]


def calibrated(  # noqa: C901, PLR0915 - the procedure as it is written down
    F: Floats,
    y: Floats,
    loss: tuple[Charge, Charge],
    *,
    gradient: bool,
    alphas: Sequence[float] = (0.0,),
    grid: Sequence[float] | None = None,
    prior: Floats | None = None,
    gamma: float = 2.0,
) -> tuple[Floats, Floats, list[float]]:
    """Return predictions, the next weights and the grid; EWA has the one share 0."""
    n = F.shape[1]
    start = np.full(n, 1 / n) if prior is None else prior
    etas = [1.0] if grid is None else sorted(grid)
    # In logarithms, for without a share weights may be too small.
    logs = [[np.log(start) for _ in alphas] for _ in etas]
    spent = [[0.0 for _ in alphas] for _ in etas]
    best = len(etas) // 2, len(alphas) // 2
    said = np.empty(len(y))

    def learn(w: Floats, eta: float, alpha: float, t: int) -> tuple[float, Floats]:
        p, _ = combine(softmax(w), F[t])
        r = regret(F[t], y[t], p, loss, gradient=gradient)
        x = w + eta * r
        x = x - x.max()
        x = x - np.log(np.exp(x).sum())
        if alpha:
            x = np.log(alpha / n + (1 - alpha) * np.exp(x))
        return float(loss[0](p, y[t])), x

    def rerun(eta: float, t: int) -> tuple[list[float], list[Floats]]:
        totals, ends = [], []
        for alpha in alphas:
            total, w = 0.0, np.log(start)
            for s in range(t + 1):
                lost, w = learn(w, eta, alpha, s)
                total += lost
            totals.append(total)
            ends.append(w)
        return totals, ends

    for t in range(len(y)):
        said[t] = combine(softmax(logs[best[0]][best[1]]), F[t])[0]
        for j, alpha in enumerate(alphas):
            for i in range(len(etas)):
                w = logs[i][j]
                if t == 0 and grid is None:
                    r = regret(F[0], y[0], said[0], loss, gradient=gradient)
                    old, etas[0] = etas[0], 1 / float(np.mean(abs(w / etas[0] + r)))
                    w = w * etas[0] / old
                    p, _ = combine(softmax(logs[i][j]), F[0])
                    x = softmax(w + etas[0] * r)
                    logs[i][j] = np.log(alpha / n + (1 - alpha) * x)
                    lost = float(loss[0](p, y[0]))
                else:
                    lost, logs[i][j] = learn(w, etas[i], alpha, t)
                spent[i][j] += lost
        least = min(map(min, spent))
        best = next(
            (i, j)
            for j in range(len(alphas))
            for i in range(len(etas))
            if spent[i][j] <= least * (1 + 1e-13)  # the rest is rounding
        )
        if best[0] == len(etas) - 1:
            base = etas[-1]
            for k in (1, 2, 3):
                totals, ends = rerun(base * gamma**k, t)
                etas.append(base * gamma**k)
                spent.append(totals)
                logs.append(ends)
        if best[0] == 0:
            base = etas[0]
            for k in (1, 2, 3):
                totals, ends = rerun(base / gamma**k, t)
                etas.insert(0, base / gamma**k)
                spent.insert(0, totals)
                logs.insert(0, ends)
            best = best[0] + 3, best[1]
    return said, softmax(logs[best[0]][best[1]]), etas
