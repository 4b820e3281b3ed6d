"""The sample world as a pure function of time: its content, its changes, and repeated requests."""

from __future__ import annotations

import unicodedata
from collections import Counter
from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from lxml import etree, html

from inforadar.sample.bulletins import FIRST_AFTER, INTERVAL, find_bulletin
from inforadar.sample.feeds import SAMPLE_FEEDS, past_run_times
from inforadar.sample.markdown import render_body
from inforadar.sample.outlets import OUTLETS
from inforadar.sample.stories import load_stories, parse_offset, parse_story
from inforadar.sample.world import World
from tests.sample.sample_reading import BASE, EPOCH, LATER, NAMESPACES, WORLD, get, listed_paths, rss

# Content


def test_there_are_about_forty_stories_in_many_languages_and_scripts() -> None:
    stories = load_stories()
    letters = (char for story in stories for char in story.title if char.isalpha())
    scripts = {unicodedata.name(char).split()[0] for char in letters}
    assert len(stories) >= 38
    assert len({story.language for story in stories}) >= 9
    assert {"LATIN", "CYRILLIC", "GREEK", "ARABIC", "CJK", "HIRAGANA"} <= scripts
    assert Counter(story.language for story in stories).most_common(1)[0][0] == "en"


def test_stories_have_names_of_their_own_and_enough_to_read() -> None:
    stories = load_stories()
    assert len({story.slug for story in stories}) == len(stories)
    assert len({story.body for story in stories}) == len(stories)
    for story in stories:
        text = html.fromstring(f"<div>{render_body(story.body)}</div>").text_content()
        minimum = 350 if story.language in {"zh", "ja"} else 750
        assert len(text) >= minimum, story.slug
        assert story.outlet in OUTLETS
        assert story.tags


def test_a_third_of_the_headlines_shout_or_tease() -> None:
    def shouts(title: str) -> bool:
        words = [word.strip(".,:!?¡…") for word in title.split()]
        capitals = any(len(word) > 2 and word.isupper() and word.isalpha() for word in words)
        return capitals or "!" in title or "！" in title or "won't believe" in title or "fear" in title

    titles = [story.title for story in load_stories()]
    assert 0.2 <= sum(map(shouts, titles)) / len(titles) <= 0.45


def test_every_change_comes_after_publication_and_changes_something() -> None:
    for story in load_stories():
        title, snippet = story.title, story.snippet
        for change in story.changes:
            assert change.at > story.published, story.slug
            said = [change.title, change.snippet, change.author, change.tags]
            assert any(value is not None for value in said), story.slug
            assert all(old in story.body for old, _ in change.replace), story.slug
            assert change.title != title, story.slug
            assert change.snippet != snippet, story.slug
            title, snippet = change.title or title, change.snippet or snippet


# Changes over time


def found(now: datetime) -> set[str]:
    return {edition.path for outlet in OUTLETS for edition in WORLD.editions(outlet, now)}


def test_the_past_runs_find_most_then_some_more_with_changes() -> None:
    first, second = past_run_times(EPOCH)
    assert 26 <= len(found(first)) <= 34
    assert 4 <= len(found(second) - found(first)) <= 8
    assert found(EPOCH) > found(second) > found(first)

    changed: Counter[str] = Counter()
    for outlet in OUTLETS:
        before = {edition.path: edition for edition in WORLD.editions(outlet, first)}
        for now in WORLD.editions(outlet, second):
            if old := before.get(now.path):
                changed["title"] += old.title != now.title
                changed["snippet"] += old.snippet != now.snippet
                changed["author"] += old.author != now.author
                changed["tags"] += old.tags != now.tags
                changed["views"] += (old.counters.views or 0) < (now.counters.views or 0)
    assert changed["title"] >= 5
    assert changed["snippet"] >= 5
    assert changed["views"] >= 3
    assert changed["author"] >= 1
    assert changed["tags"] >= 1


def test_news_appears_every_few_minutes_and_then_never_stops() -> None:
    moments = sorted(
        edition.published_at for key in OUTLETS for edition in WORLD.editions(key, EPOCH + timedelta(days=2))
    )
    live = [EPOCH, *(moment for moment in moments if moment > EPOCH)]
    gaps = [later - earlier for earlier, later in pairwise(live)]
    assert max(
        gap for moment, gap in zip(live, gaps, strict=False) if moment < EPOCH + timedelta(minutes=24)
    ) <= timedelta(minutes=4)
    assert max(gaps) <= INTERVAL
    assert min(gaps) > timedelta(0)


def test_a_corrected_title_shows_from_its_moment_on() -> None:
    moment = EPOCH - timedelta(hours=19, minutes=30)

    def title(now: datetime) -> str:
        (found,) = rss(now).xpath("//item[link[contains(., 'ferry-halcyon')]]/title/text()")
        return str(found)

    assert "212 passengers" in title(moment - timedelta(seconds=1))
    assert "218 passengers" in title(moment)
    page = get("/harbour-post/ferry-halcyon-cooling-fault", moment).body.decode()
    assert "218 passengers" in page
    assert "an earlier version of this article gave the number of passengers as 212" in page


def test_a_change_advances_lastmod_in_the_sitemap() -> None:
    def lastmod(now: datetime) -> datetime:
        sitemap = etree.fromstring(get("/orchard/sitemap.xml", now).body)
        where = "//s:url[s:loc[contains(., 'deadly-fruit-bowl')]]/s:lastmod/text()"
        return datetime.fromisoformat(sitemap.xpath(where, namespaces=NAMESPACES)[0])

    assert lastmod(EPOCH) == EPOCH - timedelta(hours=7, minutes=15)
    assert lastmod(EPOCH + timedelta(minutes=10)) == EPOCH + timedelta(minutes=10)


def test_counters_grow_and_never_shrink() -> None:
    def views(slug: str, now: datetime) -> int:
        (edition,) = (edition for edition in WORLD.editions("agora", now) if edition.slug == slug)
        assert edition.counters.views is not None
        return edition.counters.views

    moments = [EPOCH + timedelta(hours=hours) for hours in range(-48, 49, 6)]
    seen = {
        slug: [views(slug, now) for now in moments] for slug in ("tests-are-a-waste", "queue-became-a-table")
    }
    for counted in seen.values():
        assert counted == sorted(counted)
    assert seen["tests-are-a-waste"][0] < seen["tests-are-a-waste"][-1]


def test_a_story_is_not_there_before_it_is_published() -> None:
    moment = EPOCH + timedelta(minutes=8)
    assert get("/harbour-post/lost-buoy-comes-home", moment - timedelta(seconds=1)).status == 404
    assert get("/images/lost-buoy-comes-home.svg", moment - timedelta(seconds=1)).status == 404
    assert get("/harbour-post/lost-buoy-comes-home", moment).status == 200


def test_bulletins_stay_readable_after_they_left_the_listing() -> None:
    after_a_year = EPOCH + timedelta(days=365)
    assert get("/harbour-post/harbour-report-1", after_a_year).status == 200
    assert "/harbour-post/harbour-report-1" not in found(after_a_year)
    assert len(listed_paths(after_a_year)) < 500
    assert get("/harbour-post/harbour-report-6", EPOCH + FIRST_AFTER).status == 404


@pytest.mark.parametrize(
    "slug", ["harbour-report", "harbour-report-0", "harbour-report-2", "harbour-report-²", "-1", ""]
)
def test_other_addresses_are_not_taken_for_bulletins(slug: str) -> None:
    assert find_bulletin("harbour-post", slug, EPOCH) is None


def test_the_same_moment_of_the_same_world_always_looks_the_same() -> None:
    again = World(EPOCH.astimezone(OUTLETS["lumen"].zone), BASE)
    for target in ("/", "/robots.txt", *(feed.path for feed in SAMPLE_FEEDS), *listed_paths(LATER)):
        assert again.respond(target, LATER, {}) == get(target)


def test_a_clock_set_far_back_shows_an_empty_world() -> None:
    long_ago = EPOCH - timedelta(days=400)
    assert found(long_ago) == set()
    assert all(get(feed.path, long_ago).status == 200 for feed in SAMPLE_FEEDS)


def test_a_world_needs_a_time_zone() -> None:
    with pytest.raises(ValueError, match="time zone"):
        World(EPOCH.replace(tzinfo=None))


# Repeated requests


@pytest.mark.parametrize(
    "target", ["/", "/robots.txt", "/harbour-post/library-of-things", *(feed.path for feed in SAMPLE_FEEDS)]
)
def test_asking_again_with_either_validator_gives_304(target: str) -> None:
    first = get(target)
    for again in (
        {"If_None_Match": first.headers["ETag"]},
        {"if_none_match": f'"other", W/{first.headers["ETag"]}'},
        {"If_Modified_Since": first.headers["Last-Modified"]},
    ):
        second = get(target, LATER + timedelta(seconds=30), **again)
        assert (second.status, second.body) == (304, b"")
        assert second.headers["ETag"] == first.headers["ETag"]


def test_a_date_before_the_last_change_gives_the_document() -> None:
    before = get("/lumen/feed.json", EPOCH)
    answer = get("/lumen/feed.json", If_Modified_Since=before.headers["Last-Modified"])
    assert (answer.status, answer.body) == (200, get("/lumen/feed.json").body)


def test_an_unknown_etag_outweighs_the_date() -> None:
    first = get("/lumen/feed.json")
    answer = get("/lumen/feed.json", If_None_Match='"old"', If_Modified_Since=first.headers["Last-Modified"])
    assert answer.status == 200


@pytest.mark.parametrize("since", ["yesterday", "", "Sat, 99 Mar 2026 09:00:00 GMT"])
def test_a_date_that_cannot_be_read_is_ignored(since: str) -> None:
    assert get("/lumen/feed.json", If_Modified_Since=since).status == 200


def test_the_date_alone_never_hides_a_change() -> None:
    """Whenever a document differs from a minute ago, its Last-Modified is later too."""
    for target in ("/", "/harbour-post/library-of-things", *(feed.path for feed in SAMPLE_FEEDS)):
        before = get(target, EPOCH - timedelta(minutes=41))
        for minute in range(-40, 65):
            now = get(target, EPOCH + timedelta(minutes=minute))
            if now.body != before.body:
                assert now.headers["Last-Modified"] != before.headers["Last-Modified"], (target, minute)
            before = now


# Parsing


@pytest.mark.parametrize("text", ["", "+", "8m", "+8s", "-1h2d"])
def test_an_offset_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not an offset"):
        parse_offset(text)


def test_a_field_that_no_story_has_is_refused() -> None:
    with pytest.raises(TypeError, match="titel"):
        parse_story('+++\ntitel = "x"\npublished = "-1h"\ntags = []\n+++\nText', "lumen", "x")
