"""A report of one run."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from littlestone.errors import MissingPackageError, ParameterError
from littlestone.outputs import replacing
from littlestone.reporting._story import Story, story_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike

    from littlestone.comparators import Comparator
    from littlestone.running import Record
    from littlestone.verifying import Certificate

__all__ = ["Report", "check_path", "report"]

_PAGES = (".html", ".htm")
_DRAWINGS = (".png", ".svg", ".pdf")


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """A run in words, numbers and plots.

    A notebook shows the page; `print` writes plain text.

    Attributes
    ----------
    story
        The content, however it is shown.
    html
        The page: one self-contained file that works offline.
    text
        The same in plain text, for a terminal.

    Examples
    --------
    >>> from littlestone import report, run
    >>> from littlestone.linear import Perceptron
    >>> record = run(Perceptron(), [({"a": 1}, True), ({"b": 1}, False)])
    >>> made = report(record)
    >>> made
    Report('Perceptron': 2 plots)
    >>> made.html.startswith("<!DOCTYPE html>")
    True
    """

    story: Story = field(repr=False)

    @cached_property
    def html(self) -> str:
        """The page, as text."""
        from littlestone.reporting._page import page_of  # noqa: PLC0415 - when asked for

        return page_of(self.story)

    @cached_property
    def text(self) -> str:
        """The report in plain text."""
        from littlestone.reporting._text import text_of  # noqa: PLC0415 - when asked for

        return text_of(self.story)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the report: a page, or a drawing where the name says so.

        Parameters
        ----------
        path
            A name that ends with `.html` for the page, which needs Plotly; with `.png`,
            `.svg` or `.pdf` for a drawing of the plots, which needs Matplotlib.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> from littlestone import report, run
        >>> from littlestone.linear import Perceptron
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "run.html"
        >>> report(run(Perceptron(), [({"a": 1}, True)])).save(path)
        >>> path.stat().st_size > 1_000_000  # it includes Plotly
        True
        """
        check_path(path)
        if _is_page(path):
            page = self.html.encode()
            with replacing(path) as file:
                file.write(page)
            return
        from littlestone.reporting._drawing import draw  # noqa: PLC0415 - when asked for

        draw(self.story, Path(path))

    def _repr_html_(self) -> str:
        # In a frame of its own, so that neither page changes how the other looks.
        page = escape(self.html, quote=True)
        return (
            f'<iframe title="{escape(self.story.title, quote=True)}" srcdoc="{page}" '
            'style="width: 100%; height: 48rem; border: 1px solid #d5dae1"></iframe>'
        )

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        plots = len(self.story.charts)
        return f"Report({self.story.title!r}: {plots} plot{'' if plots == 1 else 's'})"


def check_path(path: str | PathLike[str]) -> None:
    """Refuse a file name without a known ending, or whose package is missing.

    Call it before a long run, not after.

    Examples
    --------
    >>> from littlestone.reporting import check_path
    >>> check_path("run.html")
    >>> check_path("run.doc")
    Traceback (most recent call last):
    littlestone.errors.ParameterError: report: the name of a report must end with one of .html, .htm, .png, .svg, .pdf, got 'run.doc'
    """  # noqa: E501 - a message is one line
    package, extra = "matplotlib", "plots"
    if _is_page(path):
        package, extra = "plotly", "reports"
    if find_spec(package) is None:
        raise MissingPackageError(
            f"{Path(path).suffix} needs {package}, which is not installed: pip "
            f"install 'littlestone[{extra}]'",
            owner="report",
        )


def _is_page(path: str | PathLike[str]) -> bool:
    """Return whether a file of this name is a page, not a drawing; refuse others."""
    ending = Path(path).suffix.lower()
    if ending not in _PAGES + _DRAWINGS:
        named = ", ".join(_PAGES + _DRAWINGS)
        raise ParameterError(
            f"the name of a report must end with one of {named}, got {str(path)!r}",
            owner="report",
        )
    return ending in _PAGES


def report(
    record: Record,
    *,
    certificate: Certificate | None = None,
    learner: Any = None,
    comparators: Iterable[Comparator] = (),
    title: str | None = None,
    note: str | None = None,
) -> Report:
    r"""Report a run in words, numbers and plots.

    Parameters
    ----------
    record
        The record of the run.
    certificate
        Its certificate, to be shown in words and drawn as a bound.
    learner
        The learner after the run, for its rule or its largest weights.
    comparators
        The best in hindsight, found by `littlestone.comparators` on the same rounds, to
        be shown beside the experts.
    title
        The title; by default the learner's name.
    note
        A sentence shown in place of a certificate.

    Examples
    --------
    >>> from littlestone import certify, report, run
    >>> from littlestone.linear import Perceptron
    >>> stream = [({"cheap": 1, "pills": 1}, True), ({"lunch": 1}, False)] * 10
    >>> learner = Perceptron()
    >>> record = run(learner, stream, keep="updates")
    >>> made = report(record, certificate=certify(record), learner=learner)
    >>> print("\n".join(made.text.splitlines()[2:4]))
    Perceptron played 20 rounds and made 1 mistake (5.00%). PERC-SEP promises at
    most 1 update on this stream, as certified.
    """
    return Report(
        story_of(
            record,
            certificate=certificate,
            learner=learner,
            comparators=tuple(comparators),
            title=title,
            note=note,
        )
    )
