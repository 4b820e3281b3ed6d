"""A WebSub hub on loopback: records what it is asked, verifies and pushes when it is told to, and lies on demand."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from io import BytesIO
from urllib.parse import parse_qsl

import aiohttp
from aiohttp import web

CHALLENGE = "unguessable-challenge"
HUNG_UP = 0
"""Instead of a status: the connection was closed while the body was being sent."""


@dataclass
class Hub:
    url: str = ""
    status: int = 202
    headers: dict[str, str] = field(default_factory=dict)
    requests: list[dict[str, str]] = field(default_factory=list)
    """The forms that it was sent: `hub.mode`, `hub.topic`, `hub.callback`, …"""
    endpoint: str = ""
    """`address:port`, in the form of the guard's allow-list."""

    @property
    def last(self) -> dict[str, str]:
        return self.requests[-1]

    async def answer(self, request: web.Request) -> web.Response:
        self.requests.append(dict(parse_qsl(await request.text())))
        return web.Response(status=self.status, headers=self.headers)

    async def ask(self, asked: dict[str, str] | None = None, **changes: str) -> tuple[int, str]:
        """Verify a request at its callback as it was made; `mode="denied"` and others change what is asked."""
        asked = asked or self.last
        query = {"hub.mode": asked["hub.mode"], "hub.topic": asked["hub.topic"], "hub.challenge": CHALLENGE}
        if asked["hub.mode"] == "subscribe":
            query["hub.lease_seconds"] = asked["hub.lease_seconds"]
        query |= {f"hub.{name}": value for name, value in changes.items()}
        async with (
            aiohttp.ClientSession() as session,
            session.get(asked["hub.callback"], params=query) as response,
        ):
            return response.status, await response.text()

    async def push(
        self,
        asked: dict[str, str] | None = None,
        *,
        body: bytes = b"<rss/>",
        method: str = "sha256",
        secret: str | None = None,
        signed: bytes | None = None,
        signature: str | None = None,
    ) -> int:
        """Push to a callback, by default with the right signature; an empty one is left out."""
        asked = asked or self.last
        key = (asked.get("hub.secret", "") if secret is None else secret).encode()
        if signature is None:
            digest = hmac.new(key, body if signed is None else signed, getattr(hashlib, method)).hexdigest()
            signature = f"{method}={digest}"
        headers = {"X-Hub-Signature": signature} if signature else {}
        async with aiohttp.ClientSession() as session:
            try:
                posted = session.post(asked["hub.callback"], data=BytesIO(body), headers=headers)
                async with posted as response:
                    return response.status
            except aiohttp.ClientOSError:
                return HUNG_UP


@asynccontextmanager
async def running_hub(host: str = "127.0.0.1") -> AsyncIterator[Hub]:
    hub = Hub()
    app = web.Application()
    app.router.add_post("/{path:.*}", hub.answer)
    runner = web.AppRunner(app, shutdown_timeout=0)
    await runner.setup()
    await web.TCPSite(runner, host, 0).start()
    hub.endpoint = f"{host}:{runner.addresses[0][1]}"
    hub.url = f"http://{hub.endpoint}/hub"
    try:
        yield hub
    finally:
        await runner.cleanup()
