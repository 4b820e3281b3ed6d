"""robots.txt, case by case: what RFC 9309 says, and Google's reader where the standard is silent."""

from __future__ import annotations

from time import process_time

import pytest

from inforadar.fetch.robots_file import read_robots

SITE = "https://news.example"


def allows(text: str, path: str, agent: str = "InfoRadar") -> bool:
    return read_robots(text, agent).allows(SITE + path)


@pytest.mark.parametrize(
    ("line", "is_ours"),
    [
        ("User-agent: InfoRadar", True),
        ("user-agent: inforadar", True),
        ("USER-AGENT: INFORADAR", True),
        ("User-agent: InfoRadar bot", True),
        ("User-agent: InfoRadar/1.0", True),
        ("User-agent: InfoRadar/0.1 (+https://inforadar.example/bot)", True),
        ("User-agent:InfoRadar", True),
        ("User-agent : InfoRadar", True),
        ("  User-agent:\tInfoRadar  # us", True),
        ("User agent: InfoRadar", True),
        ("Useragent: InfoRadar", True),
        ("User-agent InfoRadar", True),
        ("User-agent: *", True),
        ("User-agent: * all", True),
        ("User-agent: InfoRadarö", False),
        ("User-agent: Info", False),
        ("User-agent: InfoRadarBot", False),
        ("User-agent: InfoRadar-News", False),
        ("User-agent: My InfoRadar", False),
        ("User-agent:", False),
        ("User-agents: InfoRadar", False),
        ("Agent: InfoRadar", False),
        ("# User-agent: InfoRadar", False),
    ],
)
def test_a_group_is_ours_by_the_name_at_its_beginning(line: str, is_ours: bool) -> None:
    assert allows(f"{line}\nDisallow: /\n", "/x") is not is_ours


@pytest.mark.parametrize(
    ("line", "is_rule"),
    [
        ("Disallow: /x", True),
        ("disallow:/x", True),
        ("Disallow : /x", True),
        ("Disallow /x", True),
        ("Disallow:\t/x # why", True),
        ("Dissallow: /x", True),
        ("Disalow: /x", True),
        ("Disallow:", False),
        ("Disallow: # /x", False),
        ("Disallow", False),
        ("Disallow /x /y", False),
        ("Disallow- /x", False),
        ("Noindex: /x", False),
        ("Disallow: x", False),
    ],
)
def test_a_line_is_a_rule_or_is_not(line: str, is_rule: bool) -> None:
    assert allows(f"User-agent: *\n{line}\n", "/x") is not is_rule


@pytest.mark.parametrize(
    ("text", "path", "is_allowed"),
    [
        # Groups.
        ("Disallow: /\n", "/x", True),
        ("Disallow: /\nUser-agent: *\nAllow: /\n", "/x", True),
        ("User-agent: other\nDisallow: /\n", "/x", True),
        ("User-agent: *\nDisallow: /\n\nUser-agent: InfoRadar\nDisallow: /y\n", "/x", True),
        ("User-agent: InfoRadar\nDisallow: /y\n\nUser-agent: *\nDisallow: /\n", "/x", True),
        ("User-agent: *\nDisallow: /\n\nUser-agent: InfoRadar\n", "/x", True),
        ("User-agent: *\nDisallow: /\n\nUser-agent: InfoRadar\nDisallow:\n", "/x", True),
        ("User-agent: InfoRadar\nDisallow: /a\n\nUser-agent: InfoRadar\nDisallow: /b\n", "/a", False),
        ("User-agent: InfoRadar\nDisallow: /a\n\nUser-agent: InfoRadar\nDisallow: /b\n", "/b", False),
        (
            "User-agent: *\nDisallow: /a\nUser-agent: o\nDisallow: /b\nUser-agent: *\nDisallow: /c",
            "/c",
            False,
        ),
        ("User-agent: *\nDisallow: /a\nUser-agent: o\nDisallow: /b\nUser-agent: *\nDisallow: /c", "/b", True),
        ("User-agent: a\nUser-agent: InfoRadar\nDisallow: /\n", "/x", False),
        ("User-agent: InfoRadar\n\n\nDisallow: /\n", "/x", False),
        ("User-agent: InfoRadar\nUser-agent: b\nDisallow: /\n", "/x", False),
        # Unknown lines, sitemaps and delays belong to no group and end none.
        ("User-agent: InfoRadar\nNoindex: /y\nDisallow: /\n", "/x", False),
        ("User-agent: InfoRadar\nHost: news.example\nUser-agent: b\nDisallow: /\n", "/x", False),
        ("User-agent: InfoRadar\nSitemap: /s.xml\nUser-agent: b\nDisallow: /\n", "/x", False),
        ("User-agent: InfoRadar\nSitemap: /s.xml\nDisallow: /\n", "/x", False),
        ("User-agent: InfoRadar\nCrawl-delay: 3\nUser-agent: b\nDisallow: /\n", "/x", False),
        ("User-agent: InfoRadar\nDisallow: /y\nfoo bar baz\nDisallow: /x\n", "/x", False),
        ("<html>\nUser-agent: *\nDisallow: /\n", "/x", False),
        # The longest pattern wins; of two alike, the one that allows.
        ("User-agent: *\nAllow: /p\nDisallow: /\n", "/page", True),
        ("User-agent: *\nDisallow: /\nAllow: /p\n", "/page", True),
        ("User-agent: *\nAllow: /folder\nDisallow: /folder\n", "/folder/page", True),
        ("User-agent: *\nDisallow: /folder\nAllow: /folder\n", "/folder/page", True),
        ("User-agent: *\nAllow: /page\nDisallow: /*.htm\n", "/page.htm", False),
        ("User-agent: *\nAllow: /page\nDisallow: /*.ph\n", "/page.php5", True),
        ("User-agent: *\nAllow: /$\nDisallow: /\n", "/", True),
        ("User-agent: *\nAllow: /$\nDisallow: /\n", "/page.htm", False),
        ("User-agent: *\nDisallow: /x/\nAllow: /x/index.html\n", "/x/", True),
        ("User-agent: *\nDisallow: /x/\nAllow: /x/index.html\n", "/x/a", False),
        # Patterns.
        ("User-agent: *\nDisallow: /fish\n", "/fish.html", False),
        ("User-agent: *\nDisallow: /fish\n", "/Fish.asp", True),
        ("User-agent: *\nDisallow: /fish\n", "/catfish", True),
        ("User-agent: *\nDisallow: /fish*\n", "/fishheads/yummy.html", False),
        ("User-agent: *\nDisallow: /fish/\n", "/fish", True),
        ("User-agent: *\nDisallow: /*.php\n", "/folder/any.php.file.html", False),
        ("User-agent: *\nDisallow: /*.php\n", "/windows.PHP", True),
        ("User-agent: *\nDisallow: /*.php$\n", "/folder/file.php", False),
        ("User-agent: *\nDisallow: /*.php$\n", "/file.php?p=1", True),
        ("User-agent: *\nDisallow: /*.php$\n", "/file.php5", True),
        ("User-agent: *\nDisallow: /fish*.php\n", "/fishheads/catfish.php?p=1", False),
        ("User-agent: *\nDisallow: /fish*.php\n", "/Fish.PHP", True),
        ("User-agent: *\nDisallow: /a*b*b$\n", "/ab", True),
        ("User-agent: *\nDisallow: /a*b*b$\n", "/abb", False),
        ("User-agent: *\nDisallow: /a$b\n", "/a$b", False),
        ("User-agent: *\nDisallow: *\n", "/x", False),
        ("User-agent: *\nDisallow: */x\n", "/a/x", False),
        ("User-agent: *\nDisallow: /*?\n", "/a?b", False),
        ("User-agent: *\nDisallow: /*?\n", "/a", True),
        ("User-agent: *\nDisallow: /\n", "", False),
        ("User-agent: *\nDisallow: /\n", "/robots.txt", True),
        # Escapes.
        ("User-agent: *\nDisallow: /foo/bar/ツ\n", "/foo/bar/%E3%83%84", False),
        ("User-agent: *\nDisallow: /foo/bar/%E3%83%84\n", "/foo/bar/ツ", False),
        ("User-agent: *\nDisallow: /foo/bar/%e3%83%84\n", "/foo/bar/%E3%83%84", False),
        ("User-agent: *\nDisallow: /foo/bar/%62%61%7A\n", "/foo/bar/baz", False),
        (
            "User-agent: *\nDisallow: /foo/bar?baz=https://foo.bar\n",
            "/foo/bar?baz=https%3A%2F%2Ffoo.bar",
            False,
        ),
        ("User-agent: *\nDisallow: /a%2Fb\n", "/a/b", True),
        ("User-agent: *\nDisallow: /a%2fb\n", "/a%2Fb", False),
        ("User-agent: *\nDisallow: /a%3cd\n", "/a<d", False),
        ("User-agent: *\nDisallow: /a<d\n", "/a%3Cd", False),
        ("User-agent: *\nDisallow: /a<*\n", "/a%3cd", False),
        ("User-agent: *\nDisallow: /a%24\n", "/a$b", False),
        ("User-agent: *\nDisallow: /a%24\n", "/a", True),
        ("User-agent: *\nDisallow: /a%2Ab\n", "/a*b", False),
        ("User-agent: *\nDisallow: /a%2Ab\n", "/acb", True),
        ("User-agent: *\nDisallow: /a$b\n", "/a%24b", False),
        # A query may be empty.
        ("User-agent: *\nDisallow: /a?\n", "/a?", False),
        ("User-agent: *\nDisallow: /a?\n", "/a", True),
        # Peers dispute these; Google's reader and the standard decide (ADR 52).
        ("Disallow: /x\nAllow: /x/y\n", "/x", True),
        ("User-agent: *\nDisallow: /a\nUser-agent: *\nDisallow: /b\n", "/b", False),
        (
            "User-agent: *\nDisallow: /a\nUser-agent: *\nNoindex: /b\nUser-agent: b\nDisallow: /\n",
            "/x",
            False,
        ),
        ("User-agent: *\nDisallow: /org/\nAllow: /org/about\n", "/org/about.html", True),
        ("User-agent: *\nDisallow: /a/index.html\n", "/a/", True),
        # Parameters, and wildcards by the dozen.
        ("User-agent: *\nDisallow: /path;params?query\n", "/path;params?query#fragment", False),
        ("User-agent: *\nDisallow: /;\n", "/;params", False),
        ("User-agent: *\nDisallow: /;\n", "/", True),
        ("User-agent: *\nDisallow: ******/****.js\n", "/a/b.js", False),
        ("User-agent: *\nDisallow: /~joe/\n", "/%7Ejoe/x", False),
        ("User-agent: *\nDisallow: /%7ejoe/\n", "/~joe/x", False),
        ("User-agent: *\nDisallow: /käse:\n", "/k%C3%A4se:", False),
        # Line ends.
        ("User-agent: *\rDisallow: /x\r", "/x", False),
        ("User-agent: *\r\nDisallow: /x\r\n", "/x", False),
        ("\ufeffUser-agent: *\nDisallow: /x", "/x", False),
    ],
)
def test_what_is_allowed(text: str, path: str, is_allowed: bool) -> None:
    assert allows(text, path) is is_allowed


def test_the_delay_is_that_of_our_groups() -> None:
    text = "User-agent: *\nCrawl-delay: 5\nDisallow: /x\n\nUser-agent: InfoRadar bot\nCrawl-delay: 9\nDisallow:\n"
    assert read_robots(text, "InfoRadar").delay_s == 9
    assert read_robots(text, "Other").delay_s == 5


@pytest.mark.parametrize(
    ("text", "agent", "delay_s"),
    [
        # Delays alone, name after name: each name has its own.
        ("User-agent: one\nCrawl-delay: 1\nUser-agent: two\nCrawl-delay: 2\n", "one", 1),
        ("User-agent: one\nCrawl-delay: 1\nUser-agent: two\nCrawl-delay: 2\n", "two", 2),
        ("User-agent: one\nRequest-rate: 1/10s\nUser-agent: two\nDisallow: /\n", "two", None),
        ("User-agent: one\nUser-agent: two\nCrawl-delay: 3\n", "one", 3),
        ("User-agent: one\nUser-agent: two\nCrawl-delay: 3\n", "two", 3),
        ("User-agent: one\nDisallow: /x\nCrawl-delay: 4\n", "one", 4),
        ("User-agent: one\nCrawl-delay: 1\nDisallow: /x\nCrawl-delay: 4\n", "one", 4),
        ("User-agent: *\nCrawl-delay: 5\nUser-agent: one\nDisallow: /\n", "one", None),
        ("Crawl-delay: 5\nUser-agent: one\nDisallow: /\n", "one", None),
        # What is no delay.
        ("User-agent: *\nCrawl-delay: word\n", "one", None),
        ("User-agent: *\nCrawl-delay: -1\n", "one", None),
        ("User-agent: *\nCrawl-delay: inf\n", "one", None),
        ("User-agent: *\nRequest-rate: 0/10\n", "one", None),
        ("User-agent: *\nRequest-rate: 9/a\n", "one", None),
        # Units.
        ("User-agent: *\nRequest-rate: 9/30\n", "one", 30 / 9),
        ("User-agent: *\nRequest-rate: 100/15m\n", "one", 9),
        ("User-agent: *\nRequest-rate: 400/1h\n", "one", 9),
        ("User-agent: *\nRequest-rate: 9000/1d\n", "one", 9.6),
        ("User-agent: *\nRequest-rate: 1/10s 1820-1940\n", "one", 10),
    ],
)
def test_a_delay_is_for_the_names_before_it(text: str, agent: str, delay_s: float | None) -> None:
    assert read_robots(text, agent).delay_s == delay_s


def test_a_delay_between_two_names_does_not_part_their_rules() -> None:
    text = "User-agent: one\nCrawl-delay: 1\nUser-agent: two\nDisallow: /x\n"
    assert not allows(text, "/x", "one")
    assert not allows(text, "/x", "two")


def test_a_sitemap_is_found_although_its_colon_was_forgotten() -> None:
    text = "Sitemap https://news.example/a.xml\nSitemap index: see https://news.example/b.xml\n"
    assert read_robots(text, "InfoRadar").sitemaps == ("https://news.example/a.xml",)


def test_a_name_may_have_letters_of_any_script() -> None:
    assert not allows("User-agent: Львів-bot\nDisallow: /\n", "/x", "львів-bot")


def test_a_lone_line_without_a_name_begins_a_group_of_nobody() -> None:
    assert allows("User-agent: InfoRadar\nDisallow: /x\nuser agent\nDisallow: /y\n", "/y")


def test_patterns_that_try_everything_cost_nothing() -> None:
    text = "User-agent: *\n" + f"Disallow: /{'*a' * 500}b$\n" * 50
    before = process_time()
    assert allows(text, "/" + "a" * 2000)
    assert process_time() - before < 2
