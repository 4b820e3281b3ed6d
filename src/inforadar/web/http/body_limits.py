"""Request bodies that arrive slowly or never end: limited in time, size and number, before every route.

A body may pause for `pause_s` and must arrive at `MIN_BYTES_PER_S` on the whole. When too many bodies are being
received at once, for all or for one address, the oldest is given up: it had the most time. The answer is 408, and the
connection is closed.
"""

from __future__ import annotations

import asyncio
from collections import Counter

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from inforadar.web.api.answers import json_fault
from inforadar.web.http.networks import network_of

MIN_BYTES_PER_S = 8192
PAUSES = 3
"""A body may take this many times `pause_s` in all, besides the time for its bytes."""
MAX_BODIES = 256
MAX_BODIES_PER_ADDRESS = 32
MAX_BODY_BYTES = 64 * 2**20
"""More than any route accepts; routes have lower limits of their own."""

_SLOW = "The request's body did not arrive in time. Send it again."
_LARGE = f"The body is larger than {MAX_BODY_BYTES // 2**20} MB."


class _Body:
    """A body that is being received."""

    __slots__ = ("fault", "network", "receive", "size", "started_at", "timer")

    def __init__(self, receive: Receive, network: str, started_at: float) -> None:
        self.receive = receive
        self.network = network
        self.started_at = started_at
        self.size = 0
        self.timer: asyncio.Timeout | None = None
        self.fault: HTTPException | None = None

    def give_up(self) -> None:
        self.fault = HTTPException(408, _SLOW)
        if self.timer is not None:
            self.timer.reschedule(0)

    async def next_part(self, pause_s: float) -> Message:
        if self.fault is not None:
            raise self.fault
        now = asyncio.get_running_loop().time()
        whole_until = self.started_at + PAUSES * pause_s + self.size / MIN_BYTES_PER_S
        try:
            async with asyncio.timeout_at(min(now + pause_s, whole_until)) as self.timer:
                message = await self.receive()
        except TimeoutError:
            self.fault = self.fault or HTTPException(408, _SLOW)
            raise self.fault from None
        finally:
            self.timer = None
        self.size += len(message.get("body", b""))
        if self.size > MAX_BODY_BYTES:
            self.fault = HTTPException(413, _LARGE)
            raise self.fault
        return message


class BodyLimits:
    """Passes requests on to `app`, with limits on their bodies."""

    def __init__(self, app: ASGIApp, *, pause_s: float) -> None:
        self._app = app
        self._pause_s = pause_s
        self._bodies: dict[_Body, None] = {}
        """The oldest first."""
        self._of_network: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _has_body(scope):
            await self._app(scope, receive, send)
            return
        body = self._add(scope, receive)
        is_started = False

        async def receive_limited() -> Message:
            if body.fault is None and body not in self._bodies:
                # It is complete; what comes next is the end of the connection, whenever that is.
                return await receive()
            message = await body.next_part(self._pause_s)
            if message["type"] != "http.request" or not message.get("more_body"):
                self._remove(body)
            return message

        async def send_and_close(message: Message) -> None:
            nonlocal is_started
            if message["type"] == "http.response.start":
                is_started = True
                if body.fault is not None:
                    message = {**message, "headers": [*message["headers"], (b"connection", b"close")]}
            await send(message)

        try:
            await self._app(scope, receive_limited, send_and_close)
        except HTTPException as fault:
            if fault is not body.fault or is_started:
                raise
            await json_fault(fault.status_code, fault.detail)(scope, receive, send_and_close)
        finally:
            self._remove(body)

    def _add(self, scope: Scope, receive: Receive) -> _Body:
        network = network_of(scope["client"][0]) if scope.get("client") else ""
        if self._of_network[network] >= MAX_BODIES_PER_ADDRESS:
            self._end_oldest(network)
        elif len(self._bodies) >= MAX_BODIES:
            self._end_oldest(None)
        body = _Body(receive, network, asyncio.get_running_loop().time())
        self._bodies[body] = None
        self._of_network[network] += 1
        return body

    def _end_oldest(self, network: str | None) -> None:
        oldest = next(body for body in self._bodies if network is None or body.network == network)
        self._remove(oldest)
        oldest.give_up()

    def _remove(self, body: _Body) -> None:
        if body in self._bodies:
            del self._bodies[body]
            self._of_network[body.network] -= 1
            if not self._of_network[body.network]:
                del self._of_network[body.network]


def _has_body(scope: Scope) -> bool:
    return any(
        (name == b"content-length" and value != b"0") or name == b"transfer-encoding"
        for name, value in scope["headers"]
    )
