"""From a line of the command line to what is to be done. A line that cannot be done is refused before it is run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from inforadar.errors import UsageError
from inforadar.tui.commands.parse import parse_command, parse_names, parse_show, parse_sort, parse_theme
from inforadar.tui.list.choices import source_choices, topic_choices, with_sources

if TYPE_CHECKING:
    from inforadar.tui.app import RadarApp
    from inforadar.tui.list.view import View

Plan = Callable[[], Awaitable[None]]


def plan_command(app: RadarApp, line: str) -> Plan:
    """Raises a sentence that says what is possible."""
    command, rest = parse_command(line)
    make = _PLANS.get(command.name)
    if make is not None:
        return make(app, rest)
    if rest:
        raise UsageError(f":{command.name} takes nothing more.")
    return _plain(app, command.name)


def _plain(app: RadarApp, name: str) -> Plan:
    async def leave() -> None:
        app.leave()

    async def help_() -> None:
        await app.articles.action_help()

    async def clear() -> None:
        view = app.articles.view
        app.change_view(replace(view, sources=(), topics=(), query=None))

    plans: dict[str, Plan] = {
        "fetch": app.fetch,
        "feeds": app.show_feeds,
        "sample": app.add_sample,
        "help": help_,
        "clear": clear,
        "quit": leave,
    }
    return plans[name]


def _shown(app: RadarApp, view: View) -> Plan:
    async def run() -> None:
        app.change_view(view)

    return run


def _source(app: RadarApp, rest: str) -> Plan:
    names = parse_names(rest, "source", [choice.name for choice in source_choices(app.labels)])
    return _shown(app, with_sources(app.articles.view, names, app.labels))


def _topic(app: RadarApp, rest: str) -> Plan:
    view = app.articles.view
    there = [choice.name for choice in topic_choices(app.labels, view.sources)]
    return _shown(app, replace(view, topics=parse_names(rest, "topic", there)))


def _find(app: RadarApp, rest: str) -> Plan:
    return _shown(app, replace(app.articles.view, query=rest or None))


def _show(app: RadarApp, rest: str) -> Plan:
    return _shown(app, replace(app.articles.view, show=parse_show(rest)))


def _sort(app: RadarApp, rest: str) -> Plan:
    view = app.articles.view
    sort, descending = parse_sort(rest, (view.sort, view.descending))
    return _shown(app, replace(view, sort=sort, descending=descending))


def _theme(app: RadarApp, rest: str) -> Plan:
    name = parse_theme(rest, app.theme)

    async def run() -> None:
        app.use_theme(name)

    return run


def _add(app: RadarApp, rest: str) -> Plan:
    if not rest:
        raise UsageError("Add which feed? Give its URL, or the address of its site: :add https://example.org")

    async def run() -> None:
        await app.add_feed(rest)

    return run


def _import(app: RadarApp, rest: str) -> Plan:
    if not rest:
        raise UsageError("Import which file? Give its path: :import feeds.opml")

    async def run() -> None:
        await app.import_opml(rest)

    return run


_PLANS: dict[str, Callable[[RadarApp, str], Plan]] = {
    "source": _source,
    "topic": _topic,
    "find": _find,
    "show": _show,
    "sort": _sort,
    "theme": _theme,
    "add": _add,
    "import": _import,
}
