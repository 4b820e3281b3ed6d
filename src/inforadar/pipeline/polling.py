"""Plans when feeds are polled next: learns their rhythm from each job, and steers the price of a request (Q1 to Q5).

    new items of a job | learn → Rhythm | plan at the current price, within the job's limits | next run

The price is the same for all feeds, so the requests go where they save the most delay. Every few minutes one worker
adds up the plans and moves the price, so that all feeds together cost the budget.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import structlog

from inforadar.model.feed import Feed
from inforadar.model.hints import ScheduleHints
from inforadar.model.http import Outcome
from inforadar.model.item import NewItem
from inforadar.model.rhythm import Delays, Polling, PollLimits, PollReason, Rhythm
from inforadar.model.schedule import FinishedJob, NextRun, PlannedRun
from inforadar.pipeline.schedule import JITTER, SchedulePolicy, is_skipped, spread
from inforadar.stages.rhythm.counts import learn
from inforadar.stages.rhythm.forecast import DAY_S, USUAL_RATE, Forecast
from inforadar.stages.rhythm.plan import MAX_HORIZON_S, MIN_SLOT_S, SLOT_S, plan_next
from inforadar.store.database import Database
from inforadar.store.feeds.rhythms import Demand, Price, load_demand, load_price
from inforadar.store.feeds.save_rhythms import save_price

STEER_EVERY_S = 600.0
REFRESH_S = 60.0
"""How often a worker reads the price that another one may have changed."""
MIN_PRICE_S, MAX_PRICE_S = 0.01, 1e7
MAX_PRICE_STEP = 2.0
PLAN_JITTER_S = 60.0
"""Plans of different feeds rarely coincide, and jitter costs delay: so it is short."""
REPLANNED = 1.07
"""How many times as many polls are made as a plan counts, because a busy hour is planned anew with each poll: 1.05 to
1.10 on 22 real streams."""
MAX_UNDATED = 5
"""How many items without a usable date count in one job: a site that is rebuilt lists its whole archive as new."""

log = structlog.get_logger()


@dataclass(slots=True, kw_only=True)
class RhythmPlanner:
    """The planner of a worker; `price_s` is kept up to date by `PriceSteering`."""

    policy: SchedulePolicy
    price_s: float

    def learn(
        self, feed: Feed, added: Sequence[NewItem], at: datetime, rhythm: Rhythm | None
    ) -> tuple[Rhythm | None, Delays]:
        """The counts with these new items, None if they did not change, and how late the items were seen."""
        times, delays = _posting_times(feed, added, at)
        if rhythm is not None and not times:
            return None, delays
        return learn(rhythm, times, at.timestamp(), feed.zone), delays

    def plan(self, job: FinishedJob, added: Sequence[NewItem], rhythm: Rhythm | None) -> PlannedRun:
        """Learn from the job's new items and plan the next run, if the feed's rhythm decides on it."""
        feed = job.lease.feed
        learned, delays = self.learn(feed, added, job.at, rhythm)
        known = learned or rhythm
        next_run = job.next_run
        if next_run.limits and known:
            next_run = self._next_run(feed, next_run, next_run.limits, known, job.at)
        return PlannedRun(next_run=next_run, rhythm=learned, delays=delays)

    def _next_run(
        self, feed: Feed, before: NextRun, limits: PollLimits, rhythm: Rhythm, at: datetime
    ) -> NextRun:
        hints = limits.hints
        has_skips = bool(hints.skip_hours or hints.skip_days)

        def is_allowed(time: float) -> bool:
            return not is_skipped(datetime.fromtimestamp(time, UTC), hints)

        plan = plan_next(
            Forecast(rhythm, at.timestamp(), feed.zone),
            self.price_s * limits.cost,
            min_interval_s=limits.at_least_s,
            is_allowed=is_allowed if has_skips else None,
        )
        interval_s = max(plan.after_s, limits.at_least_s)
        after_s, skipped = spread(
            interval_s,
            at,
            hints,
            self.policy.dice,
            is_first=limits.is_first,
            jitter_s=min(JITTER * interval_s, PLAN_JITTER_S),
            at_least_s=limits.at_least_s,
        )
        # Slots are relative to now, so a plan that only waits for a hint may end a little later than the hint does.
        if limits.reason is PollReason.MINIMUM:
            is_bound = plan.after_s <= limits.at_least_s + SLOT_S / 2
        else:
            is_bound = plan.after_s <= max(limits.at_least_s + 2 * SLOT_S, plan.earliest_s)
        return replace(
            before,
            after_s=after_s,
            reason=PollReason.SKIPPED_TIME if skipped else limits.reason if is_bound else PollReason.PLAN,
            polling=Polling(
                # A wait beyond the horizon of the plan means fewer polls than one a day.
                polls_per_day=min(plan.polls_per_day, DAY_S / interval_s)
                if interval_s >= MAX_HORIZON_S
                else min(plan.polls_per_day * REPLANNED, DAY_S / max(limits.at_least_s, MIN_SLOT_S)),
                items_per_day=plan.items_per_day,
                expected_delay_s=max(plan.expected_delay_s + (after_s - plan.after_s), 0.0),
            ),
        )

    def relax(self, job: FinishedJob, wait_s: float) -> NextRun:
        """The job's next run, at this time if that is later: push tells what is new before."""
        before = job.next_run
        if before.after_s is None or before.after_s >= wait_s:
            return before
        after_s, _ = spread(
            wait_s * (1 - JITTER / 2), job.at, _hints_of(job), self.policy.dice, jitter_s=wait_s * JITTER / 2
        )
        plan = before.polling
        return replace(
            before,
            after_s=after_s,
            reason=PollReason.PUSH,
            polling=replace(plan, polls_per_day=min(plan.polls_per_day, DAY_S / after_s)) if plan else None,
        )

    def hasten(self, job: FinishedJob, wait_s: float) -> NextRun:
        """The job's next run, at this time if that is sooner and nothing asks for more."""
        before = job.next_run
        if before.after_s is None or before.limits is None:
            return before
        soonest_s = max(wait_s, before.limits.at_least_s)
        if soonest_s >= before.after_s:
            return before
        after_s, _ = spread(soonest_s, job.at, _hints_of(job), self.policy.dice, jitter_s=PLAN_JITTER_S)
        return replace(before, after_s=after_s, reason=PollReason.PUSHED)


def _hints_of(job: FinishedJob) -> ScheduleHints:
    return job.lease.feed.hints if job.hints is None else job.hints


def _posting_times(feed: Feed, added: Sequence[NewItem], at: datetime) -> tuple[list[float], Delays]:
    """When new items were posted, and how late those are whose delay is known.

    An item older than the last look came later than it says: it is counted in the middle, as one without a date.
    """
    now = at.timestamp()
    looked = feed.last_fetched_at if feed.last_fetch_status is Outcome.SUCCESS else None
    since = looked.timestamp() if looked else None
    times: list[float] = []
    undated = 0
    for item in added:
        posted = item.listed.published_at
        time = posted.timestamp() if posted else None
        if time is not None and time <= now and (since is None or time > since):
            times.append(time)
        elif feed.last_fetched_at is not None:
            undated += 1
    timed = len(times) if since is not None else 0
    delay_s = sum(now - time for time in times) if timed else 0.0
    expected_s = feed.polling_plan.expected_delay_s * timed if feed.polling_plan else delay_s
    middle = (since + now) / 2 if since is not None and since < now else now
    times += [middle] * min(undated, MAX_UNDATED)
    return times, Delays(timed=timed, delay_s=delay_s, expected_s=expected_s)


def first_price(interval_s: float) -> float:
    """The price at which a feed that nothing is known of is polled at this interval."""
    return min(max(USUAL_RATE * interval_s**2 / 2, MIN_PRICE_S), MAX_PRICE_S)


@dataclass(slots=True, kw_only=True)
class PriceSteering:
    """Keeps a planner's price up to date, and steers it to the budget."""

    database: Database
    planner: RhythmPlanner
    budget: float | None
    """Requests a day for all feeds together; None: as many as the fixed interval would cost."""
    now: Callable[[], datetime]

    async def run_once(self) -> float:
        """Read the price; steer it if nobody did for a while. Returns the seconds until the next time."""
        price = await self.database.read(load_price)
        now = self.now()
        if price is None or not timedelta(0) <= now - price.steered_at < timedelta(seconds=STEER_EVERY_S):
            price = await self._steer(price, now) or price
        if price is not None:
            self.planner.price_s = price.price_s
        return REFRESH_S

    async def _steer(self, before: Price | None, now: datetime) -> Price | None:
        """Move the price; None if another worker was faster."""
        policy = self.planner.policy
        demand = await self.database.read(load_demand, policy.polling_mode)
        interval_s = max(policy.success_interval_s, policy.min_interval_s)
        price = steered(
            before.price_s if before else self.planner.price_s,
            demand,
            interval_s=interval_s,
            budget=self.budget,
            now=now,
        )
        if not await self.database.write(save_price, price, before.steered_at if before else None):
            return await self.database.read(load_price)
        log.info(
            "polling.steered",
            price_s=round(price.price_s, 2),
            feeds=price.feeds,
            budget=round(price.budget),
            planned=round(price.planned),
        )
        return price


def steered(
    price_s: float, demand: Demand, *, interval_s: float, budget: float | None, now: datetime
) -> Price:
    """The price moved so that the plans come nearer to the budget.

    The number of polls goes with the inverse square root of the price. Moving it by half of what is missing converges
    although plans follow a new price only one by one.
    """
    each = DAY_S / (interval_s * (1 + JITTER / 2))
    total = budget if budget is not None else each * (demand.fixed + demand.adaptive)
    ours = max(total - each * demand.fixed, 0.0)
    planned = demand.polls_per_day + each * demand.unplanned
    if demand.adaptive and planned > 0:
        ratio = planned / ours if ours > 0 else MAX_PRICE_STEP
        step = min(max(ratio, 1 / MAX_PRICE_STEP), MAX_PRICE_STEP)
        price_s = min(max(price_s * step, MIN_PRICE_S), MAX_PRICE_S)
    return Price(
        price_s=price_s,
        budget=ours,
        planned=planned,
        feeds=demand.adaptive,
        expected_delay_s=demand.expected_delay_s,
        steered_at=now,
    )
