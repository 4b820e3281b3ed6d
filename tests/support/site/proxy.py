"""A forward proxy on loopback for plain requests and tunnels, which records what it was asked for."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping


class Proxy:
    """A proxy with its own names: `hosts` maps them to addresses."""

    def __init__(self, hosts: Mapping[str, str] | None = None, refuse: bytes = b"") -> None:
        self.asked: list[str] = []
        """The first line of each request."""
        self.heads: list[bytes] = []
        self._hosts = hosts or {}
        self._refuse = refuse
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Proxy:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port: int = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                await self._carry(reader, writer)
        except asyncio.CancelledError:
            # The proxy is closing; the stream server would report a cancelled task as an error.
            pass
        finally:
            writer.close()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        first, _, rest = head.partition(b"\r\n")
        self.asked.append(first.decode())
        self.heads.append(head)
        if self._refuse:
            writer.write(self._refuse)
            return
        method, target, version = first.split(b" ")
        if method == b"CONNECT":
            onward_reader, onward = await self._connect(target.decode())
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        else:
            _, _, authority_and_path = target.partition(b"://")
            authority, _, path = authority_and_path.partition(b"/")
            onward_reader, onward = await self._connect(authority.decode())
            onward.write(b"%b /%b %b\r\n%b" % (method, path, version, rest))
        try:
            await asyncio.gather(_pump(reader, onward), _pump(onward_reader, writer))
        finally:
            onward.close()

    async def _connect(self, authority: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        host, _, port = authority.rpartition(":")
        return await asyncio.open_connection(self._hosts.get(host, host), int(port))


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.close()
