"""How late news is seen at an equal number of requests: our plan beside the formulas of other readers.

    python -m bench polling --streams FILE [--every 60 120] [--plot FILE.svg] [--json FILE]

FILE is a JSON object, perhaps gzipped: {name: [posting times in seconds since 1970]}. The first 60 % of each stream is
history, and the rest, at most six weeks, is played. Every policy polls between 10 minutes and 24 hours apart. Its one
knob is set so that all streams together cost the same number of requests. A poll sees everything posted since the last.

The plan is the product's own code (`stages/rhythm`), with the price of a request as its knob. `python -m bench polling`
without a file plays streams that it makes up, to show that it works; their figures mean nothing.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import random
import sys
import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inforadar.stages.rhythm.counts import learn
from inforadar.stages.rhythm.forecast import Forecast
from inforadar.stages.rhythm.plan import plan_next

MIN_S, MAX_S, DAY_S, WEEK_S = 600.0, 86400.0, 86400.0, 604800.0
LOW, HIGH = 0.1, 100_000.0
"""The range of our knob, the price of a request in seconds of delay."""

Times = Sequence[float]
Policy = Callable[[Times, int, float, float, dict[str, Any]], float]
"""(times, how many of them are known, now, knob, the stream's own state) → seconds until the next poll."""


def adaptive(times: Times, seen: int, now: float, knob: float, state: dict[str, Any]) -> float:
    """Plan as the worker does: learn what the last poll brought, then plan the next day."""
    known = state.get("known", 0)
    if known == 0 or seen > known:
        state["rhythm"] = learn(state.get("rhythm"), times[known:seen], now)
        state["known"] = seen
    return plan_next(Forecast(state["rhythm"], now), knob, min_interval_s=MIN_S).after_s


def fixed(times: Times, seen: int, now: float, knob: float, state: dict[str, Any]) -> float:
    return knob


def by_entries(times: Times, seen: int, now: float, knob: float, state: dict[str, Any]) -> float:
    """Miniflux's `entry_frequency`."""
    weekly = seen - bisect_left(times, now - WEEK_S)
    return WEEK_S / weekly * knob if weekly else MAX_S


def tiers(times: Times, seen: int, now: float, knob: float, state: dict[str, Any]) -> float:
    """NewsBlur's tiers for a feed with one subscriber."""
    daily = (seen - bisect_left(times, now - 30 * DAY_S)) / 30
    minutes = 45.0 if daily >= 1 else 360 - daily * 360 if daily > 0 else 720.0
    return min(minutes, 240.0) * 60 * knob


def average_gap(times: Times, seen: int, now: float, knob: float, state: dict[str, Any]) -> float:
    """CommaFeed's average gap between entries."""
    quiet = (now - (times[seen - 1] if seen else now - 40 * DAY_S)) / DAY_S
    if quiet >= 7:
        return MAX_S if quiet >= 30 else MAX_S / 2 if quiet >= 14 else MAX_S / 4
    recent = times[max(0, seen - 100) : seen]
    gap = (recent[-1] - recent[0]) / max(1, len(recent) - 1) if len(recent) > 1 else MAX_S
    return min(max(gap / 2 * knob, 300.0), MAX_S / 4)


def square_root(times: Times, seen: int, now: float, knob: float, state: dict[str, Any]) -> float:
    """The best allocation for a known constant rate (Sia and Cho)."""
    span = max(now - times[0], DAY_S)
    return math.sqrt(2 * knob / ((seen + 0.5) / span))


POLICIES: Mapping[str, tuple[Policy, float, float]] = {
    "fixed": (fixed, 600, 86400),
    "by entries (Miniflux)": (by_entries, 0.01, 100),
    "average gap (CommaFeed)": (average_gap, 0.01, 20),
    "tiers (NewsBlur)": (tiers, 0.05, 30),
    "square root": (square_root, 1, 1e7),
    "Info Radar": (adaptive, LOW, HIGH),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    policy: str
    every_min: float
    requests: int
    mean_min: float
    """Mean delay of all items."""
    streams_min: float
    """Mean of the streams' mean delays."""
    plan_us: float
    """CPU time for each decision."""


def start_of_play(times: Times) -> float:
    return max(times[0] + 0.6 * (times[-1] - times[0]), times[-1] + 1 - 6 * WEEK_S)


def play(policy: Policy, times: Times, knob: float) -> tuple[int, list[float]]:
    """Return the number of polls and the delay of each item."""
    end, now = times[-1] + 1, start_of_play(times)
    seen, polls = bisect_right(times, now), 0
    delays: list[float] = []
    state: dict[str, Any] = {}
    while True:
        now += min(max(policy(times, seen, now, knob, state), MIN_S), MAX_S)
        if now > end:
            break
        polls += 1
        upto = bisect_right(times, now)
        delays += [now - time for time in times[seen:upto]]
        seen = upto
    return polls, delays + [end - time for time in times[seen:]]


def play_all(policy: Policy, streams: Mapping[str, Times], knob: float) -> tuple[int, float, float]:
    requests, delays, means = 0, [], []
    for times in streams.values():
        polls, late = play(policy, times, knob)
        requests += polls
        if late:
            delays += late
            means.append(sum(late) / len(late))
    return requests, sum(delays) / len(delays) / 60, sum(means) / len(means) / 60


def at_budget(name: str, streams: Mapping[str, Times], every_min: float) -> Row:
    """Set the policy's knob so that its requests meet the budget within 1 %, or come as near as it can."""
    policy, low, high = POLICIES[name]
    budget = sum(min(0.4 * (times[-1] - times[0]), 6 * WEEK_S) for times in streams.values()) / every_min / 60
    best: Row | None = None
    for _ in range(16):
        knob = math.sqrt(low * high)
        began = time.process_time()
        requests, mean, each = play_all(policy, streams, knob)
        took = time.process_time() - began
        row = Row(
            policy=name,
            every_min=every_min,
            requests=requests,
            mean_min=mean,
            streams_min=each,
            plan_us=took / max(requests, 1) * 1e6,
        )
        if best is None or abs(requests - budget) < abs(best.requests - budget):
            best = row
        if abs(requests - budget) < 0.01 * budget:
            break
        low, high = (knob, high) if requests > budget else (low, knob)
    assert best is not None
    return best


def read_streams(path: Path) -> dict[str, list[float]]:
    content = path.read_bytes()
    found = json.loads(gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content)
    return {name: sorted(times) for name, times in found.items() if len(times) > 1}


def made_up_streams(seed: int = 1) -> dict[str, list[float]]:
    """A few streams with a daily rhythm, for a run without a file."""
    rng = random.Random(seed)
    streams: dict[str, list[float]] = {}
    for number in range(6):
        first_hour, daily = rng.randrange(24), 2.0 ** rng.uniform(-1, 4)
        times = [
            1.7e9 // DAY_S * DAY_S + day * DAY_S + (first_hour + rng.triangular(0, 8, 1)) * 3600
            for day in range(60)
            for _ in range(int(daily) + (rng.random() < daily % 1))
            if day % 7 < 5 or rng.random() < 0.2
        ]
        streams[f"made up {number + 1}"] = sorted(times)
    return streams


def svg(rows: Sequence[Row]) -> str:
    """Bars of the mean delay by policy, one group for each budget; text in the page's colour."""
    budgets = sorted({row.every_min for row in rows})
    width, left, bar, space = 720, 190, 18, 34
    longest = max(row.mean_min for row in rows)
    parts: list[str] = []
    top = 8
    for every in budgets:
        top += 22
        parts.append(
            f'<text x="0" y="{top - 6}" font-weight="bold">one request every {every:.0f} minutes</text>'
        )
        for row in (row for row in rows if row.every_min == every):
            long = row.mean_min / longest * (width - left - 60)
            colour = "#2563eb" if row.policy == "Info Radar" else "#94a3b8"
            parts.append(
                f'<text x="0" y="{top + 13}">{row.policy}</text>'
                f'<rect x="{left}" y="{top}" width="{long:.1f}" height="{bar - 4}" rx="2" fill="{colour}"/>'
                f'<text x="{left + long + 6:.1f}" y="{top + 12}">{row.mean_min:.1f} min</text>'
            )
            top += bar
        top += space - bar
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {top}" width="{width}" height="{top}" '
        f'role="img" aria-label="Mean delay of an item by policy" font-family="system-ui, sans-serif" '
        f'font-size="13" fill="currentColor">\n' + "\n".join(parts) + "\n</svg>\n"
    )


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench polling", description=__doc__)
    parser.add_argument("--streams", type=Path, help="JSON, perhaps gzipped: {name: [seconds since 1970]}")
    parser.add_argument(
        "--every", type=float, nargs="+", default=[60.0, 120.0], help="minutes for each request"
    )
    parser.add_argument("--plot", type=Path, help="write the table as a plot (SVG)")
    parser.add_argument("--json", type=Path, help="write the table as JSON")
    given = parser.parse_args(argv)
    streams = read_streams(given.streams) if given.streams else made_up_streams()
    rows: list[Row] = []
    for every in given.every:
        print(f"{len(streams)} streams, one request a stream every {every:.0f} minutes on average")
        print(f"  {'policy':24} {'requests':>8} {'mean delay':>12} {'mean of streams':>16} {'CPU/plan':>10}")
        for name in POLICIES:
            row = at_budget(name, streams, every)
            rows.append(row)
            print(
                f"  {name:24} {row.requests:8d} {row.mean_min:8.1f} min {row.streams_min:12.1f} min "
                f"{row.plan_us:7.0f} µs",
                flush=True,
            )
    if given.plot:
        given.plot.write_text(svg(rows))
    if given.json:
        given.json.write_text(
            json.dumps([{name: getattr(row, name) for name in Row.__slots__} for row in rows])
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
