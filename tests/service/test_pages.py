"""The commands on the pages about the service run, and print what they show."""

from __future__ import annotations

import io
import json
import re
import shlex
import shutil
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


OPERATING = ROOT / "docs/how-to/operate-a-service.md"


def titled(name: str) -> str:
    """Return the block with this title on the page about operating a service."""
    text = OPERATING.read_text(encoding="utf-8")
    [block] = re.findall(
        rf'^```\w+ title="{name}"\n(.*?)^```', text, re.DOTALL | re.MULTILINE
    )
    return str(block)


def test_the_unit_starts_what_the_configuration_says(tmp_path: Path) -> None:
    unit, config = titled("littlestone.service"), tmp_path / "serve.toml"
    config.write_text(titled("serve.toml"), encoding="utf-8")
    [command] = re.findall(r"^ExecStart=(.*)$", unit, re.MULTILINE)
    program, *words = shlex.split(command)
    assert program.endswith("/littlestone")
    assert words == ["serve", "--config", "/etc/littlestone/serve.toml"]
    folder = tmp_path / "data"
    with live(folder, *words[1:-1], str(config)) as server:
        models = server.ask("GET", "/v1/models")[1]["models"]
        assert [model["name"] for model in models] == ["clicks", "mail"]
        assert server.stop() == 0  # by SIGTERM, as systemd does
    log = [json.loads(line) for line in server.errors.read_text().splitlines()]
    assert f"serving on http://127.0.0.1:{server.port}" in [
        entry["message"] for entry in log
    ]
    [kept] = re.findall(r"^StateDirectory=(.*)$", unit, re.MULTILINE)
    assert f'data = "/var/lib/{kept}"' in config.read_text(encoding="utf-8")


@pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd is not installed"
)
def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "littlestone.service"
    here = re.sub(
        r"^ExecStart=\S+", "ExecStart=/bin/true", titled(unit.name), flags=re.MULTILINE
    )
    unit.write_text(here, encoding="utf-8")
    command = ["systemd-analyze", "verify", str(unit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_container_serves_those_who_have_a_token(tmp_path: Path) -> None:
    steps = [line.partition(" ") for line in titled("Containerfile").splitlines()]
    said = {name: words for name, _, words in steps}
    program, command, *words = json.loads(said["CMD"])
    at = words.index("--data")
    assert (program, command) == ("littlestone", "serve")
    assert words[at + 1] == said["VOLUME"]
    assert ("RUN", " ", f"mkdir {said['VOLUME']}") in steps[
        : steps.index(("VOLUME", " ", said["VOLUME"]))
    ]
    del words[at : at + 2]
    folder = tmp_path / "data"
    folder.mkdir()
    done = call("serve", *words, "--data", folder)
    assert done.returncode == 2
    assert "needs tokens" in done.stderr
    done = call("serve", "token", "add", "shop", "--data", folder)
    bearer = {"authorization": f"Bearer {done.stdout.split()[-1]}"}
    _, _, python, _, health = shlex.split(f"HEALTHCHECK {said['HEALTHCHECK']}")
    assert python == "python"
    with live(folder, *words) as server:
        assert f"127.0.0.1:{said['EXPOSE']}/" in health
        exec(health.replace(said["EXPOSE"], str(server.port)), {})  # noqa: S102 - our own page
        assert server.ask("GET", "/v1/models")[0] == 401
        assert server.ask("GET", "/v1/models", headers=bearer)[0] == 200
        assert server.stop() == 0
