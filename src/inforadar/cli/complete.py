"""`inforadar __complete KIND PREFIX`: values for the shell, one a line, each with a description after a tab.

For SQLite it answers without importing the program: a shell waits for it at every press of Tab.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

from inforadar.store.completion import read_values

_VARIABLE = "DATABASE_URL"
_DOTENV_LINE = re.compile(rf"^\s*(?:export\s+)?{_VARIABLE}\s*=\s*(['\"]?)(.*?)\1\s*$", re.MULTILINE)


def complete(arguments: Sequence[str]) -> int:
    """Print the values that fit; whatever goes wrong, a shell gets no message instead of values."""
    kind, prefix = [*arguments, "", ""][:2]
    home = _home()
    url = _database_url(home)
    if not url or url.startswith("sqlite:///"):
        path = (
            Path(unquote(url.removeprefix("sqlite:///").partition("?")[0])) if url else home / "inforadar.db"
        )
        values = read_values(path, kind, prefix)
    else:
        values = _values_of_server(kind, prefix)
    for value, text in values:
        print(f"{value}\t{text}")
    return 0


def _home() -> Path:
    given = os.environ.get("INFORADAR_HOME")
    if given:
        return Path(given).expanduser()
    if sys.platform == "darwin":
        return Path("~/Library/Application Support/inforadar").expanduser()
    return Path(os.environ.get("XDG_DATA_HOME") or "~/.local/share").expanduser() / "inforadar"


def _database_url(home: Path) -> str | None:
    """Find the setting as `config` does, by its simplest forms; None means the file in the home."""
    if given := os.environ.get(_VARIABLE):
        return given
    for path in (home / ".env", Path(".env")):
        if found := _DOTENV_LINE.search(_read(path)):
            return found[2]
    text = _read(home / "inforadar.toml")
    if "database" not in text:
        return None
    import tomllib  # noqa: PLC0415 - hardly any home names a database there

    try:
        url = tomllib.loads(text).get("database", {}).get("url")
    except (tomllib.TOMLDecodeError, AttributeError):
        return None
    return url if isinstance(url, str) else None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _values_of_server(kind: str, prefix: str) -> list[tuple[str, str]]:
    # The slow way: a server needs the whole store.
    from inforadar.cli.terminal.run import on_store  # noqa: PLC0415
    from inforadar.config import Settings  # noqa: PLC0415
    from inforadar.errors import InfoRadarError  # noqa: PLC0415
    from inforadar.store.completion import load_values  # noqa: PLC0415
    from inforadar.store.database import Database  # noqa: PLC0415

    async def work(database: Database, _: Settings) -> list[tuple[str, str]]:
        return await database.read(load_values, kind, prefix)

    try:
        return on_store(work)
    except InfoRadarError:
        return []
