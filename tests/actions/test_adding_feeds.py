"""What is filled in when a person adds a feed."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from inforadar.actions.admin import split_credentials, with_defaults
from inforadar.cli.feed.selectors_file import read_selectors
from inforadar.errors import InvalidUrlError, UsageError
from inforadar.model.feed import FeedKind

NOW = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)
SELECTORS = {"item": "li", "link": "a", "title": "a", "date": "time"}


@pytest.mark.parametrize(
    ("url", "kind", "topic"),
    [
        ("https://habr.com/ru/hubs/python/articles/", FeedKind.PAGES, "python"),
        ("https://habr.com/ru/articles/", FeedKind.PAGES, "general"),
        ("https://www.habr.com/ru/companies/yandex/articles/", FeedKind.PAGES, "yandex"),
        ("https://habr.com/ru/rss/articles/", None, "general"),
        ("https://habr.com/ru/rss/hubs/python/articles/", None, "general"),
        ("https://news.example/latest", None, "general"),
        ("https://[broken/", None, "general"),
    ],
)
def test_a_listing_of_a_site_with_a_reader_is_of_kind_pages_and_its_hub_the_topic(
    url: str, kind: FeedKind | None, topic: str
) -> None:
    new = with_defaults(url, now=NOW)
    assert (new.kind, new.topic) == (kind, topic)


def test_the_cutoff_of_a_paged_site_is_stored_with_it() -> None:
    assert with_defaults("https://habr.com/ru/articles/", now=NOW).options == {"cutoff_date": "2026-02-12"}
    given = with_defaults("https://a.example/", selectors=SELECTORS, cutoff=date(2020, 1, 2), now=NOW)
    assert given.kind is FeedKind.PAGES
    assert given.options == {"cutoff_date": "2020-01-02", "selectors": SELECTORS}
    assert with_defaults("https://a.example/feed.xml", cutoff=date(2020, 1, 2), now=NOW).options == {}


def test_what_the_person_did_not_name_is_told_apart() -> None:
    url = "https://habr.com/ru/hubs/python/articles/"
    settings_say = with_defaults(url, usual_cutoff=date(2020, 1, 2), now=NOW)
    assert settings_say.options == {"cutoff_date": "2020-01-02"}
    assert settings_say.defaulted == {"kind", "topic", "cutoff_date"}
    said = with_defaults(url, kind=FeedKind.PAGES, topic="t", cutoff=date(2020, 1, 2), now=NOW)
    assert said.defaulted == frozenset()
    assert with_defaults("https://a.example/", selectors=SELECTORS, now=NOW).defaulted == {
        "topic",
        "cutoff_date",
    }


def test_selectors_are_for_paged_sites_and_must_be_usable() -> None:
    with pytest.raises(UsageError, match="for kind pages"):
        with_defaults("https://a.example/", kind=FeedKind.SITEMAP, selectors=SELECTORS, now=NOW)
    with pytest.raises(UsageError, match="`date` is missing"):
        with_defaults("https://a.example/", selectors={"item": "li"}, now=NOW)


def test_all_that_is_wrong_with_a_file_of_selectors_is_said_at_once(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read_selectors(path)
    path.write_bytes(b"item = '\xff'")
    with pytest.raises(UsageError, match="not a text in UTF-8"):
        read_selectors(path)
    path.write_text("item = 3\ncolour = 'x'\n")
    with pytest.raises(UsageError) as refused:
        read_selectors(path)
    assert "`colour` is not a key" in str(refused.value)
    assert "`link` is missing." in str(refused.value)
    path.write_text("item = 'li'\nlink = 'a'\ntitle = 'a'\ndate = 'time'\n")
    assert read_selectors(path) == {**SELECTORS, "first_page": 1}


def test_a_url_is_parted_from_its_password_or_refused() -> None:
    bare, headers = split_credentials("https://ada:secret@news.example/feed")
    assert (bare, set(headers)) == ("https://news.example/feed", {"Authorization"})
    with pytest.raises(InvalidUrlError, match="cannot be read"):
        split_credentials("http://[")
