"""Requests and tokens per minute, on a clock that only moves while someone waits."""

from __future__ import annotations

import asyncio

from inforadar.stages.analyze.llm.limiter import RateLimiter


class Clock:
    def __init__(self) -> None:
        self.time = 1000.0

    def __call__(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.time += seconds


def limiter(clock: Clock, **limits: int) -> RateLimiter:
    return RateLimiter(clock=clock, sleep=clock.sleep, **limits)


async def admitted_at(limits: RateLimiter, clock: Clock, *tokens: int) -> list[float]:
    times = []
    for number in tokens:
        await limits.admit(number)
        times.append(clock.time - 1000.0)
    return times


async def test_without_limits_nobody_waits() -> None:
    clock = Clock()
    assert await admitted_at(limiter(clock), clock, *[10**9] * 50) == [0.0] * 50


async def test_no_minute_has_more_requests_than_allowed() -> None:
    clock = Clock()
    assert await admitted_at(limiter(clock, requests=2), clock, *[1] * 5) == [0.0, 0.0, 60.0, 60.0, 120.0]


async def test_no_minute_has_more_tokens_than_allowed() -> None:
    clock = Clock()
    assert await admitted_at(limiter(clock, tokens=100), clock, 60, 40, 30, 80) == [0.0, 0.0, 60.0, 120.0]


async def test_what_was_really_used_replaces_the_estimate() -> None:
    clock = Clock()
    limits = limiter(clock, tokens=100)
    admission = await limits.admit(90)
    limits.settle(admission, 10)
    assert await admitted_at(limits, clock, 90, 5) == [0.0, 60.0]


async def test_one_that_is_larger_than_the_limit_goes_alone() -> None:
    clock = Clock()
    assert await admitted_at(limiter(clock, tokens=100), clock, 500, 500) == [0.0, 60.0]


async def test_tasks_share_the_limit_and_keep_their_order() -> None:
    clock = Clock()
    limits = limiter(clock, requests=1)
    done: list[int] = []

    async def one(number: int) -> None:
        await limits.admit(1)
        done.append(number)

    await asyncio.gather(*(one(number) for number in range(4)))
    assert done == [0, 1, 2, 3]
    assert clock.time == 1180.0
