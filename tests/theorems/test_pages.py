"""Every theorem has its page, and the page says what the theorem says."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from littlestone import theorems
from littlestone.theorems import Theorem
from scripts import ROOT, script

pages = script("docs/hooks/theorem_pages.py")
FOLDER = ROOT / "docs" / "theorems"


def written(theorem: Theorem) -> str:
    text = (FOLDER / pages.page_of(theorem)).read_text(encoding="utf-8")
    page: Any = SimpleNamespace()
    page.file = SimpleNamespace(src_uri=f"theorems/{pages.page_of(theorem)}")
    return str(pages.on_page_markdown(text, page=page, config=None, files=None))


def test_every_theorem_has_a_page_and_every_page_a_theorem() -> None:
    assert pages.faults(FOLDER) == []


def test_every_theorem_has_one_family() -> None:
    placed = [theorem for family in pages.families().values() for theorem in family]
    assert sorted(map(str, placed)) == sorted(map(str, theorems.all()))


@pytest.mark.parametrize("theorem", theorems.all(), ids=lambda theorem: theorem.id)
def test_a_page_says_it_all(theorem: Theorem) -> None:
    text = written(theorem)
    plain = re.sub(r"\\([\\*_<>\[\]#])", r"\1", text).replace("&#124;", "|")
    assert text.startswith(f"# {theorem.id}: ")
    assert f"\n$$\n{theorem.latex}\n$$\n" in text
    for part in (theorem.statement[1:], *theorem.premises, theorem.reference):
        assert part in plain
    for name, what in theorem.numbers.items():
        assert f"| `{name}` | {what} |" in plain
    unlinked = re.sub(r"\[`([^`]*)`\]\([^)]*\)", r"\1", plain)
    assert (theorem.tight or "No stream is known") in unlinked
    for section in ("Proof", "What the code checks", "How tight", "Reference"):
        assert text.count(f"\n## {section}\n") == 1
    for target in re.findall(r"\]\(([^)#]+\.md)", text):
        assert (FOLDER / target).exists(), target
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    assert all(row.count("|") == 4 for row in rows)


def test_the_index_lists_every_theorem() -> None:
    page: Any = SimpleNamespace(file=SimpleNamespace(src_uri="theorems/index.md"))
    text = (FOLDER / "index.md").read_text(encoding="utf-8")
    index = str(pages.on_page_markdown(text, page=page))
    assert index.startswith(text.strip())
    rows = [line for line in index.splitlines() if line.startswith("| [`")]
    assert len(rows) == len(theorems.all())
    assert all(row.count("|") == 4 for row in rows)
    for theorem in theorems.all():
        assert f"| [`{theorem.id}`]({pages.page_of(theorem)}) |" in index


def test_other_pages_stay_as_they_are() -> None:
    page: Any = SimpleNamespace(file=SimpleNamespace(src_uri="explanation/winnow.md"))
    assert pages.on_page_markdown("# Winnow", page=page) == "# Winnow"


def test_what_is_missing_or_too_much_is_told(tmp_path: Path) -> None:
    for path in FOLDER.glob("*.md"):
        (tmp_path / path.name).write_text(path.read_text(encoding="utf-8"))
    (tmp_path / "halv.md").unlink()
    (tmp_path / "novikoff.md").write_text("# NOVIKOFF: who?\n")
    (tmp_path / "ewa.md").write_text("# EWA: no proof\n\n## What the code checks\n")
    (tmp_path / "wm.md").write_text("# RWM: x\n\n## Proof\n\n## What the code checks\n")
    assert pages.faults(tmp_path) == [
        "HALV has no page halv.md",
        "novikoff.md is the page of no theorem",
        (
            "ewa.md must have the sections ('Proof', 'What the code checks', 'Where "
            "lecture notes slip'), got ['What the code checks']"
        ),
        "wm.md must begin with `# WM: `",
    ]


def test_the_navigation_has_every_page() -> None:
    config: Any = {"docs_dir": str(ROOT / "docs"), "nav": []}
    config["nav"] = [{"Home": "index.md"}, {"Theorems": "theorems/index.md"}]
    first, *families = pages.on_config(config)["nav"][1]["Theorems"]
    assert first == "theorems/index.md"
    listed = [
        name
        for family in families
        for entries in family.values()
        for entry in entries
        for name in entry
    ]
    assert sorted(listed) == sorted(theorem.id for theorem in theorems.all())
