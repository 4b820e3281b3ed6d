"""Dispatch: a host that must wait never holds a worker."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

import pytest

from inforadar.fetch.pace import step_aside
from inforadar.pipeline.dispatch import Dispatch, Ending


class Clock:
    """Time that passes only when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class CountingPacer:
    """Hosts with a delay on a clock of the test's own."""

    def __init__(self, clock: Clock, delays: Mapping[str, float]) -> None:
        self.clock = clock
        self.delays = delays
        self.free_at: dict[str, float] = {}
        self.reservations: list[list[str]] = []

    def delay_of(self, host: str) -> float:
        return self.delays.get(host, 0.0)

    async def reserve(self, hosts: Sequence[str]) -> Mapping[str, float]:
        self.reservations.append(list(hosts))
        waits = {host: max(self.free_at.get(host, 0.0) - self.clock(), 0.0) for host in hosts}
        for host, wait in waits.items():
            if not wait and self.delay_of(host):
                self.free_at[host] = self.clock() + 1000
        return waits

    def done(self, host: str) -> None:
        self.free_at[host] = self.clock() + self.delay_of(host)

    async def pause(self, host: str, seconds: float, reason: str) -> None:
        self.free_at[host] = self.clock() + seconds

    async def refresh(self) -> None: ...

    async def close(self) -> None: ...


def host_of(job: str) -> str:
    return job.split("/", maxsplit=1)[0]


async def test_one_crowded_host_starves_nobody_and_its_jobs_come_back_with_their_turns() -> None:
    clock = Clock()
    done: list[str] = []

    async def work(job: str) -> Ending:
        done.append(job)
        return Ending.DONE

    pacer = CountingPacer(clock, {"crowded": 3.0})
    dispatch = Dispatch(pacer=pacer, workers=10, host_of=host_of, work=work, clock=clock)
    jobs = [f"crowded/{n}" for n in range(90)] + [f"other{n}/x" for n in range(10)]
    leftovers = await dispatch.run(jobs)
    assert sorted(done) == sorted(["crowded/0", *(f"other{n}/x" for n in range(10))])
    assert [left.job for left in leftovers] == [f"crowded/{n}" for n in range(1, 90)]
    assert [left.wait_s for left in leftovers[:3]] == [3.0, 6.0, 9.0]


async def test_at_most_so_many_jobs_run_at_once() -> None:
    running = peak = 0

    async def work(job: str) -> Ending:
        nonlocal running, peak
        running += 1
        peak = max(peak, running)
        await asyncio.sleep(0)
        running -= 1
        return Ending.DONE

    pacer = CountingPacer(Clock(), {})
    await Dispatch(pacer=pacer, workers=4, host_of=host_of, work=work).run(
        [f"h{n % 3}/{n}" for n in range(50)]
    )
    assert peak == 4


async def test_a_host_without_a_delay_is_asked_several_times_at_once() -> None:
    inside = asyncio.Barrier(3)

    async def work(job: str) -> Ending:
        async with asyncio.timeout(30):
            await inside.wait()
        return Ending.DONE

    pacer = CountingPacer(Clock(), {})
    assert await Dispatch(pacer=pacer, workers=3, host_of=host_of, work=work).run(["h/1", "h/2", "h/3"]) == []


async def test_a_waiting_hosts_turn_is_taken_while_others_still_run() -> None:
    clock = Clock()
    order: list[str] = []
    second_done = asyncio.Event()

    async def work(job: str) -> Ending:
        order.append(job)
        if job == "slow/1":
            clock.now = 5.0  # while this one runs, the paced host's time comes
            await second_done.wait()
        if job == "paced/2":
            second_done.set()
        return Ending.DONE

    pacer = CountingPacer(clock, {"paced": 3.0})
    dispatch = Dispatch(pacer=pacer, workers=2, host_of=host_of, work=work, clock=clock)
    assert await dispatch.run(["paced/1", "paced/2", "slow/1"]) == []
    assert order.index("paced/2") > order.index("paced/1")


async def test_a_job_that_steps_aside_lends_its_worker() -> None:
    other_ran = asyncio.Event()

    async def work(job: str) -> Ending:
        if job == "a/1":
            with step_aside.get()():
                await other_ran.wait()
        else:
            other_ran.set()
        return Ending.DONE

    pacer = CountingPacer(Clock(), {})
    async with asyncio.timeout(30):
        await Dispatch(pacer=pacer, workers=1, host_of=host_of, work=work).run(["a/1", "b/1"])
    assert other_ran.is_set()


async def test_a_turn_spent_on_something_else_brings_the_same_job_again() -> None:
    seen: list[str] = []

    async def work(job: str) -> Ending:
        seen.append(job)
        return Ending.RETRY if seen.count(job) == 1 else Ending.DONE

    pacer = CountingPacer(Clock(), {})
    assert await Dispatch(pacer=pacer, workers=1, host_of=host_of, work=work).run(["a/1", "a/2"]) == []
    assert sorted(seen) == ["a/1", "a/1", "a/2", "a/2"]


async def test_a_stop_starts_nothing_more_and_hands_back_the_rest() -> None:
    done: list[str] = []

    async def work(job: str) -> Ending:
        done.append(job)
        dispatch.stop()
        return Ending.DONE

    pacer = CountingPacer(Clock(), {})
    dispatch: Dispatch[str] = Dispatch(pacer=pacer, workers=1, host_of=host_of, work=work)
    leftovers = await dispatch.run(["a/1", "a/2", "b/1"])
    assert done == ["a/1"]
    assert [left.job for left in leftovers] == ["a/2", "b/1"]


async def test_a_fault_of_the_work_itself_ends_the_dispatch() -> None:
    async def work(job: str) -> Ending:
        raise ValueError(job)

    pacer = CountingPacer(Clock(), {})
    with pytest.raises(ValueError, match="a/1"):
        await Dispatch(pacer=pacer, workers=1, host_of=host_of, work=work).run(["a/1", "b/1"])


async def test_slots_are_asked_for_many_hosts_at_once() -> None:
    async def work(job: str) -> Ending:
        return Ending.DONE

    pacer = CountingPacer(Clock(), dict.fromkeys((f"h{n}" for n in range(20)), 3.0))
    await Dispatch(pacer=pacer, workers=20, host_of=host_of, work=work).run([f"h{n}/1" for n in range(20)])
    assert len(pacer.reservations) == 1


async def test_a_host_whose_delay_is_learned_on_the_way_is_still_asked_once_at_a_time() -> None:
    clock, delays, done = Clock(), dict[str, float](), list[str]()
    is_learned, is_asked_again = asyncio.Event(), asyncio.Event()

    async def work(job: str) -> Ending:
        if job == "slow/1":
            await is_learned.wait()
            for _ in range(5):
                await asyncio.sleep(0)
            clock.now = 10.0  # the host's turn comes
            await is_asked_again.wait()
        elif job == "h/3":
            is_asked_again.set()
        else:
            delays["h"] = 3.0
            is_learned.set()
        done.append(job)
        return Ending.DONE

    pacer = CountingPacer(clock, delays)
    dispatch = Dispatch(pacer=pacer, workers=3, host_of=host_of, work=work, clock=clock)
    async with asyncio.timeout(10):
        assert await dispatch.run(["slow/1", "h/1", "h/2", "h/3"]) == []
    assert sorted(done) == ["h/1", "h/2", "h/3", "slow/1"]
    assert all(hosts.count("h") <= 1 for hosts in pacer.reservations)
