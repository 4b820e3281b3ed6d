"""The database's URL, as people give it."""

from __future__ import annotations

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from inforadar.errors import ConfigError


def parse_database_url(url: str, password: str | None = None) -> URL:
    """Parse `sqlite:///…` or `postgresql://…`; the password may be given separately."""
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise ConfigError(
            "DATABASE_URL cannot be read. It should look like sqlite:////var/lib/inforadar/inforadar.db "
            "or postgresql://user@host/inforadar."
        ) from None
    backend = parsed.get_backend_name()
    if backend == "sqlite":
        if not parsed.database or parsed.database == ":memory:":
            raise ConfigError(
                "DATABASE_URL: SQLite needs a file, because several processes share the database."
            )
        return parsed.set(drivername="sqlite+pysqlite")
    if backend in {"postgresql", "postgres"}:
        parsed = parsed.set(drivername="postgresql+asyncpg")
        return parsed.set(password=password) if password else parsed
    raise ConfigError(f"DATABASE_URL: {backend} is not supported; use sqlite or postgresql.")
