"""How much one address may have at the same time: requests being answered, and event streams.

The address is the client's own, or the one that the proxy forwards. Event streams stay open for hours, so they are
counted apart from other requests, and those of people with an account apart from those of strangers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable
from typing import TypeVar

from starlette.types import ASGIApp, Receive, Scope, Send

from inforadar.web.api.answers import json_fault
from inforadar.web.http.identity import person_id_of
from inforadar.web.http.networks import network_of

K = TypeVar("K", bound=Hashable)

BUSY_RETRY_S, STREAM_RETRY_S = 1, 30
_STREAM_PATH = re.compile(r"/api/(?:events|runs/[^/]+/events)")


class RequestLimit:
    """Refuses requests of an address that waits for `per_address` answers already. Event streams do not count."""

    def __init__(self, app: ASGIApp, *, per_address: int) -> None:
        self._app = app
        self._per_address = per_address
        self._running: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or _STREAM_PATH.fullmatch(scope["path"]):
            await self._app(scope, receive, send)
            return
        network = _network(scope)
        if self._running[network] >= self._per_address:
            sentence = f"Your address has {self._per_address} requests running. Wait for their answers."
            answer = json_fault(429, sentence, {"Retry-After": str(BUSY_RETRY_S)})
            await answer(scope, receive, send)
            return
        self._running[network] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            _count_down(self._running, network)


class StreamLimit:
    """Keeps event streams to a number, in all and for each address. People with an account have places of their own."""

    def __init__(self, app: ASGIApp, *, total: int, per_address: int) -> None:
        self._app = app
        self._total = total
        self._per_address = per_address
        self._running: Counter[tuple[bool, str]] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _STREAM_PATH.fullmatch(scope["path"]):
            await self._app(scope, receive, send)
            return
        person = person_id_of(scope)
        key = (True, str(person)) if person is not None else (False, _network(scope))
        taken = sum(number for (is_person, _), number in self._running.items() if is_person == key[0])
        if self._running[key] >= self._per_address or taken >= self._total:
            sentence = (
                "Too many event streams are open. Close some, or ask for /api/items now and then instead."
            )
            answer = json_fault(429, sentence, {"Retry-After": str(STREAM_RETRY_S)})
            await answer(scope, receive, send)
            return
        self._running[key] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            _count_down(self._running, key)


def _network(scope: Scope) -> str:
    client = scope.get("client")
    return network_of(client[0]) if client else ""


def _count_down(counter: Counter[K], key: K) -> None:
    counter[key] -= 1
    if not counter[key]:
        del counter[key]
