"""The page while thousands of clients are connected that say nothing, say half of something, or do not listen.

    python -m bench slow_clients [--clients 2000] [--addresses 200] [--requests 100]

`inforadar api` runs as a separate process on SQLite, with its default limits. For each kind of slow client, and for all
kinds together, the clients connect and stay; then the page is asked for on new connections, one after the other, from
an address of its own. The goal is 100 ms for 95 of 100 answers on an idle machine; "CPU" is the server's CPU time per
answer, and "connected" is how many of the clients the server still holds at the end.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from time import perf_counter

import psutil

from bench.api import place, serving
from inforadar.app.store import open_store
from inforadar.config import load_settings
from tests.support.slow_clients import KINDS, add_large_feed, addresses, slow_clients

_GOAL_MS = 100.0
_ANSWER_BYTES = 500_000
"""The answer that some clients do not read: a feed with 50 whole texts."""
_TIMEOUT_S = 30.0
_FROM = "127.0.0.1"


async def _ask(port: int) -> float:
    """Load the first page on a new connection; return the seconds it took."""
    began = perf_counter()
    async with asyncio.timeout(_TIMEOUT_S):
        reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(_FROM, 0))
        writer.write(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        answer = await reader.read()
        writer.close()
    if not answer.startswith(b"HTTP/1.1 200 "):
        raise RuntimeError(f"the page answered {answer[:60]!r}")
    return perf_counter() - began


async def _measure(
    kinds: Sequence[str],
    number: int,
    sources: Sequence[str],
    requests: int,
    server: psutil.Process,
    port: int,
) -> float:
    async with AsyncExitStack() as stack:
        for kind in kinds:
            await stack.enter_async_context(slow_clients(kind, number // len(kinds), port, sources))
        before = server.cpu_times()
        times = sorted([await _ask(port) for _ in range(requests)])
        after = server.cpu_times()
        cpu_ms = (after.user + after.system - before.user - before.system) * 1000 / requests
        connected = sum(
            found.laddr.port == port and found.status == psutil.CONN_ESTABLISHED
            for found in server.net_connections("tcp")
        )
    p50, p95 = (times[int(len(times) * share)] * 1000 for share in (0.5, 0.95))
    name = "all together" if len(kinds) > 1 else kinds[0]
    print(
        f"{name:16}{p50:>9.1f}{p95:>9.1f}{times[-1] * 1000:>9.1f}{cpu_ms:>9.1f}{connected:>11}"
        f"{server.memory_info().rss / 2**20:>8.0f}",
        flush=True,
    )
    return p95


async def _prepare(environment: dict[str, str]) -> None:
    async with open_store(load_settings(environ=os.environ | environment), upgrade=True) as database:
        await add_large_feed(database, _ANSWER_BYTES)


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench slow_clients", description=__doc__)
    parser.add_argument("--clients", type=int, default=2000)
    parser.add_argument("--addresses", type=int, default=200)
    parser.add_argument("--requests", type=int, default=100)
    options = parser.parse_args(argv)
    sources = addresses(options.addresses)
    print(f"{options.clients} clients of each kind from {options.addresses} addresses")
    print(f"{'clients':16}{'p50':>9}{'p95':>9}{'most':>9}{'CPU':>9}{'connected':>11}{'MB':>8}   milliseconds")
    worst = 0.0
    with place("sqlite") as (_, environment):
        asyncio.run(_prepare(environment))
        with serving(environment) as server:
            port = int(environment["INFORADAR_PORT"])
            for kinds in (*([kind] for kind in KINDS), list(KINDS)):
                found = _measure(kinds, options.clients, sources, options.requests, server, port)
                worst = max(worst, asyncio.run(found))
    print("Within 100 ms." if worst <= _GOAL_MS else f"Beyond {_GOAL_MS:g} ms.")
    return 0 if worst <= _GOAL_MS else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
