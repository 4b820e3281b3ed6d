"""A process that is killed in the middle of an add or an edit leaves all of it or nothing."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from inforadar.model.http import Outcome
from inforadar.model.schedule import NextRun
from inforadar.store.database import Database
from inforadar.store.feeds.credentials import load_credentials
from inforadar.store.feeds.queries import load_feeds
from inforadar.store.feeds.save_credentials import save_credentials
from inforadar.store.schema.feeds import feed_credentials, feed_schedules, feed_urls, feeds
from tests.store.making import add_feed, collect, reload, rows

URL, NEW = "https://example.com/feed", "https://new.example/feed"
ADD = ("feed", "add", "https://ada:secret@example.com/feed", "--enable", "--polling", "--sync")
EDIT = (
    *("feed", "edit", URL, "--url", NEW, "--header", "X-Key: new"),
    *("--topic", "science", "--title", "Mine", "--keep-days", "7", "--any-host"),
)


def run_until(moment: str, database_url: str, home: Path, *arguments: str) -> str:
    """Run a command, and kill it where it stops; the last line that it printed."""
    paths = os.pathsep.join(path for path in sys.path if path)
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.actions.killable_process", moment, *arguments],
        env={**os.environ, "PYTHONPATH": paths, "DATABASE_URL": database_url, "INFORADAR_HOME": str(home)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        line = ""
        for printed in process.stdout:
            line = printed.strip()
            if line == "here":
                break
        process.kill()
    return line


async def everything(database: Database) -> list[list[Any]]:
    return [await rows(database, table) for table in (feeds, feed_schedules, feed_urls, feed_credentials)]


@pytest.mark.parametrize("moment", ["1", "2", "commit", "never"])
async def test_an_add_that_is_killed_leaves_all_or_nothing(
    database: Database, database_url: str, tmp_path: Path, moment: str
) -> None:
    ended = await asyncio.to_thread(run_until, moment, database_url, tmp_path, *ADD)
    if moment != "never":
        assert ended == "here"
        assert await everything(database) == [[], [], [], []]
        return
    assert ended == "done"
    (feed,) = await database.read(load_feeds)
    assert (feed.url, feed.enabled, feed.polling, feed.requested_at is not None) == (URL, True, True, True)
    assert set(await database.read(load_credentials)) == {feed.id}


@pytest.mark.parametrize("moment", ["3", "10", "commit", "never"])
async def test_an_edit_that_is_killed_leaves_all_or_nothing(
    database: Database, database_url: str, tmp_path: Path, moment: str
) -> None:
    feed = await add_feed(database, URL)
    await database.write(save_credentials, feed.id, {"X-Key": "old", "Cookie": "c"})
    gone = NextRun(after_s=None, failures=4, error="It answered 404.")
    await collect(database, feed, outcome=Outcome.PERMANENT_ERROR, next_run=gone)
    before = await everything(database)
    ended = await asyncio.to_thread(run_until, moment, database_url, tmp_path, *EDIT)
    if moment != "never":
        assert ended == "here"
        assert await everything(database) == before
        return
    assert ended == "done"
    now = await reload(database, feed)
    assert (now.url, now.topic, now.title, now.options.keep_days) == (NEW, "science", "Mine", 7)
    assert (now.enforce_feed_domain, now.last_error, now.requested_at is not None) == (False, None, True)
    assert await database.read(load_credentials) == {feed.id: {"X-Key": "new"}}
