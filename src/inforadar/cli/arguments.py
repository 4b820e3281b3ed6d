"""The command line's words before any command sees them: their encoding, and the options of every command."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from inforadar.errors import UsageError

_GLOBAL_OPTIONS = {
    "--home": ("INFORADAR_HOME", "a folder"),
    "--log-format": ("INFORADAR_LOG_FORMAT", "auto, console or json"),
    "--log-level": ("INFORADAR_LOG_LEVEL", "debug, info, warning or error"),
}
"""Options of every command, allowed anywhere on the line; each sets its environment variable."""


def check_encoding(arguments: Sequence[str]) -> None:
    """Refuse an argument that is no text: it could be neither stored nor shown."""
    for argument in arguments:
        if not argument.isascii() and any("\ud800" <= sign <= "\udfff" for sign in argument):
            shown = argument.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
            raise UsageError(f"The argument {shown!r} is not valid UTF-8.")


def take_options(arguments: Sequence[str]) -> list[str]:
    """Apply the options of every command and return the other words."""
    rest: list[str] = []
    given = iter(arguments)
    for argument in given:
        name, equals, value = argument.partition("=")
        if argument == "--":
            rest.append(argument)
            rest.extend(given)
        elif name in _GLOBAL_OPTIONS:
            variable, what = _GLOBAL_OPTIONS[name]
            value = value if equals else next(given, "")
            if not value:
                raise UsageError(f"{name} needs {what}.")
            if name == "--home":
                _require_home(Path(value).expanduser())
            os.environ[variable] = value
        else:
            rest.append(argument)
    return rest


def _require_home(home: Path) -> None:
    """Ask before a new home is made at a name that may be mistyped; without anybody to ask, refuse."""
    if home.exists():
        return
    if sys.stdin.isatty() and sys.stderr.isatty():
        question = f"The folder {home} does not exist. Create it and start with an empty database? [y/N] "
        print(question, end="", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip().lower() in {"y", "yes"}:
            return
        raise UsageError(f"{home} was not created.")
    raise UsageError(
        f"The folder {home} does not exist. Check --home, or create it first: mkdir -m 700 -p {home}"
    )
