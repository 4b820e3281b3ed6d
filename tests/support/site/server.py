"""A scriptable web site on loopback: records every request, answers by script, breaks on demand.

It speaks HTTP over raw sockets, because no web framework would allow half of what it is for. Several hosts are
several loopback addresses on one port.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from email.utils import parsedate_to_datetime
from http import HTTPStatus

from tests.support.site.answers import Answer, Exchange, Fault, Script, SiteRequest, html, redirect

HOSTS = tuple(f"127.0.0.{last}" for last in range(1, 6))


class Site:
    """Use it as an async context manager; script it before or while it runs."""

    def __init__(self, hosts: Sequence[str] = HOSTS, tls: ssl.SSLContext | None = None) -> None:
        self.hosts = tuple(hosts)
        self.requests: list[SiteRequest] = []
        self.connections = 0
        self._scripts: dict[tuple[str | None, str], list[Script]] = {}
        self._tls = tls
        self._servers: list[asyncio.Server] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._waiting: list[tuple[int, asyncio.Future[None]]] = []
        self.port = 0

    async def __aenter__(self) -> Site:
        for _ in range(20):
            try:
                await self._bind()
            except OSError:
                # Another program uses this port on one of the addresses: try another port.
                await self.stop_listening()
            else:
                return self
        raise RuntimeError("no port is free on all of the loopback addresses")

    async def _bind(self) -> None:
        self.port = 0
        for host in self.hosts:
            server = await asyncio.start_server(self._serve, host, self.port, ssl=self._tls, limit=2**20)
            self._servers.append(server)
            self.port = server.sockets[0].getsockname()[1]

    async def stop_listening(self) -> None:
        """Refuse connections from now on."""
        for server in self._servers:
            server.close()
        self._servers.clear()

    async def __aexit__(self, *_: object) -> None:
        await self.stop_listening()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # Its addresses

    def url(self, path: str = "/", host: str | None = None) -> str:
        scheme = "https" if self._tls else "http"
        return f"{scheme}://{host or self.hosts[0]}:{self.port}{path}"

    @property
    def endpoints(self) -> list[str]:
        """Each `address:port`, in the form of the guard's allow-list."""
        return [f"{host}:{self.port}" for host in self.hosts]

    # Scripting answers

    def respond(
        self, path: str, script: Script | Iterable[Script], *more: Script, host: str | None = None
    ) -> str:
        """Answer `path` (with its query, if it has one) with one script after another; the last one repeats."""
        first = [script] if isinstance(script, Answer | Fault) or callable(script) else list(script)
        self._scripts[host, path] = [*first, *more]
        return self.url(path, host)

    def page(self, path: str, text: str, host: str | None = None) -> str:
        return self.respond(path, html(text), host=host)

    def redirect(self, path: str, to: str, status: int = 301, host: str | None = None) -> str:
        return self.respond(path, redirect(to, status), host=host)

    def feed(
        self,
        path: str,
        document: str | bytes,
        *,
        etag: str | None = None,
        last_modified: str | None = None,
        content_type: str = "application/rss+xml; charset=utf-8",
        headers: dict[str, str] | None = None,
        host: str | None = None,
    ) -> str:
        """Serve a document that answers conditional requests correctly."""
        body = document.encode() if isinstance(document, str) else document
        known = {"Content-Type": content_type, "ETag": etag, "Last-Modified": last_modified}
        answer = Answer(
            body=body, headers={k: v for k, v in known.items() if v is not None} | (headers or {})
        )
        return self.respond(path, lambda request: answer_conditionally(request, answer), host=host)

    def sitemap(
        self,
        path: str,
        document: str | bytes,
        *,
        etag: str | None = None,
        last_modified: str | None = None,
        host: str | None = None,
    ) -> str:
        return self.feed(
            path, document, etag=etag, last_modified=last_modified, content_type="application/xml", host=host
        )

    # Inspecting requests

    def requests_for(self, path: str) -> list[SiteRequest]:
        return [request for request in self.requests if request.path == path]

    async def drop_connections(self) -> None:
        """Close every connection from this side, as a server does with idle ones."""
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def wait_for_requests(self, count: int, timeout_s: float = 30.0) -> list[SiteRequest]:
        """Wait until this many requests have come in since the start."""
        if len(self.requests) < count:
            arrived: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append((count, arrived))
            async with asyncio.timeout(timeout_s):
                await arrived
        return self.requests

    def _record(self, request: SiteRequest) -> None:
        self.requests.append(request)
        for count, arrived in self._waiting:
            if len(self.requests) >= count and not arrived.done():
                arrived.set_result(None)

    # Serving

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        self.connections += 1
        try:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, ssl.SSLError):
                while await self._exchange(reader, writer):
                    pass
        except asyncio.CancelledError:
            # The site is closing; the stream server would report a cancelled task as an error.
            pass
        finally:
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        first = await reader.readexactly(1)
        if not first.isalpha():
            # A TLS client hello, for example, has no empty line to wait for.
            writer.write(render(Answer(status=400)))
            return False
        head = first + await reader.readuntil(b"\r\n\r\n")
        request = _parse(head, writer.get_extra_info("sockname")[0])
        self._record(request)
        step = self.step_for(request)
        if isinstance(step, Fault):
            await step.run(Exchange(request, reader, writer))
            return False
        writer.write(render(step))
        await writer.drain()
        return "close" not in step.headers.get("Connection", "")

    def step_for(self, request: SiteRequest) -> Answer | Fault:
        for key in (
            (request.host, request.target),
            (None, request.target),
            (request.host, request.path),
            (None, request.path),
        ):
            if scripts := self._scripts.get(key):
                script = scripts.pop(0) if len(scripts) > 1 else scripts[0]
                return script if isinstance(script, Answer | Fault) else script(request)
        return Answer(status=404)


def _parse(head: bytes, address: str) -> SiteRequest:
    first, *lines = head.decode("latin-1").split("\r\n")
    method, target, _ = first.split(" ", 2)
    fields = (line.split(":", 1) for line in lines if line)
    return SiteRequest(
        at=time.monotonic(),
        method=method,
        target=target,
        headers={name.lower(): value.strip(" ") for name, value in fields},
        address=address,
    )


def render(answer: Answer) -> bytes:
    try:
        phrase = HTTPStatus(answer.status).phrase
    except ValueError:
        phrase = "Unknown"
    headers = dict(answer.headers)
    bodiless = answer.status in {204, 304}
    if not bodiless and not {"content-length", "transfer-encoding"} & {name.lower() for name in headers}:
        headers["Content-Length"] = str(len(answer.body))
    lines = [f"HTTP/1.1 {answer.status} {phrase}", *(f"{name}: {value}" for name, value in headers.items())]
    head = "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n"
    return head if bodiless else head + answer.body


def answer_conditionally(request: SiteRequest, answer: Answer) -> Answer:
    """Answer 304 if the client has this version: by its ETag, else by its date (RFC 9110, 13.2.2)."""
    etag, modified = answer.headers.get("ETag"), answer.headers.get("Last-Modified")
    asked, since = request.headers.get("if-none-match"), request.headers.get("if-modified-since")
    if asked is not None:
        same = asked == "*" or (etag is not None and etag.removeprefix("W/") in _opaque_tags(asked))
    elif since is not None and modified is not None:
        try:
            same = parsedate_to_datetime(modified) <= parsedate_to_datetime(since)
        except ValueError:
            same = False
    else:
        same = False
    return replace(answer, status=304, body=b"") if same else answer


def _opaque_tags(value: str) -> list[str]:
    return [tag.strip().removeprefix("W/") for tag in value.split(",")]
