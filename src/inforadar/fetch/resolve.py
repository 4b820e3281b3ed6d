"""Name resolution by the system's resolver, in its own threads.

A dead name can block a thread for half a minute. In the event loop's default pool (uvloop has four threads)
a handful of them would block every other feed, and Python would wait for them at exit. Here there are more
threads, started only when needed, and they are daemons: exit does not wait for them.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from queue import SimpleQueue
from typing import Any

from aiohttp.abc import AbstractResolver, ResolveResult

_FLAGS = socket.AI_ADDRCONFIG
_Answer = list[tuple[Any, ...]]
_Question = tuple[asyncio.AbstractEventLoop, "asyncio.Future[_Answer]", str, int, int]


class SystemResolver(AbstractResolver):
    """Resolves with `getaddrinfo`, at most `threads` calls at once."""

    def __init__(self, threads: int = 32) -> None:
        self._max_threads = threads
        self._threads = 0
        self._asked = 0
        self._questions: SimpleQueue[_Question | None] = SimpleQueue()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[_Answer] = loop.create_future()
        self._asked += 1
        if self._asked > self._threads < self._max_threads:
            self._threads += 1
            threading.Thread(target=self._answer_questions, daemon=True).start()
        self._questions.put((loop, answer, host, port, family))
        return [
            ResolveResult(
                hostname=host,
                host=address[0],
                port=port,
                family=kind,
                proto=proto,
                flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
            )
            for kind, _, proto, _, address in await answer
        ]

    async def close(self) -> None:
        for _ in range(self._threads):
            self._questions.put(None)
        self._threads = 0

    def _answer_questions(self) -> None:
        """The loop of each thread."""
        while (question := self._questions.get()) is not None:
            loop, answer, host, port, family = question
            found: _Answer | OSError
            try:
                found = list(socket.getaddrinfo(host, port, family, socket.SOCK_STREAM, flags=_FLAGS))
            except OSError as error:
                found = error
            except UnicodeError:
                # The name cannot be looked up at all: a label is empty or too long.
                found = socket.gaierror(socket.EAI_NONAME, "Name or service not known")
            # The loop may be closed by now; then nobody is waiting for the answer.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(self._settle, answer, found)

    def _settle(self, answer: asyncio.Future[_Answer], found: _Answer | OSError) -> None:
        # Counted here and not when the caller stops waiting: an abandoned question still occupies its thread.
        self._asked -= 1
        if answer.done():
            return
        if isinstance(found, OSError):
            answer.set_exception(found)
        else:
            answer.set_result(found)
