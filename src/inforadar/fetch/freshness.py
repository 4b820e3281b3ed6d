"""How long a response stays fresh, and how long a server asks us to wait. Pure.

These values come from outside and decide when we come back, so they are capped at seven days, and invalid
ones are ignored.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

MAX_WAIT_S = timedelta(days=7).total_seconds()


def parse_http_date(value: str) -> datetime | None:
    """Parse an HTTP date in any of its three forms; return `None` if it is not one."""
    try:
        found = parsedate_to_datetime(value)
        # The obsolete forms carry no zone; HTTP dates are always UTC. Some servers send the last evening of 9999 in
        # New York time for "never", which overflows when converted to UTC.
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def parse_retry_after(value: str | None, now: datetime) -> float | None:
    """Seconds to wait according to a Retry-After in either form; `None` if it is invalid or in the past."""
    if value is None:
        return None
    text = value.strip()
    seconds = _parse_seconds(text)
    if seconds is None:
        until = parse_http_date(text)
        if until is None:
            return None
        seconds = (until - now).total_seconds()
    return min(seconds, MAX_WAIT_S) if seconds >= 0 else None


def parse_cache_control(value: str) -> dict[str, str | None]:
    """Parse directives into lower-case names with their arguments. The first of a repeated directive counts."""
    directives: dict[str, str | None] = {}
    for part in _split_outside_quotes(value):
        name, has_argument, argument = part.partition("=")
        name = name.strip().lower()
        if name:
            directives.setdefault(name, argument.strip().strip('"').strip() if has_argument else None)
    return directives


def freshness_s(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds for which the response says it stays fresh; `None` if it does not say.

    `max-age` wins over `Expires`. `no-store`, `no-cache` and an expired lifetime ask for no wait.
    `s-maxage` is for shared caches, not for us.
    """
    if "cache-control" not in headers and "expires" not in headers:
        return None
    directives = parse_cache_control(headers.get("cache-control", ""))
    if "no-store" in directives or "no-cache" in directives:
        return None
    if "max-age" in directives:
        lifetime = _parse_seconds(directives["max-age"] or "")
    else:
        lifetime = _lifetime_by_expires(headers, now)
    if lifetime is None:
        return None
    left = lifetime - (_parse_seconds(headers.get("age", "")) or 0.0)
    return min(left, MAX_WAIT_S) if left > 0 else None


def _lifetime_by_expires(headers: Mapping[str, str], now: datetime) -> float | None:
    expires = parse_http_date(headers.get("expires", ""))
    if expires is None:
        return None
    # Both dates come from the server's clock, so a wrong clock does no harm.
    answered_at = parse_http_date(headers.get("date", "")) or now
    return (expires - answered_at).total_seconds()


def _parse_seconds(text: str) -> float | None:
    """Parse whole seconds. Too many digits mean infinity, not an error; anything else is `None`."""
    text = text.strip()
    if not (text.isascii() and text.isdigit()):
        return None
    return float(text) if len(text) < 16 else float("inf")


def _split_outside_quotes(value: str) -> list[str]:
    if '"' not in value:
        return value.split(",")
    parts, start, quoted = [], 0, False
    for position, sign in enumerate(value):
        if sign == '"':
            quoted = not quoted
        elif sign == "," and not quoted:
            parts.append(value[start:position])
            start = position + 1
    parts.append(value[start:])
    return parts
