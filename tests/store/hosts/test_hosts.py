"""Hosts: what a wrong clock wrote silences none of them for years, and what was asked for stands."""

from __future__ import annotations

from typing import Any

from sqlalchemy import insert

from inforadar.store.database import Database
from inforadar.store.hosts.queries import load_pauses
from inforadar.store.hosts.save import pause_host, reserve_slots
from inforadar.store.schema.hosts import hosts
from inforadar.store.types import db_later

YEARS, WEEK_S = db_later(10 * 365 * 86400.0), 7 * 86400.0


async def add_host(database: Database, name: str, **columns: Any) -> None:
    await database.write(lambda c: c.execute(insert(hosts).values(host=name, **columns)))


async def test_a_host_that_a_wrong_clock_made_wait_is_free(database: Database) -> None:
    await add_host(database, "slot:443", next_free_at=YEARS)
    await add_host(database, "pause:443", paused_until=YEARS)
    taken = await database.write(reserve_slots, ["slot:443", "pause:443"], 45.0)
    assert taken == {"slot:443": (0.0, 0.0), "pause:443": (0.0, 0.0)}
    assert await database.read(load_pauses) == {}


async def test_one_that_waits_for_something_else_does_not_wait_for_that(database: Database) -> None:
    await add_host(database, "slot:443", next_free_at=YEARS, paused_until=db_later(60.0))
    await add_host(database, "pause:443", next_free_at=db_later(60.0), paused_until=YEARS)
    refused = await database.write(reserve_slots, ["slot:443", "pause:443"], 45.0)
    slot_s, pause_s = refused["slot:443"]
    assert slot_s < 1 < 50 < pause_s <= 60
    slot_s, pause_s = refused["pause:443"]
    assert (50 < slot_s <= 60, pause_s) == (True, 0.0)


async def test_the_longest_pause_and_the_longest_delay_stand(database: Database) -> None:
    await add_host(database, "slot:443", next_free_at=db_later(WEEK_S))
    await database.write(pause_host, "pause:443", WEEK_S, "Too many requests.")
    refused = await database.write(reserve_slots, ["slot:443", "pause:443"], 45.0)
    assert WEEK_S - 60 < refused["slot:443"][0] <= WEEK_S
    assert WEEK_S - 60 < refused["pause:443"][1] <= WEEK_S
    assert set(await database.read(load_pauses)) == {"pause:443"}


async def test_a_pause_takes_the_place_of_one_that_a_wrong_clock_wrote(database: Database) -> None:
    await add_host(database, "news:443", paused_until=YEARS)
    await database.write(pause_host, "news:443", 600.0, "Too many requests.")
    _, pause_s = (await database.write(reserve_slots, ["news:443"], 45.0))["news:443"]
    assert 500 < pause_s <= 600
