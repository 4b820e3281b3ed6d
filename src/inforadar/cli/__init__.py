"""The command line. Commands are listed in `commands.py` and imported only when they run, so that help is fast.

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
from inforadar.cli.commands import COMMANDS, GROUPS
from inforadar.errors import InfoRadarError, OutputError, ReaderGoneError, UsageError
from inforadar.masks import masked

if TYPE_CHECKING:
    from cyclopts import App

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
    for name, (target, text) in COMMANDS.items():
        app.command(target, name=name, help=text)
    for group_name, (group_text, commands) in GROUPS.items():
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
    text, commands = _HELP, {name: (text, found) for name, (text, found) in GROUPS.items()}
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
        own = {name: text for name, (_, text) in COMMANDS.items()}
        print_overview(["inforadar"], text, {"Commands": own, "Groups of commands": inner}, _OPTIONS_HELP)
    return True


def _run_command(arguments: Sequence[str]) -> Any:
    # Imported modules live as long as the program, so scanning them for garbage only costs time.
    gc.disable()
    _import_structlog()
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


def _import_structlog() -> None:
    """Import structlog before anything else does, and without Rich and Pygments, by which it would draw tracebacks.

    Ours are plain. A worker and the API need neither: 3 MB, and a tenth of the time that imports take.
    """
    hidden = "rich" not in sys.modules
    if hidden:
        # Python's way to say that a module cannot be imported.
        sys.modules["rich"] = None  # type: ignore[assignment]
    import structlog  # noqa: F401, PLC0415 - as above

    if hidden:
        del sys.modules["rich"]


def _has_screen() -> bool:
    # Textual draws the app on standard error.
    return sys.stdin.isatty() and sys.stdout.isatty() and sys.stderr.isatty()


def _run_terminal() -> int:
    # Imported modules live as long as the program, so scanning them for garbage only costs time.
    gc.disable()
    from inforadar.cli.app import run_terminal_app  # noqa: PLC0415 - commands do not need it

    return run_terminal_app()
