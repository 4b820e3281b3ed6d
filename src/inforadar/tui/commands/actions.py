"""Turn a command line into a plan, which the app executes. Pure.

An invalid line is rejected before anything runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from inforadar.errors import UsageError
from inforadar.model.search import parse_search
from inforadar.store.feeds.labels import Label
from inforadar.tui.commands.parse import parse_command, parse_names, parse_show, parse_sort, parse_theme
from inforadar.tui.list.choices import source_choices, topic_choices, with_sources
from inforadar.tui.list.view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """The state a command depends on: the current list, the known labels, the theme."""

    view: View
    labels: Sequence[Label]
    theme: str


@dataclass(frozen=True, slots=True)
class ShowList:
    view: View


@dataclass(frozen=True, slots=True)
class UseTheme:
    name: str


@dataclass(frozen=True, slots=True)
class AddFeed:
    url: str


@dataclass(frozen=True, slots=True)
class ImportOpml:
    path: str


@dataclass(frozen=True, slots=True)
class SaveSearch:
    name: str
    words: str


@dataclass(frozen=True, slots=True)
class RunAction:
    """An action of the app without arguments, the same one that a key runs."""

    name: str


Plan = ShowList | UseTheme | AddFeed | ImportOpml | SaveSearch | RunAction

ACTIONS = {
    "fetch": "fetch",
    "feeds": "feeds",
    "broken": "unwell",
    "alerts": "alerts",
    "rules": "rules",
    "searches": "searches",
    "worker": "toggle_worker",
    "stories": "stories",
    "sample": "add_sample",
    "help": "list_help",
    "quit": "quit",
}
"""{command without arguments: action of the app}."""


def plan_command(line: str, shown: Shown) -> Plan:
    """Parse a line; raise `UsageError` with the valid options if it is wrong."""
    command, rest = parse_command(line)
    make = _PLANS.get(command.name)
    if make is not None:
        return make(shown, rest)
    if rest:
        raise UsageError(f":{command.name} takes nothing more.")
    if command.name == "clear":
        return ShowList(replace(shown.view, sources=(), topics=(), feed=None, query=None))
    return RunAction(ACTIONS[command.name])


def _source(shown: Shown, rest: str) -> Plan:
    names = parse_names(rest, "source", [choice.name for choice in source_choices(shown.labels)])
    return ShowList(with_sources(shown.view, names, shown.labels))


def _topic(shown: Shown, rest: str) -> Plan:
    available = [choice.name for choice in topic_choices(shown.labels, shown.view.sources)]
    return ShowList(replace(shown.view, topics=parse_names(rest, "topic", available)))


def _find(shown: Shown, rest: str) -> Plan:
    parse_search(rest)
    return ShowList(replace(shown.view, query=rest or None))


def _show(shown: Shown, rest: str) -> Plan:
    return ShowList(replace(shown.view, show=parse_show(rest)))


def _sort(shown: Shown, rest: str) -> Plan:
    sort, descending = parse_sort(rest, (shown.view.sort, shown.view.descending))
    return ShowList(replace(shown.view, sort=sort, descending=descending))


def _theme(shown: Shown, rest: str) -> Plan:
    return UseTheme(parse_theme(rest, shown.theme))


def _add(_: Shown, rest: str) -> Plan:
    if not rest:
        raise UsageError("Add which feed? Give its URL, or the address of its site: :add https://example.org")
    return AddFeed(rest)


def _import(_: Shown, rest: str) -> Plan:
    if not rest:
        raise UsageError("Import which file? Give its path: :import feeds.opml")
    return ImportOpml(rest)


def _save(shown: Shown, rest: str) -> Plan:
    if not shown.view.query:
        raise UsageError("No search is shown. Find something first: /words")
    if not rest:
        raise UsageError("Save it under which name? :save NAME")
    return SaveSearch(rest, shown.view.query)


_PLANS: dict[str, Callable[[Shown, str], Plan]] = {
    "source": _source,
    "topic": _topic,
    "find": _find,
    "show": _show,
    "sort": _sort,
    "theme": _theme,
    "add": _add,
    "import": _import,
    "save": _save,
}
