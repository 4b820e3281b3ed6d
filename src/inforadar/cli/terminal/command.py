"""Our own command as it can be pasted into the shell that started this program: `.venv/bin/inforadar feed list`."""

from __future__ import annotations

import shlex
import shutil
import sys
from functools import cache
from pathlib import Path


@cache
def own_command() -> str:
    """How this program is called from here: `inforadar` if the shell finds it, else the path it was started by."""
    return command_of(sys.argv[0], shutil.which("inforadar"), Path.cwd())


def command_of(started: str, found: str | None, folder: Path) -> str:
    path = Path(started)
    if path.name != "inforadar" or (found and Path(found).resolve() == path.resolve()):
        return "inforadar"
    try:
        return shlex.quote(str(path.absolute().relative_to(folder)))
    except ValueError:
        return shlex.quote(str(path.absolute()))


def pasteable(text: str) -> str:
    """The text with our commands as they can be pasted into this shell: `.venv/bin/inforadar feed list`."""
    return text.replace("`inforadar ", f"`{own_command()} ")
