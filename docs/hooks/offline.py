"""Stop the build if a page would fetch anything from elsewhere.

The site must work where there is no network. Links may lead anywhere; scripts, styles,
fonts and pictures must be part of the site.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

__all__ = ["fetched", "on_post_build"]

_ELSEWHERE = re.compile(r"\s*(?:[a-z]+:)?//", re.IGNORECASE)
_STYLED = re.compile(r"(?:@import\s+['\"]|url\(\s*['\"]?)((?:[a-z]+:)?//[^'\")\s]*)")


def fetched(folder: Path) -> list[str]:
    """Tell what the pages and styles of a folder would fetch from elsewhere."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.suffix in {".css", ".html"}:
            text = path.read_text(encoding="utf-8")
            page = _Page()
            if path.suffix == ".html":
                page.feed(text)
            addresses = [*page.found, *_STYLED.findall(text)]
            found += [f"{path.relative_to(folder)}: {one}" for one in addresses]
    return found


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            return
        for name, value in attrs:
            named = name in {"data", "href", "poster", "src", "srcset"}
            if named and _ELSEWHERE.match(value or ""):
                self.found.append(f"<{tag} {name}={value}>")


def on_post_build(*, config: Any) -> None:
    """Look at the whole site once it is built."""
    if found := fetched(Path(config["site_dir"])):
        from mkdocs.exceptions import PluginError  # noqa: PLC0415 - tests do without

        raise PluginError(f"a page must fetch nothing from elsewhere, got {found}")
