"""The site: formulas are drawn, nothing is fetched, and the reference is complete."""

from __future__ import annotations

import ast
import pkgutil
import re
from collections.abc import Iterator
from html import escape
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from xml.etree import ElementTree as ET

import pytest

import littlestone
from browser import browser
from littlestone import compat, theorems
from littlestone.theorems import Theorem
from scripts import ROOT, script

formulas = script("docs/hooks/formulas.py")
pages = script("docs/hooks/theorem_pages.py")
offline = script("docs/hooks/offline.py")
search = script("docs/hooks/search.py")
pictures = script("docs/hooks/pictures.py")
PAGES = sorted((ROOT / "docs").rglob("*.md"))


def shown(latex: str, *, display: bool = False) -> str:
    """Return the inside of a formula as MathML."""
    found = re.fullmatch(
        r"<math [^>]*><mrow>(.*)</mrow></math>",
        formulas.mathml(latex, display=display),
    )
    assert found
    return found[1]


def between_dollars(text: str) -> list[tuple[str, bool]]:
    """Return the formulas of a page, with whether they stand by themselves."""
    text = re.sub(
        r"^ *```.*?^ *```|`[^`\n]*`", "", text, flags=re.DOTALL | re.MULTILINE
    )
    found = [(one, True) for one in re.findall(r"\$\$(.+?)\$\$", text, re.DOTALL)]
    text = re.sub(r"\$\$.+?\$\$", "", text, flags=re.DOTALL)
    inline = r"(?<![\\$])\$(?!\s)([^$]+?)(?<![\s\\])\$"
    return found + [(one, False) for one in re.findall(inline, text)]


def docstrings() -> Iterator[str]:
    """Yield what the reference shows of the code, without its examples."""
    for path in (ROOT / "src").rglob("*.py"):
        code = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(code if "$" in code else "")):
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                yield (ast.get_docstring(node) or "").partition("\nExamples\n")[0]


def test_every_formula_can_be_written() -> None:
    every = [(theorem.latex, True) for theorem in theorems.all()]
    assert len(between_dollars(pages.index(""))) == len(every)
    for page in PAGES:
        every += between_dollars(page.read_text(encoding="utf-8"))
    every += between_dollars(pages.index(""))
    for text in docstrings():
        every += between_dollars(text)
    assert len(every) > 1500
    for latex, display in set(every):
        root = ET.fromstring(formulas.mathml(latex.strip(), display=display))  # noqa: S314 - made here
        assert root.get("display") == ("block" if display else "inline")


@pytest.mark.parametrize(
    ("latex", "mathml"),
    [
        (r"2\ln N", "<mn>2</mn>_<mi>ln</mi>_<mi>N</mi>"),
        (r"\ln(N)", '<mi>ln</mi><mo stretchy="false">(</mo><mi>N</mi>'),
        (r"\ln\det A", "<mi>ln</mi>_<mi>det</mi>_<mi>A</mi>"),
        (r"\log_2 n", "<msub><mi>log</mi><mn>2</mn></msub>_<mi>n</mi>"),
        (r"\lfloor x", '<mo stretchy="false">⌊</mo><mi>x</mi>'),
        (r"1/2", '<mn>1</mn><mo lspace="0" rspace="0">/</mo><mn>2</mn>'),
        (r"3{,}000", '<mrow><mo lspace="0" rspace="0">,</mo></mrow>'),
        (r"w'", "<msup><mi>w</mi><mi>\u2032</mi></msup>"),
        (r"a < b", "<mi>a</mi><mo>&lt;</mo><mi>b</mi>"),
    ],
)
def test_spaces_are_those_of_tex(latex: str, mathml: str) -> None:
    assert mathml.replace("_", '<mspace width="0.167em" />') in shown(latex)


@pytest.mark.parametrize(
    ("latex", "why"),
    [
        (r"\foo x", r"\foo is not known"),
        (r"\frac{1}", "mfrac has 1 parts"),
        ("a}", "its braces do not match"),
        (r"{a\}", "its braces do not match"),
        ("a^b^c", "DoubleSuperscriptsError"),
        ("a & b", "ParseError"),
        ("", "NoAvailableTokensError"),
    ],
)
def test_a_formula_that_would_not_show_is_refused(latex: str, why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"got {latex!r}: {why}")):
        formulas.mathml(latex, display=False)


def test_a_page_keeps_all_but_its_formulas() -> None:
    html = (
        '<p>For <span class="arithmatex">\\(a &lt; b\\)</span> and <code>\\(c\\)</code>'
        '</p><div class="arithmatex">\\[\nx\n\\]</div>'
    )
    written = formulas.with_formulas(html)
    assert re.sub(r"<math.*?</math>", "@", written) == (
        '<p>For <span class="arithmatex">@</span> and <code>\\(c\\)</code></p>'
        '<div class="arithmatex">@</div>'
    )
    assert written.count('display="inline"') == written.count('display="block"') == 1


def test_latex_that_stays_behind_is_refused() -> None:
    with pytest.raises(ValueError, match=re.escape(r"got 'costs $\\ln N $'")):
        formulas.with_formulas(r"<p>costs $\ln N $</p>")


def test_what_a_page_would_fetch_from_elsewhere_is_told(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(
        '<a href="https://example.org">a link</a><script src="app.js"></script>'
        '<script src="https://example.org/a.js"></script><img src=//example.org/b.png>'
        "<style>@import 'https://example.org/c.css';</style>"
    )
    (tmp_path / "a.css").write_text("x { y: url(z.png) } p { q: url(http://e.org/f) }")
    assert offline.fetched(tmp_path) == [
        "a.css: http://e.org/f",
        "index.html: <script src=https://example.org/a.js>",
        "index.html: <img src=//example.org/b.png>",
        "index.html: https://example.org/c.css",
    ]


# The reference -----------------------------------------------------------------------

# Programs and plug-ins, which are not called from Python.
NO_ROOMS = {"cli", "pytest_plugin"}


def rooms() -> list[str]:
    """Return the names of all rooms that people may import from."""
    names = [room.name for room in pkgutil.iter_modules(littlestone.__path__)]
    names += [f"compat.{room.name}" for room in pkgutil.iter_modules(compat.__path__)]
    return [
        f"littlestone.{name}"
        for name in names
        if name not in NO_ROOMS and not name.split(".")[-1].startswith("_")
    ]


def resolved(name: str) -> Any:
    """Return what a dotted name stands for."""
    parts = name.split(".")
    found: Any = None
    for i, part in enumerate(parts):
        try:
            found = import_module(".".join(parts[: i + 1]))
        except ImportError:
            found = getattr(found, part)
    return found


def in_the_reference() -> dict[str, list[Any]]:
    """Return what the pages of the reference describe, by its last name."""
    found: dict[str, list[Any]] = {}
    for page in (ROOT / "docs" / "reference").glob("*.md"):
        text = page.read_text(encoding="utf-8")
        for name, options in re.findall(
            r"^::: (\S+)\n((?:    .*\n)*)", text, re.MULTILINE
        ):
            thing = resolved(name)
            found.setdefault(name.split(".")[-1], []).append(thing)
            if not isinstance(thing, ModuleType):
                continue
            members = re.findall(r"^ +- (\w+)$", options, re.MULTILINE)
            if not members and "members: false" not in options:
                # Classes and functions of its own are shown with a module, no more.
                members = [
                    member
                    for member in thing.__all__
                    if getattr(getattr(thing, member), "__module__", None) == name
                ]
            for member in members:
                found.setdefault(member, []).append(getattr(thing, member))
    return found


def test_the_reference_has_every_public_name() -> None:
    found = in_the_reference()
    missing = [
        f"{room.__name__}.{name}"
        for room in map(import_module, rooms())
        for name in room.__all__
        if not isinstance(getattr(room, name), Theorem)  # each has its own page
        and all(one is not getattr(room, name) for one in found.get(name, []))
    ]
    assert not missing, f"add `::: NAME` to a page of docs/reference for {missing}"


def test_every_page_is_in_the_navigation() -> None:
    listed = set(re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text()))
    pages = {str(page.relative_to(ROOT / "docs")) for page in PAGES}
    apart = {page for page in pages if page.startswith("theorems/")}
    assert listed - apart == pages - apart


def test_the_picture_of_the_front_page_is_of_the_run_that_it_tells() -> None:
    (*_, last) = pictures.measured(step=1250)
    drawn = pictures.PICTURE.read_text(encoding="utf-8")
    for text in (f"mistakes: {last[1]}<", f"at most {last[2]}<", f": {last[3]}<"):
        assert text in drawn
    for page in (ROOT / "README.md", ROOT / "docs" / "index.md"):
        text = page.read_text(encoding="utf-8")
        told = f"{last[1]} mistakes on {last[0]:,} web pages, at most {last[2]} by the "
        assert f"![{told}proof, {last[3]} if the answer is always the same]" in text


def test_the_picture_of_the_descent_begins_high() -> None:
    drawn = pictures.descent([(1, 4.0), (2, 1.0)])
    top, bottom = pictures.TOP, pictures.HEIGHT - pictures.BOTTOM
    at = re.findall(r",(\d+)", re.findall(r'points="(.*?)"', drawn)[0])
    assert [int(y) for y in at] == [top, round(bottom - (bottom - top) / 4)]
    assert "<polyline" in pictures.DESCENT.read_text(encoding="utf-8")


def test_the_search_knows_each_section() -> None:
    html = '<p>intro</p><h2 id="a">Win<code>now</code>¶</h2><p>x &lt; <b>y</b></p>'
    assert search.sections(html, "p.html", "P") == [
        ["p.html", "P", "", "intro"],
        ["p.html#a", "P", "Winnow", "x < y"],
    ]


def test_the_search_finds_in_a_folder_and_shows_texts_as_texts(tmp_path: Path) -> None:
    (tmp_path / "assets").mkdir()
    for source, name in (("search.md", "search.html"), ("assets/search.js", None)):
        text = (ROOT / "docs" / source).read_text(encoding="utf-8")
        (tmp_path / (name or source)).write_text(text, encoding="utf-8")
    for number, text in enumerate(("<img src=x onerror=alert(1)> thresholds", "other")):
        html = f'<h2 id="s{number}">Section</h2><p>{escape(text)}</p>'
        search.on_page_content(html, page=SimpleNamespace(url="p.html", title="P"))
    search.on_post_build(config={"site_dir": tmp_path})
    search.on_pre_build(config=None)
    with browser() as window:
        window.open(tmp_path / "search.html")
        window.ask("box = document.getElementById('find')")
        window.ask("box.value = 'THRESHOLD'; box.dispatchEvent(new Event('input'))")
        link = "found.querySelectorAll('a')[0].getAttribute('href')"
        assert window.ask(link) == "p.html#s0"
        assert window.ask("found.children.length") == 1
        assert window.ask("found.querySelector('img') === null")
        # The button of the theme, on a phone, leads to this page.
        script = (ROOT / "docs" / "assets" / "search-link.js").read_text()
        (tmp_path / "phone.html").write_text(
            '<label class="md-header__button" for="__search">Find</label>'
            f'<a href="search.html">Search</a><script>{script}</script>'
        )
        window.open(tmp_path / "phone.html")
        button = "document.querySelector('.md-header__button').getAttribute('href')"
        assert str(window.ask(button)).endswith("/search.html")
        assert not window.complaints()
