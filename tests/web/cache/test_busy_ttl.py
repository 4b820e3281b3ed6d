from __future__ import annotations

from inforadar.web.cache.busy_ttl import MAX_TTL_S, BusyTtl


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def ask(ttl: BusyTtl, clock: Clock, *, rate: float, seconds: float) -> None:
    for _ in range(round(rate * seconds)):
        clock.now_s += 1 / rate
        ttl.count()


def test_with_few_requests_answers_are_kept_for_the_least_time() -> None:
    clock = Clock()
    ttl = BusyTtl(2.0, clock)
    assert ttl.seconds() == 2.0
    ask(ttl, clock, rate=5, seconds=60)
    assert ttl.seconds() == 2.0


def test_with_many_requests_answers_are_kept_longer_but_not_for_ever() -> None:
    clock = Clock()
    ttl = BusyTtl(2.0, clock)
    ask(ttl, clock, rate=60, seconds=60)
    assert 11.5 < ttl.seconds() < 12.5
    ask(ttl, clock, rate=10_000, seconds=30)
    assert ttl.seconds() == MAX_TTL_S


def test_soon_after_the_rush_answers_are_fresh_again() -> None:
    clock = Clock()
    ttl = BusyTtl(2.0, clock)
    ask(ttl, clock, rate=60, seconds=60)
    clock.now_s += 10
    assert ttl.seconds() == 2.0
