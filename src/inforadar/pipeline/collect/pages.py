"""The collector of kind `pages`: walks a paged site, newest first, and yields the items of each page.

    robots.txt, turn, GET | parse in another process | look up known items | the walk's decision | ListingPart

`stages/discover/pages/walk.py` decides how deep it goes. A scheduled walk stops at the window once an earlier walk has
been completed; before that, and when a person requests it, it goes down to the cutoff.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta

from inforadar.errors import StoreError, UsageError
from inforadar.fetch.engine import Engine
from inforadar.fetch.freshness import freshness_s
from inforadar.model.feed import Feed
from inforadar.model.feed_warning import FeedWarning
from inforadar.model.http import Failed, Fetched, FetchResult, Outcome, Request
from inforadar.model.ids import FeedId, UrlHash
from inforadar.model.item import Listed
from inforadar.model.schedule import FinishedJob, ListingPart, PartState
from inforadar.pipeline.collect.feed import all_elsewhere, crash_of, failed_job, fault_of, keep_own_host
from inforadar.pipeline.collect.jobs import Job, WalkLimits
from inforadar.pipeline.collect.left_out import below_the_cutoff, on_other_hosts, without_a_date
from inforadar.pipeline.polite_visit import Visitor
from inforadar.pipeline.pool import PoolCrashError, PoolTimeoutError
from inforadar.pipeline.robots import Robots
from inforadar.pipeline.schedule import SchedulePolicy, after_success, confirm_move, default_cutoff
from inforadar.stages.discover.pages.fetch import fetch_pages, reader_for
from inforadar.stages.discover.pages.listing import PageListing, PageReader
from inforadar.stages.discover.pages.walk import Depth, PageDecision, StopReason, Walk
from inforadar.texts import counted
from inforadar.urls import host_key, origin, url_hash

Read = Callable[[PageReader, bytes, str, str, datetime], Awaitable[PageListing]]
"""Runs a page's reader in another process."""
LoadKnown = Callable[[FeedId, Sequence[UrlHash]], Awaitable[frozenset[UrlHash]]]
"""Returns the hashes of items that the feed already has."""
MAX_DAYS = 36_500


@dataclass(frozen=True, slots=True, kw_only=True)
class PagesCollector:
    """Collects paged sites: with a reader for the site, or by selectors."""

    engine: Engine
    robots: Robots
    read: Read
    load_known: LoadKnown
    policy: SchedulePolicy
    request_timeout_s: float
    now: Callable[[], datetime]
    cutoff_date: date | None = None
    """For feeds that have none of their own."""
    window_days: int = 30

    async def collect(self, job: Job) -> AsyncGenerator[ListingPart | FinishedJob, None]:
        try:
            walked = _Walked(job, self.plan_walk(job.feed, job.limits))
        except UsageError as fault:
            failed = fault_of(job.feed, str(fault), self.now(), outcome=Outcome.PERMANENT_ERROR)
            yield failed_job(job, self.policy, failed)
            return
        try:
            async with (
                Visitor(self.engine, self.robots, host_key(job.feed.url), self.now) as visitor,
                aclosing(self._walk_pages(job, walked, visitor)) as parts,
            ):
                async for part in parts:
                    yield part
        except StoreError:
            raise
        except UsageError as fault:
            walked.failed = fault_of(job.feed, str(fault), self.now(), outcome=Outcome.PERMANENT_ERROR)
        except (PoolTimeoutError, PoolCrashError) as fault:
            walked.failed = fault_of(
                job.feed, f"Page {walked.pages + 1} could not be read. {fault}", self.now()
            )
        except Exception as crash:
            walked.failed = crash_of(job.feed, crash, self.now())
        yield self._finish_job(job, walked)

    async def _walk_pages(
        self, job: Job, walked: _Walked, visitor: Visitor
    ) -> AsyncGenerator[ListingPart, None]:
        reader = reader_for(job.feed)

        async def fetch(request: Request) -> FetchResult:
            result = await visitor.fetch(request)
            if walked.first is None and isinstance(result, Fetched):
                walked.first = result
            return result

        async def read(body: bytes, url: str, content_type: str, at: datetime) -> PageListing:
            return await self.read(reader, body, url, content_type, at)

        for part in job.found:
            known_page = found_page(part)
            walked.take(known_page, await self._decide(job.feed, walked, known_page))
            if walked.stop is not None:
                return
        pages = fetch_pages(
            job.feed,
            fetch,
            read,
            start_url=walked.next_url,
            headers_for=job.headers_for,
            timeout_s=self.request_timeout_s,
        )
        async with aclosing(pages):
            async for page in pages:
                if isinstance(page, Failed):
                    walked.failed = page
                    return
                decision = await self._decide(job.feed, walked, page)
                walked.take(page, decision)
                if walked.pages == 1 and walked.dropped == len(page.items):
                    walked.failed = fault_of(job.feed, all_elsewhere(page.items), self.now())
                    return
                self._report_page(job, walked.pages, page, decision)
                yield ListingPart(
                    lease=job.lease,
                    run_id=job.run_id,
                    at=self.now(),
                    listed=decision.process,
                    state=page_state(page, decision.process),
                )
                if walked.stop is not None:
                    return
        # The listing ended: there is no next page, or the guessed next page does not exist.
        walked.stop = StopReason.END_OF_LISTING

    async def _decide(self, feed: Feed, walked: _Walked, page: PageListing) -> PageDecision:
        """Decide by the site's own items: an advertisement among them is new each time and says nothing."""
        own, dropped = keep_own_host(feed, page.items)
        walked.dropped += dropped
        known = await self.load_known(feed.id, [url_hash(item.url) for item in own])
        elsewhere = () if own else page.items
        return walked.walk.page(own, known, has_next=page.next_url is not None, elsewhere=elsewhere)

    def _report_page(self, job: Job, number: int, page: PageListing, decision: PageDecision) -> None:
        job.progress.counted(len(decision.process))
        job.progress.line(f"page {number}: {counted(len(page.items), 'item')}, {decision.new} new")
        for item in decision.skipped_without_date:
            job.progress.line(f"item without a date skipped: {item.url}")
        for warning in page.warnings:
            job.progress.line(warning)

    def plan_walk(self, feed: Feed, limits: WalkLimits) -> Walk:
        feed.options.check("cutoff_date", "window_days")
        window_days = _days(limits.window_days, feed.options.window_days, self.window_days)
        return Walk(
            cutoff=_midnight(limits.cutoff or self.cutoff_of(feed)),
            window_cutoff=self.now() - timedelta(days=window_days),
            depth=limits.depth or (Depth.WINDOW if feed.walked_at else Depth.CUTOFF),
        )

    def cutoff_of(self, feed: Feed) -> date:
        """The date down to which a feed is walked: its own, else that of the settings, else the default."""
        return feed.options.cutoff_date or self.cutoff_date or default_cutoff(feed.created_at)

    def _finish_job(self, job: Job, walked: _Walked) -> FinishedJob:
        failed = walked.failed
        if failed is not None:
            if walked.pages:
                # What was read before the failure is stored; the rest is fetched by the next walk.
                message = f"The walk ended at page {walked.pages + 1}. {failed.message}"
                failed = replace(failed, outcome=Outcome.TEMPORARY_ERROR, message=message)
            return failed_job(job, self.policy, failed)
        first = walked.first
        freshness = freshness_s(first.headers, first.fetched_at) if first else None
        moved_to, moving = confirm_move(
            job.feed,
            first.moved_to if first and not job.found else None,
            self.now(),
            self.policy.move_confirmations,
        )
        return FinishedJob(
            lease=job.lease,
            run_id=job.run_id,
            at=self.now(),
            outcome=Outcome.SUCCESS,
            next_run=after_success(job.feed, self.policy, self.now(), freshness_s=freshness),
            moved_to=moved_to,
            moving=job.feed.moving if job.found else moving,
            channel=channel_of(job.feed, walked.site_title),
            dropped=walked.dropped,
            warnings=walked.warnings,
            walked=job.limits.cutoff is None or job.limits.cutoff <= self.cutoff_of(job.feed),
        )


class _Walked:
    """The state of a walk in progress."""

    def __init__(self, job: Job, walk: Walk) -> None:
        self.walk = walk
        self.pages = 0
        self.dropped = 0
        self.undated = 0
        self.too_old = 0
        self.site_title: str | None = None
        self.next_url: str | None = None
        self.stop: StopReason | None = None
        self.first: Fetched | None = None
        self.failed: Failed | None = None

    def take(self, page: PageListing, decision: PageDecision) -> None:
        self.pages += 1
        self.site_title = self.site_title or page.site_title
        self.next_url = page.next_url
        self.stop = decision.stop
        self.undated += len(decision.skipped_without_date)
        self.too_old += len(decision.below_cutoff)

    @property
    def warnings(self) -> tuple[FeedWarning, ...]:
        return (
            *without_a_date(self.undated),
            *on_other_hosts(self.dropped),
            *below_the_cutoff(self.too_old),
        )


def channel_of(feed: Feed, site_title: str | None) -> dict[str, str]:
    """Return what a walk learned about the feed's site: its title, until the feed has one, and its address."""
    channel = {} if feed.site_url else {"site_url": f"{origin(feed.url)}/"}
    return channel if feed.title or not site_title else channel | {"title": site_title}


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _days(*given: object) -> int:
    days = next(days for days in given if days is not None)
    if not str(days).isdecimal() or int(str(days)) > MAX_DAYS:
        raise UsageError(f"{days!r} is not a valid number of days for the window; use 0 to {MAX_DAYS}.")
    return int(str(days))


def page_state(page: PageListing, process: Sequence[Listed]) -> PartState:
    """The page without the items of its part, so that an interrupted walk can continue after it."""
    taken = {item.url for item in process}
    return PartState(
        url=page.url,
        items=tuple(item for item in page.items if item.url not in taken),
        next_url=page.next_url,
        is_next_guessed=page.is_next_guessed,
    )


def found_page(part: ListingPart) -> PageListing:
    """The page that a part was made from."""
    state = part.state
    return PageListing(
        url=state.url,
        items=part.listed + state.items,
        next_url=state.next_url,
        is_next_guessed=state.is_next_guessed,
    )
