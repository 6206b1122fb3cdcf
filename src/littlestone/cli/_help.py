"""The help of a command: examples first, then options in groups, in 80 columns.

The options of learners and formats are many. The help names them; with `-l arow` it
explains those of that learner, and with `-F csv` those of that format.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import typer.core

from littlestone.cli._groups import ADVICE, LEARNER, RULE, TEXT
from littlestone.cli._vowpal_wabbit import refused, translated, without_idle
from littlestone.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from littlestone.streams._formats import Format

__all__ = ["App", "Command", "Commands"]

_EXAMPLES = "For example:"
# Groups whose options are named, not explained.
_NAMED = (TEXT, LEARNER, RULE, ADVICE)
# Options that are not taken twice, and what takes several.
_ONCE = {"learner": "; littlestone race plays several learners", "positive": ""}
_WIDTH = 79
_NAMES = 28  # columns for the names of options


class App(typer.Typer):
    """The app, whose commands all have this help."""

    def command(self, *words: Any, **options: Any) -> Any:
        """Add a command."""
        return super().command(*words, **{"cls": Command, **options})


class Command(typer.core.TyperCommand):
    """A command with a help that fits the learner and the format asked about."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Remember the words, as the help comes before the options are read."""
        ctx.meta["words"] = list(args)
        if self.name == "run":  # which takes Vowpal Wabbit's options
            try:
                args = translated(without_idle(args))
            except ParameterError as error:
                ctx.fail(str(error))
            if wrong := refused(args):
                ctx.fail(wrong)
        self._check_once(ctx, args)
        return super().parse_args(ctx, args)

    def _check_once(self, ctx: Any, args: list[str]) -> None:
        """Refuse options of which one might give several, and the last would count."""
        _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        for param in given:
            if param.name in _ONCE and not param.multiple and given.count(param) > 1:
                more = _ONCE[param.name]
                ctx.fail(f"--{_name(param)} must be given once{more}")

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        text, _, after = (self.help or "").partition(_EXAMPLES)
        first, *rest = _paragraphs(text)
        examples = [part.strip() for part in _paragraphs(after) if part[0] == " "]
        rest += [part for part in _paragraphs(after) if part[0] != " "]
        self.format_usage(ctx, formatter)
        panels = _panels(self.get_params(ctx))
        chosen = _chosen(ctx.meta.get("words", []))
        parts = [
            first,
            _section("Examples", examples),
            *(
                _section(f"Options of {owner}", _rows(_those(panels, options), ctx))
                for owner, options in chosen.items()
            ),
            *rest,
        ]
        for panel, params in panels.items():
            if panel not in _NAMED:
                parts.append(_section(panel, _rows(params, ctx)))
        if _has_learner(panels):
            parts.append(_section("Learners", _learners()))
        parts.append(_section(*_others(panels, ctx.command_path, chosen)))
        formatter.write("".join(f"\n{part}\n" for part in parts if part))


class Commands(typer.core.TyperGroup):
    """The commands, with a help like theirs."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        text, _, after = (self.help or "").partition(_EXAMPLES)
        self.format_usage(ctx, formatter)
        commands = [
            row
            for name in self.list_commands(ctx)
            for row in _row(name, self.commands[name].get_short_help_str(limit=200))
        ]
        parts = [
            *_paragraphs(text),
            _section("Examples", [part.strip() for part in _paragraphs(after)]),
            _section("Commands", commands),
            _section("Options", _rows(self.get_params(ctx), ctx)),
        ]
        formatter.write("".join(f"\n{part}\n" for part in parts if part))


def _panels(params: Sequence[Any]) -> dict[str, list[Any]]:
    """Return what a command takes, by the title of its group."""
    panels: dict[str, list[Any]] = {"Arguments": [], "Options": []}
    for param in params:
        kind = f"{param.param_type_name.title()}s"
        panels.setdefault(param.rich_help_panel or kind, []).append(param)
    return panels


def _those(panels: Mapping[str, list[Any]], options: Collection[str]) -> list[Any]:
    """Return the options with these names among those of learners and formats."""
    every = [param for panel in _NAMED for param in panels.get(panel, ())]
    return [param for param in every if _name(param) in options]


def _name(param: Any) -> str:
    """Return the name of an option, as it is written in full."""
    return str(max(param.opts, key=len)).lstrip("-")


def _learners() -> list[str]:
    """Return the names of the learners, by what they read."""
    from littlestone.catalogue import Reads
    from littlestone.cli._learners import LEARNERS

    titles = {
        Reads.FEATURES: "linear",
        Reads.LITERALS: "of rules",
        Reads.ADVICE: "that follow experts",
        Reads.MEMBERS: "made of others",
    }
    return [
        line
        for reads, title in titles.items()
        for line in _row(
            title,
            ", ".join(name for name, entry in LEARNERS.items() if entry.reads is reads),
        )
    ]


def _others(
    panels: Mapping[str, list[Any]],
    path: str,
    chosen: Mapping[str, Collection[str]],
) -> tuple[str, list[str]]:
    """Return the options of learners and formats that are not explained."""
    from littlestone.cli._learners import LEARNERS

    of_learner = any(owner in LEARNERS for owner in chosen)
    of_format = any(owner not in LEARNERS for owner in chosen)
    lines = []
    for panel in _NAMED:
        if panel in panels and not (of_format if panel == TEXT else of_learner):
            names = ", ".join(f"--{_name(param)}" for param in panels[panel])
            lines += _row(panel.removeprefix("For "), names)
    asked = "-l NAME -F FORMAT" if _has_learner(panels) else "-F FORMAT"
    return f"More options, explained by {path} {asked} --help", lines


def _has_learner(panels: Mapping[str, list[Any]]) -> bool:
    return "--learner" in {name for param in panels["Options"] for name in param.opts}


# Lines --------------------------------------------------------------------------------


def _paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text, filled; those that are indented stay."""
    parts = [part.rstrip() for part in text.split("\n\n") if part.strip()]
    return [
        f"  {part.strip()}" if part.strip("\n").startswith("    ") else _filled(part)
        for part in parts
    ]


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)


def _filled(text: str) -> str:
    return "\n".join(_wrapped(" ".join(text.split()), _WIDTH))


def _section(title: str, lines: Sequence[str]) -> str:
    """Return lines under a title; nothing if there are none."""
    kept = [f"  {line}" for line in lines if line]
    return "\n".join([f"{title}:", *kept]) if kept else ""


def _rows(params: Sequence[Any], ctx: Any) -> list[str]:
    """Return options with their values and what they do."""
    lines: list[str] = []
    for param in params:
        record = param.get_help_record(ctx)
        if record is not None:
            argument = param.param_type_name == "argument"
            names = param.metavar if argument and param.metavar else record[0]
            lines += _row(names, " ".join(record[1].split()))
    return lines


def _row(names: str, text: str) -> list[str]:
    """Return names and a text beside them, or below where the names are long."""
    lines = _wrapped(text, _WIDTH - 4 - _NAMES)
    first = f"{names:{_NAMES}}"
    below = [] if len(names) < _NAMES - 1 else [first.rstrip()]
    first = " " * _NAMES if below else first
    return below + [
        f"{first if not at else ' ' * _NAMES}{line}" for at, line in enumerate(lines)
    ]


# What is asked about ------------------------------------------------------------------


def _chosen(words: Sequence[str]) -> dict[str, frozenset[str]]:
    """Return the options of the learner and the format that words name."""
    from littlestone.cli._learner_options import options_of
    from littlestone.cli._learners import LEARNERS
    from littlestone.streams._formats import Format

    found: dict[str, frozenset[str]] = {}
    form = _given(words, "-F", "--format")
    learner = _given(words, "-l", "--learner").partition(":")[0]
    if learner in LEARNERS:
        entry = LEARNERS[learner]
        names = {"C": "aggressiveness"}
        found[learner] = frozenset(names.get(n, n) for n in options_of(entry))
        form = form or ("forecasts" if entry.reads == "advice" else "")
    found |= {each.value: _of_format(each) for each in Format if each == form}
    return found


def _of_format(form: Format) -> frozenset[str]:
    names = {"lowercase": "keep-case"}
    return frozenset(names.get(n, n.replace("_", "-")) for n in form.options)


def _given(words: Sequence[str], *names: str) -> str:
    """Return the value of an option among words; empty if it is not there."""
    for at, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name in names:
            return value if equals else "".join(words[at + 1 : at + 2])
    return ""
