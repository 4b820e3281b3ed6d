"""The collector of kind `sitemap`: new and changed pages of a site's sitemap become items.

    files that changed | new, changed, pending, failed | titles | ListingPart, ListingPart, … | clean-up | FinishedJob

The first run takes the newest pages as a baseline and records all others as seen (E5). A URL is pending from the moment
it is found until its item is saved, so the next run continues wherever one was interrupted. A sitemap that did not
change costs one request and changes nothing (E8).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import datetime

from inforadar.errors import StoreError, UsageError
from inforadar.fetch.engine import Engine
from inforadar.fetch.freshness import freshness_s
from inforadar.model.feed import Feed, FeedKind
from inforadar.model.http import Failed, Fetched, Outcome, Request
from inforadar.model.item import Listed
from inforadar.model.schedule import FinishedJob, ListingPart, PartState
from inforadar.model.sitemap import SitemapEntry, TitleOrigin
from inforadar.pipeline.collect.feed import crash_of, failed_job, fault_of
from inforadar.pipeline.collect.jobs import Job
from inforadar.pipeline.collect.left_out import on_other_hosts
from inforadar.pipeline.collect.page_titles import Missing, PageTitles, Title
from inforadar.pipeline.collect.pages import channel_of
from inforadar.pipeline.collect.sitemap_files import MatchUrls, SitemapWalk, Todo
from inforadar.pipeline.polite_visit import Visitor
from inforadar.pipeline.robots import Robots
from inforadar.pipeline.schedule import SchedulePolicy, after_failure, after_success, confirm_move
from inforadar.stages.discover.feed.encoding import decode
from inforadar.stages.discover.pages.fetch import ACCEPT
from inforadar.stages.discover.site_title import find_site_title
from inforadar.stages.discover.sitemap.filter import parse_stored_filter, sort_entries_by_date
from inforadar.stages.discover.sitemap.titles import slug_title
from inforadar.store.database import Database
from inforadar.store.sitemaps.queries import OpenUrl, load_files, load_open_urls, load_site
from inforadar.store.sitemaps.save_files import choose_baseline, fenced, finish_site
from inforadar.store.sitemaps.titles import KnownTitles, load_titles
from inforadar.urls import host_key, origin

MAX_PART_ITEMS = 100
"""Maximum number of items saved together: a run can stop only between two parts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapPolicy:
    """The settings of sitemaps; a feed's options of the same names override them."""

    max_bytes: int
    baseline_items: int = 10
    fetch_titles: bool = True
    max_page_titles: int = 50
    retry_failed_urls: bool = True
    max_history_days: float = 30
    cleanup_interval_days: float = 7

    def of(self, feed: Feed) -> SitemapPolicy:
        feed.options.check(*_FEED_OPTIONS)
        given = {name: getattr(feed.options, name) for name in _FEED_OPTIONS}
        return replace(self, **{name: value for name, value in given.items() if value is not None})


_FEED_OPTIONS = (
    "baseline_items",
    "fetch_titles",
    "max_page_titles",
    "retry_failed_urls",
    "max_history_days",
    "cleanup_interval_days",
)


@dataclass(slots=True, kw_only=True)
class _Run:
    """The state of one job in progress."""

    job: Job
    policy: SitemapPolicy
    visitor: Visitor
    began_at: datetime
    walk: SitemapWalk
    met: set[str] = field(default_factory=set)
    """URLs already yielded, by this run or by the interrupted run that it continues."""
    origins: Counter[TitleOrigin] = field(default_factory=Counter)
    pages: int = 0
    failed: int = 0
    site_title: str | None = None
    """The name of the site, once an entry or a page says it."""

    @property
    def site_name(self) -> str:
        return self.walk.site_name


def site_name_of(feed: Feed) -> str:
    """The site's name in the state tables: the feed's id, which stays the same when its URL changes."""
    return str(feed.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapCollector:
    """Collects sitemaps of every form."""

    engine: Engine
    robots: Robots
    database: Database
    titles: PageTitles
    match_urls: MatchUrls
    policy: SchedulePolicy
    sitemaps: SitemapPolicy
    request_timeout_s: float
    now: Callable[[], datetime]

    async def collect(
        self, job: Job, first: Fetched | None = None
    ) -> AsyncGenerator[ListingPart | FinishedJob, None]:
        """Collect the sitemap; `first` is its root file if that was already fetched to detect the feed's kind."""
        walk: SitemapWalk | None = None
        try:
            host = host_key(job.feed.url)
            async with Visitor(
                self.engine, self.robots, host, self.now, is_spent=first is not None
            ) as visitor:
                run = await self._begin_run(job, visitor, first)
                walk = run.walk
                async with aclosing(self._walk_files(run)) as parts:
                    async for part in parts:
                        job.progress.counted(len(part.listed), pages=0)
                        yield part
                failed = await self._finish_site(run)
                if failed is None:
                    await self._find_site_title(run)
                ended = self._finish_job(run, failed)
        except StoreError:
            raise
        except UsageError as fault:
            failed = fault_of(job.feed, str(fault), self.now(), outcome=Outcome.PERMANENT_ERROR)
            ended = failed_job(job, self.policy, failed)
        except Exception as crash:
            ended = failed_job(job, self.policy, crash_of(job.feed, crash, self.now()))
        if first is not None or (walk is not None and walk.read):
            ended = replace(ended, kind=FeedKind.SITEMAP)
        yield ended

    async def _begin_run(self, job: Job, visitor: Visitor, first: Fetched | None) -> _Run:
        feed, name, began_at = job.feed, site_name_of(job.feed), self.now()
        policy = self.sitemaps.of(feed)
        site = await self.database.read(load_site, name)
        wanted, unsafe = parse_stored_filter(feed.options.to_json(), began_at)
        walk = SitemapWalk(
            job=job,
            visitor=visitor,
            database=self.database,
            site_name=name,
            files=await self.database.read(load_files, name),
            wanted=wanted,
            unsafe=unsafe,
            match_urls=self.match_urls,
            baseline_items=policy.baseline_items,
            is_first=site.last_run is None,
            max_bytes=policy.max_bytes,
            timeout_s=self.request_timeout_s,
            now=self.now,
            first=first,
            is_known=site.sitemap_url is not None,
        )
        met = {item.url for part in job.found for item in part.listed}
        return _Run(job=job, policy=policy, visitor=visitor, began_at=began_at, walk=walk, met=met)

    async def _walk_files(self, run: _Run) -> AsyncGenerator[ListingPart, None]:
        walk = run.walk
        async with aclosing(walk.run()) as files:
            async for todo in files:
                async with aclosing(self._list_entries(run, todo)) as parts:
                    async for part in parts:
                        yield part
        if walk.failed is not None or not walk.lists:
            return
        if walk.is_first:
            await self._choose_baseline(run)
        known = {entry.url: entry for entry in walk.candidates}
        left_open = await self.database.read(
            load_open_urls, run.site_name, retry_failed=run.policy.retry_failed_urls
        )
        todo = [
            Todo(known.get(one.url) or SitemapEntry(one.url, one.lastmod), one.is_modified)
            for one in left_open
        ]
        async with aclosing(self._list_entries(run, todo)) as parts:
            async for part in parts:
                yield part

    async def _choose_baseline(self, run: _Run) -> None:
        """Choose the newest URLs as the baseline, including those that an interrupted run left open."""
        walk, most = run.walk, run.policy.baseline_items
        known = {entry.url: entry for entry in walk.candidates}

        def newest(open_urls: list[OpenUrl]) -> Iterable[str]:
            entries = [known.get(one.url) or SitemapEntry(one.url, one.lastmod) for one in open_urls]
            return [entry.url for entry in sort_entries_by_date(entries, max_items=most)]

        await self.database.write(fenced, run.job.lease, choose_baseline, run.site_name, newest, self.now())

    async def _list_entries(self, run: _Run, todo: list[Todo]) -> AsyncGenerator[ListingPart, None]:
        """Yield the items that have a title together, then those whose page has to be fetched one by one."""
        by_url = {one.entry.url: one for one in todo if one.entry.url not in run.met}
        run.met |= by_url.keys()
        ordered = sort_entries_by_date([one.entry for one in by_url.values()])
        run.site_title = run.site_title or next((one.publication for one in ordered if one.publication), None)
        for chunk in _chunks(ordered, MAX_PART_ITEMS):
            known = await self.database.read(load_titles, run.job.feed.id, [entry.url for entry in chunk])
            ready: list[Listed] = []
            waiting: list[SitemapEntry] = []
            for entry in chunk:
                title = self._title_without_request(run, entry, known)
                if title is None:
                    waiting.append(entry)
                else:
                    ready.append(_listed(run, entry, title, is_known=entry.url in known.items))
            if ready:
                yield self._part(run, ready, by_url)
            for entry in waiting:
                found = await self.titles.title_of(entry.url, run.job.feed.topic, run.visitor)
                match found:
                    case Title():
                        run.site_title = run.site_title or found.site
                        yield self._part(run, [_listed(run, entry, found)], by_url)
                    case Missing.FAILED:
                        run.failed += 1
                        run.job.progress.line(f"page could not be fetched, left for a later run: {entry.url}")
                        yield self._part(run, [], by_url, failed=[entry.url])
                    case Missing.BUSY:
                        continue

    def _title_without_request(self, run: _Run, entry: SitemapEntry, known: KnownTitles) -> Title | None:
        """Return a title that costs no request; None if the page has to be fetched."""
        if entry.title:
            return Title(text=entry.title, origin=TitleOrigin.SITEMAP)
        if entry.url in known.items:
            return Title(text="", origin=TitleOrigin.PAGE)
        if title := known.pages.get(entry.url):
            return Title(text=title, origin=TitleOrigin.PAGE)
        if run.policy.fetch_titles and run.pages < run.policy.max_page_titles:
            run.pages += 1
            return None
        return Title(text=slug_title(entry.url), origin=TitleOrigin.SLUG)

    def _part(
        self, run: _Run, listed: list[Listed], by_url: Mapping[str, Todo], *, failed: Iterable[str] = ()
    ) -> ListingPart:
        modified = {
            item.url: item.updated_at for item in listed if item.updated_at and by_url[item.url].is_modified
        }
        return ListingPart(
            lease=run.job.lease,
            run_id=run.job.run_id,
            at=self.now(),
            listed=tuple(listed),
            state=PartState(site=run.site_name, modified=modified, failed=tuple(failed)),
        )

    async def _finish_site(self, run: _Run) -> Failed | None:
        walk = run.walk
        if walk.failed is not None:
            return walk.failed
        if not walk.lists:
            why = walk.refused[0] if walk.refused else "The sitemap lists nothing."
            return fault_of(run.job.feed, why, self.now())
        forgotten = await self.database.write(
            fenced,
            run.job.lease,
            finish_site,
            run.site_name,
            began_at=run.began_at,
            at=self.now(),
            days=run.policy.max_history_days,
            every_days=run.policy.cleanup_interval_days,
        )
        if forgotten:
            run.job.progress.line(f"{forgotten:,} URLs forgotten that left the sitemap long ago")
        if run.origins:
            said = ", ".join(f"{count} from {_WHERE[origin]}" for origin, count in run.origins.items())
            run.job.progress.line(f"titles: {said}")
        return None

    async def _find_site_title(self, run: _Run) -> None:
        """Ask the front page for the site's name after the first walk, if neither an entry nor a page has said it."""
        feed = run.job.feed
        if feed.title or run.site_title or not run.walk.is_first:
            return
        result = await run.visitor.fetch(Request(url=f"{origin(feed.url)}/", accept=ACCEPT))
        if isinstance(result, Fetched):
            run.site_title = find_site_title(decode(result.body, result.content_type))

    def _finish_job(self, run: _Run, failed: Failed | None) -> FinishedJob:
        job, root = run.job, run.walk.root
        if failed is not None:
            if run.walk.lists:
                # What was read before the failure is stored; the rest is fetched by the next run.
                message = f"The sitemap was read only in part. {failed.message}"
                failed = replace(failed, outcome=Outcome.TEMPORARY_ERROR, message=message)
            ended = failed_job(job, self.policy, failed)
            if not run.walk.checked:
                return ended
            # The walk came further than the run before it, so the wait for the next run does not grow.
            first = replace(job.feed, failures=0)
            return replace(ended, next_run=after_failure(first, self.policy, failed))
        freshness = freshness_s(root.headers, root.fetched_at) if root else None
        moved_to, moving = confirm_move(
            job.feed, root.moved_to if root else None, self.now(), self.policy.move_confirmations
        )
        return FinishedJob(
            lease=job.lease,
            run_id=job.run_id,
            at=self.now(),
            outcome=Outcome.SUCCESS,
            next_run=after_success(job.feed, self.policy, self.now(), freshness_s=freshness),
            moved_to=moved_to,
            moving=moving,
            channel=channel_of(job.feed, run.site_title),
            dropped=run.walk.dropped,
            warnings=(*run.walk.warnings, *on_other_hosts(run.walk.dropped))
            if isinstance(root, Fetched)
            else None,
        )


_WHERE = {TitleOrigin.SITEMAP: "the sitemap", TitleOrigin.PAGE: "pages", TitleOrigin.SLUG: "URLs"}


def _listed(run: _Run, entry: SitemapEntry, title: Title, *, is_known: bool = False) -> Listed:
    if not is_known:
        run.origins[title.origin] += 1
    return Listed(
        url=entry.url,
        # A known item already has a title that is at least as good as one made from the URL.
        title=title.text or None,
        published_at=entry.date,
        updated_at=entry.lastmod,
        tags=entry.tags,
        image=entry.images[0] if entry.images else None,
        language=entry.language,
    )


def _chunks(entries: list[SitemapEntry], size: int) -> Iterator[list[SitemapEntry]]:
    for start in range(0, len(entries), size):
        yield entries[start : start + size]
