"""Choose the polls of the next hours: those with the least expected delay plus the price of each request (Q2).

The cost of waiting from one poll to the next is the delay of the items in between. With t the time of a slot, L the
expected items up to it and M the sum of their times, waiting from i to j costs t_j(L_j - L_i) - (M_j - M_i). So the
best next poll after i is the lowest of straight lines at L_i, one for each later poll. Both slopes and questions come
in order, so all of them are answered in one pass over the slots.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, count
from operator import mul

from inforadar.stages.rhythm.forecast import DAY_S, USUAL_RATE, Forecast

SLOT_S = 600.0
MIN_SLOT_S, MAX_SLOT_S = 300.0, 1800.0
MIN_HORIZON_S, MAX_HORIZON_S = DAY_S / 3, DAY_S
INTERVAL_SLOTS = 8
"""How many slots the usual time between two polls has. Finer ones cost more time than they save delay."""
HORIZON_INTERVALS = 8
"""How many of these times are planned: later polls do not change the first one, and each poll plans anew."""
FAIRNESS = 0.5
"""0 minimizes the mean delay of all items, whatever that costs slow feeds; 1 treats all feeds alike."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PollPlan:
    """The next polls."""

    after_s: float
    """Seconds until the first poll."""
    earliest_s: float
    """The earliest that it could have been, were every time allowed."""
    polls_per_day: float
    items_per_day: float
    expected_delay_s: float
    """Mean delay of the items that are expected before the first poll."""


def plan_next(
    forecast: Forecast,
    price_s: float,
    *,
    min_interval_s: float = SLOT_S,
    is_allowed: Callable[[float], bool] | None = None,
) -> PollPlan:
    """Plan the polls of a feed; `price_s` is how many seconds of delay of one item a request is worth.

    `min_interval_s` holds between any two polls, and `is_allowed` tells at which times a poll may be.
    """
    worth_s = price_s * (forecast.rate / USUAL_RATE) ** FAIRNESS
    interval_s = math.sqrt(2 * worth_s / forecast.rate)
    finest_s = min(max(min_interval_s, MIN_SLOT_S), SLOT_S)
    slot_s = min(max(interval_s / INTERVAL_SLOTS, finest_s), MAX_SLOT_S)
    slots = round(min(max(interval_s * HORIZON_INTERVALS, MIN_HORIZON_S), MAX_HORIZON_S) / slot_s)
    masses = forecast.masses(slots, slot_s)
    gap = min(max(round(min_interval_s / slot_s + 0.499), 1), slots)
    allowed = [is_allowed(forecast.now + slot_s * slot) for slot in range(slots + 1)] if is_allowed else None
    polls = plan_polls(masses, worth_s / slot_s, gap=gap, allowed=allowed)
    first = polls[0]
    waiting = masses[:first]
    items = sum(waiting)
    delay = sum(map(mul, waiting, count(first - 0.5, -1.0)))
    return PollPlan(
        after_s=first * slot_s,
        earliest_s=gap * slot_s,
        polls_per_day=len(polls) * DAY_S / (slots * slot_s) * forecast.day_beside(slots * slot_s),
        items_per_day=forecast.rate * DAY_S,
        expected_delay_s=delay / items * slot_s if items > 0 else first * slot_s / 2,
    )


def plan_polls(
    masses: Sequence[float], price: float, *, gap: int = 1, allowed: Sequence[bool] | None = None
) -> list[int]:
    """Return the slots after which to poll, the last one after the last slot.

    `masses` are the expected items of each slot, `price` is a request's worth in slots of delay of one item. Polls are
    at least `gap` slots apart (except for the last), and only where `allowed[slot]`.
    """
    slots = len(masses)
    items = [0.0, *accumulate(masses)]
    moment = sum(map(mul, masses, count(0.5)))
    # Line j: `heights[j] - ends[j] * items[i]` is the cost after i, less what all lines have in common, if j is next.
    ends = [slots] * (slots + 1)
    end_height = slots * items[slots] - moment + price
    heights = [end_height] * (slots + 1)
    costs = [0.0] * (slots + 1)
    follows = [slots] * (slots + 1)
    for here in range(max(slots - gap, 0), slots):
        costs[here] = end_height - slots * items[here]
    best = last = 0
    best_end, best_height = slots, end_height
    for poll in range(slots - 1, gap - 1, -1):
        here = poll - gap
        if allowed is None or allowed[poll]:
            height = costs[poll] + poll * items[poll] + price
            while last > best:
                end, above = ends[last - 1], heights[last - 1]
                if (above - height) * (end - ends[last]) < (above - heights[last]) * (end - poll):
                    break
                last -= 1
            last += 1
            ends[last], heights[last] = poll, height
        known = items[here]
        cost = best_height - best_end * known
        while best < last:
            other = heights[best + 1] - ends[best + 1] * known
            if other > cost:
                break
            cost = other
            best += 1
            best_end, best_height = ends[best], heights[best]
        costs[here] = cost
        follows[here] = best_end
    polls = [follows[0]]
    while polls[-1] < slots:
        polls.append(follows[polls[-1]])
    return polls
