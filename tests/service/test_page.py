"""The page in a real browser: it moves with the traffic, and survives a restart."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from littlestone.service._tokens import Tokens
from live_server import Live, live

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMES = ("chromium", "chromium-browser", "google-chrome")
VOTES = "/v1/models/weighted-majority/predictions"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Start Chromium, or skip the tests where there is none."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip("there is no Chromium: make browser")
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=found, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """Serve votes; whatever was sent before may be sent again."""
    folder = tmp_path_factory.mktemp("votes") / "data"
    with live(folder, "-l", "weighted-majority") as started:
        yield started


@contextmanager
def opened(browser: Any, **how: Any) -> Iterator[Any]:
    """Open an empty page."""
    page = browser.new_page(**how)
    page.set_default_timeout(60_000)
    page.complaints = []
    page.on("console", lambda said: page.complaints.append(said.text))
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    yield page
    page.close()


def send(server: Live, first: int, last: int) -> None:
    """Ask and label some rounds; ann is right, bob is not, and the two vote."""
    for number in range(first, last):
        advice = {"ann": True, "bob": False, "cyd": number % 3 == 0}
        server.ask("POST", VOTES, {"id": f"p{number}", "advice": advice})
        server.ask("PUT", f"{VOTES}/p{number}/label", {"label": True})


def count(page: Any, name: str) -> str:
    text: str = page.locator(f"dd[data-name='{name}']").inner_text()
    return text


def test_the_page_moves_and_survives_a_restart(server: Live, browser: Any) -> None:
    send(server, 0, 5)
    with opened(browser) as page:
        page.goto(f"http://127.0.0.1:{server.port}/")
        page.wait_for_selector("#link:has-text('live')")
        page.wait_for_selector("dl div:first-child dd:text-is('5')")
        send(server, 5, 12)
        page.wait_for_selector("dl div:first-child dd:text-is('12')")
        assert "by WM" in page.locator("#summary").inner_text()
        assert float(count(page, "bound").replace(",", "")) > 0
        assert page.locator("#weights tr").count() == 3
        assert "ann" in page.locator("#regret").inner_text()
        assert page.locator("#newest tbody tr").count() > 0
        lines = "charts.mistakes.data[0].length"
        before = page.evaluate(lines)
        assert page.locator("#mistakes canvas").count() == 1
        assert page.complaints == []
        assert server.stop() == 0
        page.wait_for_selector("#link.lost")
        server.start()
        page.wait_for_selector("#link:has-text('live')")
        send(server, 12, 20)
        page.wait_for_selector("dl div:first-child dd:text-is('20')")
        assert page.evaluate(lines) > before
        # One mistake is listed once, whatever was sent again after the restart.
        ids = page.locator("#newest tbody tr td:first-child").all_inner_texts()
        assert len(ids) == len(set(ids))


def test_the_page_on_a_phone_in_the_dark_by_keyboard(
    server: Live, browser: Any
) -> None:
    phone = {"viewport": {"width": 360, "height": 740}, "color_scheme": "dark"}
    send(server, 0, 3)
    with opened(browser, **phone) as page:
        answer = page.goto(f"http://127.0.0.1:{server.port}/")
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        page.wait_for_selector("#link:has-text('live')")
        wide = "document.documentElement.scrollWidth <= innerWidth"
        assert page.evaluate(wide)
        back = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert back == "rgb(21, 24, 29)"
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.id") == "model"
        # Every picture, field and region has a name for screen readers.
        unnamed = page.evaluate(
            "[...document.querySelectorAll('[role=img], section, [role=region]')]"
            ".filter(each => !each.getAttribute('aria-label') && "
            "!document.getElementById(each.getAttribute('aria-labelledby'))).length"
        )
        assert unnamed == 0
        assert page.evaluate("document.documentElement.lang") == "en"
        assert page.complaints == []


def test_the_page_asks_for_a_token(tmp_path: Path, browser: Any) -> None:
    secret = Tokens(tmp_path / "data" / "tokens.json").add("me", ["read"])
    with (
        live(tmp_path / "data", "-l", "weighted-majority") as server,
        opened(browser) as page,
    ):
        page.goto(f"http://127.0.0.1:{server.port}/")
        page.wait_for_selector("#token:visible")
        page.fill("#token", secret)
        page.keyboard.press("Enter")
        page.wait_for_selector("#link:has-text('live')")
        assert not page.locator("#token").is_visible()
