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
from inforadar.cli.masks import masked
from inforadar.errors import InfoRadarError, OutputError, ReaderGoneError, UsageError

if TYPE_CHECKING:
    from cyclopts import App

_COMMANDS = {
    "up": (
        "inforadar.cli.up:up",
        "Start everything: API, web page, worker; the sample on an empty database.",
    ),
    "fetch": ("inforadar.cli.fetch:fetch", "Fetch all enabled feeds now, and watch it."),
    "api": ("inforadar.cli.serve:api", "Start the API and the web page alone."),
    "worker": ("inforadar.cli.serve:worker", "Start a worker alone; --once does one cycle and exits."),
    "export": ("inforadar.cli.state:export", "Write everything into one file."),
    "import": ("inforadar.cli.state:import_", "Read what `export` wrote, into an empty database."),
    "doctor": ("inforadar.cli.doctor:doctor", "Look for what is wrong, and say what to do."),
    "completion": ("inforadar.cli.completion:completion", "Print the completion script of a shell."),
}
"""{name: (where it is, what it does)}."""

_GROUPS = {
    "feed": (
        "The feeds that are watched.",
        {
            "add": ("inforadar.cli.feeds:add", "Register a feed."),
            "list": ("inforadar.cli.feeds:list_", "Show all feeds, their health and what comes next."),
            "show": ("inforadar.cli.feeds:show", "Show everything about one feed."),
            "preview": ("inforadar.cli.feed_preview:preview", "Show what selectors catch on a listing page."),
            "edit": ("inforadar.cli.feed_edit:edit", "Change a feed's settings or credentials."),
            "enable": ("inforadar.cli.feed_change:enable", "Allow a feed to be fetched and served."),
            "disable": ("inforadar.cli.feed_change:disable", "Stop fetching and serving a feed at once."),
            "polling": (
                "inforadar.cli.feed_change:polling",
                "Turn the repeated fetching of a feed on or off.",
            ),
            "sync": ("inforadar.cli.feed_change:sync", "Fetch a feed now; revives one that was suspended."),
            "delete": ("inforadar.cli.feed_change:delete", "Delete a feed; `feed add` brings it back."),
        },
    ),
    "root-domain": (
        "The domains that feeds are grouped by.",
        {
            "list": ("inforadar.cli.root_domains:list_", "List all root domains."),
            "set": ("inforadar.cli.root_domains:set_", "Set the root domain of a feed."),
            "clear": ("inforadar.cli.root_domains:clear", "Clear the root domain of a feed."),
        },
    ),
    "item": (
        "The stored items.",
        {
            "list": ("inforadar.cli.items:list_", "List items, newest first."),
            "show": (
                "inforadar.cli.item_show:show",
                "Show one item: metadata, clean text, analysis, changes.",
            ),
            "refresh": ("inforadar.cli.item_show:refresh", "Fetch an item's article anew, if it changed."),
        },
    ),
    "canonical": (
        "From URLs to articles.",
        {
            "run": ("inforadar.cli.canonical:run", "Fetch the articles of all new URLs, then end."),
            "stats": (
                "inforadar.cli.canonical:stats",
                "Show what was stored, what failed and where, and the queue.",
            ),
            "rebuild": (
                "inforadar.cli.canonical:rebuild",
                "Write everything that Redis shows anew from the database.",
            ),
        },
    ),
    "analyze": (
        "Deframing: what the analyzer makes of the items.",
        {
            "run": ("inforadar.cli.analyze:run", "Analyze what is waiting, then build the feeds."),
            "stats": ("inforadar.cli.analyze:stats", "Show queue, results, failures and cost."),
            "prompt": ("inforadar.cli.analyze:prompt", "Show a prompt and its version."),
        },
    ),
    "opml": (
        "Lists of feeds, as other readers write them.",
        {
            "import": ("inforadar.cli.opml:import_", "Add every feed of an OPML file."),
            "export": ("inforadar.cli.opml:export", "Write all feeds as an OPML file."),
        },
    ),
    "run": (
        "Reports of past runs.",
        {
            "list": ("inforadar.cli.runs:list_", "List runs, newest first."),
            "show": ("inforadar.cli.runs:show", "Show one report with what it added and changed."),
        },
    ),
    "sample": (
        "The sample news world.",
        {
            "add": ("inforadar.cli.sample:add", "Add the sample feeds with their recorded past."),
            "remove": ("inforadar.cli.sample:remove", "Delete the sample and everything it brought."),
            "serve": ("inforadar.cli.sample:serve", "Serve the sample world on its port."),
        },
    ),
    "flows": (
        "Sitemaps that Prefect runs.",
        {
            "serve": ("inforadar.cli.flows:serve", "Run the flows of inforadar.toml on their schedules."),
        },
    ),
    "db": (
        "The database.",
        {
            "upgrade": ("inforadar.cli.database:upgrade", "Bring the database to this program's schema."),
            "check": ("inforadar.cli.database:check", "Look whether the database is whole."),
            "backup": ("inforadar.cli.database:backup", "Copy the database, while it is in use."),
            "restore": ("inforadar.cli.database:restore", "Put a backup in the place of the database."),
            "vacuum": (
                "inforadar.cli.database:vacuum",
                "Delete what retention says, and give its space back; --dry-run only tells.",
            ),
            "move": ("inforadar.cli.database:move", "Move everything to another database."),
        },
    ),
    "config": (
        "The settings.",
        {
            "show": ("inforadar.cli.settings:show", "Show every setting and where it came from."),
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
    from inforadar.cli.terminal import terminal  # noqa: PLC0415 - commands do not need it

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
