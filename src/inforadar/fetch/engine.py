"""The engine: the client and the pacer together. Whoever fetches, fetches through this.

The caller holds the turn of the first host; each redirect hop waits for its own host's turn, whichever
that is, unless that is too far away: then the fetch ends, and says when to come again. Where the caller may not go,
a redirect is not followed. A 429 silences the whole host for everyone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Protocol

from inforadar.clock import utc_now
from inforadar.fetch.client import BeforeRedirect
from inforadar.fetch.pace import HostPacer, wait_for_turn
from inforadar.model.http import Failed, FailureReason, FetchResult, Outcome, Request
from inforadar.urls import host_key, hostname

DEFAULT_PAUSE_S = 300.0
"""For a 429 that does not say how long."""
LONGEST_PAUSE_S = 7 * 86400.0


class Getter(Protocol):
    """What does the GET: the client, or the sample world when its past is replayed."""

    async def fetch(
        self, request: Request, *, before_redirect: BeforeRedirect | None = None
    ) -> FetchResult: ...


class Engine:
    """One polite GET after the other."""

    def __init__(self, client: Getter, pacer: HostPacer, *, now: Callable[[], datetime] = utc_now) -> None:
        self._client = client
        self._now = now
        self.pacer = pacer

    async def take_turn(self, url: str) -> Failed | None:
        """Waits until the turn of the URL's host is ours; how the job ends if that is too far away."""
        wait_s = await wait_for_turn(self.pacer, host_key(url))
        return turn_too_far(url, wait_s, self._now()) if wait_s else None

    async def fetch(self, request: Request, *, may_follow: BeforeRedirect | None = None) -> FetchResult:
        """`may_follow` is asked where a redirect leads, before its host's turn is taken; it may take one itself."""
        first = current = host_key(request.url)
        is_ours = True

        async def next_turn(url: str) -> Failed | None:
            nonlocal current, is_ours
            self.pacer.done(current)
            current, is_ours = host_key(url), False
            refusal = await may_follow(url) if may_follow else None
            refusal = refusal or await self.take_turn(url)
            is_ours = refusal is None
            return replace(refusal, url=request.url) if refusal else None

        try:
            result = await self._client.fetch(request, before_redirect=next_turn)
        finally:
            # A turn that never was ours may be another job's by now.
            if is_ours and current != first:
                self.pacer.done(current)
        if isinstance(result, Failed) and result.is_rate_limited:
            wait_s = DEFAULT_PAUSE_S if result.retry_after_s is None else result.retry_after_s
            await self.pacer.pause(current, min(wait_s, LONGEST_PAUSE_S), result.message)
        return result


def turn_too_far(url: str, wait_s: float, at: datetime) -> Failed:
    """The ending of a job that does not wait for its host's turn: nothing was asked."""
    return Failed(
        url=url,
        outcome=Outcome.TEMPORARY_ERROR,
        reason=FailureReason.TURN,
        message=f"{hostname(url)} is to be left alone for another {_in_words(wait_s)}.",
        fetched_at=at,
        retry_after_s=wait_s,
    )


def _in_words(seconds: float) -> str:
    for unit, length in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{math.ceil(seconds / length)} {unit}"
    return f"{math.ceil(seconds)} seconds"
