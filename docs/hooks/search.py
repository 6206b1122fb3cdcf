"""Write what the search page looks in: every section of the site, as a script.

A browser lets a page that was opened from a folder load scripts, but not data and not
workers, so the search of most themes finds nothing there. This one does, in any theme.
"""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

__all__ = ["on_page_content", "on_post_build", "on_pre_build", "sections"]

INDEX = "assets/search-index.js"
_HEADINGS = frozenset({"h1", "h2", "h3", "h4"})
_found: list[list[str]] = []


def sections(html: str, url: str, title: str) -> list[list[str]]:
    """Return address, page, heading and text of each section of a page."""
    page = _Sections(url, title)
    page.feed(html)
    return [
        [*place, " ".join("".join(text).split())]
        for place, text in page.found
        if text or place[2]
    ]


class _Sections(HTMLParser):
    def __init__(self, url: str, title: str) -> None:
        super().__init__()
        self._url, self._title = url, title
        self.found: list[tuple[list[str], list[str]]] = [([url, title, ""], [])]
        self._heading = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _HEADINGS:
            anchor = dict(attrs).get("id")
            place = f"{self._url}#{anchor}" if anchor else self._url
            self.found.append(([place, self._title, ""], []))
            self._heading = True

    def handle_endtag(self, tag: str) -> None:
        if tag in _HEADINGS:
            self._heading = False
        self.found[-1][1].append(" ")

    def handle_data(self, data: str) -> None:
        place, text = self.found[-1]
        if self._heading:
            place[2] += data.replace("¶", "")
        else:
            text.append(data)


def on_pre_build(*, config: Any) -> None:  # noqa: ARG001 - as it is called
    """Begin with nothing, also where a server builds again."""
    _found.clear()


def on_page_content(html: str, *, page: Any, **_: Any) -> None:
    """Collect the sections of a page."""
    _found.extend(sections(html, page.url, str(page.title)))


def on_post_build(*, config: Any) -> None:
    """Write the script."""
    texts = json.dumps(_found, ensure_ascii=False).replace("</", "<\\/")
    path = Path(config["site_dir"]) / INDEX
    path.write_text(f"window.littlestoneIndex = {texts};\n", encoding="utf-8")
