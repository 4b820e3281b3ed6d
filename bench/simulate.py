"""A simulation of schedule and pacing beyond any test machine: 10 million feeds, a million hosts, a virtual clock.

    python -m bench simulate [--feeds 10000000] [--hosts 1000000] [--hours 5] [--seed 1] [--polling adaptive|fixed]

With adaptive polling each feed has one of a few hundred rhythms, learned by the product's own code from made-up posts:
from items a year to items an hour, most of them in some hours of the day. Its waits come from the product's own plan,
made for each rhythm and each ten minutes of the clock at one price, at which all feeds together cost as many requests
as the fixed interval. The feeds' rhythms do not change while the clock runs: new items are not simulated.

It simulates the rules, not the code. Second by second, workers claim due feeds, the longest due first, as many as they
can fetch in a second. A free host takes one request and is then closed for its delay; a feed whose host is closed goes
back with `next_run_at` at its turn, exactly as `Dispatch` postpones it. Interval, jitter and delay are the product's
own constants. Nothing is fetched and no time is waited for. It takes one core about two and a half minutes, and prints
how long it took.

It answers: how late feeds are (lag), how long a feed of a crowded host waits for its slot, how many claims are in vain,
and how long the backlog lasts after all workers were down for an hour.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import random
import sys
import time
from collections import defaultdict, deque
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforadar.config import FetcherSettings
from inforadar.model.rhythm import Rhythm
from inforadar.pipeline.polling import MAX_PRICE_S, MIN_PRICE_S, PLAN_JITTER_S, REPLANNED
from inforadar.pipeline.schedule import JITTER
from inforadar.stages.rhythm.counts import learn
from inforadar.stages.rhythm.forecast import DAY_S, Forecast
from inforadar.stages.rhythm.plan import SLOT_S, plan_next

Ids = NDArray[np.int32]
Indices = NDArray[np.int64]

_RESULTS = Path(__file__).with_name("results")
_FETCHER = FetcherSettings()
INTERVAL_S = int(_FETCHER.success_interval)
DELAY_S = int(_FETCHER.domain_delay)
SPARE = 1.5
"""Capacity relative to what the interval needs."""
BATCH = _FETCHER.batch_size
RHYTHMS = 200
START_S = datetime(2026, 3, 2, 8, tzinfo=UTC).timestamp()
"""The simulated clock starts here, a Monday."""
MOST_CLAIMS = 4
"""Maximum claims per possible fetch in a second: claims are cheaper than fetches, but not free."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    name: str
    away_from_s: int = 0
    away_for_s: int = 0
    """How long all workers are down."""
    together: bool = False
    """Whether all feeds are due in the first second, as after an import; otherwise they are spread out."""


@dataclass(slots=True, kw_only=True)
class Outcome:
    scenario: str
    feeds: int
    hosts: int
    hours: float
    capacity_per_s: float
    fetched: int = 0
    lag_s: dict[str, float] = field(default_factory=dict)
    """Percentiles for feeds on hosts with spare slots (their feeds need at most half of the slots)."""
    crowded: dict[str, float] = field(default_factory=dict)
    """Overloaded hosts: their number, their feeds, and how late a feed was at most, in rounds of its host. A round is
    one turn for each feed of the host, so a large number would mean that feeds are passed over."""
    claims_per_fetch: float = 0.0
    slots_used: float = 0.0
    """Share of the slots of crowded hosts."""
    storm_s: float | None = None
    """Time from the workers' return until no feed on a host with spare slots is more than a minute late."""
    spacing_violations: int = 0
    wall_s: float = 0.0
    cpu_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Plans:
    """The waits of each rhythm, by the time at which it is planned."""

    waits: NDArray[np.float32]
    """Seconds by rhythm and slot of the clock."""
    interval: NDArray[np.float64]
    """Mean seconds between two polls, by rhythm."""
    jitter_s: float
    """The most that jitter adds to a wait."""


def plans(hours: float, seed: int, *, adaptive: bool) -> Plans:
    slots = int(hours * 3600 / SLOT_S) + 1
    if not adaptive:
        fixed = np.full(1, float(INTERVAL_S))
        return Plans(
            waits=np.full((1, slots), INTERVAL_S, np.float32), interval=fixed, jitter_s=JITTER * INTERVAL_S
        )
    rng = random.Random(seed)
    rhythms = [made_up_rhythm(rng) for _ in range(RHYTHMS)]
    forecasts = [Forecast(rhythm, START_S) for rhythm in rhythms]
    wanted = RHYTHMS * DAY_S / (INTERVAL_S * (1 + JITTER / 2))
    low, high = MIN_PRICE_S, MAX_PRICE_S
    for _ in range(16):
        price = math.sqrt(low * high)
        polls = [
            plan_next(one, price, min_interval_s=_FETCHER.min_interval).polls_per_day for one in forecasts
        ]
        low, high = (price, high) if sum(polls) * REPLANNED > wanted else (low, price)
    waits = [
        [
            plan_next(
                Forecast(rhythm, START_S + slot * SLOT_S), price, min_interval_s=_FETCHER.min_interval
            ).after_s
            for slot in range(slots)
        ]
        for rhythm in rhythms
    ]
    return Plans(
        waits=np.array(waits, np.float32),
        interval=DAY_S / (np.array(polls) * REPLANNED),
        jitter_s=PLAN_JITTER_S,
    )


def made_up_rhythm(rng: random.Random) -> Rhythm:
    """What is learned from eight weeks of a feed that posts around an hour of its own."""
    daily, hour = 3 * math.exp(rng.gauss(-1.0, 2.0)), rng.random() * 24
    number = min(round(daily * 56), 400)
    days = min(56.0, number / daily) if number else 56.0
    times = [
        START_S - (rng.random() * days // 1 + 1) * DAY_S + (hour + rng.gauss(0, 3)) * 3600
        for _ in range(number)
    ]
    return learn(None, times, START_S)


def crowd(feeds: int, hosts: int, rng: np.random.Generator) -> Ids:
    """Assign feeds to hosts by a power law: most hosts have a few feeds, platforms have very many."""
    weight = 1.0 / np.arange(1, hosts + 1) ** 0.75
    edges = np.cumsum(weight / weight.sum())
    return np.searchsorted(edges, rng.random(feeds)).clip(0, hosts - 1).astype(np.int32)


class World:
    """One run of the clock."""

    def __init__(
        self, feeds: int, hosts: int, rng: np.random.Generator, scenario: Scenario, plans: Plans
    ) -> None:
        self.rng = rng
        self.scenario = scenario
        self.host = crowd(feeds, hosts, rng)
        self.free_at = np.zeros(hosts, dtype=np.int32)
        self.plans = plans
        self.rhythm = rng.integers(0, plans.interval.size, feeds, dtype=np.int16)
        self.interval = plans.interval[self.rhythm].astype(np.float32)
        first = np.zeros(feeds, np.int32) if scenario.together else rng.random(feeds) * self.interval
        self.due = first.astype(np.int32)
        """When each feed's interval ended; postponing does not change it."""
        self.wheel: defaultdict[int, list[Ids]] = defaultdict(list)
        self.turn_to(np.arange(feeds, dtype=np.int32), self.due)
        self.backlog: deque[Ids] = deque()
        self.owed = 0
        """Fetches that keep the workers busy beyond the present second."""
        population = np.bincount(self.host, minlength=hosts)
        self.load = np.bincount(self.host, DELAY_S / self.interval, minlength=hosts)
        """Share of each host's slots that its feeds need."""
        self.is_crowded = self.load > 1
        self.has_room = self.load <= 0.5
        """Hosts with spare slots. A host near its limit is late after one missed slot, whatever the schedule."""
        self.population = population

    def wait(self, ids: Ids, now: int) -> Ids:
        """How long these feeds wait for their next poll, by plan and jitter."""
        waits = self.plans.waits[self.rhythm[ids], int(now / SLOT_S)]
        most = np.minimum(JITTER * waits, self.plans.jitter_s)
        return (waits + most * self.rng.random(ids.size)).astype(np.int32)

    def turn_to(self, ids: Ids, at: Ids) -> None:
        """Put feeds into the second in which they are due."""
        if not ids.size:
            return
        order, seconds, edges = _grouped(at)
        ids = ids[order]
        for second, (start, stop) in zip(seconds.tolist(), pairwise(edges.tolist()), strict=True):
            self.wheel[second].append(ids[start:stop])

    def come(self, now: int) -> None:
        """Queue the feeds due in this second behind those due before."""
        if parts := self.wheel.pop(now, None):
            self.backlog.append(np.concatenate(parts))

    def claim(self, limit: int) -> Ids:
        """Take feeds from the queue, the longest due first."""
        taken: list[Ids] = []
        while self.backlog and limit > 0:
            part = self.backlog.popleft()
            if part.size > limit:
                self.backlog.appendleft(part[limit:])
                part = part[:limit]
            taken.append(part)
            limit -= part.size
        return np.concatenate(taken) if taken else np.empty(0, np.int32)

    def second(self, now: int, capacity: int) -> tuple[Ids, int]:
        """Return the feeds fetched in this second and the number of claims.

        A batch is claimed whole; what of it is more than a second's work is taken from the seconds that follow.
        """
        self.come(now)
        fetched: list[Ids] = []
        put_off: list[Ids] = []
        turns: list[Ids] = []
        claimed = 0
        self.owed = max(self.owed - capacity, 0)
        while self.owed < capacity and claimed < MOST_CLAIMS * capacity + BATCH:
            if not (ids := self.claim(BATCH)).size:
                break
            claimed += ids.size
            ids, turn = self._dispatch(ids, now)
            goes = turn == now
            fetched.append(ids[goes])
            self.owed += fetched[-1].size
            put_off.append(ids[~goes])
            turns.append(turn[~goes])
        if not claimed:
            return np.empty(0, np.int32), 0
        # No host's turn is in this second, so sorting all at once gives the same as batch by batch.
        self.turn_to(np.concatenate(put_off), np.concatenate(turns))
        return np.concatenate(fetched), claimed

    def _dispatch(self, ids: Ids, now: int) -> tuple[Ids, Ids]:
        """Group the batch by host and find each turn; close the hosts whose turn is now for their delay."""
        order, hosts, edges = _grouped(self.host[ids])
        free_at = np.maximum(self.free_at[hosts], now)
        self.free_at[hosts[free_at == now]] = now + DELAY_S
        first = np.repeat(free_at - edges[:-1] * DELAY_S, edges[1:] - edges[:-1])
        return ids[order], (first + np.arange(ids.size) * DELAY_S).astype(np.int32)


def _grouped(keys: Ids) -> tuple[Indices, Indices, Indices]:
    """Return the stable order of the keys, the distinct keys, and where each group starts (and the last ends).

    Key and place as one number sort several times as fast as a stable `argsort`.
    """
    bits = keys.size.bit_length()
    both = np.sort(keys.astype(np.int64) << bits | np.arange(keys.size))
    ordered = both >> bits
    edges = np.concatenate(([0], np.flatnonzero(ordered[1:] != ordered[:-1]) + 1, [keys.size]))
    return both & ((1 << bits) - 1), ordered[edges[:-1]], edges


def simulate(
    scenario: Scenario, feeds: int, hosts: int, hours: float, seed: int, *, adaptive: bool = True
) -> Outcome:
    """Run the clock for `hours`; the first interval is warm-up and not counted."""
    began, cpu_began = time.perf_counter(), time.process_time()
    planned = plans(hours, seed, adaptive=adaptive)
    world = World(feeds, hosts, np.random.default_rng(seed), scenario, planned)
    demand = (np.minimum(world.load, 1.0) / (DELAY_S * (1 + JITTER / 2))).sum()
    capacity = max(int(demand * SPARE), 1)
    outcome = Outcome(scenario=scenario.name, feeds=feeds, hosts=hosts, hours=hours, capacity_per_s=capacity)
    lags: list[NDArray[np.int32]] = []
    claims = slots = 0
    longest = 0.0
    last = np.full(hosts, -DELAY_S, dtype=np.int32)
    away = range(scenario.away_from_s, scenario.away_from_s + scenario.away_for_s)
    warm = 0 if scenario.together else INTERVAL_S
    for now in range(int(hours * 3600)):
        if now in away:
            world.come(now)
            continue
        ids, claimed = world.second(now, capacity)
        hit = world.host[ids]
        outcome.spacing_violations += int((now - last[hit] < DELAY_S).sum())
        last[hit] = now
        lag = now - world.due[ids]
        easy = world.has_room[hit]
        if now >= warm:
            lags.append(lag[easy])
            claims += claimed
            outcome.fetched += ids.size
            slots += int(world.is_crowded[hit].sum())
            behind = world.is_crowded[hit]
            rounds = lag[behind] / (world.population[hit[behind]] * DELAY_S)
            longest = max(longest, float(rounds.max(initial=0.0)))
        if away and now >= away.stop and (easy_lag := lag[easy]).size and easy_lag.max() > 60:
            outcome.storm_s = now - away.stop + 1
        if scenario.together and (easy_lag := lag[easy]).size and easy_lag.max() > INTERVAL_S:
            outcome.storm_s = now + 1
        world.due[ids] = now + world.wait(ids, now)
        world.turn_to(ids, world.due[ids])
    counted_s = hours * 3600 - warm - scenario.away_for_s
    all_lags = np.concatenate(lags)
    parts = (50, 95, 99, 100)
    lag_s = np.percentile(all_lags, parts)
    outcome.lag_s = {f"p{p}": float(lag) for p, lag in zip(parts, lag_s, strict=True)}
    outcome.claims_per_fetch = round(claims / max(outcome.fetched, 1), 3)
    outcome.crowded = {
        "hosts": int(world.is_crowded.sum()),
        "feeds": int(world.population[world.is_crowded].sum()),
        "largest_host": int(world.population.max()),
        "rounds_waited_max": round(longest, 3),
    }
    possible = world.is_crowded.sum() * counted_s / DELAY_S
    outcome.slots_used = round(float(slots / possible), 3) if possible else 1.0
    outcome.wall_s = round(time.perf_counter() - began, 1)
    outcome.cpu_s = round(time.process_time() - cpu_began, 1)
    return outcome


SCENARIOS = (
    Scenario(name="steady"),
    Scenario(name="all workers away for an hour", away_from_s=2 * 3600, away_for_s=3600),
    Scenario(name="all added in one second", together=True),
)


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench simulate")
    parser.add_argument("--feeds", type=int, default=10_000_000)
    parser.add_argument("--hosts", type=int, default=1_000_000)
    parser.add_argument("--hours", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--polling", choices=["adaptive", "fixed"], default="adaptive")
    given = parser.parse_args(argv)
    rows: list[dict[str, Any]] = []
    for scenario in SCENARIOS:
        outcome = simulate(
            scenario, given.feeds, given.hosts, given.hours, given.seed, adaptive=given.polling == "adaptive"
        )
        rows.append(asdict(outcome))
        print(json.dumps(rows[-1]), flush=True)
    took = {name: round(sum(row[name] for row in rows), 1) for name in ("wall_s", "cpu_s")}
    print(f"took {took['wall_s']:.0f} s, {took['cpu_s']:.0f} s of CPU")
    _RESULTS.mkdir(exist_ok=True)
    now = datetime.now(UTC)
    machine = {"python": platform.python_version(), "cpus": os.cpu_count(), "machine": platform.machine()}
    result = {"at": now.isoformat(), "machine": machine, "arguments": vars(given), **took, "rows": rows}
    (_RESULTS / f"simulate-{now:%Y%m%dT%H%M%S}.json").write_text(json.dumps(result, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
