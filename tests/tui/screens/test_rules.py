"""Rules, alerts and saved searches in the terminal."""

from __future__ import annotations

import pytest

from inforadar.errors import UsageError
from inforadar.model.alert import AlertKind, FoundAlert
from inforadar.model.person import FIRST_PERSON
from inforadar.model.rule import RuleActions
from inforadar.store.database import Database
from inforadar.store.feeds.queries import find_feed_by_url
from inforadar.store.people.queries import load_searches
from inforadar.store.rules.alerts import load_alerts
from inforadar.store.rules.queries import load_rules
from inforadar.tui.screens.articles import ArticlesScreen
from inforadar.tui.screens.form import FormScreen
from inforadar.tui.screens.rules import parse_actions
from tests.support.faces.terminal import NOW, Terminal


async def test_a_rule_is_tried_added_edited_removed_and_brought_back(
    terminal: Terminal, filled: Database
) -> None:
    await terminal.press("L")
    assert "No rules yet." in terminal.text
    await terminal.press("a")
    await terminal.type("Rows")
    await terminal.press("down")
    await terminal.type("minister row")
    await terminal.press("ctrl+t")
    assert "It would have matched" in terminal.text
    await terminal.press("down", "ctrl+u")
    await terminal.type("dance")
    await terminal.press("enter")
    assert isinstance(terminal.app.screen, FormScreen)
    assert "'dance' is not an action." in terminal.text
    await terminal.press("ctrl+u")
    await terminal.type("star, label rows, notify screen")
    await terminal.press("enter")
    (rule,) = await filled.read(load_rules)
    assert (rule.name, rule.query) == ("Rows", "minister row")
    assert rule.actions == RuleActions(star=True, labels=("rows",), notify=("screen",))
    assert "Rows" in terminal.lines[1]
    assert "star, label rows, notify screen." in terminal.text
    await terminal.press("t")
    assert "It would have matched" in terminal.text
    await terminal.press("e", "end")
    await terminal.type("!")
    await terminal.press("enter")
    assert [rule.name for rule in await filled.read(load_rules)] == ["Rows!"]
    await terminal.press("x")
    assert await filled.read(load_rules) == []
    await terminal.press("u")
    assert [rule.name for rule in await filled.read(load_rules)] == ["Rows!"]
    await terminal.press("enter")
    assert isinstance(terminal.app.screen, ArticlesScreen)
    assert "find: minister row" in terminal.title


def test_actions_are_read_as_they_are_written() -> None:
    given = RuleActions(star=True, read=True, labels=("to do",), notify=("phone", "screen"))
    assert parse_actions(given.words) == given
    assert not parse_actions(" , ")
    for wrong in ("label", "notify", "star it", "delete"):
        with pytest.raises(UsageError):
            parse_actions(wrong)


async def test_alerts_are_listed_and_one_can_be_quiet_about_a_feed(
    terminal: Terminal, filled: Database
) -> None:
    from inforadar.store.rules.save_alerts import save_alerts  # noqa: PLC0415

    await terminal.press("A")
    assert "No alerts: every feed is well." in terminal.text
    feed = await filled.read(find_feed_by_url, "https://dead.example/rust")
    assert feed
    found = FoundAlert(feed_id=feed.id, kind=AlertKind.GONE, message="Its server says \x1b[2J no.")
    await filled.write(save_alerts, list(AlertKind), [found], NOW)
    await terminal.press("R")
    assert "Dead is gone" in terminal.lines[1]
    assert "Its server says [2J no." in terminal.text
    await terminal.press("z", "ctrl+u")
    await terminal.type("2001-01-01")
    await terminal.press("enter")
    assert "is in the past" in terminal.text
    await terminal.press("ctrl+u")
    await terminal.type("7d")
    await terminal.press("enter")
    assert "Quiet about Dead until" in terminal.text
    assert (await filled.read(load_alerts, with_quiet=True))[0].quiet_until
    assert "quiet" in terminal.lines[1]
    await terminal.press("u")
    assert (await filled.read(load_alerts))[0].quiet_until is None
    await terminal.press("enter")
    assert "feed: Dead" in terminal.title


async def test_searches_are_saved_opened_deleted_and_brought_back(
    terminal: Terminal, filled: Database
) -> None:
    await terminal.press("colon")
    await terminal.type("save nothing")
    await terminal.press("enter")
    assert "No search is shown." in terminal.text
    await terminal.press("escape", "slash")
    await terminal.type("number")
    await terminal.press("enter", "colon")
    await terminal.type("save Numbers")
    await terminal.press("enter")
    assert await filled.read(load_searches, FIRST_PERSON) == {"Numbers": "number"}
    await terminal.press("escape", "B")
    assert terminal.lines[1].split() == ["Numbers", "number"]
    await terminal.press("e", "ctrl+u")
    await terminal.type("Counts")
    await terminal.press("enter", "x")
    assert await filled.read(load_searches, FIRST_PERSON) == {}
    await terminal.press("u")
    assert await filled.read(load_searches, FIRST_PERSON) == {"Counts": "number"}
    await terminal.press("enter")
    assert "find: number" in terminal.title
