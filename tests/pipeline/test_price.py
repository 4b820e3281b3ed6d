"""The price of a request, steered over days of many feeds and by workers that share a database."""

from __future__ import annotations

import heapq
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from inforadar.model.feed import Feed
from inforadar.model.http import Outcome
from inforadar.model.rhythm import Polling, Rhythm
from inforadar.pipeline.polling import STEER_EVERY_S, PriceSteering, RhythmPlanner, first_price, steered
from inforadar.pipeline.schedule import after_success
from inforadar.stages.rhythm.forecast import DAY_S
from inforadar.store.database import Database
from inforadar.store.feeds.rhythms import Demand
from tests.pipeline.test_polling import a_job, adaptive_policy, an_item
from tests.pipeline.test_schedule import NOW, a_feed
from tests.support.faces.newsroom import Newsroom

FEEDS, DAYS, HISTORY_DAYS, INTERVAL_S = 60, 3, 14, 7200.0


def posting_times(rng: random.Random) -> list[float]:
    """Posts of a few days, by day rather than by night, at a rate of its own from a post in three days to 20 a day."""
    start, daily = NOW.timestamp() - HISTORY_DAYS * DAY_S, 2 ** rng.uniform(-1.5, 4.3)
    times = [
        start + rng.random() * (DAYS + HISTORY_DAYS) * DAY_S
        for _ in range(round(daily * (DAYS + HISTORY_DAYS)))
    ]
    return sorted(time for time in times if 6 <= time / 3600 % 24 < 22 or rng.random() < 0.2)


class Feeds:
    """Feeds that post, and the worker's planner and steering on a clock of their own."""

    def __init__(self, *, price_s: float, budget: float | None, seed: int = 5) -> None:
        rng = random.Random(seed)
        self.policy = adaptive_policy(success_interval_s=INTERVAL_S, dice=rng.random)
        self.planner = RhythmPlanner(policy=self.policy, price_s=price_s)
        self.budget = budget
        self.times = [posting_times(rng) for _ in range(FEEDS)]
        self.feeds: list[Feed] = [a_feed() for _ in range(FEEDS)]
        self.rhythms: list[Rhythm | None] = [None] * FEEDS
        self.plans: list[Polling | None] = [None] * FEEDS
        start = NOW.timestamp()
        self.due = [(start + rng.random() * INTERVAL_S, number) for number in range(FEEDS)]
        heapq.heapify(self.due)
        self.steer_at = start

    def run(self, until: float) -> int:
        """Poll and steer until then. Returns the number of requests."""
        requests = 0
        while self.due[0][0] < until:
            at, number = heapq.heappop(self.due)
            while self.steer_at <= at:
                self.steer(self.steer_at)
                self.steer_at += STEER_EVERY_S
            heapq.heappush(self.due, (at + self.poll(number, at), number))
            requests += 1
        return requests

    def poll(self, number: int, at: float) -> float:
        feed, now = self.feeds[number], datetime.fromtimestamp(at, UTC)
        since = feed.last_fetched_at.timestamp() if feed.last_fetched_at else 0.0
        posted = [time for time in self.times[number] if since < time <= at]
        items = [an_item(place, datetime.fromtimestamp(time, UTC)) for place, time in enumerate(posted)]
        job = replace(a_job(feed, after_success(feed, self.policy, now)), at=now)
        planned = self.planner.plan(job, items, self.rhythms[number])
        self.rhythms[number] = planned.rhythm or self.rhythms[number]
        self.plans[number] = planned.next_run.polling
        self.feeds[number] = replace(feed, last_fetched_at=now, last_fetch_status=Outcome.SUCCESS)
        assert planned.next_run.after_s is not None
        return planned.next_run.after_s

    def steer(self, at: float) -> None:
        plans = [plan for plan in self.plans if plan]
        demand = Demand(
            fixed=0,
            adaptive=FEEDS,
            unplanned=FEEDS - len(plans),
            polls_per_day=sum(plan.polls_per_day for plan in plans),
            items_per_day=0.0,
            expected_delay_s=0.0,
        )
        self.planner.price_s = steered(
            self.planner.price_s,
            demand,
            interval_s=INTERVAL_S,
            budget=self.budget,
            now=datetime.fromtimestamp(at, UTC),
        ).price_s


@pytest.mark.parametrize(
    ("price_s", "budget"), [(first_price(INTERVAL_S), None), (first_price(INTERVAL_S), 20.0 * FEEDS)]
)
def test_many_feeds_together_make_as_many_requests_a_day_as_the_budget_has(
    price_s: float, budget: float | None
) -> None:
    feeds, start = Feeds(price_s=price_s, budget=budget), NOW.timestamp()
    feeds.run(start + DAY_S)
    requests = feeds.run(start + DAYS * DAY_S) / (DAYS - 1)
    wanted = budget or FEEDS * DAY_S / (INTERVAL_S * 1.05)
    assert requests == pytest.approx(wanted, rel=0.1)


async def test_one_worker_steers_and_the_others_read_its_price(database: Database) -> None:
    newsroom, policy = Newsroom(database=database), adaptive_policy()
    for number in range(3):
        feed = await newsroom.add_feed(f"https://news.example/{number}")
        plan = Polling(polls_per_day=100.0, items_per_day=2.0, expected_delay_s=300.0)
        await newsroom.fetched(feed, after_s=600.0, polling=plan)
    clock = [NOW]
    first, second = (
        PriceSteering(
            database=database,
            planner=RhythmPlanner(policy=policy, price_s=price_s),
            budget=None,
            now=lambda: clock[0],
        )
        for price_s in (100.0, 7.0)
    )
    await first.run_once()
    await second.run_once()
    # The plans cost more than the budget by far, so the price doubles; the second worker only reads it.
    assert (first.planner.price_s, second.planner.price_s) == (200.0, 200.0)
    clock[0] += timedelta(seconds=STEER_EVERY_S + 1)
    await second.run_once()
    await first.run_once()
    assert (first.planner.price_s, second.planner.price_s) == (400.0, 400.0)
