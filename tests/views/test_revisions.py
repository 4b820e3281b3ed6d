"""Revisions as people read them."""

from __future__ import annotations

from datetime import UTC, datetime

from inforadar.model.ids import ItemId, new_uuid
from inforadar.model.revision import ChangedPassage, ChangeKind, LookState
from inforadar.stages.revise.difference import Op
from inforadar.views.revisions import MemberText, find_tellings, line_runs, watch_sentence

AT = datetime(2026, 5, 12, 11, 30, tzinfo=UTC)


def member(outlet: str, text: str) -> MemberText:
    return MemberText(item_id=ItemId(new_uuid()), outlet=outlet, url=f"https://{outlet}.example/1", text=text)


def test_other_outlets_are_asked_for_the_passage() -> None:
    passage = ChangedPassage(
        old="The ferry ran aground off Halden, leaving 40 people injured.",
        new="The ferry ran aground off Halden.",
        kinds=(ChangeKind.NUMBER,),
    )
    told = find_tellings(
        [passage],
        [
            member(
                "two",
                "Weather was bad. The ferry ran aground off Halden and 40 people were injured. More soon.",
            ),
            member("three", "The ferry ran aground off Halden; nobody knows how many were injured."),
            member("four", "Parliament passed the budget."),
        ],
    )
    assert [(one.outlet, one.says_old) for one in told] == [("two", True), ("three", False)]
    assert told[0].sentence == "The ferry ran aground off Halden and 40 people were injured."


def test_a_headline_is_shown_word_by_word() -> None:
    assert line_runs("Minister quits today", "Minister stays today") == (
        (Op.SAME, "Minister "),
        (Op.REMOVED, "quits "),
        (Op.ADDED, "stays "),
        (Op.SAME, "today"),
    )
    assert line_runs("Same", "Same") == ()


def test_how_an_article_is_watched_is_a_sentence() -> None:
    assert watch_sentence(None, "", None, None) == "This article is not looked at again."
    told = watch_sentence(LookState.UNSTABLE, "The page changes with every request.", AT, None)
    assert told == "Last looked at 2026-05-12 11:30 UTC. The page changes with every request."
    assert watch_sentence(LookState.WATCHED, "", None, AT).endswith("Next look: 2026-05-12 11:30 UTC.")
