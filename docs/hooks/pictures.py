"""Draw the pictures: a real run beside its bound, and the Perceptron as a descent.

The data are those of River's `Phishing`, which its package ships. For each point of the
front page's picture the run up to there is certified, so that the line of the bound is
proved round by round.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from river.datasets import Phishing

from littlestone import certify
from littlestone.comparators import hinge_objective
from littlestone.linear import AROW, Perceptron

__all__ = ["DESCENT", "descended", "descent", "measured", "on_pre_build", "picture"]

PICTURE = Path(__file__).parents[1] / "assets" / "phishing.svg"
DESCENT = PICTURE.with_name("descent.svg")
WIDTH, HEIGHT = 720, 320
LEFT, RIGHT, TOP, BOTTOM = 56, 170, 16, 40
STEP = 50
MOST = 600  # the end of the axis of mistakes

# Dark and light as the reader's system asks for it, also where a page only links to it.
STYLE = """
  text { font: 14px system-ui, sans-serif; fill: #24292f; }
  .axis { stroke: #8c959f; fill: none; }
  .line { fill: none; stroke-width: 2.5; stroke-linejoin: round; }
  .bound { stroke: #bc4c00; } text.bound { fill: #bc4c00; stroke: none; }
  .mistakes { stroke: #0969da; } text.mistakes { fill: #0969da; stroke: none; }
  .guess { stroke: #8c959f; stroke-dasharray: 5 5; }
  text.guess { fill: #6e7781; stroke: none; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .bound { stroke: #f0883e; } text.bound { fill: #f0883e; }
    .mistakes { stroke: #58a6ff; } text.mistakes { fill: #58a6ff; }
    text.guess { fill: #9198a1; }
  }
"""


def measured(step: int = STEP) -> list[tuple[int, int, int, int]]:
    """Return rounds, mistakes, their bound, and the mistakes of the commoner answer."""
    stream = list(Phishing())
    points: list[tuple[int, int, int, int]] = [(0, 0, 0, 0)]
    for rounds in range(step, len(stream) + 1, step):
        some = stream[:rounds]
        certificate = certify(AROW(diagonal=False, bias=1), some)
        yes = sum(y for _, y in some)
        idle = min(yes, rounds - yes)
        most = int(certificate.bound)  # mistakes are whole
        points.append((rounds, int(certificate.counted), most, idle))
    return points


def picture(points: list[tuple[int, int, int, int]]) -> str:
    """Return the picture as SVG."""
    last = points[-1]

    def across(rounds: float) -> str:
        return f"{LEFT + rounds / last[0] * (WIDTH - LEFT - RIGHT):.0f}"

    def up(mistakes: float) -> str:
        return f"{HEIGHT - BOTTOM - mistakes / MOST * (HEIGHT - TOP - BOTTOM):.0f}"

    drawn = []
    names = ("mistakes", "proved: at most", "always the same")
    for column, (kind, name) in enumerate(
        zip(("mistakes", "bound", "guess"), names, strict=True), 1
    ):
        path = " ".join(f"{across(one[0])},{up(one[column])}" for one in points)
        label = f"{name}: {last[column]}".replace("at most:", "at most")
        at = f'x="{WIDTH - RIGHT + 8}" y="{up(last[column])}" dy="5"'
        drawn.append(f'<polyline class="line {kind}" points="{path}"/>')
        drawn.append(f'<text class="{kind}" {at}>{label}</text>')
    ticks = [
        f'<text x="{LEFT - 8}" y="{up(at)}" dy="5" text-anchor="end">{at}</text>'
        for at in range(0, MOST + 1, 200)
    ]
    ticks += [
        f'<text x="{across(at)}" y="{HEIGHT - BOTTOM + 20}" '
        f'text-anchor="middle">{at:,}</text>'
        for at in range(0, last[0] + 1, 250)
    ]
    axis = f"M{LEFT},{TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}"
    title = (
        f"On {last[0]:,} web pages, AROW with a full matrix makes {last[1]} mistakes; "
        f"it is proved that they are at most {last[2]}."
    )
    body = "\n".join([f'<path class="axis" d="{axis}"/>', *ticks, *drawn])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'role="img">\n<title>{title}</title>\n<style>{STYLE}</style>\n{body}\n</svg>\n'
    )


def descended(step: int = 25, passes: int = 2) -> list[tuple[int, float]]:
    """Return how F(w) falls while a Perceptron passes over the examples."""
    # The constant feature is one of the examples here, so that w is all of it.
    stream = [({**x, "constant": 1.0}, y) for x, y in Phishing()]
    learner = Perceptron()
    points = []
    for t, (x, y) in enumerate(stream * passes, start=1):
        learner.learn_one(x, y)
        if t % step == 0:
            points.append((t, hinge_objective(learner.weights_, stream)))
    return points


def descent(points: list[tuple[int, float]]) -> str:
    """Return the picture of F(w) as SVG."""
    last, most = points[-1][0], max(value for _, value in points)

    def at(t: float, value: float) -> tuple[str, str]:
        x = LEFT + t / last * (WIDTH - LEFT - 16)
        y = HEIGHT - BOTTOM - value / most * (HEIGHT - TOP - BOTTOM)
        return f"{x:.0f}", f"{y:.0f}"

    path = " ".join(",".join(at(t, value)) for t, value in points)
    ticks = [
        f'<text x="{LEFT - 8}" y="{at(0, most * part)[1]}" dy="5" text-anchor="end">'
        f"{most * part:.2g}</text>"
        for part in (0, 0.5, 1)
    ]
    ticks += [
        f'<text x="{at(t, 0)[0]}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">'
        f"{t:,}</text>"
        for t in range(0, last + 1, 500)
    ]
    axis = f"M{LEFT},{TOP}V{HEIGHT - BOTTOM}H{WIDTH - 16}"
    title = f"F(w) of a Perceptron on {last:,} examples, in two passes"
    line = f'<polyline class="line mistakes" points="{path}"/>'
    body = "\n".join([f'<path class="axis" d="{axis}"/>', *ticks, line])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'role="img">\n<title>{title}</title>\n<style>{STYLE}</style>\n{body}\n</svg>\n'
    )


def on_pre_build(*, config: Any) -> None:  # noqa: ARG001 - as it is called
    """Draw them again if they have changed: a server that watches builds once."""
    for path, drawn in (
        (PICTURE, picture(measured())),
        (DESCENT, descent(descended())),
    ):
        if drawn != path.read_text(encoding="utf-8"):
            path.write_text(drawn, encoding="utf-8")
