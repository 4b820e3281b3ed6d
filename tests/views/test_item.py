"""What detail views show of an item's metadata: the counters, and the details that have no place of their own."""

from __future__ import annotations

from inforadar.model.item import Metadata
from inforadar.views.item import shown_counters, shown_details
from inforadar.views.run_log import changed_line
from tests.support.trial_metadata import EMPTY, FULL, TRIAL_FIELDS


def test_counters_that_are_known_are_shown_and_the_rating_first() -> None:
    item = Metadata(views=0, rating=-2.5, bookmarks=7)
    assert shown_counters(item) == [("rating", "-2.5"), ("views", "0"), ("bookmarks", "7")]


def test_a_field_without_a_place_of_its_own_is_listed_by_name() -> None:
    assert shown_details(FULL, TRIAL_FIELDS) == [
        ("Entry id", 'tag:example.com,2026:<1> & "2"'),
        ("Attachments", "https://example.com/a.mp3 0, https://example.com/b?c=1&d"),
    ]
    assert shown_details(EMPTY, TRIAL_FIELDS) == []


def test_a_run_says_how_lists_changed() -> None:
    changes = {"tags": (None, ("a", "b")), "attachments": ((), FULL.attachments[:1])}
    assert changed_line("T", changes) == "~ T: tags – → a, b, attachments – → https://example.com/a.mp3 0"
