"""Build the pages of the theorems from the theorems themselves.

A page in `docs/theorems/` holds what only people can write: an example, the proof, what
the code checks, where lecture notes slip. The statement, the premises, the numbers, how
tight it is and the reference come from `littlestone.theorems`, their only source, and
are added to the page here. So is the index. A theorem without a page, or a page without
a theorem, stops the build.
"""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from littlestone import theorems

if TYPE_CHECKING:
    from littlestone.theorems import Theorem

__all__ = [
    "families",
    "faults",
    "index",
    "on_config",
    "on_page_markdown",
    "page_of",
    "whole_page",
]

FOLDER = "theorems"
_ERRATA = (
    "Where the lecture notes slip, here and elsewhere: "
    "[all errata](../explanation/errata.md)."
)
SECTIONS = ("Proof", "What the code checks", "Where lecture notes slip")

# The modules of the theorems, and the titles of their families.
FAMILIES = {
    "perceptron": "The Perceptron",
    "voted": "The voted Perceptron",
    "kernel": "The kernel Perceptron",
    "winnow": "Winnow",
    "balanced": "Balanced Winnow",
    "passive_aggressive": "Passive-aggressive learners",
    "second_order": "Second-order learners",
    "orders": "Every order of a stream",
    "one_versus_rest": "One learner a class",
    "restarting": "Copies that start anew",
    "multiclass": "Many classes",
    "gradients": "Regret to every vector",
    "coverage": "Coverage",
    "votes": "Votes of experts",
    "sequences": "Labels alone",
    "weights": "Weights that fall exponentially",
    "adaptive": "Learners that set their own rates",
    "boolean": "Boolean rules",
    "pac": "From mistakes to PAC",
    "delay": "Late labels",
    "mixing": "Shards",
}


def families() -> dict[str, list[Theorem]]:
    """Return the theorems by the name of their family, in the order of `all`."""
    found: dict[str, list[Theorem]] = {}
    for module, title in FAMILIES.items():
        named = importlib.import_module(f"littlestone.theorems.{module}")
        members = [getattr(named, name) for name in named.__all__]
        found[title] = [theorem for theorem in theorems.all() if theorem in members]
    return found


def page_of(theorem: Theorem) -> str:
    """Return the name of a theorem's page."""
    return f"{theorem.id.lower()}.md"


def faults(folder: Path) -> list[str]:
    """Return what is wrong: missing or superfluous theorems, pages or sections."""
    known = {page_of(theorem): theorem for theorem in theorems.all()}
    there = {path.name for path in folder.glob("*.md")} - {"index.md"}
    wrong = [
        f"{known[name].id} has no page {name}" for name in sorted({*known} - there)
    ]
    wrong += [f"{name} is the page of no theorem" for name in sorted(there - {*known})]
    placed = [theorem for family in families().values() for theorem in family]
    wrong += [
        f"{theorem.id} has no family"
        for theorem in theorems.all()
        if theorem not in placed
    ]
    for name in sorted(there & {*known}):
        text = (folder / name).read_text(encoding="utf-8")
        if not text.startswith(f"# {known[name].id}: "):
            wrong.append(f"{name} must begin with `# {known[name].id}: `")
        found = re.findall(r"^## (.*)$", text, flags=re.MULTILINE)
        if found not in (list(SECTIONS[:2]), list(SECTIONS)):
            wrong.append(f"{name} must have the sections {SECTIONS}, got {found}")
    return wrong


# What is added to the pages -----------------------------------------------------------


def whole_page(theorem: Theorem, text: str) -> str:
    """Return a page, with what the theorem says about itself before and after."""
    title, _, body = text.partition("\n")
    parts = [title, f"{_head(theorem)}\n{body.strip()}", _ERRATA, _tail(theorem)]
    return "\n\n".join(parts)


def index(text: str) -> str:
    """Return the index: the text, then a table for each family."""
    parts = [text.strip()]
    for title, members in families().items():
        rows = [
            f"| [`{theorem.id}`]({page_of(theorem)}) | {_counted(theorem)} "
            f"| ${_formula_cell(_bound(theorem.latex))}$ |"
            for theorem in members
        ]
        table = "\n".join(["| id | bounds | |", "|---|---|---|", *rows])
        parts.append(f"## {title}\n\n{table}")
    return "\n\n".join(parts) + "\n"


def _head(theorem: Theorem) -> str:
    known = inspect.signature(theorem.formula).parameters
    words = [
        f"--{name.replace('_', '-')} …"
        for name, number in known.items()
        if number.default is inspect.Parameter.empty
    ]
    rows = "\n".join(
        f"| `{name}` | {_cell(_plain(what))} | {_default(known[name].default)} |"
        for name, what in theorem.numbers.items()
    )
    premises = "\n".join(f"- {_plain(premise)}" for premise in theorem.premises)
    said = theorem.statement[0].upper() + theorem.statement[1:]
    return f"""**{_plain(said)}.**

$$
{theorem.latex}
$$

**If**

{premises}

| number | meaning | default |
|---|---|---|
{rows}

On the command line: `littlestone bounds {" ".join([theorem.id, *words])}`
"""


def _tail(theorem: Theorem) -> str:
    known = {other.id: other for other in theorems.all()}

    def linked(found: re.Match[str]) -> str:
        other = known.get(found[0])
        return found[0] if other is None else f"[`{other.id}`]({page_of(other)})"

    said = _plain(theorem.tight or "No stream is known to come near it.")
    said = re.sub(r"\b[A-Zk][A-Z0-9]+(?:-[A-Z]+)*\b", linked, said)
    return f"""## How tight

{said}

## Reference

{_plain(theorem.reference)}.
"""


def _counted(theorem: Theorem) -> str:
    return f"{theorem.counts}, from below" if theorem.lower else theorem.counts


def _bound(latex: str) -> str:
    """Return the formula without the definitions of its letters."""
    return latex.split(r", \quad ", maxsplit=1)[0]


def _default(default: object) -> str:
    plain = default is not None and default is not inspect.Parameter.empty
    return str(int(default) if isinstance(default, bool) else default) if plain else ""


def _plain(text: str) -> str:
    """Escape Markdown characters, except in code between backticks."""
    parts = text.split("`")
    parts[::2] = [re.sub(r"([\\*_<>\[\]#])", r"\\\1", part) for part in parts[::2]]
    return "`".join(parts)


def _cell(text: str) -> str:
    """Escape bars, which would end a cell of a table."""
    return text.replace("|", "&#124;")


def _formula_cell(latex: str) -> str:
    """Escape bars of a formula, which would end a cell of a table.

    Spaces before the closing dollar go too: they would make it a plain dollar sign.
    """
    return latex.replace(r"\|", r"\Vert ").replace("|", r"\vert ").strip()


# What MkDocs calls -------------------------------------------------------------------


def on_config(config: Any) -> Any:
    """Check the pages, and add them to the navigation, family by family."""
    wrong = faults(Path(config["docs_dir"]) / FOLDER)
    if wrong:
        from mkdocs.exceptions import PluginError  # noqa: PLC0415 - tests do without

        raise PluginError("; ".join(wrong))
    for entry in config["nav"]:
        if entry.get("Theorems") == f"{FOLDER}/index.md":
            entry["Theorems"] = [f"{FOLDER}/index.md", *_sections()]
    return config


def _sections() -> list[dict[str, list[dict[str, str]]]]:
    return [
        {title: [{one.id: f"{FOLDER}/{page_of(one)}"} for one in members]}
        for title, members in families().items()
    ]


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Fill the index and the pages of the theorems; leave all others as they are."""
    folder, _, name = page.file.src_uri.rpartition("/")
    if folder != FOLDER:
        return markdown
    if name == "index.md":
        return index(markdown)
    return whole_page(theorems.get(name.removesuffix(".md")), markdown)
