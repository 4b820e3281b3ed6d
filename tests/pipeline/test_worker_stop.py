"""A worker that is told to stop does, whatever a library made of that.

`asyncio.wait_for` of Python 3.11, which Redis's client uses, swallows the word now and then, and a driver that
reconnects may.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from inforadar.app.worker import open_worker
from inforadar.config import load_settings
from inforadar.pipeline import loops as loops_module
from inforadar.store.database import Database
from inforadar.store.leases import seconds_to_next_request
from inforadar.store.runs.queries import has_fetch_work


class SwallowingDatabase:
    """Answers one question only when it is told to stop, and does not tell."""

    def __init__(self, database: Database, question: Callable[..., Any], answer: object) -> None:
        self._database = database
        self._question = question
        self._answer = answer
        self.started = asyncio.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database, name)

    async def read(self, question: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if question is self._question:
            return await self._swallow()
        return await self._database.read(question, *args, **kwargs)

    async def _swallow(self) -> object:
        self.started.set()
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        return self._answer


@pytest.mark.parametrize(("question", "answer"), [(has_fetch_work, False), (seconds_to_next_request, None)])
async def test_a_stop_that_is_swallowed_still_ends_the_worker(
    database: Database,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    question: Callable[..., Any],
    answer: object,
) -> None:
    # Long enough that only whoever looks whether it is to end does so in time.
    monkeypatch.setattr(loops_module, "CANCEL_RETRY_S", 60.0)
    settings = load_settings(tmp_path, {})
    async with open_worker(settings, database) as worker, asyncio.timeout(20):
        swallowing = SwallowingDatabase(database, question, answer)
        worker.collecting.database = swallowing  # type: ignore[assignment]
        stop = asyncio.Event()
        running = asyncio.create_task(worker.run(stop))
        await swallowing.started.wait()
        stop.set()
        assert await running is None


class SwallowingStage:
    """Goes on when it is told to stop, for so many times; then it ends, or waits for what never comes."""

    def __init__(self, times: int, *, ends: bool) -> None:
        self._times = times
        self._ends = ends
        self.started = asyncio.Event()

    async def queue_stale_addresses(self) -> None:
        pass

    async def run_once(self) -> int:
        self.started.set()
        for _ in range(self._times):
            with suppress(asyncio.CancelledError):
                await asyncio.Event().wait()
        if not self._ends:
            await asyncio.Event().wait()
        return 0


@pytest.mark.parametrize(
    ("times", "ends"), [(1, True), (1, False), (3, False)], ids=["ends", "goes on", "goes on and on"]
)
async def test_a_stop_that_a_stage_swallows_still_ends_the_worker(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int, ends: bool
) -> None:
    monkeypatch.setattr(loops_module, "CANCEL_RETRY_S", 0.01)
    stage = SwallowingStage(times, ends=ends)
    async with open_worker(load_settings(tmp_path, {}), database) as worker, asyncio.timeout(20):
        worker.stages, worker.builder = frozenset(), stage  # type: ignore[assignment]
        stop = asyncio.Event()
        running = asyncio.create_task(worker.run(stop))
        await stage.started.wait()
        stop.set()
        assert await running is None


async def test_a_loop_goes_on_whatever_happens_in_it(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class FaultyBuilder:
        def __init__(self) -> None:
            self.calls = 0
            self.again = asyncio.Event()

        async def queue_stale_addresses(self) -> None:
            pass

        async def run_once(self) -> int:
            self.calls += 1
            if self.calls > 1:
                self.again.set()
                return 0
            raise RuntimeError("a fault of our own")

    settings = load_settings(tmp_path, {})
    async with open_worker(settings, database) as worker, asyncio.timeout(20):
        builder = FaultyBuilder()
        monkeypatch.setattr(worker, "builder", builder)
        worker.interval_s = 1.0
        stop = asyncio.Event()
        running = asyncio.create_task(worker.run(stop))
        await builder.again.wait()
        stop.set()
        assert await running is None
