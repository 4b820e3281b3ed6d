"""Questions before something is deleted. Only a person is asked: a script says --yes."""

from __future__ import annotations

import sys
from typing import Annotated

from cyclopts import Parameter

from inforadar.errors import UsageError

Yes = Annotated[bool, Parameter(name="--yes", negative="", help="Do not ask.")]


def confirm(question: str, *, yes: bool, undone: str) -> None:
    """Goes on if that is what the person says; `undone` says what did not happen otherwise."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageError(f"{undone} Nobody is there to ask: say --yes to go on without a question.")
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
        raise UsageError(undone)
