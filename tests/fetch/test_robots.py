"""robots.txt: what it allows, and what a missing file means."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from inforadar.fetch.robots import (
    ALLOW_ALL,
    ALLOW_NOTHING,
    MAX_PARSED_BYTES,
    RobotsRules,
    parse_robots,
    product_token,
    robots_from_result,
    robots_request,
)
from inforadar.model.http import Failed, FailureReason, Fetched, NotModified, Outcome, Validators

AGENT = "InfoRadar/0.1 (+https://inforadar.example/bot)"
BASE = "https://news.example/robots.txt"
AT = datetime(2025, 7, 1, tzinfo=UTC)


def rules(text: str) -> RobotsRules:
    return parse_robots(text, AGENT, BASE)


def answered(body: bytes) -> Fetched:
    return Fetched(url=BASE, final_url=BASE, status=200, headers={}, body=body, fetched_at=AT)


def failed(reason: FailureReason, status: int | None = None) -> Failed:
    return Failed(
        url=BASE, outcome=Outcome.TEMPORARY_ERROR, reason=reason, message="", fetched_at=AT, status=status
    )


def test_rules_for_all_are_rules_for_us() -> None:
    found = rules("User-agent: *\nDisallow: /private\nAllow: /private/open\n")

    assert found.allows("https://news.example/articles/1")
    assert not found.allows("https://news.example/private/1")
    assert found.allows("https://news.example/private/open/1")


def test_rules_for_us_by_name_come_before_rules_for_all() -> None:
    found = rules("User-agent: *\nDisallow: /\n\nUser-agent: inforadar\nDisallow: /admin\nCrawl-delay: 7\n")

    assert found.allows("https://news.example/articles/1")
    assert not found.allows("https://news.example/admin/1")
    assert found.crawl_delay_s == 7.0


def test_wildcards_and_ends_are_understood_in_any_script() -> None:
    found = rules("User-agent: *\nDisallow: /*.pdf$\nDisallow: /архив/\nDisallow: /search?\n")

    assert not found.allows("https://news.example/a/b.pdf")
    assert found.allows("https://news.example/a/b.pdf?x")
    assert not found.allows("https://news.example/%D0%B0%D1%80%D1%85%D0%B8%D0%B2/1")
    assert not found.allows("https://news.example/search?q=1")
    assert found.allows("https://news.example/search")


def test_robots_txt_itself_is_always_allowed() -> None:
    assert rules("User-agent: *\nDisallow: /\n").allows(BASE)


@pytest.mark.parametrize(
    ("line", "seconds"),
    [
        ("Crawl-delay: 10", 10.0),
        ("Crawl-delay: 0.5", 0.5),
        ("Request-rate: 1/10s", 10.0),
        ("Request-rate: 6/1m", 10.0),
        ("Crawl-delay: 99999999", 7 * 24 * 3600.0),
        ("Crawl-delay: -1", None),
        ("Crawl-delay: nan", None),
        ("Crawl-delay: 1e400", None),
        ("Crawl-delay: soon", None),
        ("", None),
    ],
)
def test_the_delay_is_read(line: str, seconds: float | None) -> None:
    assert rules(f"User-agent: *\n{line}\nDisallow: /x\n").crawl_delay_s == seconds


def test_sitemaps_are_absolute_and_each_is_named_once() -> None:
    found = rules(
        "Sitemap: https://news.example/a.xml\nSitemap: /b.xml\nsitemap: https://news.example/a.xml\n"
        "Sitemap: ftp://news.example/c.xml\nSitemap:\n"
    )

    assert found.sitemaps == ("https://news.example/a.xml", "https://news.example/b.xml")


@pytest.mark.parametrize(
    "body", [b"", b"\xef\xbb\xbf", b"<html><body>Not found</body></html>", b"\xff\xfe\x00"]
)
def test_a_file_without_rules_allows_everything(body: bytes) -> None:
    assert robots_from_result(answered(body), AGENT).allows("https://news.example/x")


def test_a_byte_order_mark_does_not_hide_the_first_line() -> None:
    body = b"\xef\xbb\xbfUser-agent: *\nDisallow: /x"

    assert not robots_from_result(answered(body), AGENT).allows("https://news.example/x")


def test_only_the_first_part_of_a_huge_file_is_read_and_no_rule_is_cut_in_two() -> None:
    head = b"User-agent: *\nDisallow: /first\n"
    filler = b"#" * (MAX_PARSED_BYTES - len(head) - 1 - len(b"Disallow: /")) + b"\n"
    found = robots_from_result(answered(head + filler + b"Disallow: /second\n"), AGENT)

    assert not found.allows("https://news.example/first")
    assert found.allows("https://news.example/second")
    assert found.allows("https://news.example/other")


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451])
def test_a_file_that_is_not_there_allows_everything(status: int) -> None:
    assert robots_from_result(failed(FailureReason.STATUS, status), AGENT) == ALLOW_ALL
    assert ALLOW_ALL.allows("https://news.example/x")


def test_a_file_behind_endless_redirects_is_not_there() -> None:
    assert robots_from_result(failed(FailureReason.REDIRECTS, 302), AGENT) == ALLOW_ALL


@pytest.mark.parametrize(
    ("reason", "status"),
    [
        (FailureReason.STATUS, 429),
        (FailureReason.STATUS, 500),
        (FailureReason.STATUS, 503),
        (FailureReason.TIMEOUT, None),
        (FailureReason.DNS, None),
        (FailureReason.REFUSED, None),
        (FailureReason.TLS, None),
        (FailureReason.BROKEN, None),
        (FailureReason.GUARD, None),
        (FailureReason.TOO_LARGE, None),
    ],
)
def test_a_file_that_cannot_be_had_now_allows_nothing_for_now(
    reason: FailureReason, status: int | None
) -> None:
    assert robots_from_result(failed(reason, status), AGENT) == ALLOW_NOTHING
    assert not ALLOW_NOTHING.allows("https://news.example/x")


def test_a_304_keeps_what_we_knew() -> None:
    known = rules("User-agent: *\nDisallow: /x\n")
    unchanged = NotModified(url=BASE, final_url=BASE, headers={}, fetched_at=AT)

    assert robots_from_result(unchanged, AGENT, known) is known


def test_the_text_gives_the_same_rules_again() -> None:
    first = rules("User-agent: *\nDisallow: /x\nCrawl-delay: 3\n")

    assert rules(first.text) == first


def test_the_request_is_for_the_root_of_the_host() -> None:
    request = robots_request("https://news.example:8443/a/b?c#d", Validators(etag='"1"'))

    assert request.url == "https://news.example:8443/robots.txt"
    assert request.validators.etag == '"1"'


@pytest.mark.parametrize(
    ("agent", "token"),
    [(AGENT, "InfoRadar"), ("My-Bot", "My-Bot"), ("My Bot/2", "My"), ("", "*"), ("/1.0", "*")],
)
def test_we_are_known_by_the_first_word_of_our_user_agent(agent: str, token: str) -> None:
    assert product_token(agent) == token
