"""`inforadar feed add`: what the command line gives a feed that the other faces do not."""

from __future__ import annotations

import pytest

from tests.cli.calling import Call

HABR = "https://habr.com/ru/articles/"
OPML = f'<opml><body><outline xmlUrl="{HABR}"/></body></opml>'


@pytest.mark.parametrize("command", [("feed", "add", HABR), ("opml", "import", "-")], ids=["feed", "opml"])
def test_the_cutoff_of_the_settings_is_that_of_an_added_feed(
    call: Call, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.setenv("FETCHER_CUTOFF_DATE", "2020-01-02")
    assert call(*command, stdin=OPML).code == 0
    assert call("feed", "show", HABR, "--json").json["options"] == {"cutoff_date": "2020-01-02"}


def test_an_added_feed_takes_items_of_its_own_host_and_an_imported_one_of_any(call: Call) -> None:
    assert call("feed", "add", "https://a.example/", "--json").json["enforce_feed_domain"] is True
    assert (
        call("feed", "add", "https://b.example/", "--any-host", "--json").json["enforce_feed_domain"] is False
    )
    (imported,) = call("opml", "import", "-", "--json", stdin=OPML).json["added"]
    assert imported["enforce_feed_domain"] is False


def test_an_existing_feed_is_named_with_its_id(call: Call) -> None:
    feed_id = call("feed", "add", HABR, "--json").json["id"]
    done = call("feed", "add", HABR)
    assert f"{HABR} already exists (id {feed_id}); nothing was changed." in done.out


def test_a_twin_of_a_followed_url_is_named_and_nothing_is_added(call: Call) -> None:
    first = call("feed", "add", "https://example.com/feed", "--json").json
    said = call("feed", "add", "http://example.com/feed/").out
    assert (
        f"You already follow this as https://example.com/feed (id {first['id']}); nothing was changed."
        in said
    )
    again = call("feed", "add", "http://example.com/feed/", "--json").json
    assert (again["id"], again["added"], again["followed_as"]) == (
        first["id"],
        False,
        "https://example.com/feed",
    )
    opml = '<opml><body><outline xmlUrl="http://example.com/feed"/></body></opml>'
    imported = call("opml", "import", "-", stdin=opml).out
    assert "http://example.com/feed: you already follow this as https://example.com/feed." in imported
