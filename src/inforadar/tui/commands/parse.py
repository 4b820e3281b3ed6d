"""The commands of the command line, and parsing their arguments. Pure."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from itertools import takewhile

from inforadar.errors import UsageError
from inforadar.store.items.order import SortKey
from inforadar.tui.list.view import Show
from inforadar.tui.text import safe
from inforadar.tui.theme import THEMES

_DIRECTIONS = {"asc": False, "up": False, "desc": True, "down": True}


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    name: str
    usage: str
    says: str
    short: str = ""


COMMANDS = (
    Command(name="fetch", usage=":fetch", says="Fetch the feeds that the filters name; all without filters"),
    Command(name="source", usage=":source [NAME, …]", says="Only these sources; without a name all"),
    Command(name="topic", usage=":topic [NAME, …]", says="Only these topics; without a name all"),
    Command(name="find", usage=":find [WORDS]", says="Only items with these words; without words all"),
    Command(name="show", usage=":show all|unread|starred|archived", says="Items by their marks"),
    Command(
        name="sort",
        usage=":sort COLUMN [asc|desc]",
        says="Order by source, topic, title, date, rating, views, comments or score",
    ),
    Command(name="clear", usage=":clear", says="No filters, no search"),
    Command(name="add", usage=":add URL", says="Subscribe to a feed, or to the feed of a site"),
    Command(name="import", usage=":import FILE", says="Subscribe to every feed of an OPML file"),
    Command(name="sample", usage=":sample", says="Add the sample news world"),
    Command(name="feeds", usage=":feeds", says="All feeds by topic: add, edit, pause, delete, fetch"),
    Command(name="broken", usage=":broken", says="The feeds that need you, and why"),
    Command(
        name="alerts", usage=":alerts", says="Feeds that are broken, silent, losing entries, moved or gone"
    ),
    Command(name="rules", usage=":rules", says="Rules: list, try, add, remove"),
    Command(name="searches", usage=":searches", says="Saved searches"),
    Command(name="save", usage=":save NAME", says="Save the search that is shown"),
    Command(name="stories", usage=":stories", says="Each event once, with everyone who tells it"),
    Command(name="worker", usage=":worker", says="Start or stop the worker inside the app"),
    Command(name="theme", usage=":theme [light|dark]", says="Light or dark"),
    Command(name="help", usage=":help", says="The keys and commands", short="h"),
    Command(name="quit", usage=":quit", says="Leave", short="q"),
)
_BY_NAME = {command.name: command for command in COMMANDS}
_SHORT = {command.short: command for command in COMMANDS if command.short}


def parse_command(line: str) -> tuple[Command, str]:
    """Split a line: `sort views` is (the command, "views"). A unique prefix of a command is enough."""
    name, _, rest = line.strip().removeprefix(":").strip().partition(" ")
    name = name.lower()
    if found := _BY_NAME.get(name) or _SHORT.get(name):
        return found, rest.strip()
    fitting = [command for command in COMMANDS if name and command.name.startswith(name)]
    if len(fitting) == 1:
        return fitting[0], rest.strip()
    if fitting:
        raise UsageError(f":{safe(name)} could be {_or([f':{command.name}' for command in fitting])}.")
    close = difflib.get_close_matches(name, list(_BY_NAME), n=1)
    meant = f" Did you mean :{close[0]}?" if close else ""
    raise UsageError(
        f"There is no command :{safe(name)}.{meant} There are {_and([command.name for command in COMMANDS])}."
    )


def complete(line: str) -> str:
    """Complete the command name as far as it is unambiguous."""
    fitting = [command.name for command in COMMANDS if command.name.startswith(line.lower())]
    if not line or not fitting:
        return line
    if len(fitting) == 1:
        return f"{fitting[0]} "
    shared = [
        signs[0] for signs in takewhile(lambda signs: len(set(signs)) == 1, zip(*fitting, strict=False))
    ]
    return "".join(shared)


def parse_sort(text: str, now: tuple[SortKey, bool]) -> tuple[SortKey, bool]:
    """Parse `views`, `views asc` or `asc`; return the column and whether the order is descending."""
    columns = [key.value for key in SortKey]
    words = text.lower().split()
    if not words:
        raise UsageError(f"Sort by what? It can be {_or(columns)}, then asc or desc.")
    sort, descending = now
    for word in (word for word in words if word not in _DIRECTIONS):
        if word not in columns:
            raise UsageError(f"{safe(word)!r} is no column. Sort by {_or(columns)}, then asc or desc.")
        sort = SortKey(word)
        descending = starts_descending(sort)
    for word in words:
        descending = _DIRECTIONS.get(word, descending)
    return sort, descending


def starts_descending(sort: SortKey) -> bool:
    """Whether a column is sorted descending by default: numbers and dates are, words are not."""
    return sort not in {SortKey.SOURCE, SortKey.TOPIC, SortKey.TITLE}


def parse_show(text: str) -> Show:
    try:
        return Show(text.strip().lower())
    except ValueError:
        raise UsageError(f"Show {_or([show.value for show in Show])}.") from None


def parse_theme(text: str, now: str) -> str:
    names = [theme.name for theme in THEMES]
    word = text.strip().lower()
    if not word:
        return next(name for name in names if name != now)
    if word not in names:
        raise UsageError(f"The theme can be {_or(names)}.")
    return word


def parse_names(text: str, kind: str, available: list[str]) -> tuple[str, ...]:
    """Parse names separated by commas, ignoring case; each must be one of `available`."""
    known = {name.casefold(): name for name in available}
    chosen: list[str] = []
    for part in text.split(","):
        name = part.strip()
        if not name:
            continue
        if name.casefold() not in known:
            raise UsageError(_no_such(name, kind, known))
        chosen.append(known[name.casefold()])
    return tuple(dict.fromkeys(chosen))


def _no_such(name: str, kind: str, known: dict[str, str]) -> str:
    close = difflib.get_close_matches(name.casefold(), list(known), n=1)
    meant = f" Did you mean {safe(known[close[0]])}?" if close else ""
    names = [safe(one) for one in list(known.values())[:8]]
    more = f" and {len(known) - 8} more" if len(known) > 8 else ""
    listed = f" There are {', '.join(names)}{more}." if known else " There is none yet."
    return f"There is no {kind} {safe(name)!r}.{meant}{listed}"


def _or(words: list[str]) -> str:
    return " or ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else words[0]


def _and(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}"
