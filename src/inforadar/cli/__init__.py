"""The command line. Commands are listed here and imported only when they run, so that help is fast.

Exit codes: 0 done, 1 something failed, 2 wrong use or refused, 130 interrupted.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from inforadar import __version__
from inforadar.cli.arguments import check_encoding, take_options
from inforadar.errors import InfoRadarError, OutputError, ReaderGoneError, UsageError
from inforadar.masks import masked

if TYPE_CHECKING:
    from cyclopts import App

_COMMANDS = {
    "up": (
        "inforadar.cli.system.up:up",
        "Start everything: API, web page and worker; an empty database gets the sample.",
    ),
    "fetch": ("inforadar.cli.runs.fetch:fetch", "Fetch all enabled feeds now and show progress."),
    "api": ("inforadar.cli.system.serve:api", "Start only the API and the web page."),
    "worker": ("inforadar.cli.system.worker:worker", "Start only a worker; --once runs one cycle and exits."),
    "brief": ("inforadar.cli.story.brief:brief", "Print the most-told stories of the day."),
    "export": ("inforadar.cli.system.state:export", "Export everything to one file."),
    "import": ("inforadar.cli.system.state:import_", "Import an export into an empty database."),
    "doctor": ("inforadar.cli.system.doctor:doctor", "Diagnose problems and suggest fixes."),
}
"""{name: (import path, help)}."""

_GROUPS: dict[str, tuple[str, dict[str, Any]]] = {
    "feed": (
        "Add, inspect and change feeds.",
        {
            "add": ("inforadar.cli.feed.add:add", "Add a feed."),
            "list": ("inforadar.cli.feed.feeds:list_", "List all feeds with their health and next run."),
            "show": ("inforadar.cli.feed.feeds:show", "Show everything about one feed."),
            "preview": ("inforadar.cli.feed.preview:preview", "Show what selectors find on a listing page."),
            "delays": (
                "inforadar.cli.feed.delays:delays",
                "Show how late news was seen, and expected to be.",
            ),
            "edit": ("inforadar.cli.feed.edit:edit", "Change a feed's URL, settings or credentials."),
            "redate": (
                "inforadar.cli.feed.redate:redate",
                "Correct stored dates after a change of the feed's time zone.",
            ),
            "enable": ("inforadar.cli.feed.change:enable", "Allow a feed to be fetched and served."),
            "disable": ("inforadar.cli.feed.change:disable", "Stop fetching and serving a feed immediately."),
            "polling": (
                "inforadar.cli.feed.change:polling",
                "Turn repeated fetching of a feed on or off.",
            ),
            "sync": ("inforadar.cli.feed.change:sync", "Fetch a feed now, even if it is suspended."),
            "delete": ("inforadar.cli.feed.change:delete", "Delete a feed; `feed restore` brings it back."),
            "restore": ("inforadar.cli.feed.change:restore", "Bring a deleted feed back as it was."),
        },
    ),
    "root-domain": (
        "The domains by which feeds are grouped.",
        {
            "list": ("inforadar.cli.feed.root_domains:list_", "List all root domains."),
            "set": ("inforadar.cli.feed.root_domains:set_", "Set the root domain of a feed."),
            "clear": ("inforadar.cli.feed.root_domains:clear", "Clear the root domain of a feed."),
        },
    ),
    "item": (
        "Read the stored items.",
        {
            "list": ("inforadar.cli.item.list:list_", "List items, newest first."),
            "show": (
                "inforadar.cli.item.show:show",
                "Show one item: metadata, clean text, analysis and changes.",
            ),
            "refresh": ("inforadar.cli.item.show:refresh", "Fetch an item's article again."),
            "history": ("inforadar.cli.item.history:history", "Show how an item changed after publication."),
            "diff": ("inforadar.cli.item.history:diff", "Show the words that differ between two versions."),
        },
    ),
    "canonical": (
        "Fetch the articles behind the items.",
        {
            "run": ("inforadar.cli.item.canonical:run", "Fetch the articles of all new URLs, then exit."),
            "stats": (
                "inforadar.cli.item.canonical:stats",
                "Show stored articles, failures by host, and the queue.",
            ),
            "rebuild": (
                "inforadar.cli.item.canonical:rebuild",
                "Rebuild the data in Redis from the database.",
            ),
        },
    ),
    "analyze": (
        "Analyze the wording of items.",
        {
            "run": ("inforadar.cli.item.analyze:run", "Analyze the queued items, then build the feeds."),
            "stats": ("inforadar.cli.item.analyze:stats", "Show the queue, results, failures and cost."),
            "prompt": ("inforadar.cli.item.analyze:prompt", "Show a prompt and its version."),
        },
    ),
    "story": (
        "Reports of one event, side by side.",
        {
            "list": ("inforadar.cli.story.stories:list_", "List stories, newest first."),
            "show": ("inforadar.cli.story.stories:show", "Show one story: who says what, and why it is one."),
            "split": ("inforadar.cli.story.stories:split", "Split items off a story: not the same event."),
            "merge": ("inforadar.cli.story.stories:merge", "Merge two stories into the first."),
            "regroup": ("inforadar.cli.story.stories:regroup", "Group items again; decisions by hand stay."),
        },
    ),
    "opml": (
        "Exchange feed lists with other readers.",
        {
            "import": ("inforadar.cli.feed.opml:import_", "Add all feeds of an OPML file."),
            "export": ("inforadar.cli.feed.opml:export", "Write all feeds as an OPML file."),
        },
    ),
    "run": (
        "Reports of past runs.",
        {
            "list": ("inforadar.cli.runs.list:list_", "List runs, newest first."),
            "show": ("inforadar.cli.runs.list:show", "Show one run with every item it added or changed."),
        },
    ),
    "person": (
        "People: accounts, login links and app passwords.",
        {
            "add": ("inforadar.cli.people.person:add", "Add a person."),
            "list": ("inforadar.cli.people.person:list_", "List all people."),
            "edit": ("inforadar.cli.people.person:edit", "Change a person's name, role or settings."),
            "remove": (
                "inforadar.cli.people.person:remove",
                "Remove a person with all marks, labels, notes and app passwords.",
            ),
            "password": (
                "inforadar.cli.people.person:password",
                "Set a person's password; all their sessions end.",
            ),
            "link": (
                "inforadar.cli.people.person:link",
                "Print a link with which a person logs in once, within a day.",
            ),
            "app-password": (
                "Passwords for apps that speak the Google Reader API.",
                {
                    "add": ("inforadar.cli.people.tokens:add_app_password", "Make one and print it once."),
                    "list": ("inforadar.cli.people.tokens:list_app_passwords", "List them."),
                    "remove": ("inforadar.cli.people.tokens:remove_app_password", "Revoke one."),
                },
            ),
            "feed-token": (
                "Tokens that open private feeds by `token=` in their address.",
                {
                    "add": ("inforadar.cli.people.tokens:add_feed_token", "Make one and print it once."),
                    "list": ("inforadar.cli.people.tokens:list_feed_tokens", "List them."),
                    "remove": ("inforadar.cli.people.tokens:remove_feed_token", "Revoke one."),
                },
            ),
            "session": (
                "Browsers in which a person is logged in.",
                {
                    "list": ("inforadar.cli.people.tokens:list_sessions", "List them."),
                    "remove": ("inforadar.cli.people.tokens:remove_session", "End one."),
                },
            ),
            "search": (
                "Saved searches, which apps show as labels.",
                {
                    "add": ("inforadar.cli.people.searches:add", "Save one."),
                    "list": ("inforadar.cli.people.searches:list_", "List them."),
                    "remove": ("inforadar.cli.people.searches:remove", "Delete one."),
                },
            ),
        },
    ),
    "rule": (
        "Rules: saved searches that mark, label and notify.",
        {
            "add": ("inforadar.cli.rules.rule:add", "Add a rule; it is tried on the last 7 days first."),
            "list": ("inforadar.cli.rules.rule:list_", "List your rules."),
            "test": (
                "inforadar.cli.rules.rule:try_",
                "Show what a rule or query matches of the last 7 days.",
            ),
            "edit": ("inforadar.cli.rules.rule:edit", "Change a rule."),
            "remove": ("inforadar.cli.rules.rule:remove", "Remove a rule."),
        },
    ),
    "channel": (
        "Channels: where rules and alerts send their messages.",
        {
            "add": (
                "inforadar.cli.rules.channel:add",
                "Add a channel: a webhook (http, https) or an apprise URL.",
            ),
            "list": ("inforadar.cli.rules.channel:list_", "List all channels."),
            "test": ("inforadar.cli.rules.channel:send_test", "Send a test message."),
            "remove": ("inforadar.cli.rules.channel:remove", "Remove a channel."),
            "messages": ("inforadar.cli.rules.channel:messages", "List messages, sent or not, newest first."),
            "resend": ("inforadar.cli.rules.channel:resend", "Send a message again that was given up."),
        },
    ),
    "alert": (
        "Alerts: feeds that need attention.",
        {
            "list": (
                "inforadar.cli.rules.alert:list_",
                "List feeds that are broken, silent, losing entries, moved or gone.",
            ),
            "quiet": ("inforadar.cli.rules.alert:quiet", "Be quiet about a feed's alerts until a time."),
        },
    ),
    "sample": (
        "The sample news, to try Info Radar without the network.",
        {
            "add": ("inforadar.cli.system.sample:add", "Add the sample feeds with some history."),
            "remove": ("inforadar.cli.system.sample:remove", "Delete the sample feeds and their items."),
            "serve": ("inforadar.cli.system.sample:serve", "Serve the sample feeds on a local port."),
        },
    ),
    "flows": (
        "Run sitemaps with Prefect.",
        {
            "serve": (
                "inforadar.cli.system.flows:serve",
                "Run the flows of inforadar.toml on their schedules.",
            ),
        },
    ),
    "db": (
        "Maintain the database.",
        {
            "upgrade": (
                "inforadar.cli.system.database:upgrade",
                "Upgrade the database to this version's schema.",
            ),
            "check": ("inforadar.cli.system.database:check", "Check the database for damage."),
            "backup": ("inforadar.cli.system.database:backup", "Back up the database while it is in use."),
            "restore": (
                "inforadar.cli.system.database:restore",
                "Replace the database with a backup.",
            ),
            "vacuum": (
                "inforadar.cli.system.database:vacuum",
                "Delete old data by the retention settings and free its space.",
            ),
            "move": ("inforadar.cli.system.database:move", "Move everything to another database."),
        },
    ),
    "completion": (
        "Completion of commands, options and feeds in the shell.",
        {
            "install": ("inforadar.cli.system.completion:install", "Install it for your shell."),
            "show": ("inforadar.cli.system.completion:show", "Print a shell's script."),
        },
    ),
    "config": (
        "Inspect the settings.",
        {
            "show": (
                "inforadar.cli.system.settings:show",
                "Show every setting and where its value comes from.",
            ),
        },
    ),
}


COMPLETE = "__complete"
"""The command that shells call for values to complete."""
_HELP = "Follow the news from sites you choose: feeds, sitemaps and pages without a feed."
_OPTIONS_HELP = (
    "Without a command, the terminal app starts. Options of every command: `--home FOLDER` (or INFORADAR_HOME), the "
    "folder with the settings and the database; `--log-format auto|console|json` and `--log-level "
    "debug|info|warning|error`."
)


def build_app() -> App:
    """Build the app with all commands, none of them imported yet."""
    from cyclopts import App  # noqa: PLC0415 - the terminal app does not need it

    app = App(
        name="inforadar",
        help=_HELP,
        help_epilogue=_OPTIONS_HELP,
        version=__version__,
        result_action="return_value",
        suppress_keyboard_interrupt=False,
    )
    for name, (target, text) in _COMMANDS.items():
        app.command(target, name=name, help=text)
    for group_name, (group_text, commands) in _GROUPS.items():
        app.command(_build_group(group_name, group_text, commands))
    return app


def _build_group(name: str, text: str, commands: Mapping[str, Any]) -> App:
    """Build a group of commands; where another dict stands in place of help, it is a group inside."""
    from cyclopts import App  # noqa: PLC0415 - as above

    group = App(name=name, help=text)
    for inner, (first, second) in commands.items():
        if isinstance(second, str):
            group.command(first, name=inner, help=second)
        else:
            group.command(_build_group(inner, first, second))
    return group


def run(arguments: Sequence[str]) -> int:
    """Run one command; a fault becomes one sentence on standard error and an exit code."""
    try:
        check_encoding(arguments)
        rest = take_options(arguments)
        if rest[:1] == [COMPLETE]:
            result = _complete(rest[1:])
        elif not rest and _has_screen():
            result = _run_terminal()
        elif _print_overview(rest):
            result = 0
        else:
            result = _run_command(rest)
        # Writing the rest of the output can fail too, and is then reported like any other fault.
        sys.stdout.flush()
    except ReaderGoneError as fault:
        return fault.exit_code
    except InfoRadarError as fault:
        _print_fault(fault)
        return fault.exit_code
    except KeyboardInterrupt:
        return 130
    return result if isinstance(result, int) else 0


def _print_fault(fault: InfoRadarError) -> None:
    from inforadar.cli.terminal.command import pasteable  # noqa: PLC0415 - only for faults

    # If it cannot be printed, the exit code still tells.
    with suppress(OutputError):
        print(f"inforadar: {masked(pasteable(str(fault)))}", file=sys.stderr)


def _complete(arguments: Sequence[str]) -> int:
    from inforadar.cli.complete import complete  # noqa: PLC0415 - commands do not need it

    return complete(arguments)


def _print_overview(arguments: Sequence[str]) -> bool:
    """Print the help of the program or of a group without Cyclopts, which takes most of the time; False for others."""
    path = [word for word in arguments if word not in {"--help", "-h"}]
    text, commands = _HELP, {name: (text, found) for name, (text, found) in _GROUPS.items()}
    for word in path:
        text, commands = commands.get(word, ("", {}))
        if not isinstance(commands, dict):
            return False
    if not commands:
        return False
    from inforadar.cli.terminal.overview import print_overview  # noqa: PLC0415 - commands do not need it

    inner = {
        name: first if isinstance(second, dict) else second for name, (first, second) in commands.items()
    }
    if path:
        print_overview(["inforadar", *path], text, {"Commands": inner})
    else:
        own = {name: text for name, (_, text) in _COMMANDS.items()}
        print_overview(["inforadar"], text, {"Commands": own, "Groups of commands": inner}, _OPTIONS_HELP)
    return True


def _run_command(arguments: Sequence[str]) -> Any:
    # Imported modules live as long as the program, so scanning them for garbage only costs time.
    gc.disable()
    from cyclopts import CycloptsError, UnusedCliTokensError  # noqa: PLC0415 - as above

    try:
        command, bound, _ = build_app().parse_args(arguments, exit_on_error=False, print_error=False)
    except UnusedCliTokensError as fault:
        raise UsageError(f"Too many arguments: {' '.join(fault.unused_tokens or ())}") from None
    except CycloptsError as fault:
        raise UsageError(str(fault)) from None
    finally:
        gc.freeze()
        gc.enable()
    return command(*bound.args, **bound.kwargs)


def _has_screen() -> bool:
    # Textual draws the app on standard error.
    return sys.stdin.isatty() and sys.stdout.isatty() and sys.stderr.isatty()


def _run_terminal() -> int:
    # Imported modules live as long as the program, so scanning them for garbage only costs time.
    gc.disable()
    from inforadar.cli.app import run_terminal_app  # noqa: PLC0415 - commands do not need it

    return run_terminal_app()
