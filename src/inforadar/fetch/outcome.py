"""HTTP statuses as outcomes of a fetch, and as sentences for people. Pure."""

from __future__ import annotations

from inforadar.model.http import Outcome

_UNAUTHORIZED = frozenset({401, 403})
_RATE_LIMITED = 429

_SENTENCES = {
    401: "{host} answered 401. It requires credentials.",
    402: "{host} answered 402. It requires payment.",
    403: "{host} answered 403. It denies access.",
    404: "{host} answered 404. There is nothing at this address.",
    407: "The proxy answered 407. It requires credentials.",
    410: "{host} answered 410. This was removed permanently.",
    451: "{host} answered 451. This is withheld for legal reasons.",
}


def has_usable_body(status: int) -> bool:
    """200, or 203: a 200 that a proxy on the way transformed."""
    return status in {200, 203}


def is_redirect(status: int) -> bool:
    return status in {301, 302, 303, 307, 308}


def is_permanent_redirect(status: int) -> bool:
    return status in {301, 308}


def may_have_retry_after(status: int) -> bool:
    return status in {_RATE_LIMITED, 503}


def outcome_of_status(status: int) -> Outcome:
    """Return the outcome of the final response, after redirects.

    A status that no server should send for a plain GET (1xx, 206, a 304 to an unconditional request) is
    temporary: the server is at fault and may be fixed.
    """
    if has_usable_body(status) or status == 304:
        return Outcome.SUCCESS
    if status in _UNAUTHORIZED:
        return Outcome.UNAUTHORIZED
    if 400 <= status < 500 and status not in {_RATE_LIMITED, 407}:
        return Outcome.PERMANENT_ERROR
    return Outcome.TEMPORARY_ERROR


def describe_status(status: int, host: str) -> str:
    """Say what happened; the caller adds what comes next."""
    return _SENTENCES.get(status, "{host} answered {status}.").format(host=host, status=status)
