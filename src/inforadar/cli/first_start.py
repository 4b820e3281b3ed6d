"""The first start: one question before the user's data folder is made."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from inforadar.errors import UsageError


def confirm_first_start(home: Path) -> None:
    """Ask once whether to set up in the default folder; a folder that was named is not asked about again."""
    if home.exists() or os.environ.get("INFORADAR_HOME"):
        return
    print(
        "Welcome to Info Radar. It keeps its settings and its database in one folder, and there is none yet."
    )
    print(f"Set it up in {home}? [Y/n] ", end="", flush=True)
    if sys.stdin.readline().strip().lower() not in {"", "y", "yes"}:
        raise UsageError(f"{home} was not created. Choose another folder with --home or INFORADAR_HOME.")
