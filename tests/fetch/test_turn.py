"""Waiting for a host's turn: only as long as is fair to other jobs."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from inforadar.fetch.client import BeforeRedirect
from inforadar.fetch.engine import Engine, turn_too_far
from inforadar.fetch.pace import MAX_LONG_DELAY_WAIT_S, MAX_TURN_WAIT_S, wait_for_turn
from inforadar.model.http import Failed, FailureReason, FetchResult, Request
from inforadar.pipeline.dispatch import Dispatch, Ending, Leftover
from inforadar.urls import host_key
from tests.pipeline.test_dispatch import Clock, CountingPacer

HOST = "slow.example:443"


async def wait(delay_s: float, away_s: float) -> tuple[float, float]:
    """Wait for a turn; return the result and how long it took."""
    clock = Clock()
    pacer = CountingPacer(clock, {HOST: delay_s})
    pacer.free_at[HOST] = away_s

    async def sleep(seconds: float) -> None:
        clock.now += seconds

    return await wait_for_turn(pacer, HOST, sleep), clock.now


@pytest.mark.parametrize(
    ("delay_s", "away_s"),
    [(3.0, MAX_TURN_WAIT_S), (60.0, 60.0), (MAX_LONG_DELAY_WAIT_S, MAX_LONG_DELAY_WAIT_S)],
)
async def test_a_turn_that_is_near_or_only_the_hosts_own_delay_is_waited_for(
    delay_s: float, away_s: float
) -> None:
    assert await wait(delay_s, away_s) == (0.0, away_s)


@pytest.mark.parametrize(
    ("delay_s", "away_s"),
    [(3.0, MAX_TURN_WAIT_S + 1), (60.0, 61.0), (86400.0, 86400.0), (0.0, 7 * 86400.0)],
)
async def test_one_that_is_too_far_away_is_told_at_once(delay_s: float, away_s: float) -> None:
    assert await wait(delay_s, away_s) == (away_s, 0.0)


class Redirecting:
    """A client that answers with one redirect."""

    async def fetch(self, request: Request, *, before_redirect: BeforeRedirect | None = None) -> FetchResult:
        assert before_redirect is not None
        refusal = await before_redirect(f"https://{HOST.removesuffix(':443')}/feed")
        assert refusal is not None
        return refusal


async def test_a_turn_that_was_refused_is_another_jobs_and_not_given_back() -> None:
    pacer = CountingPacer(Clock(), {HOST: 3.0})
    pacer.free_at[HOST] = 1000.0
    result = await Engine(Redirecting(), pacer).fetch(Request(url="https://news.example/feed"))
    assert isinstance(result, Failed)
    assert (result.url, result.reason, result.retry_after_s) == (
        "https://news.example/feed",
        FailureReason.TURN,
        1000.0,
    )
    assert result.message == "slow.example is on hold for another 17 minutes."
    assert pacer.free_at[HOST] == 1000.0


FIRST, SECOND = "first.example:443", "second.example:443"


@dataclass
class Crossing:
    """A client whose first request is redirected to another host, where it stays until the next one is under way."""

    clock: Clock
    is_elsewhere: asyncio.Event = field(default_factory=asyncio.Event)
    next_begun: asyncio.Event = field(default_factory=asyncio.Event)
    next_may_end: asyncio.Event = field(default_factory=asyncio.Event)

    async def fetch(self, request: Request, *, before_redirect: BeforeRedirect | None = None) -> FetchResult:
        if request.url.endswith("/moved"):
            assert before_redirect is not None
            assert await before_redirect("https://second.example/") is None
            self.clock.now += 5.0
            self.is_elsewhere.set()
            await self.next_begun.wait()
        else:
            self.next_begun.set()
            await self.next_may_end.wait()
        return turn_too_far(request.url, 0.0, datetime.now(UTC))


async def test_a_redirected_job_does_not_end_the_turn_that_another_job_has_by_then() -> None:
    clock = Clock()
    pacer = CountingPacer(clock, {FIRST: 3.0, SECOND: 3.0})
    client = Crossing(clock)
    engine = Engine(client, pacer)

    async def work(url: str) -> Ending:
        await engine.fetch(Request(url=url))
        return Ending.DONE

    def run(url: str) -> asyncio.Task[list[Leftover[str]]]:
        dispatch = Dispatch(pacer=pacer, workers=1, host_of=host_key, work=work, clock=clock)
        return asyncio.create_task(dispatch.run([url]))

    async with asyncio.timeout(10):
        moved = run("https://first.example/moved")
        await client.is_elsewhere.wait()
        other = run("https://first.example/新闻")
        await moved
        assert (await pacer.reserve([FIRST]))[FIRST] > 100, "the other request is still in progress"
        client.next_may_end.set()
        await other
    assert await pacer.reserve([FIRST, SECOND]) == {FIRST: 3.0, SECOND: 3.0}


async def test_an_action_that_was_redirected_does_not_end_that_turn_either() -> None:
    """A preview, for example, belongs to no dispatch: it takes the first host's turn and gives it back at its end."""
    clock = Clock()
    pacer = CountingPacer(clock, {FIRST: 3.0, SECOND: 3.0})
    client = Crossing(clock)
    engine = Engine(client, pacer)

    async def act(url: str) -> None:
        assert await engine.take_turn(url) is None
        await engine.fetch(Request(url=url))
        engine.give_turn_back(url)

    async with asyncio.timeout(10):
        moved = asyncio.create_task(act("https://first.example/moved"))
        await client.is_elsewhere.wait()
        other = asyncio.create_task(act("https://first.example/新闻"))
        await moved
        assert (await pacer.reserve([FIRST]))[FIRST] > 100, "the other request is still in progress"
        client.next_may_end.set()
        await other
    assert await pacer.reserve([FIRST, SECOND]) == {FIRST: 3.0, SECOND: 3.0}
