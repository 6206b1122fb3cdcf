"""The commands on the pages about the service run, and print what they show."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from live_server import live
from scripts import ROOT

PAGES = {"docs/how-to/serve.md": ("-l", "arow", "--name", "clicks")}


@pytest.mark.parametrize("page", PAGES)
def test_a_page_shows_what_is_answered(tmp_path: Path, page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```console\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    asked = 0
    with live(tmp_path / "shop", *PAGES[page]) as server:
        for block in blocks:
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, shown = part.partition("\n")
                here = command.replace("localhost:8000", f"127.0.0.1:{server.port}")
                done = subprocess.run(
                    ["/bin/sh", "-c", here], capture_output=True, text=True, check=True
                )
                assert done.stdout.strip() == shown.strip(), command
                asked += 1
    assert asked > 3
