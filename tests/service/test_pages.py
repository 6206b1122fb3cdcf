"""The commands on the pages about the service run, and print what they show."""

from __future__ import annotations

import io
import re
import subprocess
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from command import call
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


def test_the_tutorial_ends_with_a_certificate(tmp_path: Path) -> None:
    text = (ROOT / "docs/tutorials/service.md").read_text(encoding="utf-8")
    [served] = re.findall(r"^littlestone serve (-l .*)$", text, re.MULTILINE)
    [code] = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    words = re.sub(r" --data \S+", "", served).split()
    printed = io.StringIO()
    with live(tmp_path / "shop", *words) as server, redirect_stdout(printed):
        here = code.replace("localhost:8000", f"127.0.0.1:{server.port}")
        exec(compile(here, "service.md", "exec"), {})  # noqa: S102 - our own page
        assert server.stop() == 0
    assert printed.getvalue() == "10 mistakes\n20 labels learned\n"
    ledger, made = tmp_path / "shop" / "visits" / "ledger.db", tmp_path / "visits.json"
    assert call("certify", ledger, "-o", made).returncode == 0
    done = call("verify", made, ledger, "-q")
    assert done.returncode == 0, done.stdout
    assert "DELAY-SERVED" in done.stdout
