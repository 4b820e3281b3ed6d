"""The engine: the client and the pacer together. Every fetch goes through it.

The caller already holds the first host's turn. Each redirect hop waits for its own host's turn; if that is too
far away, the fetch ends and says when to come back. The caller can refuse to follow a redirect. A 429 pauses
the whole host for every worker.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Protocol

from inforadar.clock import utc_now
from inforadar.fetch.client import BeforeRedirect
from inforadar.fetch.pace import HostPacer, give_turn_back, wait_for_turn
from inforadar.model.http import Failed, FailureReason, FetchResult, Outcome, Request
from inforadar.urls import host_key, hostname

DEFAULT_PAUSE_S = 300.0
"""The pause after a 429 without Retry-After."""
MAX_PAUSE_S = 7 * 86400.0


class HttpClient(Protocol):
    """Performs the GET: `Client`, or the sample world when it replays its past."""

    async def fetch(
        self, request: Request, *, before_redirect: BeforeRedirect | None = None
    ) -> FetchResult: ...


class Engine:
    """Fetches politely: one request at a time per host, with the host's delay in between."""

    def __init__(
        self, client: HttpClient, pacer: HostPacer, *, now: Callable[[], datetime] = utc_now
    ) -> None:
        self._client = client
        self._now = now
        self.pacer = pacer

    async def take_turn(self, url: str) -> Failed | None:
        """Wait until the turn of the URL's host is ours; return a failure if it is too far away."""
        wait_s = await wait_for_turn(self.pacer, host_key(url))
        return turn_too_far(url, wait_s, self._now()) if wait_s else None

    def give_turn_back(self, url: str) -> None:
        """End the turn of the URL's host, if it is still ours."""
        give_turn_back(self.pacer, host_key(url))

    async def fetch(self, request: Request, *, may_follow: BeforeRedirect | None = None) -> FetchResult:
        """Fetch a request whose host's turn is ours.

        `may_follow` is called with a redirect's target before its host's turn is taken; it may take a turn itself.
        """
        first = current = host_key(request.url)
        is_ours = True

        async def next_turn(url: str) -> Failed | None:
            nonlocal current, is_ours
            give_turn_back(self.pacer, current)
            current, is_ours = host_key(url), False
            refusal = await may_follow(url) if may_follow else None
            refusal = refusal or await self.take_turn(url)
            is_ours = refusal is None
            return replace(refusal, url=request.url) if refusal else None

        try:
            result = await self._client.fetch(request, before_redirect=next_turn)
        finally:
            # A turn that was never ours may be another job's by now.
            if is_ours and current != first:
                give_turn_back(self.pacer, current)
        if isinstance(result, Failed) and result.is_rate_limited:
            wait_s = DEFAULT_PAUSE_S if result.retry_after_s is None else result.retry_after_s
            await self.pacer.pause(current, min(wait_s, MAX_PAUSE_S), result.message)
        return result


def turn_too_far(url: str, wait_s: float, at: datetime) -> Failed:
    """The ending of a job whose host's turn is too far away; nothing was requested."""
    return Failed(
        url=url,
        outcome=Outcome.TEMPORARY_ERROR,
        reason=FailureReason.TURN,
        message=f"{hostname(url)} is on hold for another {_format_duration(wait_s)}.",
        fetched_at=at,
        retry_after_s=wait_s,
    )


def _format_duration(seconds: float) -> str:
    for unit, length in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{math.ceil(seconds / length)} {unit}"
    return f"{math.ceil(seconds)} seconds"
