"""Confirmation before something is deleted. Only a person at a terminal is asked; scripts pass --yes."""

from __future__ import annotations

import sys
from typing import Annotated

from cyclopts import Parameter

from inforadar.errors import UsageError

Yes = Annotated[bool, Parameter(name="--yes", negative="", help="Skip the confirmation.")]


def confirm(question: str, *, yes: bool, undone: str) -> None:
    """Return if the person agrees; otherwise raise `UsageError` with `undone`, which says what did not happen."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageError(f"{undone} Not interactive: pass --yes to skip the confirmation.")
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
        raise UsageError(undone)
