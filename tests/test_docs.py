"""Every block of code on the site and in the README runs, and says what it shows.

Blocks with `>>>` are doctests. The others run here, page by page, from top to bottom,
in an empty folder with the files of `page_files.py`:

- a block with a `title="..."` is written as the file of that name;
- `python` is executed;
- `console`, or no language, holds commands. If they begin with `$`, what stands below
  is what they print: `...` and a `…` at its end stand for anything, times for any;
- `json` must be JSON;
- `text` is no code.
"""

from __future__ import annotations

import doctest
import gzip
import io
import json
import re
import runpy
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from command import call
from page_files import lay_out
from scripts import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

# What is shown and not run, and why. Some command must begin with each of these.
NOT_RUN = {
    "make ": "builds and tests all there is",
    "pip install ": "needs an index of packages",
    "LITTLESTONE_DATA=data ": "takes minutes; test_published.py calls it",
    "littlestone serve ": "runs until it is stopped; service/test_pages.py starts it",
    "podman ": "needs containers; service/test_pages.py runs what they run",
    "curl ": "asks a server; service/test_pages.py does",
    "printf ": "asks a server; service/test_pages.py does",
    "vw ": "another program, which is replaced below it",
}
_ASKS_A_SERVER = "from littlestone.client import"  # which service/test_pages.py runs
OTHER_LANGUAGES = {"r": "code of opera, which is replaced below it"}

SHELL = {"", "bash", "console", "sh", "shell"}
_FENCE = re.compile(
    r"^(?P<indent> *)(?P<fence>```+|~~~+) *(?P<language>[\w+-]*)(?P<more>[^\n`]*)\n"
    r"(?P<text>.*?)^(?P=indent)(?P=fence) *$",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Block:
    """A block of code, and where it stands."""

    place: str
    language: str
    title: str | None
    text: str

    @property
    def commands(self) -> Iterator[tuple[str, str]]:
        """Yield each command with what it is said to print."""
        text = self.text.replace("\\\n", " ")
        if not text.startswith("$ "):
            for line in text.splitlines():
                yield line, ""
            return
        for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            yield command, shown


def blocks(page: Path) -> list[Block]:
    """Return the blocks of a page that are no doctests."""
    text = page.read_text(encoding="utf-8")
    found = []
    for fence in _FENCE.finditer(text):
        line = text.count("\n", 0, fence.start()) + 1
        title = re.search(r'title="([^"]*)"', fence["more"])
        block = Block(
            f"{page.relative_to(ROOT)}:{line}",
            fence["language"],
            title and title[1],
            dedent(fence["text"]),
        )
        if not re.search(r"^ *>>> ", block.text, re.MULTILINE):
            found.append(block)
    return found


def run(block: Block, names: dict[str, Any]) -> None:
    """Run a block in the folder that we are in."""
    if block.title is not None:
        Path(block.title).write_text(block.text, encoding="utf-8")
    elif block.language == "python" and _ASKS_A_SERVER in block.text:
        return
    elif block.language == "python":
        code = compile(block.text, block.place, "exec")
        exec(code, names)  # noqa: S102 - our own pages
    elif block.language in SHELL:
        for command, shown in block.commands:
            carry_out(command, shown, block.place)
    elif block.language == "json":
        json.loads(block.text)
    elif block.language == "text":
        code_like = re.search(
            r"^(\$|>>>|littlestone|import|from) ", block.text, re.MULTILINE
        )
        assert not code_like, f"{block.place}: is this text or code?"
    else:
        assert block.language in OTHER_LANGUAGES, (
            f"{block.place}: no test runs {block.language}; write it as a doctest, or "
            "add the language to OTHER_LANGUAGES with the reason"
        )


def carry_out(command: str, shown: str, place: str) -> None:
    """Run a command, and compare what it prints with what is shown, if anything is."""
    if command.startswith(tuple(NOT_RUN)):
        return
    *before, words = split_at_bars(shlex.split(command, comments=True))
    said = ""
    for reader in before:
        assert reader[0] in {"cat", "zcat"}, f"{place}: no test can run {reader}"
        raw = Path(reader[1]).read_bytes()
        said = (gzip.decompress(raw) if reader[0] == "zcat" else raw).decode()
    if words[0] == "littlestone":
        done = call(*words[1:], stdin=said)
        # Where a page shows a refusal, what it shows is what counts.
        assert shown or done.returncode == 0, f"{place}: {command}\n{done.stderr}"
        printed = done.stdout or done.stderr
    elif words[0] == "python":
        out = io.StringIO()
        with redirect_stdout(out):
            script = Path(words[1]) if Path(words[1]).exists() else ROOT / words[1]
            runpy.run_path(str(script), run_name="__main__")
        printed = out.getvalue()
    elif words[0] == "pytest":
        tested = subprocess.run(
            # An editable install warns of its loader, which no user has.
            [
                sys.executable,
                "-m",
                *words,
                "-p",
                "no:cacheprovider",
                "-p",
                "no:warnings",
                "-p",
                "no:schemathesis",  # slow to load
            ],
            capture_output=True,
            check=False,
            text=True,
        )
        assert tested.returncode == 0, f"{place}: {tested.stdout}"
        printed = tested.stdout
    else:
        pytest.fail(
            f"{place}: no test can run `{command}`; let test_docs.py run it, or add "
            f"{words[0]!r} to NOT_RUN with the reason"
        )
    compare(command, shown, printed, place)


def compare(command: str, shown: str, printed: str, place: str) -> None:
    """Compare what a command prints with what is shown, if anything is."""
    if shown:
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        wanted = timeless(re.sub(r"…\n*\Z", "...\n", shown))
        same = doctest.OutputChecker().check_output(wanted, timeless(printed), flags)
        assert same, f"{place}: `{command}` must print\n{shown}\ngot\n{printed}"


def split_at_bars(words: list[str]) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for word in words:
        if word == "|":
            parts.append([])
        else:
            parts[-1].append(word)
    return parts


def timeless(text: str) -> str:
    return re.sub(r"^time +.*\n|in [\d.]+s$", "", text, flags=re.MULTILINE)


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if blocks(page)],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_every_block_of_a_page_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = blocks(page)
    lay_out(tmp_path, "\n".join(block.text for block in found))
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for block in found:
        run(block, names)


def test_no_doctest_is_skipped() -> None:
    for page in PAGES:
        assert "+SKIP" not in page.read_text(encoding="utf-8"), page


def test_what_is_not_run_is_still_there() -> None:
    every = [block for page in PAGES for block in blocks(page)]
    commands = [
        command
        for block in every
        if block.language in SHELL
        for command, _ in block.commands
    ]
    for beginning in NOT_RUN:
        assert any(one.startswith(beginning) for one in commands), beginning
    assert OTHER_LANGUAGES.keys() <= {block.language for block in every}
