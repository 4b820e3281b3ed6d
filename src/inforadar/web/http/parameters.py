"""Query parameters of the API. An invalid one raises `UsageError`, which becomes a 400 with a sentence. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from urllib.parse import quote, urlencode
from uuid import UUID

from starlette.datastructures import QueryParams
from starlette.requests import Request

from inforadar.errors import InvalidUrlError, UsageError
from inforadar.urls import normalize
from inforadar.web.feeds.rss_query import parse_flag, parse_score

DEFAULT_LIMIT, MAX_LIMIT = 50, 500


def text(given: QueryParams, name: str) -> str | None:
    """Return the stripped value; a blank one counts as not given."""
    return (given.get(name) or "").strip() or None


def own_address(request: Request, names: Iterable[str]) -> str:
    """Return a document's path and query for its self link: only `names`, so that a reader's token is not published."""
    given = request.query_params
    kept = [(name, given[name]) for name in names if given.get(name)]
    return quote(request.scope["path"], safe="/") + (f"?{urlencode(kept)}" if kept else "")


def required(given: QueryParams, name: str, example: str) -> str:
    value = text(given, name)
    if value is None:
        raise UsageError(f"The parameter {name} is missing. Example: {name}={example}")
    return value


def item_url(given: QueryParams) -> str:
    asked = required(given, "url", "https%3A%2F%2Fexample.com%2Farticle")
    try:
        return normalize(asked)
    except InvalidUrlError as fault:
        raise UsageError(str(fault)) from None


def number(given: QueryParams, name: str, least: int, most: int, *, default: int) -> int:
    value = text(given, name)
    if value is None:
        return default
    found = int(value) if value.isascii() and value.isdigit() and len(value) < 10 else -1
    if not least <= found <= most:
        raise UsageError(f"{name} must be a whole number from {least} to {most}.")
    return found


def limit(given: QueryParams, default: int = DEFAULT_LIMIT, most: int = MAX_LIMIT) -> int:
    return number(given, "limit", 1, most, default=default)


def score(given: QueryParams, name: str) -> float | None:
    value = text(given, name)
    return None if value is None else parse_score(value, name)


def max_score(given: QueryParams) -> float | None:
    return score(given, "max_score")


def flag(given: QueryParams, name: str) -> bool:
    return parse_flag(name, given.get(name) or "")


def order(given: QueryParams, orders: Collection[str], default: str) -> str:
    """Return the order of a list; a minus sign means descending."""
    value = text(given, "order") or default
    if value not in orders:
        raise UsageError(f"order must be one of: {', '.join(orders)}.")
    return value


def names(given: QueryParams, name: str) -> tuple[str, ...]:
    """Return the distinct values of a repeated parameter; an item matches any of them."""
    return tuple(dict.fromkeys(value.strip() for value in given.getlist(name) if value.strip()))


def moment(given: QueryParams, name: str) -> datetime | None:
    """Return a day or time; without a zone it is UTC."""
    value = text(given, name)
    if value is None:
        return None
    try:
        found = datetime.fromisoformat(value)
    except ValueError:
        raise UsageError(f"{name} must be a day or a time like 2026-10-05T06:30:00Z.") from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def cursor_id(given: QueryParams, old_name: str) -> UUID | None:
    """Return the cursor of a list whose cursors are ids; earlier versions called it `old_name`."""
    return uuid(given, "cursor") or uuid(given, old_name)


def uuid(given: QueryParams, name: str) -> UUID | None:
    value = text(given, name)
    if value is None:
        return None
    try:
        return UUID(value)
    except ValueError:
        raise UsageError(f"{name} must be an id like 019a8f5e-0000-7000-8000-000000000000.") from None
