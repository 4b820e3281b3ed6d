"""`inforadar story …` and `inforadar brief`."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

from inforadar.config import load_settings
from inforadar.pipeline.group.stage import GroupStage
from inforadar.store.database import open_database
from tests.cli.calling import Call
from tests.support.faces.newsroom import Newsroom

QUAKE = (
    "A magnitude 6.1 earthquake struck Bolvania near the town of Grandel on Tuesday, killing 7 people, "
    "the Seismic Institute in Karhold said. Mayor Ilena Torvald said rescuers were searching 40 houses."
)
QUAKE_2 = (
    "The quake of magnitude 6.1 left 7 dead in Grandel, Bolvania, on Tuesday. Rescue teams searched the ruins of "
    "40 houses, mayor Ilena Torvald told reporters; the Seismic Institute in Karhold measured it."
)


def group(home: Path) -> None:
    async def work() -> None:
        async with open_database(load_settings(home).database_url) as database:
            await GroupStage(database=database, now=lambda: datetime.now(UTC), use_vectors=False).run_once()

    asyncio.run(work())


def fill(home: Path) -> None:
    async def work() -> None:
        async with open_database(load_settings(home).database_url) as database:
            newsroom = Newsroom(database=database)
            for source, title, content in (
                ("One", "Earthquake in Grandel kills seven \x1b[31m", QUAKE),
                ("Two", "Seven dead as quake hits Grandel in Bolvania", QUAKE_2),
            ):
                feed = await newsroom.add_feed(f"https://{source}.example/feed", source=source)
                await newsroom.add_item(
                    feed, f"https://{source.lower()}.example/1", title=title, content=content
                )

    asyncio.run(work())


def test_a_worker_groups_without_being_told(call: Call, home: Path) -> None:
    fill(home)
    assert call("worker", "--once").code == 0
    (story,) = call("story", "list", "--json").json
    assert story["sources"] == ["One", "Two"]


def test_a_story_is_listed_shown_split_grouped_again_and_merged(call: Call, home: Path) -> None:
    fill(home)
    group(home)
    (story,) = call("story", "list", "--json").json
    assert "\x1b" not in call("story", "list").out
    shown = call("story", "show", story["id"])
    assert shown.code == 0
    assert "Grandel" in shown.out
    assert "\x1b" not in shown.out
    assert len(call("story", "show", story["id"], "--json").json["items"]) == 2

    own = call("story", "split", "https://two.example/1", "--json").json["story"]
    assert call("story", "regroup", "--json").json == {"queued": 2}
    group(home)
    assert call("story", "list", "--json").json == []
    assert len(call("story", "list", "--min-sources", "1", "--json").json) == 2

    assert call("story", "merge", story["id"], own).code == 0
    assert call("story", "show", own, "--json").json["id"] == story["id"]


def test_wrong_use_is_refused_with_a_sentence(call: Call, home: Path) -> None:
    fill(home)
    group(home)
    (story,) = call("story", "list", "--json").json
    for arguments, sentence in (
        (("split", "https://nowhere.example/"), "is in no story"),
        (("merge", story["id"], story["id"]), "same story already"),
        (("show", "019a8f5e-0000-7000-8000-000000000000"), "There is no story"),
        (("regroup", "--since", "soon"), "no span of time"),
    ):
        called = call("story", *arguments)
        assert called.code in {1, 2}
        assert sentence in called.err


def test_the_briefing_is_printed_in_three_forms(call: Call, home: Path) -> None:
    fill(home)
    group(home)
    assert "2 sources" in call("brief").out
    assert call("brief", "--format", "html").out.startswith("<!doctype html>")
    (story,) = call("brief", "--since", "2d", "--top", "3", "--json").json["stories"]
    assert len(story["facts"]) >= 1
