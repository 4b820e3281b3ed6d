"""The command line. Commands are named here and imported only when they run, so that help is quick.

Exit codes: 0 done, 1 something failed, 2 wrong use or refused, 130 interrupted.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from inforadar import __version__
from inforadar.cli.terminal.masks import masked
from inforadar.errors import InfoRadarError, OutputError, ReaderGoneError, UsageError

if TYPE_CHECKING:
    from cyclopts import App

_COMMANDS = {
    "up": (
        "inforadar.cli.system.up:up",
        "Start everything: API, web page, worker; the sample on an empty database.",
    ),
    "fetch": ("inforadar.cli.runs.fetch:fetch", "Fetch all enabled feeds now, and watch it."),
    "api": ("inforadar.cli.system.serve:api", "Start the API and the web page alone."),
    "worker": ("inforadar.cli.system.serve:worker", "Start a worker alone; --once does one cycle and exits."),
    "export": ("inforadar.cli.system.state:export", "Write everything into one file."),
    "import": ("inforadar.cli.system.state:import_", "Read what `export` wrote, into an empty database."),
    "doctor": ("inforadar.cli.system.doctor:doctor", "Look for what is wrong, and say what to do."),
    "completion": ("inforadar.cli.system.completion:completion", "Print the completion script of a shell."),
}
"""{name: (where it is, what it does)}."""

_GROUPS = {
    "feed": (
        "The feeds that are watched.",
        {
            "add": ("inforadar.cli.feed.feeds:add", "Register a feed."),
            "list": ("inforadar.cli.feed.feeds:list_", "Show all feeds, their health and what comes next."),
            "show": ("inforadar.cli.feed.feeds:show", "Show everything about one feed."),
            "preview": ("inforadar.cli.feed.preview:preview", "Show what selectors catch on a listing page."),
            "edit": ("inforadar.cli.feed.edit:edit", "Change a feed's URL, settings or credentials."),
            "enable": ("inforadar.cli.feed.change:enable", "Allow a feed to be fetched and served."),
            "disable": ("inforadar.cli.feed.change:disable", "Stop fetching and serving a feed at once."),
            "polling": (
                "inforadar.cli.feed.change:polling",
                "Turn the repeated fetching of a feed on or off.",
            ),
            "sync": ("inforadar.cli.feed.change:sync", "Fetch a feed now; revives one that was suspended."),
            "delete": ("inforadar.cli.feed.change:delete", "Delete a feed; `feed restore` brings it back."),
            "restore": ("inforadar.cli.feed.change:restore", "Bring a deleted feed back as it was."),
        },
    ),
    "root-domain": (
        "The domains that feeds are grouped by.",
        {
            "list": ("inforadar.cli.feed.root_domains:list_", "List all root domains."),
            "set": ("inforadar.cli.feed.root_domains:set_", "Set the root domain of a feed."),
            "clear": ("inforadar.cli.feed.root_domains:clear", "Clear the root domain of a feed."),
        },
    ),
    "item": (
        "The stored items.",
        {
            "list": ("inforadar.cli.item.list:list_", "List items, newest first."),
            "show": (
                "inforadar.cli.item.show:show",
                "Show one item: metadata, clean text, analysis, changes.",
            ),
            "refresh": ("inforadar.cli.item.show:refresh", "Fetch an item's article anew, if it changed."),
        },
    ),
    "canonical": (
        "From URLs to articles.",
        {
            "run": ("inforadar.cli.item.canonical:run", "Fetch the articles of all new URLs, then end."),
            "stats": (
                "inforadar.cli.item.canonical:stats",
                "Show what was stored, what failed and where, and the queue.",
            ),
            "rebuild": (
                "inforadar.cli.item.canonical:rebuild",
                "Write everything that Redis shows anew from the database.",
            ),
        },
    ),
    "analyze": (
        "Deframing: what the analyzer makes of the items.",
        {
            "run": ("inforadar.cli.item.analyze:run", "Analyze what is waiting, then build the feeds."),
            "stats": ("inforadar.cli.item.analyze:stats", "Show queue, results, failures and cost."),
            "prompt": ("inforadar.cli.item.analyze:prompt", "Show a prompt and its version."),
        },
    ),
    "opml": (
        "Lists of feeds, as other readers write them.",
        {
            "import": ("inforadar.cli.feed.opml:import_", "Add every feed of an OPML file."),
            "export": ("inforadar.cli.feed.opml:export", "Write all feeds as an OPML file."),
        },
    ),
    "run": (
        "Reports of past runs.",
        {
            "list": ("inforadar.cli.runs.list:list_", "List runs, newest first."),
            "show": ("inforadar.cli.runs.list:show", "Show one report with what it added and changed."),
        },
    ),
    "sample": (
        "The sample news world.",
        {
            "add": ("inforadar.cli.system.sample:add", "Add the sample feeds with their recorded past."),
            "remove": ("inforadar.cli.system.sample:remove", "Delete the sample and everything it brought."),
            "serve": ("inforadar.cli.system.sample:serve", "Serve the sample world on its port."),
        },
    ),
    "flows": (
        "Sitemaps that Prefect runs.",
        {
            "serve": (
                "inforadar.cli.system.flows:serve",
                "Run the flows of inforadar.toml on their schedules.",
            ),
        },
    ),
    "db": (
        "The database.",
        {
            "upgrade": (
                "inforadar.cli.system.database:upgrade",
                "Bring the database to this program's schema.",
            ),
            "check": ("inforadar.cli.system.database:check", "Look whether the database is whole."),
            "backup": ("inforadar.cli.system.database:backup", "Copy the database, while it is in use."),
            "restore": (
                "inforadar.cli.system.database:restore",
                "Put a backup in the place of the database.",
            ),
            "vacuum": (
                "inforadar.cli.system.database:vacuum",
                "Delete what retention says, and give its space back; --dry-run only tells.",
            ),
            "move": ("inforadar.cli.system.database:move", "Move everything to another database."),
        },
    ),
    "config": (
        "The settings.",
        {
            "show": ("inforadar.cli.system.settings:show", "Show every setting and where it came from."),
        },
    ),
}


def build_app() -> App:
    """All commands, none of them imported yet."""
    from cyclopts import App  # noqa: PLC0415 - the terminal app does not need it

    app = App(
        name="inforadar",
        help="Watches feeds, sitemaps and paged sites; serves clean, deframed news.",
        help_epilogue="Without a command, the terminal app starts. Everywhere: `--home FOLDER` (or "
        "INFORADAR_HOME) names the folder with the settings and the database; `--log-format auto|console|json` "
        "and `--log-level` say how the log is written.",
        version=__version__,
        result_action="return_value",
        suppress_keyboard_interrupt=False,
    )
    for name, (target, text) in _COMMANDS.items():
        app.command(target, name=name, help=text)
    for group_name, (group_text, commands) in _GROUPS.items():
        group = App(name=group_name, help=group_text)
        for name, (target, text) in commands.items():
            group.command(target, name=name, help=text)
        app.command(group)
    return app


def run(arguments: Sequence[str]) -> int:
    """Runs one command; faults become one sentence on standard error and an exit code."""
    try:
        rest = _take_options(arguments)
        result = _run_terminal() if not rest and _has_screen() else _run_command(rest)
        # What is not written yet can fail, too, and is then told like any other fault.
        sys.stdout.flush()
    except ReaderGoneError as enough:
        return enough.exit_code
    except InfoRadarError as fault:
        _tell(fault)
        return fault.exit_code
    except KeyboardInterrupt:
        return 130
    return result if isinstance(result, int) else 0


def _tell(fault: InfoRadarError) -> None:
    # Where it cannot be told, the exit code says it.
    with suppress(OutputError):
        print(f"inforadar: {masked(str(fault))}", file=sys.stderr)


def _run_command(arguments: Sequence[str]) -> Any:
    from cyclopts import CycloptsError  # noqa: PLC0415 - as above

    try:
        return build_app()(arguments, exit_on_error=False, print_error=True)
    except CycloptsError:
        return 2


def _has_screen() -> bool:
    # The app is drawn on standard error.
    return sys.stdin.isatty() and sys.stdout.isatty() and sys.stderr.isatty()


def _run_terminal() -> int:
    # What is imported lives as long as the program: looking through it again and again only costs time.
    gc.disable()
    from inforadar.cli.app import terminal  # noqa: PLC0415 - commands do not need it

    return terminal()


_ANYWHERE = {
    "--home": ("INFORADAR_HOME", "a folder"),
    "--log-format": ("INFORADAR_LOG_FORMAT", "auto, console or json"),
    "--log-level": ("INFORADAR_LOG_LEVEL", "debug, info, warning or error"),
}
"""Options that every command has, and may stand anywhere: each is the same as its variable."""


def _take_options(arguments: Sequence[str]) -> list[str]:
    rest: list[str] = []
    given = iter(arguments)
    for argument in given:
        name, _, value = argument.partition("=")
        if argument == "--":
            rest.append(argument)
            rest.extend(given)
        elif name in _ANYWHERE:
            variable, what = _ANYWHERE[name]
            value = value or next(given, "")
            if not value:
                raise UsageError(f"{name} needs {what}.")
            os.environ[variable] = value
        else:
            rest.append(argument)
    return rest
