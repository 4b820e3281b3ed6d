"""Filtering, sorting and titling the pages of a sitemap."""

from datetime import UTC, datetime, time, timedelta

import pytest

from inforadar.errors import UsageError
from inforadar.model.sitemap import SitemapEntry
from inforadar.stages.discover.sitemap.filter import apply_rss_filters, sort_entries_by_date
from inforadar.stages.discover.sitemap.titles import slug_title

NOW = datetime.now(UTC)


def entry(path: str, days: float | None = None, *, news: float | None = None) -> SitemapEntry:
    return SitemapEntry(
        f"https://news.example{path}",
        None if days is None else NOW - timedelta(days=days),
        published_at=None if news is None else NOW - timedelta(days=news),
    )


def paths(entries: list[SitemapEntry]) -> list[str]:
    return [one.url.removeprefix("https://news.example") for one in entries]


ENTRIES = [
    entry("/blog/a", 1),
    entry("/blog/tag/x", 2),
    entry("/about"),
    entry("/blog/old", 90),
    entry("/news/1", 90, news=3),
]


@pytest.mark.parametrize(
    ("config", "kept"),
    [
        (None, ["/blog/a", "/blog/tag/x", "/about", "/blog/old", "/news/1"]),
        ({"include_patterns": "/blog/"}, ["/blog/a", "/blog/tag/x", "/blog/old"]),
        (
            {"include_patterns": ["/blog/", r"/\d+$"], "exclude_patterns": ["/tag/"]},
            ["/blog/a", "/blog/old", "/news/1"],
        ),
        ({"max_age_days": 30}, ["/blog/a", "/blog/tag/x", "/about", "/news/1"]),
        ({"newer_than": str((NOW - timedelta(days=1)).date())}, ["/blog/a", "/about"]),
        ({"newer_than": NOW.replace(tzinfo=None)}, ["/about"]),
        # As TOML gives a date without quotes.
        ({"newer_than": (NOW - timedelta(days=1)).date()}, ["/blog/a", "/about"]),
        ({"newer_than": (NOW - timedelta(days=60)).date(), "max_age_days": "1.5"}, ["/blog/a", "/about"]),
    ],
)
def test_filters_by_pattern_and_age(config, kept):
    assert paths(apply_rss_filters(ENTRIES, config)) == kept


@pytest.mark.parametrize("pattern", ["(a+)+$", r"/news/(\w+-?)+/$", "(x|xx)*y"])
def test_no_pattern_takes_longer_than_its_text(pattern):
    # With an engine that tries every way, each of these would outlive the test.
    unlucky = [SitemapEntry(f"https://news.example/news/{sign * 5_000}!") for sign in "ax"]
    assert apply_rss_filters(unlucky, {"include_patterns": pattern}) == []


def test_a_filter_that_cannot_be_understood_is_refused_in_a_sentence():
    for config, message in [
        ({"include_patterns": ["("]}, "^include_patterns: '\\(' is not a regular expression"),
        ({"exclude_patterns": "(?!tag)/blog"}, "^exclude_patterns: .* cannot be run safely"),
        ({"include_patterns": r"(.)\1"}, "without look-arounds, back-references"),
        ({"newer_than": "yesterday"}, "is not a date"),
        ({"newer_than": time(10)}, "is not a date"),
        ({"newer_than": 20261115}, "is not a date"),
        ({"max_age_days": "много"}, "is not a number of days"),
        ({"max_age_days": 10**12}, "is not a number of days"),
        ({"include": ["x"]}, "There is no filter 'include'"),
    ]:
        with pytest.raises(UsageError, match=message):
            apply_rss_filters(ENTRIES, config)


def test_the_newest_entries_come_first_and_undated_ones_last_in_their_order():
    entries = [entry("/x"), entry("/old", 9), entry("/y"), entry("/new", 1), entry("/news", 9, news=0.5)]
    assert paths(sort_entries_by_date(entries)) == ["/news", "/new", "/old", "/x", "/y"]
    assert paths(sort_entries_by_date(entries, max_items=2)) == ["/news", "/new"]


@pytest.mark.parametrize(
    ("url", "title"),
    [
        ("https://news.example/2026/11/15/apple-harvest-2026.html", "Apple harvest 2026"),
        ("https://news.example/blog/apple_harvest/", "Apple harvest"),
        ("https://news.example/blog/apple-harvest-1234567", "Apple harvest"),
        ("https://news.example/blog/apple-harvest-0123456789abcdef/index.html", "Apple harvest"),
        (
            "https://news.example/%D1%83%D1%80%D0%BE%D0%B6%D0%B0%D0%B9-%D1%8F%D0%B1%D0%BB%D0%BE%D0%BA",
            "Урожай яблок",
        ),
        ("https://news.example/%E8%8B%B9%E6%9E%9C", "苹果"),
        ("https://news.example/news/12345", "News"),
        ("https://news.example/12345", "news.example 12345"),
        ("https://news.example/%ff%fe", "news.example \ufffd\ufffd"),
        ("https://news.example/", "news.example"),
        ("https://news.example/a%3Cscript%3Ealert(1)", "A<script>alert(1)"),
    ],
)
def test_a_title_is_made_from_a_url(url, title):
    assert slug_title(url) == title
