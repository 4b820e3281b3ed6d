"""`inforadar feed restore`: a deleted feed as it was."""

from __future__ import annotations

import pytest

from tests.cli.calling import Call

URL = "https://example.com/feed"


def test_a_deleted_feed_is_restored_as_it_was_by_what_delete_says(call: Call) -> None:
    given = ("--enable", "--polling", "--sync", "--kind", "pages", "--topic", "world", "--any-host")
    feed_id = call("feed", "add", URL, *given, "--json").json["id"]
    call("feed", "edit", feed_id, "--title", "Mine", "--cutoff", "2020-01-02")
    before = call("feed", "show", feed_id, "--json").json
    deleted = call("feed", "delete", feed_id)
    command = f"feed restore {feed_id[-8:]}"
    assert f"`inforadar {command}` brings it back." in deleted.out
    done = call(*command.split())
    assert (done.code, done.out) == (0, f"Restored {URL}.\n")
    assert call("feed", "show", feed_id, "--json").json == before


@pytest.mark.parametrize("reference", [URL, "example.com", "ID"])
def test_a_deleted_feed_is_found_by_its_url_a_part_of_it_or_its_id(call: Call, reference: str) -> None:
    feed_id = call("feed", "add", URL, "--json").json["id"]
    call("feed", "delete", feed_id, "--yes")
    back = call("feed", "restore", feed_id if reference == "ID" else reference, "--json")
    assert (back.code, back.json["id"], back.json["enabled"]) == (0, feed_id, False)


def test_what_is_not_deleted_is_not_restored(call: Call) -> None:
    feed_id = call("feed", "add", URL, "--json").json["id"]
    done = call("feed", "restore", feed_id)
    assert (done.code, f"{URL} is not deleted; nothing was changed." in done.err) == (2, True)
    done = call("feed", "restore", "nothing")
    assert (done.code, "There is no deleted feed 'nothing'." in done.err) == (1, True)


def test_a_feed_that_was_disabled_says_so_when_it_comes_back(call: Call) -> None:
    feed_id = call("feed", "add", URL, "--json").json["id"]
    call("feed", "delete", feed_id, "--yes")
    assert f"It is disabled: `inforadar feed enable {feed_id[-8:]}`." in call("feed", "restore", feed_id).out
