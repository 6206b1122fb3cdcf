"""Reports: a run in words, numbers and plots, for people.

What there is to tell is gathered once (`_story`), in terms of no medium. A page of HTML
(`_page`), a drawing by Matplotlib (`_drawing`) and plain text (`_text`) each show it.
"""

from littlestone.reporting._report import Report, check_path, report

__all__ = ["Report", "check_path", "report"]
