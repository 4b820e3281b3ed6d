"""Matches of rules as notifications of the terminal."""

from __future__ import annotations

from inforadar.clock import utc_now
from inforadar.model.ids import new_uuid
from inforadar.model.rule import EventKind
from inforadar.store.rules.event_log import LoggedEvent
from inforadar.tui.notifications import describe, notification_codes


def test_texts_from_the_web_cannot_end_the_sequence() -> None:
    codes = notification_codes("R;ule", "Evil\x07\x1b]52;c;aGk=\x07\x9c title")
    assert codes.count("\x1b]") == 2
    assert codes.count("\x07") == 2
    assert "R,ule" in codes
    assert "\x9c" not in codes


def test_many_matches_are_counted() -> None:
    matches = [
        LoggedEvent(
            number=number,
            at=utc_now(),
            kind=EventKind.MATCH,
            item_id=new_uuid(),  # type: ignore[arg-type]
            story_id=None,
            feed_id=None,
            payload={"rule": "R", "title": f"T{number}"},
        )
        for number in range(5)
    ]
    assert describe(matches) == [("R", "T0"), ("R", "T1"), ("R", "T2"), ("Info Radar", "… and 2 more")]
