"""The process of the worker inside the app: `python -m inforadar.tui.fetch.worker_process`.

It reads its settings from standard input, works, and ends when that input ends: with the app, however the app ends.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import sys

import structlog

from inforadar.app.process import run_async, tune_garbage_collector
from inforadar.app.store import open_store
from inforadar.app.worker import open_worker
from inforadar.config import Settings
from inforadar.pipeline.freed_memory import limit_freed_memory
from inforadar.sample.install import serving_sample
from inforadar.store.database import WORKER_LOCK_TIMEOUT_S

STDIN = 0
STOP_S = 5.0
"""Maximum time from the end of the app to the end of the process."""


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    limit_freed_memory()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(30))
    size = int.from_bytes(_read(8), "big")
    settings = pickle.loads(_read(size))  # noqa: S301 - from the app that started this process
    run_async(_work(settings))


def _read(size: int) -> bytes:
    """Read exactly this many bytes; exit if the app has ended before."""
    data = b""
    while len(data) < size:
        part = os.read(STDIN, size - len(data))
        if not part:
            sys.exit(0)
        data += part
    return data


async def _work(settings: Settings) -> None:
    loop, stop = asyncio.get_running_loop(), asyncio.Event()

    def end() -> None:
        loop.remove_reader(STDIN)
        stop.set()
        # A database that does not answer must not keep the process: uncommitted work is done again later.
        loop.call_later(STOP_S - 1, os._exit, 1)

    loop.add_reader(STDIN, end)
    loop.add_signal_handler(signal.SIGTERM, end)
    async with (
        open_store(settings, lock_timeout_s=WORKER_LOCK_TIMEOUT_S) as database,
        serving_sample(database),
        open_worker(settings, database, runs_on=True) as worker,
    ):
        tune_garbage_collector()
        await worker.run(stop)


if __name__ == "__main__":
    main()
