"""The options of a feed: read from whatever is stored, and nothing of it lost."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from inforadar.errors import UsageError
from inforadar.model.feed_options import NO_OPTIONS, FeedOptions, parse_options

STORED: dict[str, Any] = {
    "title": "Моя лента",
    "timezone": "Europe/Moscow",
    "epoch": "2026-03-14T12:00:00+00:00",
    "cutoff_date": "2020-01-02",
    "window_days": 7,
    "selectors": {"item": "li", "first_page": 1},
    "include_patterns": ["/blog/"],
    "exclude_patterns": "tag-",
    "newer_than": "2026-01-01",
    "max_age_days": 30,
    "baseline_items": 0,
    "fetch_titles": False,
    "max_page_titles": 5,
    "retry_failed_urls": True,
    "max_history_days": 1.5,
    "cleanup_interval_days": 7,
    "analyze": False,
    "analyzer": "local",
    "model": "m",
    "prompt": "中文",
    "keep_days": 0,
    "keep_items": 100,
}


def test_every_key_that_is_stored_today_is_read_and_written_as_it_was() -> None:
    options = parse_options(STORED)
    assert options.other == {}
    assert options.to_json() == STORED
    assert (options.cutoff_date, options.fetch_titles, options.keep_days) == (date(2020, 1, 2), False, 0)


def test_keys_that_nobody_knows_survive_an_edit() -> None:
    options = parse_options({"title": "T", "of_a_newer_version": {"deep": [1]}, "other": 3})
    changed = options.replaced({"title": None, "keep_days": 7})
    assert changed.to_json() == {"keep_days": 7, "of_a_newer_version": {"deep": [1]}, "other": 3}


def test_a_key_of_an_older_version_is_ignored() -> None:
    options = parse_options({"timezone": "Europe/Moscow", "dated_in": "UTC"})
    assert options.timezone == "Europe/Moscow"
    assert options.other == {"dated_in": "UTC"}


@pytest.mark.parametrize(("name", "value"), [("cutoff_date", "soon"), ("keep_days", "many"), ("prompt", [1])])
def test_a_value_of_the_wrong_type_is_kept_and_refused_only_where_it_is_needed(name: str, value: Any) -> None:
    options = parse_options({name: value, "topic": "x", "title": "T"})
    assert (options.title, getattr(options, name)) == ("T", None)
    assert options.to_json()[name] == value
    with pytest.raises(UsageError, match=f"The option {name} cannot be used: "):
        options.check(name)
    options.replaced({name: None}).check(name)


def test_numbers_that_were_written_otherwise_are_numbers_all_the_same() -> None:
    options = parse_options({"window_days": "7", "keep_items": 5.0})
    assert (options.window_days, options.keep_items, options.other) == (7, 5, {})


@pytest.mark.parametrize("stored", [None, {}, [], ["by hand"], "text", 3])
def test_what_is_no_object_is_no_options(stored: object) -> None:
    assert parse_options(stored) == NO_OPTIONS == FeedOptions()
    assert parse_options(stored).to_json() == {}
