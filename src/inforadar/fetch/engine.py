"""The engine: the client and the pacer together. Whoever fetches, fetches through this.

The caller holds the turn of the first host; each redirect hop waits for its own host's turn, whichever
that is. A 429 silences the whole host for everyone.
"""

from __future__ import annotations

from typing import Protocol

from inforadar.fetch.client import BeforeRedirect
from inforadar.fetch.pace import HostPacer, wait_for_turn
from inforadar.model.http import Failed, FetchResult, Request
from inforadar.urls import host_key

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

    def __init__(self, client: Getter, pacer: HostPacer) -> None:
        self._client = client
        self.pacer = pacer

    async def fetch(self, request: Request) -> FetchResult:
        first = current = host_key(request.url)

        async def next_turn(url: str) -> Failed | None:
            nonlocal current
            self.pacer.done(current)
            current = host_key(url)
            await wait_for_turn(self.pacer, current)
            return None

        try:
            result = await self._client.fetch(request, before_redirect=next_turn)
        finally:
            if current != first:
                self.pacer.done(current)
        if isinstance(result, Failed) and result.is_rate_limited:
            wait_s = DEFAULT_PAUSE_S if result.retry_after_s is None else result.retry_after_s
            await self.pacer.pause(current, min(wait_s, LONGEST_PAUSE_S), result.message)
        return result
