"""Waiting for a host's turn: only as long as is fair to other jobs."""

from __future__ import annotations

import pytest

from inforadar.fetch.client import BeforeRedirect
from inforadar.fetch.engine import Engine
from inforadar.fetch.pace import MAX_LONG_DELAY_WAIT_S, MAX_TURN_WAIT_S, wait_for_turn
from inforadar.model.http import Failed, FailureReason, FetchResult, Request
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
