"""`inforadar feed edit`: another URL, and what happens to everything that belonged to the former one."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from tests.cli.calling import Call

URL, NEW = "https://example.com/feed", "https://news.example.org/feed"


def add(call: Call, *options: str) -> str:
    feed_id: str = call("feed", "add", URL, "--json", *options).json["id"]
    return feed_id


def suspend(home: Path) -> None:
    """As a fetch that ended with a 404 does."""
    with closing(sqlite3.connect(home / "inforadar.db")) as database:
        database.executescript(
            "UPDATE feeds SET last_fetch_status = 'permanent_error', etag = 'e', validators_url = url;"
            "UPDATE feed_schedules SET next_run_at = NULL, requested_at = NULL, failures = 3, last_error = '404';"
        )


def test_a_corrected_url_brings_a_suspended_feed_back(call: Call, home: Path) -> None:
    feed_id = add(call, "--enable", "--polling")
    suspend(home)
    assert call("feed", "list", "--state", "suspended", "--json").json[0]["id"] == feed_id
    done = call("feed", "edit", feed_id, "--url", NEW)
    assert (done.code, done.out) == (0, f"Changed {URL} to {NEW}.\n")
    shown = call("feed", "show", URL, "--json").json
    assert (shown["id"], shown["url"], shown["health"]) == (feed_id, NEW, "new")
    assert (shown["failures"], shown["last_error"]) == (0, None)
    assert shown["next_run_at"]
    assert shown["requested_at"]
    assert [former["url"] for former in shown["former_urls"]] == [URL]


def test_a_url_of_another_feed_is_refused_and_nothing_changes(call: Call) -> None:
    feed_id, other = add(call), call("feed", "add", NEW, "--source", "Other", "--json").json["id"]
    done = call("feed", "edit", feed_id, "--url", NEW, "--topic", "science")
    assert (done.code, done.out) == (2, "")
    assert f"{NEW} is already the URL of another feed, Other (id {other}); nothing was changed." in done.err
    assert call("feed", "show", feed_id, "--json").json["topic"] == "general"
    assert call("feed", "edit", feed_id, "--url", "no url").code == 2


def test_headers_and_password_do_not_go_along_to_another_site_and_the_command_says_so(
    call: Call, home: Path
) -> None:
    feed_id = add(call)
    call("feed", "edit", feed_id, "--header", "X-Key: k")
    done = call("feed", "edit", feed_id, "--url", "https://example.com/other")
    assert "deleted" not in done.out
    done = call("feed", "edit", feed_id, "--url", NEW)
    assert "Its headers and password were deleted, because they belong to the former site; " in done.out
    assert f"`inforadar feed edit {feed_id[-8:]} --user NAME` sets new ones." in done.out
    assert f"It is disabled: `inforadar feed enable {feed_id[-8:]}`." in done.out
    with closing(sqlite3.connect(home / "inforadar.db")) as database:
        assert database.execute("SELECT count(*) FROM feed_credentials").fetchone() == (0,)
