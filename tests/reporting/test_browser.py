"""Reports in a real browser: drawn, offline, with nothing to complain of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from browser import Browser, browser
from littlestone import certify, experts, report, run
from littlestone.linear import Perceptron
from littlestone.reporting import Report

ARTEFACTS = Path(__file__).parents[2] / "build" / "reports"

# How many of the shapes that Plotly draws for lines, layers and bars have a size.
DRAWN = """
[...document.querySelectorAll(".plot")].map(plot => ({
  shapes: [...plot.querySelectorAll("path.js-line, path.js-fill, .bars path")]
    .filter(path => path.getBoundingClientRect().width > 1).length,
  names: plot.data.map(trace => trace.name),
  width: plot.querySelector("svg.main-svg").getBoundingClientRect().width,
  described: plot.getAttribute("role") + ": " + plot.getAttribute("aria-label"),
}))
"""
# The colours of the page, of its words, and of every plot: behind, in words, in lines.
COLORS = """
[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color,
 ...[...document.querySelectorAll(".plot")].flatMap(plot => [
   plot.layout.paper_bgcolor, plot.layout.font.color,
   getComputedStyle(plot.querySelector("text")).fill])]
"""
FRAME = "new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))"
WIDTHS = "[document.documentElement.scrollWidth, innerWidth]"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as started:
        yield started


def forecasts() -> Report:
    """Return a report in which every kind of plot is."""
    rng = np.random.default_rng(4)
    rounds = 800
    y = 0.5 + 0.3 * np.sin(np.arange(rounds) / 40)
    names = ["gam", "ar", "naive", *(f"expert {i}" for i in range(3, 16))]
    spread = 0.02 * (1 + np.arange(16)) + 0.3 * (np.arange(rounds)[:, None] > 400) * (
        np.arange(16) == 0
    )
    F = np.clip(y[:, None] + spread * rng.normal(size=(rounds, 16)), 0, 1)
    stream = [
        (dict(zip(names, row, strict=True)), outcome)
        for row, outcome in zip(F.tolist(), y.tolist(), strict=True)
    ]
    record = run(experts.ExponentialWeights(2.0, range=(0, 1)), stream)
    return report(record, title="Forecasts of the load, combined", note="None is made.")


def test_a_page_is_drawn_offline(chromium: Browser, tmp_path: Path) -> None:
    path = tmp_path / "forecasts.html"
    made = forecasts()
    made.save(path)
    chromium.open(path)
    assert chromium.complaints() == []
    assert chromium.fetched() == [path.as_uri()]
    assert chromium.ask("document.title") == "Forecasts of the load, combined"
    assert chromium.ask("document.documentElement.lang") == "en"
    drawn: list[dict[str, Any]] = chromium.ask(DRAWN)
    charts = made.story.charts
    for plot, chart in zip(drawn, charts, strict=True):
        hidden = 1 if chart.ceiling is not None else 0  # a bound beyond the plot
        expected = len(chart.bars) or len(chart.lines)
        thin = 6 if chart.kind != "lines" else 0  # what is next to nothing is thin
        assert expected - hidden - thin <= plot["shapes"]
        assert plot["described"].startswith(f"img: {chart.title}. ")
        if chart.lines:
            assert plot["names"] == [line.name for line in chart.lines]
    shown = chromium.ask("document.body.innerText")
    for heading in [chart.title for chart in charts] + [
        t.title for t in made.story.tables
    ]:
        assert heading in shown
    assert "Forecasts" in shown
    assert not chromium.ask("document.querySelectorAll('button, .modebar-btn').length")
    chromium.screenshot(ARTEFACTS / "forecasts.png")
    wide = {plot["width"] for plot in drawn}

    # On paper the plots are as wide as the paper, and then as wide as before.
    chromium.ask("dispatchEvent(new Event('beforeprint'))")
    assert {plot["width"] for plot in chromium.ask(DRAWN)} == {660}
    chromium.ask("dispatchEvent(new Event('afterprint'))")
    assert {plot["width"] for plot in chromium.ask(DRAWN)} == wide
    chromium.print(ARTEFACTS / "forecasts.pdf")
    pdf = (ARTEFACTS / "forecasts.pdf").read_bytes()
    assert pdf.startswith(b"%PDF")
    assert 2 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= 5

    # By night words are light on dark, in plots too, and paper is white all the same.
    by_day = chromium.ask(COLORS)
    dark = [{"name": "prefers-color-scheme", "value": "dark"}]
    chromium.call("Emulation.setEmulatedMedia", features=dark)
    chromium.ask(FRAME)  # in which the page hears of it
    by_night = chromium.ask(COLORS)
    assert by_day[:4] == ["rgb(255, 255, 255)", "rgb(28, 37, 48)", "#fff", "#1c2530"]
    assert by_night[:4] == [
        "rgb(20, 25, 31)",
        "rgb(223, 229, 236)",
        "#14191f",
        "#dfe5ec",
    ]
    assert not set(by_day) & set(by_night)
    chromium.screenshot(ARTEFACTS / "night.png")
    chromium.ask("dispatchEvent(new Event('beforeprint'))")
    assert chromium.ask(COLORS)[2:] == by_day[2:]
    assert {plot["width"] for plot in chromium.ask(DRAWN)} == {660}
    chromium.ask("dispatchEvent(new Event('afterprint'))")
    assert chromium.ask(COLORS) == by_night
    chromium.call("Emulation.setEmulatedMedia", media="print", features=dark)
    chromium.ask(FRAME)
    assert chromium.ask(COLORS) == by_day
    chromium.call("Emulation.setEmulatedMedia", media="", features=[])
    assert chromium.complaints() == []


def test_a_telephone_shows_names_as_they_are(chromium: Browser, tmp_path: Path) -> None:
    names = [
        "<script>window.hurt = 1</script>",
        "</script><img src=x onerror='window.hurt = 2'>",
        "<b>bold</b> & <a href='javascript:window.hurt = 3'>more</a>",
        "$x^2$ \u2028 \N{SNOWMAN} %{x} &lt;",
        "a" * 300,
    ]
    rng = np.random.default_rng(8)
    # Each name has a weight of its own, so that all of them are drawn.
    stream = [
        ({name: float(rng.normal()) for name in names}, bool(rng.integers(2)))
        for _ in range(60)
    ]
    learner = Perceptron()
    record = run(learner, stream, keep="updates")
    made = report(record, certificate=certify(record), learner=learner, title=names[1])
    path = tmp_path / "names.html"
    made.save(path)
    chromium.open(path, width=360, height=740)
    assert chromium.complaints() == []
    assert chromium.fetched() == [path.as_uri()]
    assert chromium.ask("window.hurt") is None
    assert (
        chromium.ask("document.querySelectorAll('img, main script, .plot a').length")
        == 0
    )
    assert chromium.ask("document.title") == names[1]
    assert chromium.ask("document.querySelector('h1').innerText") == names[1]
    ticks = chromium.ask(
        "[...document.querySelectorAll('.ytick text')].map(text => text.textContent)"
    )
    bars = next(chart.bars for chart in made.story.charts if chart.bars)
    for name, _ in bars:
        assert " ".join(name.split()) in [" ".join(tick.split()) for tick in ticks]
    wide, window = chromium.ask(WIDTHS)
    assert wide <= window
    chromium.screenshot(ARTEFACTS / "telephone.png")
