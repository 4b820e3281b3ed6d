"""The application as granian calls it: RSGI, with a fast path for feeds that are ready in memory.

Under ASGI a response takes two calls into the server, and the request is first turned into a dictionary; for a cached
feed that costs several times as much as the answer itself. So a feed whose bytes and headers are ready is sent as it
is. Everything else is translated to ASGI and goes through the whole application.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from itertools import count
from time import perf_counter
from typing import Any, Protocol

from granian.rsgi import ProtocolClosed  # type: ignore[attr-defined]
from starlette.types import ASGIApp, Message, Scope

Headers = list[tuple[str, str]]
Ready = tuple[int, Headers, bytes]
"""Status, headers, body."""
Find = Callable[["RsgiRequest"], Ready | None]
"""Look up a response that is ready; `None`: ask the application."""


class RsgiRequest(Protocol):
    """A request as granian describes it."""

    method: str
    path: str
    query_string: str
    scheme: str
    http_version: str
    server: str
    client: str
    authority: str | None
    headers: Any


class RsgiAnswer(Protocol):
    """The methods of granian for receiving the body and sending the response."""

    def __aiter__(self) -> AsyncIterator[bytes]: ...
    async def client_disconnect(self) -> None: ...
    def response_bytes(self, status: int, headers: Headers, body: bytes) -> None: ...
    def response_stream(self, status: int, headers: Headers) -> Any: ...


class RsgiApp:
    """Serves `path` from memory through `find`; passes everything else to the ASGI app."""

    def __init__(
        self, app: ASGIApp, *, path: str, find: Find, count_answer: Callable[[int, float], None]
    ) -> None:
        self._app = app
        self._path = path
        self._find = find
        self._count = count_answer
        self._ids = (f"{os.getpid():x}-{number:x}" for number in count(int.from_bytes(os.urandom(5))))

    async def __rsgi__(self, request: RsgiRequest, answer: RsgiAnswer) -> None:
        if request.path == self._path and request.method == "GET":
            started = perf_counter()
            ready = self._find(request)
            if ready is not None and request.headers.get("x-request-id") is None:
                status, headers, body = ready
                answer.response_bytes(status, [*headers, ("x-request-id", next(self._ids))], body)
                self._count(status, perf_counter() - started)
                return
        receiver, sender = _Receiver(answer), _Sender(answer)
        try:
            await self._app(_scope(request), receiver.receive, sender.send)
        finally:
            receiver.end()
            sender.end()


def _scope(request: RsgiRequest) -> Scope:
    # Granian leaves out headers that are not ASCII.
    headers = [(name.encode("latin-1"), value.encode()) for name, value in request.headers.items()]
    if request.authority is not None:
        # HTTP/2 puts the host there.
        headers = [(b"host", request.authority.encode()), *(pair for pair in headers if pair[0] != b"host")]
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": request.http_version,
        "method": request.method,
        "scheme": request.scheme,
        "path": request.path,
        "root_path": "",
        "query_string": request.query_string.encode(),
        "headers": headers,
        "client": _address(request.client),
        "server": _address(request.server),
    }


def client_address(request: RsgiRequest) -> str:
    return _address(request.client)[0]


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    return host.strip("[]"), int(port) if port.isdigit() else 0


class _Receiver:
    """Passes on the parts of the body, then the end of the connection."""

    def __init__(self, answer: RsgiAnswer) -> None:
        self._answer = answer
        self._parts: AsyncIterator[bytes] | None = None
        self._is_whole = False

    async def receive(self) -> Message:
        if self._is_whole:
            await self._answer.client_disconnect()
            return {"type": "http.disconnect"}
        self._parts = self._parts or self._answer.__aiter__()
        try:
            return {"type": "http.request", "body": bytes(await anext(self._parts)), "more_body": True}
        except StopAsyncIteration:
            self._is_whole = True
            return {"type": "http.request", "body": b"", "more_body": False}

    def end(self) -> None:
        """Let go of the connection.

        granian ends a stream, and closes a connection whose body was not read to its end, only when nobody holds
        its objects any more, and the traceback of a failure would hold them until the garbage is collected.
        """
        del self._parts, self._answer


class _Sender:
    """Sends a complete response in one call, headers and body. The headers of a stream do not wait for its body."""

    def __init__(self, answer: RsgiAnswer) -> None:
        self._answer = answer
        self._status = 500
        self._headers: Headers = []
        self._stream: Any = None

    async def send(self, message: Message) -> None:
        """Send a part. A client that is gone gets nothing; the application hears of it through `_Receiver`."""
        with suppress(ProtocolClosed):
            await self._send(message)

    async def _send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            self._headers = text_headers(message.get("headers", ()))
            if self._is_stream():
                self._stream = self._answer.response_stream(self._status, self._headers)
            return
        body = message.get("body", b"")
        if self._stream is None:
            if not message.get("more_body"):
                self._answer.response_bytes(self._status, self._headers, body)
                return
            self._stream = self._answer.response_stream(self._status, self._headers)
        if body:
            await self._stream.send_bytes(body)

    def end(self) -> None:
        """End a stream, and let go of the connection, as `_Receiver.end` does."""
        del self._stream, self._answer

    def _is_stream(self) -> bool:
        """Tell whether the length is not known in advance, as of a body that is still being made."""
        has_body = self._status not in {204, 304}
        return has_body and not any(name.lower() == "content-length" for name, _ in self._headers)


def text_headers(headers: Any) -> Headers:
    return [(name.decode("latin-1"), value.decode("latin-1")) for name, value in headers]
