"""A POST in its host's turn: the pacing, pauses and guard that hold for every GET hold for it too."""

from __future__ import annotations

from dataclasses import dataclass

from inforadar.clock import utc_now
from inforadar.fetch.client import Client
from inforadar.fetch.engine import DEFAULT_PAUSE_S, MAX_PAUSE_S, turn_too_far
from inforadar.fetch.outcome import describe_status
from inforadar.fetch.pace import HostPacer, give_turn_back, wait_for_turn
from inforadar.model.http import Failed, Posted
from inforadar.urls import canonical_or_none, host_key, hostname

MAX_REDIRECTS = 3
_KEEPS_METHOD = frozenset({307, 308})
"""Redirects after which a POST is still a POST."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PolitePoster:
    client: Client
    """Guarded; open for as long as this is used."""
    pacer: HostPacer
    timeout_s: float

    async def post(self, url: str, body: bytes, headers: dict[str, str]) -> Posted | Failed:
        """POST when the host's turn comes, and follow redirects that keep the method; 429 pauses the host."""
        answer: Posted | Failed
        for _ in range(MAX_REDIRECTS + 1):
            answer = await self._post_once(url, body, headers)
            if isinstance(answer, Failed) or answer.status not in _KEEPS_METHOD:
                break
            target = canonical_or_none(answer.location, url)
            if target is None:
                break
            url = target
        return answer

    async def _post_once(self, url: str, body: bytes, headers: dict[str, str]) -> Posted | Failed:
        host = host_key(url)
        if wait_s := await wait_for_turn(self.pacer, host):
            return turn_too_far(url, wait_s, utc_now())
        try:
            answer = await self.client.post(url, body, headers, timeout_s=self.timeout_s)
        finally:
            give_turn_back(self.pacer, host)
        if isinstance(answer, Posted) and answer.status == 429:
            pause_s = DEFAULT_PAUSE_S if answer.retry_after_s is None else answer.retry_after_s
            reason = describe_status(answer.status, hostname(url))
            await self.pacer.pause(host, min(pause_s, MAX_PAUSE_S), reason)
        return answer
