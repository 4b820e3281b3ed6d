"""The pool of processes: whatever a task does, it ends as a result or an error, and the next one runs."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import psutil
import pytest

from inforadar.errors import ParseError
from inforadar.pipeline.pool import PoolCrashError, PoolTimeoutError, WorkPool
from inforadar.stages.discover.feed.document import NotAFeedError

pytestmark = pytest.mark.slow


def double(number: int) -> int:
    return 2 * number


def hang() -> None:
    while True:
        time.sleep(3600)


def crash() -> None:
    os._exit(7)


def kill_itself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def eat_memory() -> int:
    eaten = [b"x" * 2**20 for _ in range(4096)]
    return len(eaten)


def complain() -> None:
    raise NotAFeedError("This is an HTML page.", ("https://example.org/feed",))


def process_id() -> int:
    return os.getpid()


def is_imported(module: str) -> bool:
    return module in sys.modules


@pytest.fixture
async def pool() -> AsyncIterator[WorkPool]:
    pool = WorkPool(workers=2, memory_mb=256)
    yield pool
    await pool.close()


async def test_a_task_runs_in_another_process(pool: WorkPool) -> None:
    assert await pool.run(double, 21, timeout_s=30) == 42
    assert await pool.run(process_id, timeout_s=30) != os.getpid()


async def test_a_hung_task_is_killed_and_its_neighbours_succeed(pool: WorkPool) -> None:
    hung = asyncio.create_task(pool.run(hang, timeout_s=1))
    results = await asyncio.gather(*(pool.run(double, number, timeout_s=30) for number in range(20)))
    assert results == [2 * number for number in range(20)]
    with pytest.raises(PoolTimeoutError, match="longer than 1 seconds"):
        await hung
    assert await pool.run(double, 1, timeout_s=30) == 2


async def test_a_task_that_eats_memory_ends_as_an_error_and_the_pool_goes_on(pool: WorkPool) -> None:
    with pytest.raises(PoolCrashError, match="256 MB"):
        await pool.run(eat_memory, timeout_s=60)
    assert await pool.run(double, 2, timeout_s=30) == 4


async def test_a_process_that_exits_ends_its_task_as_an_error_and_the_pool_goes_on(pool: WorkPool) -> None:
    with pytest.raises(PoolCrashError, match="exit code 7"):
        await pool.run(crash, timeout_s=30)
    with pytest.raises(PoolCrashError, match="SIGKILL"):
        await pool.run(kill_itself, timeout_s=30)
    assert await pool.run(double, 3, timeout_s=30) == 6


async def test_an_error_of_the_task_itself_arrives_whole(pool: WorkPool) -> None:
    with pytest.raises(ParseError, match="HTML page") as caught:
        await pool.run(complain, timeout_s=30)
    assert isinstance(caught.value, NotAFeedError)
    assert caught.value.feeds == ("https://example.org/feed",)


async def test_cancelling_the_caller_kills_the_task_and_frees_its_process() -> None:
    pool = WorkPool(workers=1)
    try:
        assert await pool.run(double, 1, timeout_s=30) == 2
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await pool.run(hang, timeout_s=600)
        assert await pool.run(double, 4, timeout_s=30) == 8
    finally:
        await pool.close()


async def test_no_process_is_started_before_the_first_task() -> None:
    pool = WorkPool()
    assert pool._start is None
    await pool.close()


async def test_processes_killed_while_idle_are_replaced() -> None:
    pool = WorkPool(workers=1)
    try:
        os.kill(await pool.run(process_id, timeout_s=30), signal.SIGKILL)
        results = []
        for _ in range(3):
            try:
                results.append(await pool.run(double, 5, timeout_s=30))
            except PoolCrashError:
                continue
        assert 10 in results
    finally:
        await pool.close()


async def test_a_process_is_replaced_after_its_number_of_tasks() -> None:
    pool = WorkPool(workers=1, tasks_per_worker=2)
    try:
        processes = {await pool.run(process_id, timeout_s=30) for _ in range(5)}
        assert len(processes) >= 2
    finally:
        await pool.close()


async def test_what_tasks_need_is_imported_before_the_first() -> None:
    pool = WorkPool(workers=1, warm_up=("html.entities", "tabnanny"))
    try:
        assert await pool.run(is_imported, "tabnanny", timeout_s=30)
    finally:
        await pool.close()


async def test_the_event_loop_goes_on_while_the_pool_starts_and_works(pool: WorkPool) -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.005)
            ticks += 1

    ticking = asyncio.create_task(tick())
    await asyncio.gather(*(pool.run(double, number, timeout_s=30) for number in range(8)))
    ticking.cancel()
    assert ticks > 3


async def test_a_closed_pool_takes_no_task(pool: WorkPool) -> None:
    await pool.run(double, 1, timeout_s=30)
    await pool.close()
    with pytest.raises(RuntimeError, match="closed"):
        await pool.run(double, 1, timeout_s=30)


PROGRAM = """
import asyncio, os, signal, sys, time
from inforadar.pipeline.pool import WorkPool

# A shell's background jobs ignore it, and so would we.
signal.signal(signal.SIGINT, signal.default_int_handler)

async def main():
    pool = WorkPool(workers=2)
    task = asyncio.create_task(pool.run(time.sleep, 600, timeout_s=600))
    print(await pool.run(os.getpid, timeout_s=30), flush=True)
    try:
        await task
    finally:
        await pool.close()

if __name__ == "__main__":
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        sys.exit(130)
"""


@pytest.fixture
def program(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A program with a busy pool, and the id of one of the pool's processes."""
    script = tmp_path / "program.py"
    script.write_text(PROGRAM, encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdout is not None
    yield process, int(process.stdout.readline())
    process.kill()
    process.communicate()


def test_an_interrupt_from_the_terminal_prints_nothing_and_ends_all(
    program: tuple[subprocess.Popen[str], int],
) -> None:
    process, worker = program
    os.killpg(process.pid, signal.SIGINT)  # as the terminal does it: to the whole group
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert errors == ""
    assert has_ended(worker)


def test_the_processes_end_and_print_nothing_when_the_program_is_killed(
    program: tuple[subprocess.Popen[str], int],
) -> None:
    process, worker = program
    process.kill()
    _, errors = process.communicate(timeout=30)  # ends when the last holder of its output has ended
    assert errors == ""
    assert has_ended(worker)


def has_ended(process: int) -> bool:
    try:
        return psutil.Process(process).wait(timeout=30) is None
    except psutil.NoSuchProcess:
        return True


async def test_a_pool_whose_first_task_is_cancelled_while_processes_start_leaves_none_behind() -> None:
    pool = WorkPool(workers=1)
    before = set(multiprocessing.active_children())
    waiting = asyncio.create_task(pool.run(double, 21, timeout_s=30))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await pool.close()
    await asyncio.get_running_loop().shutdown_default_executor()
    assert set(multiprocessing.active_children()) <= before
