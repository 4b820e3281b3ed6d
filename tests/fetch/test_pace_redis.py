"""Host slots in a real Redis, and the database taking over while Redis is unavailable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from redis.asyncio import Redis

from inforadar.fetch.pace_redis import open_redis_slots


class StandIn:
    """Counts the calls that reach the database."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    async def reserve(self, hosts: Sequence[str], hold_s: float) -> Mapping[str, tuple[float, float]]:
        self.calls.append("reserve")
        return dict.fromkeys(hosts, (0.0, 0.0))

    async def free(self, delays: Mapping[str, float]) -> None:
        self.calls.append("free")

    async def pause(self, host: str, seconds: float, reason: str) -> None:
        self.calls.append("pause")


async def test_a_slot_is_taken_once_held_and_free_again_after_its_delay(redis_url: str) -> None:
    stand_in = StandIn()
    async with (
        open_redis_slots(
            redis_url, reserve=stand_in.reserve, free=stand_in.free, pause=stand_in.pause
        ) as one,
        open_redis_slots(
            redis_url, reserve=stand_in.reserve, free=stand_in.free, pause=stand_in.pause
        ) as other,
    ):
        assert await one.reserve(["a:80", "b:80"], 60) == {"a:80": (0.0, 0.0), "b:80": (0.0, 0.0)}
        refused = await other.reserve(["a:80", "c:80"], 60)
        assert refused["c:80"][0] == 0.0
        assert 55 < refused["a:80"][0] <= 60
        await one.free({"a:80": 5.0})
        again = await other.reserve(["a:80"], 60)
        assert 4 < again["a:80"][0] <= 5
        await one.free({"a:80": 0.0})
        async with Redis.from_url(redis_url) as redis:
            while await redis.exists("inforadar:slot:a:80"):
                pass
        assert (await other.reserve(["a:80"], 60))["a:80"][0] == 0.0
    assert stand_in.calls == []


async def test_a_pause_silences_the_host_for_everyone_and_a_shorter_one_does_not_shorten_it(
    redis_url: str,
) -> None:
    stand_in = StandIn()
    async with open_redis_slots(
        redis_url, reserve=stand_in.reserve, free=stand_in.free, pause=stand_in.pause
    ) as slots:
        await slots.pause("a:80", 600, "answered 429")
        await slots.pause("a:80", 60, "answered 429")
        slot_s, pause_s = (await slots.reserve(["a:80"], 60))["a:80"]
        assert slot_s <= 0
        assert 590 < pause_s <= 600
    assert stand_in.calls == ["pause", "pause"]


async def test_while_redis_is_away_the_database_stands_in() -> None:
    stand_in = StandIn()
    async with open_redis_slots(
        "redis://127.0.0.1:1/0", reserve=stand_in.reserve, free=stand_in.free, pause=stand_in.pause
    ) as slots:
        assert await slots.reserve(["a:80"], 60) == {"a:80": (0.0, 0.0)}
        await slots.free({"a:80": 3.0})
        await slots.pause("a:80", 60, "answered 429")
    assert stand_in.calls == ["reserve", "free", "pause"]


async def test_what_redis_wrote_while_its_clock_was_wrong_silences_no_host(redis_url: str) -> None:
    stand_in = StandIn()
    years_ms, week_ms = 10 * 365 * 86_400_000, 7 * 86_400_000
    async with (
        Redis.from_url(redis_url) as redis,
        open_redis_slots(
            redis_url, reserve=stand_in.reserve, free=stand_in.free, pause=stand_in.pause
        ) as slots,
    ):
        await redis.set("inforadar:slot:a:80", "1", px=years_ms)
        await redis.set("inforadar:pause:b:80", "1", px=years_ms)
        await redis.set("inforadar:pause:c:80", "1", px=years_ms)
        await redis.set("inforadar:pause:d:80", "1", px=week_ms)
        await slots.pause("c:80", 600, "Too many requests.")
        waits = await slots.reserve(["a:80", "b:80", "c:80", "d:80"], 60)
    assert (waits["a:80"], waits["b:80"]) == ((0.0, 0.0), (0.0, 0.0))
    assert 500 < waits["c:80"][1] <= 600
    assert 6 * 86_400 < waits["d:80"][1] <= 7 * 86_400
