"""The plan of a day's polls: the cheapest there is, within the limits."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from inforadar.stages.rhythm.plan import plan_polls

MASSES = st.lists(st.floats(0, 2), min_size=1, max_size=14)


def cost(masses: Sequence[float], polls: Sequence[int], price: float) -> float:
    """What a plan costs, computed item by item."""
    total, before = price * len(polls), 0
    for poll in polls:
        total += sum(masses[slot] * (poll - slot - 0.5) for slot in range(before, poll))
        before = poll
    return total


def every_plan(slots: int, gap: int, allowed: Sequence[bool], here: int = 0) -> list[list[int]]:
    """Every sequence of polls that ends after the last slot."""
    plans = [[slots]]
    for poll in range(here + gap, slots):
        if allowed[poll]:
            plans += [[poll, *rest] for rest in every_plan(slots, gap, allowed, poll)]
    return plans


@settings(max_examples=60)
@given(masses=MASSES, price=st.floats(0.01, 20), gap=st.integers(1, 4), data=st.data())
def test_no_other_plan_within_the_limits_is_cheaper(
    masses: list[float], price: float, gap: int, data: st.DataObject
) -> None:
    slots = len(masses)
    allowed = data.draw(st.lists(st.booleans(), min_size=slots + 1, max_size=slots + 1))
    polls = plan_polls(masses, price, gap=gap, allowed=allowed)
    plans = every_plan(slots, gap, allowed)
    assert polls in plans
    cheapest = min(cost(masses, plan, price) for plan in plans)
    assert cost(masses, polls, price) <= cheapest + 1e-6


def test_a_dearer_request_means_fewer_polls() -> None:
    masses = [0.02] * 144
    numbers = [len(plan_polls(masses, price)) for price in (0.01, 0.1, 1, 10, 1000)]
    assert numbers == sorted(numbers, reverse=True)
    assert numbers[0] == 144
    assert numbers[-1] == 1


def test_the_poll_comes_after_the_items_and_not_before() -> None:
    masses = [0.0] * 40 + [0.3] * 6 + [0.0] * 98
    polls = plan_polls(masses, 0.5)
    assert 41 <= polls[0] <= 46
    assert [poll for poll in polls if poll > 46] == [144]
