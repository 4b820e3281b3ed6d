"""What an HTTP status means for a feed, and the sentence that says so. Pure."""

from __future__ import annotations

from inforadar.model.http import Outcome

_UNAUTHORIZED = frozenset({401, 403})
_RATE_LIMITED = 429

_SENTENCES = {
    401: "{host} answered 401. It wants credentials.",
    402: "{host} answered 402. It wants to be paid.",
    403: "{host} answered 403. It does not let us in.",
    404: "{host} answered 404. Nothing is at this address.",
    407: "The proxy answered 407. It wants credentials.",
    410: "{host} answered 410. This is gone for good.",
    451: "{host} answered 451. This is withheld for legal reasons.",
}


def has_usable_body(status: int) -> bool:
    """200, and 203: the same, passed on by something in between that changed it."""
    return status in {200, 203}


def is_redirect(status: int) -> bool:
    return status in {301, 302, 303, 307, 308}


def is_permanent_redirect(status: int) -> bool:
    return status in {301, 308}


def may_say_retry_after(status: int) -> bool:
    return status in {_RATE_LIMITED, 503}


def outcome_of_status(status: int) -> Outcome:
    """The outcome of a final answer, redirects followed.

    What no server should say to a plain GET (1xx, a 206, a 304 that we did not ask for) is temporary: the
    fault is the server's and may be mended.
    """
    if has_usable_body(status) or status == 304:
        return Outcome.SUCCESS
    if status in _UNAUTHORIZED:
        return Outcome.UNAUTHORIZED
    if 400 <= status < 500 and status not in {_RATE_LIMITED, 407}:
        return Outcome.PERMANENT_ERROR
    return Outcome.TEMPORARY_ERROR


def sentence_of_status(status: int, host: str) -> str:
    """What happened, for a person; what comes next is added by whoever knows it."""
    return _SENTENCES.get(status, "{host} answered {status}.").format(host=host, status=status)
