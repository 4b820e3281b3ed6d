"""The command line. Commands are named here and imported only when they run, so that help is quick.

Exit codes: 0 done, 1 something failed, 2 wrong use or refused, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from cyclopts import App, CycloptsError

from inforadar import __version__
from inforadar.errors import InfoRadarError, UsageError

_COMMANDS = {
    "up": (
        "inforadar.cli.up:up",
        "Start everything: API, web page, worker; the sample on an empty database.",
    ),
    "api": ("inforadar.cli.serve:api", "Start the API and the web page alone."),
    "worker": ("inforadar.cli.serve:worker", "Start a worker alone; --once does one cycle and exits."),
}
"""{name: (where it is, what it does)}."""

_GROUPS = {
    "feed": (
        "The feeds that are watched.",
        {
            "add": ("inforadar.cli.feeds:add", "Register a feed."),
            "list": ("inforadar.cli.feeds:list_", "Show all feeds, their health and what comes next."),
            "show": ("inforadar.cli.feeds:show", "Show everything about one feed."),
            "edit": ("inforadar.cli.feed_edit:edit", "Change a feed's settings or credentials."),
            "enable": ("inforadar.cli.feeds:enable", "Allow a feed to be fetched and served."),
            "disable": ("inforadar.cli.feeds:disable", "Stop fetching and serving a feed at once."),
            "polling": ("inforadar.cli.feeds:polling", "Turn the repeated fetching of a feed on or off."),
            "sync": ("inforadar.cli.feeds:sync", "Fetch a feed now; revives one that was suspended."),
            "delete": ("inforadar.cli.feeds:delete", "Delete a feed; `feed add` brings it back."),
        },
    ),
    "root-domain": (
        "The domains that feeds are grouped by.",
        {
            "list": ("inforadar.cli.feeds:root_domains", "List all root domains."),
            "set": ("inforadar.cli.feeds:set_root_domain", "Set the root domain of a feed."),
            "clear": ("inforadar.cli.feeds:clear_root_domain", "Clear the root domain of a feed."),
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
            "backup": ("inforadar.cli.database:backup", "Copy the database, while it is in use."),
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
    app = App(
        name="inforadar",
        help="Watches feeds, sitemaps and paged sites; serves clean, deframed news.",
        help_epilogue="`--home FOLDER` (or INFORADAR_HOME) names the folder with the settings and the database.",
        version=__version__,
        result_action="return_value",
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
    app = build_app()
    try:
        result = app(_take_home(arguments), exit_on_error=False, print_error=True)
    except CycloptsError:
        return 2
    except InfoRadarError as fault:
        print(f"inforadar: {fault}", file=sys.stderr)
        return fault.exit_code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader of our output has gone, as `| head` does; what is still buffered has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return result if isinstance(result, int) else 0


def _take_home(arguments: Sequence[str]) -> list[str]:
    """`--home` may stand anywhere; it is the same as INFORADAR_HOME."""
    rest: list[str] = []
    given = iter(arguments)
    for argument in given:
        if argument == "--":
            rest.append(argument)
            rest.extend(given)
        elif argument == "--home" or argument.startswith("--home="):
            home = argument.partition("=")[2] or next(given, "")
            if not home:
                raise UsageError("--home needs a folder.")
            os.environ["INFORADAR_HOME"] = home
        else:
            rest.append(argument)
    return rest
