"""The fetch command's run: two phases, stops, crashes, and what other processes see of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from inforadar.app.worker import open_worker
from inforadar.clock import utc_now
from inforadar.config import Settings, load_settings
from inforadar.model.feed import Feed, FeedKind
from inforadar.model.feed_options import parse_options
from inforadar.model.feed_warning import FeedWarning
from inforadar.model.http import Outcome, Validators
from inforadar.model.ids import LeaseToken
from inforadar.model.item import Listed
from inforadar.model.progress import Progress, ProgressKind
from inforadar.model.run import RunDetails, RunKind, RunNumbers
from inforadar.model.schedule import FinishedJob, ListingPart, NextRun, PartState
from inforadar.pipeline.collect.jobs import WalkLimits
from inforadar.pipeline.runs.fetch_run import (
    TO_THE_CUTOFF,
    FetchFilter,
    FetchRun,
    fetch_details,
    parse_fetch_details,
)
from inforadar.pipeline.worker import Stage, Worker
from inforadar.stages.discover.pages.walk import Depth
from inforadar.store.database import Database
from inforadar.store.feeds.add import insert_feed
from inforadar.store.feeds.queries import load_broken_feeds, load_feed, load_feeds
from inforadar.store.items.queries import list_items, load_item_changes
from inforadar.store.runs.fetch_runs import claim_fetch_run, request_fetch_run, request_stop
from inforadar.store.runs.queries import load_events, load_report, load_runs
from inforadar.store.runs.spool_queries import load_found
from inforadar.store.runs.spool_save import save_found
from inforadar.store.schema.items import item_changes, items
from inforadar.store.schema.runs import found_parts, runs
from inforadar.store.types import db_later
from inforadar.store.upkeep.diagnosis import load_feeds_diagnosis
from inforadar.views.feed_health import HealthState, feed_health
from tests.store.making import (
    NOW,
    add_feed,
    claim,
    collected,
    count,
    count_leases,
    expire_lease,
    rows,
    start_run,
)
from tests.support.reading import read_here
from tests.support.site.answers import hangs, status
from tests.support.site.documents import Entry, rss
from tests.support.site.paged import SELECTORS, PagedSite
from tests.support.site.server import Site

Open = Callable[..., AbstractAsyncContextManager[Worker]]
STOPPED = "The last fetch was stopped while waiting for 127.0.0.1."


@pytest.fixture
def worker(tmp_path: Path, site: Site, database: Database) -> Open:
    settings: Settings = load_settings(tmp_path, {}).replaced(
        fetcher={"allowed_networks": tuple(site.endpoints), "domain_delay": 0, "request_timeout": 5}
    )

    @asynccontextmanager
    async def opened(**fetcher: Any) -> AsyncIterator[Worker]:
        changed = settings.replaced(fetcher=fetcher)
        async with open_worker(changed, database, stages=frozenset({Stage.COLLECT})) as running:
            yield read_here(running)

    return opened


class Heard(list[Progress]):
    """A listener that remembers, and can do something at a line."""

    def __init__(self) -> None:
        super().__init__()
        self.at: dict[str, Callable[[], object]] = {}

    def __call__(self, event: Progress) -> None:
        self.append(event)
        for text, act in self.at.items():
            if text in f"{event.kind} {event.text}":
                act()

    @property
    def lines(self) -> list[str]:
        return [f"{event.label} {event.text}".strip() for event in self if event.kind is ProgressKind.LINE]


async def subscribe(database: Database, url: str, topic: str = "general", **options: Any) -> Feed:
    feed, _ = await database.write(
        insert_feed,
        url,
        kind=FeedKind.PAGES,
        source="Paged",
        topic=topic,
        enabled=True,
        options=parse_options({"selectors": dict(SELECTORS), **options}),
    )
    return feed


async def kill(run: FetchRun, heard: Heard, at: str) -> None:
    """Ends a run as `kill -9` would at that event: nothing is given back, nothing is said."""
    task = asyncio.ensure_future(run.run())
    reached = asyncio.Event()

    def die() -> None:
        _freeze(run)
        reached.set()

    heard.at[at] = die
    await reached.wait()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def _freeze(run: FetchRun) -> None:
    """Nothing of it reaches the database any more."""

    class Gone:
        def __getattr__(self, name: str) -> Any:
            raise asyncio.CancelledError

    frozen: Any = Gone()
    run._database = frozen
    run._writer = frozen
    if finder := run._finder:
        finder._database = frozen
        # Whoever keeps the leases has none to release.
        kept, finder.held = finder.held, dict(finder.held)
        kept.clear()


async def test_it_counts_first_and_processes_then_feed_by_feed_in_order(
    site: Site, database: Database, worker: Open
) -> None:
    later, earlier = PagedSite(site, path="/b"), PagedSite(site, path="/a", host="127.0.0.2")
    later.publish(7)
    earlier.publish(12)
    await subscribe(database, later.url, "zoo")
    await subscribe(database, earlier.url, "art")
    url = site.feed("/feed.xml", rss([Entry(url=site.url("/articles/1"), title="Хлеб & 面包")]))
    await database.write(insert_feed, url, source="News", topic="bread", enabled=True)
    heard = Heard()
    async with worker() as running:
        report = await running.collecting.fetch_run(heard).run()
    assert (report.kind, report.added_count, report.updated_count) == (RunKind.FETCH, 20, 0)
    assert (report.errors_count, report.interrupted) == (0, False)
    assert report.finished_at is not None

    kinds = [event.kind for event in heard if event.kind is not ProgressKind.LINE]
    phases = [kind for kind in ProgressKind if kind is not ProgressKind.LINE]
    assert kinds == sorted(kinds, key=phases.index)
    found = next(event for event in heard if event.kind is ProgressKind.FOUND)
    assert (found.found, found.pages) == (20, 6)
    assert (heard[-1].kind, heard[-1].done, heard[-1].found) == (ProgressKind.FINISHED, 20, 20)
    processed = [event.label for event in heard if event.kind is ProgressKind.PROCESSED]
    assert list(dict.fromkeys(processed)) == ["News", "Paged"]
    assert "Paged page 3: 2 items, 2 new" in heard.lines
    assert "News + Хлеб & 面包" in heard.lines
    assert (await count(database, found_parts), await count_leases(database)) == (0, 0)


async def test_a_second_run_right_after_asks_for_listing_pages_only_and_changes_nothing(
    site: Site, database: Database, worker: Open
) -> None:
    paged = PagedSite(site)
    paged.publish(12)
    await subscribe(database, paged.url)
    async with worker() as running:
        await running.collecting.fetch_run(Heard()).run()
        before = await database.read(list_items, limit=100)
        asked = len(site.requests)
        report = await running.collecting.fetch_run(Heard()).run()
    assert {request.path for request in site.requests[asked:]} == {"/latest"}
    assert (report.added_count, report.updated_count) == (0, 0)
    assert await database.read(list_items, limit=100) == before


async def test_what_changed_is_told_and_reported_old_and_new_and_zero_is_a_value(
    site: Site, database: Database, worker: Open
) -> None:
    paged = PagedSite(site)
    paged.publish(3)
    paged.change(1, views=120, comments=4)
    await subscribe(database, paged.url)
    heard = Heard()
    async with worker() as running:
        await running.collecting.fetch_run(Heard()).run()
        paged.change(1, views=140, comments=0, title="")
        report = await running.collecting.fetch_run(heard).run()
    url = paged.post_url(1)
    assert report.updated_articles == (url,)
    assert report.updated_fields_map == {url: {"views": (120, 140), "comments": (4, 0)}}
    assert f"Paged ~ {url}: views 120 → 140, comments 4 → 0" in heard.lines
    (item,) = [item for item in await database.read(list_items) if item.url == url]
    assert (item.title, item.views, item.comments) == ("Post 1", 140, 0)
    assert len(await database.read(load_item_changes, item.id)) == 1


async def test_known_items_older_than_the_window_are_left_and_new_ones_taken(
    site: Site, database: Database, worker: Open
) -> None:
    paged = PagedSite(site)
    paged.publish(8, step=timedelta(days=1))
    missing = paged.posts.pop(6)
    await subscribe(database, paged.url)
    async with worker() as running:
        await running.collecting.fetch_run(Heard()).run()
        paged.posts.insert(6, missing)
        for number in (1, 5):
            paged.change(number, views=9)
        report = await running.collecting.fetch_run(
            Heard(), limits=WalkLimits(window_days=3, depth=Depth.CUTOFF)
        ).run()
    assert report.added_articles == (paged.post_url(6),)
    assert report.updated_articles == (paged.post_url(1),)


async def test_depth_window_asks_for_the_pages_of_the_window_and_one_more(
    site: Site, database: Database, worker: Open
) -> None:
    paged = PagedSite(site)
    paged.publish(40, step=timedelta(days=1))
    await subscribe(database, paged.url, cutoff_date="2020-01-01")
    async with worker() as running:
        await running.collecting.fetch_run(Heard()).run()
        assert len(paged.asked) == 8
        await running.collecting.fetch_run(
            Heard(), limits=WalkLimits(window_days=10, depth=Depth.WINDOW)
        ).run()
    assert paged.asked[8:] == ["1", "2", "3"]


async def test_a_cutoff_that_was_asked_for_is_the_deepest_and_no_reason_to_poll_less(
    site: Site, database: Database, worker: Open
) -> None:
    paged = PagedSite(site)
    paged.publish(20, step=timedelta(days=1))
    feed = await subscribe(database, paged.url)
    day = datetime.now(UTC).date() - timedelta(days=4)
    async with worker() as running:
        report = await running.collecting.fetch_run(
            Heard(), limits=WalkLimits(cutoff=day, depth=Depth.CUTOFF)
        ).run()
        assert report.added_count in {4, 5}
        assert (await database.read(load_feed, feed.id)).walked_at is None
        await running.collecting.fetch_run(Heard()).run()
    assert (await database.read(load_feed, feed.id)).walked_at is not None


@pytest.mark.parametrize("at", ["line Paged", "counting", "found", "processed", "+ Post 7"])
async def test_a_run_that_is_killed_is_taken_up_without_asking_again(
    site: Site, database: Database, worker: Open, at: str
) -> None:
    paged = PagedSite(site)
    paged.publish(17)
    feed = await subscribe(database, paged.url)
    heard = Heard()
    async with worker() as running:
        at = "page 3" if at.startswith("line") else at
        await kill(running.collecting.fetch_run(heard), heard, at)
        await expire_lease(database, feed)
    async with worker() as running:
        report = await running.collecting.fetch_run(Heard()).run()
    assert len(await database.read(list_items, limit=100)) == 17
    # At most the page that had not reached the disk yet is asked for again.
    assert len(paged.asked) - len(set(paged.asked)) <= 1
    if at not in {"page 3", "counting"}:
        assert paged.asked == ["1", "2", "3", "4"]
    assert report.interrupted is False
    assert await count(database, found_parts) == 0


async def test_a_sitemap_goes_through_both_phases_and_is_taken_up_after_a_kill(
    site: Site, database: Database, worker: Open
) -> None:
    now = datetime.now(UTC).replace(microsecond=0)
    urls = [
        f"<url><loc>{site.url(f'/p/{n}')}</loc><lastmod>{now.isoformat()}</lastmod></url>" for n in range(4)
    ]
    namespace = "http://www.sitemaps.org/schemas/sitemap/0.9"
    document = f"<urlset xmlns='{namespace}'>{''.join(urls)}</urlset>"
    feed, _ = await database.write(
        insert_feed,
        site.sitemap("/sitemap.xml", document),
        kind=FeedKind.SITEMAP,
        enabled=True,
        options=parse_options({"fetch_titles": False}),
    )
    heard = Heard()
    async with worker() as running:
        await kill(running.collecting.fetch_run(heard), heard, "found")
        await expire_lease(database, feed)
        assert await database.read(list_items) == []
    heard = Heard()
    async with worker() as running:
        report = await running.collecting.fetch_run(heard).run()
    assert report.added_count == 4
    assert (heard[-1].found, heard[-1].done) == (4, 4)
    assert len(site.requests_for("/sitemap.xml")) == 1


async def test_what_was_found_long_ago_is_found_anew(site: Site, database: Database, worker: Open) -> None:
    paged = PagedSite(site)
    paged.publish(5)
    feed = await subscribe(database, paged.url)
    heard = Heard()
    async with worker() as running:
        await kill(running.collecting.fetch_run(heard), heard, "found")
        await expire_lease(database, feed)
        await database.write(lambda c: c.execute(found_parts.update().values(at=db_later(-7200.0))))
        paged.posts.insert(0, paged.posts[0].__class__(number=99, at=datetime.now(UTC), title="Fresh"))
    async with worker() as running:
        report = await running.collecting.fetch_run(Heard()).run()
    assert report.added_count == 6
    assert paged.asked == ["1", "1", "2"]


async def test_a_collecting_worker_forgets_what_a_killed_run_had_found(
    site: Site, database: Database, worker: Open
) -> None:
    paged = PagedSite(site)
    paged.publish(5)
    feed = await subscribe(database, paged.url)
    heard = Heard()
    async with worker() as running:
        await kill(running.collecting.fetch_run(heard), heard, "found")
        await expire_lease(database, feed)
    paged.change(1, views=7)
    async with worker() as running:
        await running.collecting.claim_and_collect()
        assert await count(database, found_parts) == 0
        report = await running.collecting.fetch_run(Heard()).run()
    assert (report.added_count, report.updated_count) == (0, 0)
    assert {item.views for item in await database.read(list_items)} == {0, 7}


@pytest.mark.parametrize("at", ["page 2", "processed"])
async def test_a_stop_falls_between_two_pages_and_the_next_run_goes_on(
    site: Site, database: Database, worker: Open, at: str
) -> None:
    paged = PagedSite(site)
    paged.publish(22)
    feed = await subscribe(database, paged.url)
    heard = Heard()
    async with worker() as running:
        run = running.collecting.fetch_run(heard)
        heard.at[at] = run.stop
        report = await run.run()
        assert report.interrupted
        assert report.added_count == (5 if at == "processed" else 0)
        assert heard.lines[-1].startswith("Interrupted.")
        after = await database.read(load_feed, feed.id)
        assert (after.locked_until, after.last_fetched_at) == (None, None)
        asked = list(paged.asked)
        report = await running.collecting.fetch_run(Heard()).run()
    assert report.added_count == 22 - (5 if at == "processed" else 0)
    assert not set(asked) & set(paged.asked[len(asked) :])


async def test_a_stop_does_not_wait_for_a_hosts_turn_and_an_abort_for_no_answer(
    site: Site, database: Database, worker: Open
) -> None:
    paged = PagedSite(site)
    paged.publish(20)
    await subscribe(database, paged.url)
    heard = Heard()
    async with worker(domain_delay=30) as running:
        run = running.collecting.fetch_run(heard)
        working = asyncio.ensure_future(run.run())
        await site.wait_for_requests(1)
        async with asyncio.timeout(10):
            run.stop()
            report = await working
        assert report.interrupted

    async with worker() as running:
        site.respond("/latest?page=2", hangs())
        run = running.collecting.fetch_run(Heard())
        working = asyncio.ensure_future(run.run())
        await site.wait_for_requests(len(site.requests) + 2)
        async with asyncio.timeout(10):
            run.abort()
            report = await working
    assert report.interrupted
    assert await count_leases(database) == 0
    (feed,) = await database.read(load_feeds)
    assert feed.last_error == STOPPED


async def test_the_log_says_which_hosts_turn_is_waited_for(
    site: Site, database: Database, worker: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inforadar.pipeline.runs.fetch_discover.SILENCE_S", 0.01)
    for name in ("one", "two", "three"):
        await subscribe(database, site.feed(f"/{name}", rss([])), name)
    heard = Heard()
    async with worker(domain_delay=0.05) as running:
        await running.collecting.fetch_run(heard).run()
    told = [line for line in heard.lines if "next turn" in line]
    assert told == ["Paged waiting for the next turn of 127.0.0.1, in 1 second"], "once for each host"


async def test_a_stop_waits_for_no_server_and_keeps_what_was_counted_or_failed(
    site: Site, database: Database, worker: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inforadar.pipeline.runs.fetch_discover.SILENCE_S", 0.05)
    listed = rss([Entry(url=site.url(f"/{n}"), title=f"Post {n}", guid=str(n)) for n in range(3)])
    good, _ = await database.write(insert_feed, site.feed("/good", listed), source="Good", enabled=True)
    broken = await subscribe(database, site.respond("/broken", status(404)), "broken")
    hanging = await subscribe(database, site.respond("/hanging", hangs()), "hanging")
    heard = Heard()
    async with worker(request_timeout=30) as running:
        run = running.collecting.fetch_run(heard)

        def stop_when_others_are_done() -> None:
            if "Good 3 items" in heard.lines and any("404" in line for line in heard.lines):
                run.stop()

        heard.at["waiting for"] = stop_when_others_are_done
        async with asyncio.timeout(10):
            report = await run.run()
    assert report.interrupted
    assert any(line.startswith("Paged waiting for 127.0.0.1, for") for line in heard.lines)
    assert "Paged ! stopped while waiting for 127.0.0.1" in heard.lines
    assert report.details.errors[hanging.url] == STOPPED
    assert report.added_count == 3
    assert (await database.read(load_feed, good.id)).last_fetch_status is Outcome.SUCCESS
    failed = await database.read(load_feed, broken.id)
    assert "404" in (failed.last_error or "")
    after = await database.read(load_feed, hanging.id)
    assert (after.last_fetch_status, after.locked_until, after.failures) == (None, None, 0)
    assert (after.last_error, after.next_run_at) == (STOPPED, hanging.next_run_at)
    health = feed_health(after, NOW)
    assert (health.state, health.sentence) == (
        HealthState.NEW,
        f"{STOPPED} Not scheduled; `inforadar feed sync` fetches it once.",
    )
    assert [feed.id for feed in await database.read(load_broken_feeds)] == [broken.id], (
        "stopping breaks no feed"
    )
    assert (await database.read(load_feeds_diagnosis)).suspended.number == 1
    assert await count_leases(database) == 0


async def test_a_stop_leaves_the_sentence_of_a_failure_and_the_next_fetch_removes_its_own(
    site: Site, database: Database, worker: Open
) -> None:
    path, document = "/news", rss([Entry(url=site.url("/1"), title="Post", guid="1")])
    feed, _ = await database.write(insert_feed, site.feed(path, document), source="News", enabled=True)

    async def fetch_and_stop(running: Worker) -> Feed:
        site.respond(path, hangs())
        seen = len(site.requests)
        run = running.collecting.fetch_run(Heard())
        working = asyncio.ensure_future(run.run())
        await site.wait_for_requests(seen + 1)
        run.stop()
        await working
        return await database.read(load_feed, feed.id)

    async with worker(request_timeout=30) as running:
        await running.collecting.fetch_run(Heard()).run()
        stopped = await fetch_and_stop(running)
        assert (stopped.last_fetch_status, stopped.last_error) == (Outcome.SUCCESS, STOPPED)
        assert f"now. {STOPPED} Not scheduled" in feed_health(stopped, utc_now()).sentence
        site.feed(path, document)
        await running.collecting.fetch_run(Heard()).run()
        assert (await database.read(load_feed, feed.id)).last_error is None
        site.respond(path, status(404))
        await running.collecting.fetch_run(Heard()).run()
        assert "404" in ((await fetch_and_stop(running)).last_error or "")


async def test_a_feed_that_another_process_works_on_is_left_out_and_said_so(
    site: Site, database: Database, worker: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inforadar.pipeline.runs.fetch_discover.BUSY_S", 0.0)
    monkeypatch.setattr("inforadar.pipeline.runs.fetch_discover.LOOK_S", 0.01)
    paged = PagedSite(site)
    paged.publish(2)
    feed = await subscribe(database, paged.url)
    await claim(database, feed)
    heard = Heard()
    async with worker() as running:
        report = await running.collecting.fetch_run(heard).run()
    assert report.errors_count == 1
    assert report.details.errors == {paged.url: "Left out: another process is working on it."}
    assert "Paged ! left out: another process is working on it" in heard.lines
    assert paged.asked == []


async def test_an_error_is_told_and_counted_and_stops_no_other_feed(
    site: Site, database: Database, worker: Open
) -> None:
    broken = await subscribe(database, site.respond("/broken", status(503)), "a")
    paged = PagedSite(site)
    paged.publish(2)
    await subscribe(database, paged.url, "b")
    heard = Heard()
    async with worker() as running:
        report = await running.collecting.fetch_run(heard).run()
    assert (report.added_count, report.errors_count) == (2, 1)
    assert any("503" in line for line in heard.lines)
    assert (await database.read(load_feed, broken.id)).last_fetch_status is Outcome.TEMPORARY_ERROR


async def test_only_the_feeds_of_the_filter_are_fetched(site: Site, database: Database, worker: Open) -> None:
    wanted, other = PagedSite(site, path="/a"), PagedSite(site, path="/b")
    for paged, topic in ((wanted, "python"), (other, "rust")):
        paged.publish(2)
        await subscribe(database, paged.url, topic)
    async with worker() as running:
        await running.collecting.fetch_run(
            Heard(), wanted=FetchFilter(sources=("paged",), topics=("Python",))
        ).run()
    assert (wanted.asked, other.asked) == (["1"], [])


async def test_another_process_can_start_a_run_look_on_and_stop_it(
    site: Site, database: Database, worker: Open
) -> None:
    paged = PagedSite(site)
    paged.publish(12)
    await subscribe(database, paged.url)
    run_id = await database.write(
        request_fetch_run, fetch_details(FetchFilter(sources=("Paged",)), TO_THE_CUTOFF)
    )
    assert (await database.read(load_report, run_id)).is_wanted
    async with worker() as running:
        done = await running.run_once()
    assert [report.run_id for report in done.fetches] == [run_id]
    report = await database.read(load_report, run_id)
    assert (report.added_count, report.is_wanted) == (12, False)
    assert report.details.progress == RunNumbers(found=12, done=12, pages=3)
    events = await database.read(load_events, run_id)
    assert [seq for seq, _ in events] == list(range(len(events)))
    assert events[-1][1].kind is ProgressKind.FINISHED
    assert any(event.text == "+ Post 11" for _, event in events)
    assert await database.read(load_events, run_id, after=events[-2][0]) == events[-1:]

    heard = Heard()
    async with worker() as running:
        claimed = await database.write(request_fetch_run, RunDetails())
        assert await database.write(claim_fetch_run) == (claimed, RunDetails())
        await database.write(request_stop, claimed)
        run = running.collecting.fetch_run(heard, run_id=claimed)
        heard.at["page 1"] = lambda: asyncio.get_running_loop().call_soon(run.stop)
        assert (await run.run()).interrupted


async def test_a_wanted_run_that_is_stopped_before_anyone_took_it_never_begins(database: Database) -> None:
    run_id = await database.write(request_fetch_run, RunDetails())
    await database.write(request_stop, run_id)
    assert await database.write(claim_fetch_run) is None
    report = await database.read(load_report, run_id)
    assert report.interrupted
    assert report.finished_at is not None


async def test_a_run_whose_process_is_gone_is_closed_by_the_next_one(
    site: Site, database: Database, worker: Open
) -> None:
    async with worker() as running:
        await database.write(request_fetch_run, RunDetails())
        assert await database.write(claim_fetch_run) is not None
        await database.write(lambda c: c.execute(runs.update().values(alive_until=db_later(-1.0))))
        await running.collecting.fetch_run(Heard()).run()
    ended = await database.read(load_runs)
    assert sorted(report.interrupted for report in ended) == [False, True]
    assert all(report.finished_at for report in ended)


async def test_crashes_in_any_order_come_to_the_same_database(
    site: Site, database: Database, worker: Open
) -> None:
    paged = PagedSite(site, page_size=3)
    paged.publish(10)
    feed = await subscribe(database, paged.url)
    for at in ("page 1", "found", "processed", "page 2", "+ Post 7", "counting", "processed"):
        heard = Heard()
        async with worker() as running:
            run = running.collecting.fetch_run(heard)
            working = asyncio.ensure_future(kill(run, heard, at))
            done, _ = await asyncio.wait([working], timeout=1.0)
            if not done:
                # There was nothing left to do, so that event never came.
                working.cancel()
                await asyncio.gather(working, return_exceptions=True)
            await expire_lease(database, feed)
        paged.change(2, views=paged.posts[2].views + 1)
    async with worker() as running:
        await running.collecting.fetch_run(Heard()).run()
        await running.collecting.fetch_run(Heard()).run()
    stored = await database.read(list_items, limit=100)
    assert sorted(item.title or "" for item in stored) == sorted(post.title for post in paged.posts)
    assert {item.url: item.views for item in stored}[paged.post_url(2)] == paged.posts[2].views
    assert await count(database, items) == 10
    assert await count(database, item_changes) <= 7
    assert await count(database, found_parts) == 0


async def test_what_is_kept_on_disk_comes_back_as_it_was(database: Database) -> None:
    lease = await claim(database, await add_feed(database))
    run_id = await start_run(database)
    item = Listed(
        url="https://a.example/1", title="Хлеб \ud83d\x00", tags=("面包",), published_at=NOW, rating=-0.5
    )
    end = FinishedJob(
        lease=lease,
        run_id=run_id,
        at=NOW,
        outcome=Outcome.TEMPORARY_ERROR,
        next_run=NextRun(after_s=None, failures=3, error="It failed."),
        listed=(item,),
        validators=Validators(etag='"1"', url="https://a.example/"),
        moved_to="https://b.example/",
        kind=FeedKind.FEED,
        channel={"title": "News"},
        dropped=2,
        warnings=(FeedWarning(text="2 entries left out: 新闻.", is_loss=True),),
        walked=True,
        spent_s=1.5,
    )
    other = Listed(url="https://a.example/2", published_at=NOW)
    state = PartState(
        url="https://a.example/",
        items=(other,),
        next_url="https://a.example/?page=2",
        modified={other.url: NOW},
    )
    part = ListingPart(lease=lease, run_id=run_id, at=NOW, listed=(item, item), state=state)
    assert await database.write(save_found, part, 0)
    assert await database.write(save_found, end, 1)
    clean = replace(item, title="Хлеб ?")
    assert await database.read(load_found, lease, run_id) == [
        replace(part, listed=(clean, clean), position=0),
        replace(end, listed=(clean,)),
    ]
    lost = replace(part, lease=replace(lease, token=LeaseToken("other")))
    assert not await database.write(save_found, lost, 2)


async def test_what_an_older_version_kept_on_disk_is_read_without_the_fields_that_are_gone(
    database: Database,
) -> None:
    lease = await claim(database, await add_feed(database))
    run_id = await start_run(database)
    end = collected(lease, run_id, Listed(url="https://a.example/1", published_at=NOW))
    assert await database.write(save_found, end, 0)
    (row,) = await rows(database, found_parts)
    older = json.dumps({**json.loads(row.document), "dated_in": "Europe/Moscow"})
    await database.write(lambda c: c.execute(found_parts.update().values(document=older)))
    assert await database.read(load_found, lease, run_id) == [end]


def test_details_come_back_as_they_were() -> None:
    given = (
        FetchFilter(sources=("Хабр",), topics=("a", "b")),
        WalkLimits(cutoff=date(2026, 1, 2), window_days=0, depth=Depth.WINDOW),
    )
    assert parse_fetch_details(fetch_details(*given)) == given
