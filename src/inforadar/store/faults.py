"""Database errors, turned into messages that say what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import (
    DataError,
    DBAPIError,
    IntegrityError,
    InterfaceError,
    OperationalError,
    StatementError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from inforadar.errors import StoreError

_DEADLOCK = {"40P01", "40001"}
_UNDEFINED = ("42P01", "42703")
"""PostgreSQL's error codes. A missing table or column cannot be recognized by the message alone."""

_CUT_OFF = (
    "connection was closed",
    "connection is closed",
    "another operation",
    "terminating connection",
    "the database system is",
)
"""The server is stopping, starting or was restarted; asyncpg then reports the state its connection was in."""
_DAMAGED = ("malformed", "not a database")

_SENTENCES = (
    (_CUT_OFF, "The database {name} does not answer: {detail}. Is it running?"),
    (("readonly", "read-only"), "The database {name} is read-only. Make it and its folder writable."),
    (
        ("disk is full", "no space left", "disk i/o error"),
        "The disk is full or failing: nothing more can be stored in {name}. Free some space. ({detail})",
    ),
    (
        ("unable to open",),
        "The database {name} cannot be opened. Does its folder exist, and may you write there?",
    ),
    (
        _DAMAGED,
        "The database {name} is damaged. Restore a backup with `inforadar db restore FILE`.",
    ),
    (("is locked",), "The database {name} is locked by another program for too long."),
    (
        ("no such table", "no such column", *_UNDEFINED),
        "The database {name} is not set up. Run `inforadar db upgrade`. ({detail})",
    ),
    (
        ("does not exist", "authentication failed"),
        "The database server does not let us into {name}: {detail}. Check DATABASE_URL and DB_PASSWORD.",
    ),
    (("",), "The database {name} refused: {detail}"),
)
"""Parts of the drivers' messages, and the message shown instead."""


@contextmanager
def faults_as_sentences(name: str) -> Iterator[None]:
    """Turn a driver's exceptions into a `StoreError`; `name` is the database's name for people."""
    try:
        yield
    except DBAPIError as fault:
        raise StoreError(_sentence(name, fault)) from fault
    except PoolTimeoutError as fault:
        raise StoreError(
            f"The database {name} is too busy: none of our connections to it became free. Does something hold a lock?"
        ) from fault
    except OSError as fault:
        raise StoreError(f"The database {name} does not answer: {fault}. Is it running?") from fault


def _sentence(name: str, fault: DBAPIError) -> str:
    detail = str(fault.orig)
    said = f"{getattr(fault.orig, 'sqlstate', '')} {detail.lower()}"
    if isinstance(fault, IntegrityError):
        # Its text contains column names and values, which could match anything.
        said = ""
    found = next(text for signs, text in _SENTENCES if any(sign in said for sign in signs))
    return found.format(name=name, detail=detail)


def is_deadlock(fault: DBAPIError) -> bool:
    """Whether two transactions waited for each other and this one was rolled back: it can be run again."""
    return getattr(fault.orig, "sqlstate", None) in _DEADLOCK


def is_data_fault(fault: StatementError) -> bool:
    """Whether the data is at fault: a duplicate key, a reference to a missing row, an invalid value."""
    if not isinstance(fault, DBAPIError):
        return True
    if isinstance(fault, IntegrityError | DataError):
        return True
    # PostgreSQL's error classes for invalid data, and values that its driver refuses to send.
    code = getattr(fault.orig, "sqlstate", None) or ""
    return code[:2] in {"22", "23"} or (
        isinstance(fault, InterfaceError) and not fault.connection_invalidated
    )


def is_database_fault(fault: Exception) -> bool:
    """Whether the database itself is at fault (full, locked, unreachable), not the data."""
    match fault.__cause__:
        case OperationalError() | PoolTimeoutError() | OSError():
            return True
        case DBAPIError() as cause:
            return cause.connection_invalidated or any(sign in str(cause.orig).lower() for sign in _CUT_OFF)
        case _:
            return False


def is_damaged(fault: Exception) -> bool:
    """Whether the database file is damaged or is not a database."""
    match fault.__cause__:
        case DBAPIError() as cause:
            said = str(cause.orig).lower()
            return any(sign in said for sign in _DAMAGED)
        case _:
            return False
