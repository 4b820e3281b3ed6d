"""`inforadar rule …` and `inforadar channel …`."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from inforadar.clock import utc_now
from inforadar.config import load_settings
from inforadar.store.database import open_database
from tests.cli.calling import Call
from tests.store.making import add_feed, collect, listed


def test_rules_and_channels_are_managed_from_the_command_line(call: Call, home: Path) -> None:
    call("feed", "add", "https://a.example/feed")

    async def fill() -> None:
        async with open_database(load_settings(home).database_url) as database:
            feed = await add_feed(database, "https://news.example/feed")
            await collect(database, feed, listed("https://news.example/1", title="Ferry"), at=utc_now())

    asyncio.run(fill())
    added = json.loads(
        call(
            "channel", "add", "hook", "https://h.example/T0KEN?key=1", "--quiet", "22:00-07:00", "--json"
        ).out
    )
    assert added["secret"].startswith("whsec_")
    assert added["quiet"] == "22:00-07:00"
    shown = call("channel", "list").out + call("channel", "list", "--json").out
    assert "T0KEN" not in shown
    assert "https://h.example/***" in shown
    said = call("rule", "add", "Sea", "ferry OR ship", "--notify", "hook", "--label", "sea", "--star").out
    assert "label sea, notify hook" in said
    assert "would have matched 1 item of the last 7 days" in said
    assert call("rule", "add", "Sea", "x", "--star").code == 2
    assert call("rule", "add", "Other", "x", "--notify", "nobody").code != 0
    assert json.loads(call("rule", "test", "Sea", "--json").out)["count"] == 1
    assert json.loads(call("rule", "test", "ship", "--json").out)["count"] == 0
    edited = json.loads(call("rule", "edit", "Sea", "--query", "ship", "--no-star", "--json").out)
    assert (edited["query"], edited["star"], edited["notify"]) == ("ship", False, ["hook"])
    assert call("channel", "remove", "hook").code == 2
    (home / "inforadar.toml").write_text('[rules.Mine]\nquery = "x"\nread = true\n', encoding="utf-8")
    assert [rule["name"] for rule in json.loads(call("rule", "list", "--json").out)] == ["Mine", "Sea"]
    assert "inforadar.toml" in call("rule", "remove", "Mine").err
    assert call("rule", "remove", "Sea").code == 0
    assert call("channel", "remove", "hook").code == 0
    assert call("channel", "messages").out.strip() == "No messages."
    for local in ("http://127.0.0.1:9/", "http://localhost/", "http://[::1]/", "https://192.168.1.4/hook"):
        refused = call("channel", "add", "x", local)
        assert (refused.code, "FETCHER_ALLOWED_NETWORKS" in refused.err) == (2, True), local
    refused = call("channel", "add", "x", "json://127.0.0.1")
    assert refused.code == 2
    assert "NOTIFY_APPRISE_SCHEMES" in refused.err


def test_a_rule_that_matches_very_much_asks_before_it_notifies(
    call: Call, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inforadar.actions.rules.manage.MANY_MATCHES", 0)
    call("feed", "add", "https://a.example/feed")

    async def fill() -> None:
        async with open_database(load_settings(home).database_url) as database:
            feed = await add_feed(database, "https://news.example/feed")
            await collect(database, feed, listed("https://news.example/1", title="Ferry"), at=utc_now())

    asyncio.run(fill())
    call("channel", "add", "hook", "https://h.example/")
    for given in (
        ("rule", "add", "All", "NOT football", "--notify", "hook"),
        ("rule", "edit", "Some", "--query", "ferry"),
        ("rule", "edit", "Quiet", "--notify", "hook"),
    ):
        call("rule", "add", "Some", "elsewhere", "--notify", "hook")
        call("rule", "add", "Quiet", "ferry", "--star")
        refused = call(*given)
        assert refused.code != 0, given
        assert "would have notified about 1 item in the last 7 days" in refused.err + refused.out
        assert call(*given, "--yes").code == 0, given
    (home / "inforadar.toml").write_text('[rules.T]\nquery = "ferry"\nnotify = ["hook"]\n', encoding="utf-8")
    refused = call("rule", "list")
    assert refused.code != 0
    assert "sure = true" in refused.err
    (home / "inforadar.toml").write_text(
        '[rules.T]\nquery = "ferry"\nnotify = ["hook"]\nsure = true\n', encoding="utf-8"
    )
    assert call("rule", "list").code == 0
