"""Write every formula as MathML, which browsers draw themselves, without a script.

What is between dollar signs is converted while the site is built. A formula that cannot
be converted stops the build: the converter lets much pass, and readers would see the
remains.
"""

from __future__ import annotations

import re
from html import unescape
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree as ET

from latex2mathml.converter import convert

__all__ = ["mathml", "on_page_content", "with_formulas"]

_MATHML = "http://www.w3.org/1998/Math/MathML"
_FORMULA = re.compile(
    r'(<(span|div) class="arithmatex">)\\[(\[](.*?)\\[)\]](</\2>)', re.DOTALL
)
_CODE = re.compile(r"<(code|pre)\b.*?</\1>|<[^>]*>", re.DOTALL)
_LATEX = re.compile(r"[^\n]{0,40}\\[a-zA-Z]{2,}[^\n]{0,40}")
_SCRIPTS = {
    "msub": 2,
    "msup": 2,
    "msubsup": 3,
    "munder": 2,
    "mover": 2,
    "munderover": 3,
}
_PARTS = {"mfrac": 2, "mroot": 2, **_SCRIPTS}


def mathml(latex: str, *, display: bool) -> str:
    """Return a formula as MathML, or raise ValueError for one that would not show."""
    wrong = f"a formula must be LaTeX that can be shown, got {latex!r}"
    braces = re.sub(r"\\.", "", latex)
    if braces.count("{") != braces.count("}"):
        raise ValueError(f"{wrong}: its braces do not match")
    try:
        text = convert(latex, display="block" if display else "inline")
        root = ET.fromstring(text)  # noqa: S314 - it was made here
    except Exception as error:  # what it raises has no other name in common
        raise ValueError(f"{wrong}: {type(error).__name__}") from error
    for element in root.iter():
        element.tag = element.tag.removeprefix(f"{{{_MATHML}}}")
        if unknown := re.search(r"\\[a-zA-Z]*", element.text or ""):
            raise ValueError(f"{wrong}: {unknown[0]} is not known")
        if _PARTS.get(element.tag, len(element)) != len(element):
            raise ValueError(f"{wrong}: {element.tag} has {len(element)} parts")
    for element in [*root.iter()]:
        _space_out(element)
    root.set("xmlns", _MATHML)
    return ET.tostring(root, encoding="unicode")


def _space_out(row: ET.Element) -> None:
    """Leave the spaces that TeX leaves, where browsers leave others or none."""
    parts = [*row]
    for part in parts:
        sign = not (part.text or "").isalpha() and part.text not in {"\u2032", "…"}
        if part.tag == "mi" and sign:
            part.tag = "mo"
            part.set("stretchy", "false")
        elif part.tag == "mo" and _named(part):
            part.tag = "mi"
            part.attrib.clear()
        # A bar opens or closes, but nothing tells which; {,} is no operator.
        if part.tag == "mo" and (part.text in {"|", "‖", "/"} or len(parts) == 1):
            part.attrib |= {"lspace": "0", "rspace": "0"}
    if row.tag not in {"math", "mrow", "mstyle", "mtd"}:
        return
    for before, after in pairwise(parts):
        operator = "mo" in {before.tag, after.tag}
        if not operator and (_named(before) or _named(after)):
            row.insert([*row].index(after), ET.Element("mspace", width="0.167em"))


def _named(element: ET.Element) -> bool:
    """Tell whether this is a function's name, such as ln, whatever it carries."""
    if element.tag in _SCRIPTS:
        return _named(element[0])
    letters = re.fullmatch(r"[A-Za-z]{2,}", element.text or "")
    return letters is not None and element.tag in {"mi", "mo"}


def with_formulas(html: str) -> str:
    """Return a page with formulas as MathML; raise ValueError if LaTeX is left."""

    def written(found: re.Match[str]) -> str:
        before, kind, latex, after = found.groups()
        return before + mathml(unescape(latex).strip(), display=kind == "div") + after

    made = _FORMULA.sub(written, html)
    if left := _LATEX.search(_CODE.sub("", made)):
        raise ValueError(f"LaTeX must be between dollar signs, got {left[0]!r}")
    return made


# What MkDocs calls -------------------------------------------------------------------


def on_page_content(html: str, *, page: Any, **_: Any) -> str:
    """Write the formulas of a page anew."""
    try:
        return with_formulas(html)
    except ValueError as error:
        from mkdocs.exceptions import PluginError  # noqa: PLC0415 - tests do without

        raise PluginError(f"{page.file.src_uri}: {error}") from error
