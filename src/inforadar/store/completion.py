"""Completions for shells: feeds, sources, topics and runs, by the beginning of a word.

A shell waits for it at every press of Tab, so SQLite is read directly: this module imports nothing that is slow.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sqlalchemy import Connection

MAX_VALUES = 200
NEWEST_FEEDS = 2_000
"""How many feeds are searched by the end of their id; by the beginning of their URL, all are."""
_BUSY_MS = 100

Execute = Callable[[str], Iterable[Any]]


def read_values(path: Path, kind: str, prefix: str) -> list[tuple[str, str]]:
    """Return (value, description) pairs from a SQLite file; none if it cannot be read."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
            database.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
            return list(_values(database.execute, kind, prefix))
    except sqlite3.Error:
        return []


def load_values(connection: Connection, kind: str, prefix: str) -> list[tuple[str, str]]:
    """Return the same from an open database."""
    return list(_values(lambda sql: connection.exec_driver_sql(sql.replace("%", "%%")), kind, prefix))


def _values(execute: Execute, kind: str, prefix: str) -> Iterator[tuple[str, str]]:
    if kind == "feeds":
        yield from _feeds(execute, prefix)
    elif kind in {"sources", "topics"}:
        name = kind.removesuffix("s")
        rows = execute(
            f"SELECT DISTINCT {name} FROM feeds WHERE deleted_at IS NULL AND {_begins(name, prefix)} "  # noqa: S608
            f"ORDER BY {name} LIMIT {MAX_VALUES}"
        )
        yield from ((_plain(row[0]), "") for row in rows)
    elif kind == "runs":
        rows = execute(f"SELECT id, kind, started_at FROM runs ORDER BY started_at DESC LIMIT {MAX_VALUES}")  # noqa: S608
        for id_, what, at in rows:
            if _short(id_).startswith(prefix):
                yield _short(id_), f"{what}, {str(at)[:16]}"


def _feeds(execute: Execute, prefix: str) -> Iterator[tuple[str, str]]:
    columns = "SELECT id, url, source, topic FROM feeds WHERE deleted_at IS NULL"
    bare = prefix.partition("://")[2] if "://" in prefix else prefix
    begins = " OR ".join(_begins("url", f"{scheme}://{bare}") for scheme in ("https", "http"))
    seen: set[str] = set()
    found = execute(f"{columns} AND ({begins}) ORDER BY url LIMIT {MAX_VALUES}")
    for _, url, source, topic in found:
        # A feed is found by its URL without the scheme, which has no colon for shells to stumble over.
        value = _plain(url if "://" in prefix else url.partition("://")[2])
        if value not in seen:
            seen.add(value)
            yield value, _plain(f"{source} · {topic}")
    if prefix and all(sign in "0123456789abcdef" for sign in prefix):
        for id_, url, source, _ in execute(f"{columns} ORDER BY id DESC LIMIT {NEWEST_FEEDS}"):
            if _short(id_).startswith(prefix):
                yield _short(id_), _plain(f"{source} · {url}")


def _begins(column: str, prefix: str) -> str:
    """A condition, with the prefix as a literal: both drivers take it alike."""
    escaped = (
        prefix.replace("!", "!!").replace("%", "!%").replace("_", "!_").replace("'", "''").replace("\x00", "")
    )
    return f"{column} LIKE '{escaped}%' ESCAPE '!'"


def _short(id_: object) -> str:
    """The end of an id, as lists show it."""
    return str(id_).replace("-", "")[-8:]


def _plain(text: str) -> str:
    """Names can come from the web: what is no visible character never reaches the shell."""
    return "".join(sign if sign.isprintable() else " " for sign in text[:500])
