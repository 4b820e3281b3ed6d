"""Fetching from the page with a worker of another process, its report, and the numbers of all of it."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, date, datetime
from typing import Any

import pytest

from inforadar.config import Settings
from inforadar.model.feed import FeedKind
from inforadar.model.feed_options import FeedOptions
from inforadar.model.http import Outcome
from inforadar.model.ids import FeedId, RunId, new_uuid
from inforadar.model.item import ItemChange
from inforadar.model.progress import ProgressKind
from inforadar.model.run import Report, RunDetails, RunKind, RunNumbers
from inforadar.pipeline.runs.fetch_run import FetchFilter, parse_fetch_details
from inforadar.store.analyses.queries import Spent
from inforadar.store.analyses.spending import add_spent
from inforadar.store.items.save import save_changes
from inforadar.store.runs.fetch_runs import claim_fetch_run
from inforadar.store.runs.save import finish_run, insert_run
from inforadar.views.times import shown_day
from inforadar.web.pages.fetch import MAX_CHOICES, progress_fraction, progress_words
from inforadar.web.pages.plots import histogram, sparkline, stacked
from inforadar.web.pages.runs import PAGE_RUNS, took
from tests.support.faces.newsroom import Newsroom
from tests.support.faces.person import Person
from tests.support.faces.serving import running, worker_apart
from tests.support.site.documents import entries, rss
from tests.support.site.paged import SELECTORS, PagedSite
from tests.support.site.server import Site

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def on_site(site: Site, web_settings: Settings) -> Settings:
    return web_settings.replaced(fetcher={"allowed_networks": tuple(site.endpoints), "domain_delay": 0})


@pytest.fixture
async def person(newsroom: Newsroom, on_site: Settings) -> AsyncIterator[Person]:
    async with running(newsroom.database, on_site) as web:
        person = Person(web, on_site)
        await person.log_in()
        yield person


async def ended(person: Person, address: str) -> str:
    """The page of a run when its events have come to their end."""
    run_id = address.rpartition("/")[2]
    async with person.web.get(f"/api/runs/{run_id}/events") as response:
        assert "event: end" in await response.text()
    return (await person.get(address)).words


async def test_a_fetch_is_started_watched_and_reported(
    site: Site, newsroom: Newsroom, person: Person, on_site: Settings
) -> None:
    for path, number, source in (("/a.xml", 3, "Habr"), ("/b.xml", 2, "Other")):
        url = site.feed(path, rss(entries(number)))
        await newsroom.add_feed(
            url, source=source, topic="мир", kind=FeedKind.FEED, enforce_feed_domain=False
        )
    choose = await person.get("/fetch")
    assert 'name="source[]" value="Habr"' in choose.text
    assert 'name="topic[]" value="мир"' in choose.text
    address = (await person.post("/fetch", **{"source[]": ["Habr"], "topic[]": ["мир"]})).location
    waits = await person.get(address)
    assert "Waiting for a worker." in waits.words
    assert '<meta http-equiv="refresh"' in waits.text
    assert "A fetch is under way" in (await person.get("/fetch")).words
    async with worker_apart(on_site):
        words = await ended(person, address)
    assert "Done: 3 of 3 items" in words
    assert "3 added, 0 updated, 0 errors" in words
    assert "source: Habr" in words
    page = await person.get(address)
    assert "http-equiv" not in page.text
    assert "/stop" not in page.text
    report = await person.get(address.replace("/fetch/", "/runs/"))
    assert "3 articles added, 0 updated, 0 errors" in report.words
    assert report.text.count('href="/item/') == 3
    listed = await person.get("/runs")
    assert f'href="{address.replace("/fetch/", "/runs/")}"' in listed.text


async def test_a_fetch_with_every_box_ticked_is_started(newsroom: Newsroom, person: Person) -> None:
    names = [f"name {number}" for number in range(MAX_CHOICES)]
    address = (await person.post("/fetch", **{"source[]": names, "topic[]": names})).location
    claimed = await newsroom.database.write(claim_fetch_run)
    assert claimed is not None
    assert address.endswith(str(claimed[0]))
    wanted, _ = parse_fetch_details(claimed[1])
    assert wanted == FetchFilter(sources=tuple(names), topics=tuple(names))


async def test_a_fetch_that_nobody_took_is_stopped_at_once(newsroom: Newsroom, person: Person) -> None:
    await newsroom.add_feed()
    address = (await person.post("/fetch")).location
    page = await person.follow(await person.post(f"{address}/stop"))
    assert "Interrupted: 0 of 0 items" in page.words
    assert (await person.get(f"/fetch/{new_uuid()}")).status == 404
    assert (await person.post(f"/fetch/{new_uuid()}/stop")).status == 404


async def test_a_fetch_that_runs_elsewhere_is_stopped_between_two_pages(
    site: Site, newsroom: Newsroom, person: Person, on_site: Settings
) -> None:
    paged = PagedSite(site, page_size=2)
    paged.publish(4000)
    await newsroom.add_feed(
        paged.url,
        kind=FeedKind.PAGES,
        options=FeedOptions(selectors=dict(SELECTORS), cutoff_date=date(2020, 1, 1)),
    )
    address = (await person.post("/fetch")).location
    async with worker_apart(on_site):
        await site.wait_for_requests(5)
        stopping = await person.follow(await person.post(f"{address}/stop"))
        assert "Stopping" in stopping.words or "Interrupted" in stopping.words
        words = await ended(person, address)
    assert "Interrupted" in words
    assert len(site.requests) < 2000


async def test_events_go_on_where_the_page_ends(newsroom: Newsroom, person: Person) -> None:
    await newsroom.add_feed()
    address = (await person.post("/fetch")).location
    await person.post(f"{address}/stop")
    for after in ("5", "x", "-1"):
        async with person.web.get(f"/api/runs/{address[7:]}/events?after={after}") as response:
            assert "event: end" in await response.text()


async def test_a_report_shows_old_and_new(newsroom: Newsroom, person: Person) -> None:
    feed = await newsroom.add_feed(source="Новости")
    item = await newsroom.add_item(feed, "https://news.example/1", title="Ферма <b>")
    run_id = await newsroom.database.write(
        insert_run, RunKind.COLLECT, NOW, RunDetails(errors={feed.url: "No <i>."})
    )
    for views in ((1, 2), (2, 9)):
        change = ItemChange(id=item.id, url=item.url, fields={"views": views, "author": (None, "Іван")})
        await newsroom.database.write(save_changes, [change], run_id=run_id, at=NOW)
    await newsroom.database.write(finish_run, run_id, NOW, errors=1)
    page = await person.get(f"/runs/{run_id}")
    assert "Ферма &lt;b&gt;" in page.text
    assert '<del>1</del> <ins>9</ins> <span class="small">+8</span>' in page.text
    assert '<dd dir="auto"><ins>Іван</ins></dd>' in page.text
    assert (await person.get(f"/runs/{new_uuid()}")).status == 404


async def test_runs_follow_each_other_page_by_page(newsroom: Newsroom, person: Person) -> None:
    assert "Nothing was fetched yet" in (await person.get("/runs")).words
    ids = [
        await newsroom.database.write(insert_run, RunKind.COLLECT, NOW.replace(second=number % 60))
        for number in range(PAGE_RUNS + 2)
    ]
    first = await person.get("/runs")
    found = re.search(r'rel="next" href="([^"]+)"', first.text)
    assert found
    second = await person.get(found[1])
    shown = re.findall(r'href="/runs/([0-9a-f-]{36})"', first.text + second.text)
    assert sorted(shown) == sorted(str(one) for one in ids)


async def test_the_statistics_are_drawn_with_their_tables(newsroom: Newsroom, person: Person) -> None:
    empty = await person.get("/statistics")
    assert "Nothing was analyzed in this time." in empty.words
    for number in range(9):
        feed = await newsroom.add_feed(f"https://host{number}.example/", source=f"Source <{number}>")
        await newsroom.fetched(feed, Outcome.SUCCESS if number else Outcome.UNAUTHORIZED)
    url = "https://news.example/1"
    await newsroom.add_item(feed, url)
    await newsroom.analyze({url: 0.81})
    spent = Spent(
        day=datetime.now(UTC).date(),
        model="m",
        feed_id=FeedId(feed.id),
        calls=2,
        tokens_in=1,
        tokens_out=1,
        cost=0.5,
    )
    await newsroom.database.write(add_spent, spent)
    # Numbers are remembered for a moment: other days are asked for anew.
    page = await person.get("/statistics?days=7")
    assert "9 feeds" in page.words
    assert "mean 0.81 loaded of 1" in page.words
    assert "0.5000 US dollars, 2 calls" in page.words
    assert 'class="loaded"' in page.text
    assert "The numbers" in page.text
    # One day is told in words and lengths: one bar in an empty plot would say nothing.
    today = datetime.now(UTC).date()
    assert f"So far there is one day: {shown_day(today, today)}" in page.words
    assert "a bar a day" not in page.text
    assert '<rect class="ok" width="100.0"' in page.text
    assert "host8.example" in page.words
    assert "style=" not in page.text
    assert (await person.get("/statistics?days=0")).status == 400


def report(**fields: Any) -> Report:
    return Report(**{"run_id": RunId(new_uuid()), "kind": RunKind.FETCH, "started_at": NOW} | fields)


@pytest.mark.parametrize(
    ("progress", "fields", "words", "fraction"),
    [
        ({}, {"is_wanted": True}, "Waiting for a worker.", None),
        (
            {"phase": ProgressKind.COUNTING, "found": 140, "pages": 7},
            {},
            "Counting… 7 pages, 140 items found",
            None,
        ),
        ({"phase": ProgressKind.PROCESSED, "found": 1512, "done": 756}, {}, "756 of 1,512 items", 0.5),
        ({"found": 1, "done": 1}, {"finished_at": NOW}, "Done: 1 of 1 item", 1.0),
        (
            {"found": 4, "done": 1},
            {"finished_at": NOW, "interrupted": True},
            "Interrupted: 1 of 4 items",
            0.25,
        ),
    ],
)
def test_progress_is_said_in_words(
    progress: Mapping[str, Any], fields: Mapping[str, Any], words: str, fraction: float | None
) -> None:
    found = report(details=RunDetails(progress=RunNumbers(**progress)), **fields)
    assert progress_words(found) == words
    assert progress_fraction(found) == fraction


def test_drawings_stay_inside_their_frame() -> None:
    assert took(report(finished_at=NOW.replace(hour=13, second=7))) == "60:07 min"
    days = [date(2026, 3, 1), date(2026, 2, 28)]
    counts = {days[0]: {"a": 1.0, "b": 999.0}, days[1]: {"a": 0.001}}
    plots = [
        stacked(counts, {"a": "x", "b": "y"}, days[0], 30, str),
        histogram([0, 1, 1000, 0, 0, 0, 0, 0, 0, 3], ["neutral"] * 10),
        sparkline([], days[0], 30),
    ]
    for plot in plots:
        for bar in plot.bars:
            assert 0 <= bar.x <= plot.width - bar.width
            assert 0 <= bar.y <= plot.height
            assert bar.height > 0
            assert bar.y + bar.height <= plot.height + 0.51
