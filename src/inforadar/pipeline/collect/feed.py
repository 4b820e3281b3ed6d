"""The collector of kind `feed`: fetches one document conditionally, parses it, and schedules the next fetch.

A job always ends in a `FinishedJob`: expected failures become the feed's outcome and a sentence in `last_error`. A
crash in one feed's job is caught here and recorded on that feed; other feeds are unaffected (B7).
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import assert_never

import structlog

from inforadar.errors import CutOffError, ParseError, StoreError, UsageError
from inforadar.fetch.freshness import freshness_s
from inforadar.fetch.links import find_links
from inforadar.model.feed import Feed, FeedKind
from inforadar.model.http import (
    Failed,
    FailureReason,
    Fetch,
    Fetched,
    NotModified,
    Outcome,
    Request,
    Validators,
)
from inforadar.model.item import Listed, Listing
from inforadar.model.push import MAX_HUBS, HubLinks
from inforadar.model.schedule import FinishedJob, Handover, ListingPart
from inforadar.pipeline.collect.jobs import Job
from inforadar.pipeline.collect.left_out import on_other_hosts, over_the_limit
from inforadar.pipeline.freed_memory import LARGE_DOCUMENT_BYTES, return_freed_memory
from inforadar.pipeline.schedule import (
    SchedulePolicy,
    after_failure,
    after_success,
    confirm_move,
    is_check_due,
    repeat_of,
)
from inforadar.stages.discover.sitemap.parse import is_sitemap
from inforadar.urls import hostname

ACCEPT = (
    "application/rss+xml, application/atom+xml, application/feed+json, application/xml;q=0.9, "
    "text/xml;q=0.9, application/json;q=0.8, */*;q=0.5"
)

Parse = Callable[[bytes, str, str, tzinfo], Awaitable[Listing]]
"""Parses a feed document: (body, url, content type, zone of dates without one)."""

SitemapReader = Callable[[Job, Fetched], AsyncGenerator[ListingPart | FinishedJob, None]]

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedCollector:
    """Collects RSS, Atom and JSON Feed, and feeds whose kind is not known yet."""

    fetch: Fetch
    parse: Parse
    policy: SchedulePolicy
    max_articles: int
    request_timeout_s: float
    job_timeout_s: float
    now: Callable[[], datetime]
    sitemap: SitemapReader | None = None
    """Collects a feed whose content turns out to be a sitemap."""
    max_sitemap_bytes: int | None = None

    async def collect(self, job: Job) -> AsyncGenerator[ListingPart | FinishedJob | Handover, None]:
        ended = await self._finish_job(job)
        if isinstance(ended, Fetched):
            if not job.may_walk:
                yield Handover(lease=job.lease, run_id=job.run_id, kind=FeedKind.SITEMAP)
                return
            assert self.sitemap is not None
            async with aclosing(self.sitemap(job, ended)) as steps:
                async for step in steps:
                    yield step
            return
        if ended.outcome is Outcome.SUCCESS:
            job.progress.counted(len(ended.listed))
        yield ended

    async def _finish_job(self, job: Job) -> FinishedJob | Fetched:
        """Fetch and parse the feed, and turn every error into a `FinishedJob`; a sitemap is returned unparsed."""
        feed = job.feed
        try:
            return await self._fetch_document(job)
        except TimeoutError:
            text = f"Reading {hostname(feed.url)} took longer than {self.job_timeout_s:g} seconds."
            return failed_job(job, self.policy, fault_of(feed, text, self.now(), FailureReason.TIMEOUT))
        except StoreError:
            # The pacer asks the database for a host's turn. An unreachable database is not this feed's failure.
            raise
        except UsageError as fault:
            failed = fault_of(feed, str(fault), self.now(), outcome=Outcome.PERMANENT_ERROR)
            return failed_job(job, self.policy, failed)
        except Exception as crash:
            return failed_job(job, self.policy, crash_of(feed, crash, self.now()))

    async def _fetch_document(self, job: Job) -> FinishedJob | Fetched:
        feed = job.feed
        loop = asyncio.get_running_loop()
        started = loop.time()
        validators = Validators() if is_check_due(feed.read_at, self.now()) else feed.validators
        result = await self.fetch(
            Request(
                url=feed.url,
                validators=validators,
                accept=ACCEPT,
                timeout_s=self.request_timeout_s,
                max_bytes=self.max_sitemap_bytes
                if feed.kind is None and looks_like_sitemap(feed.url)
                else None,
                headers=job.headers_for(feed.url),
            )
        )
        # The request has its own timeout, which excludes waiting for a host's turn; so count at most that much.
        spent_s = min(loop.time() - started, self.request_timeout_s)
        match result:
            case Fetched():
                try:
                    async with asyncio.timeout(self.job_timeout_s - spent_s):
                        return await self._read_document(
                            job, result, spent_s, was_conditional=bool(validators)
                        )
                finally:
                    if len(result.body) >= LARGE_DOCUMENT_BYTES:
                        return_freed_memory()
            case NotModified():
                return self._finish_unchanged(job, result, spent_s)
            case Failed():
                return failed_job(job, self.policy, result, spent_s=spent_s)
            case _:
                assert_never(result)

    def _finish_unchanged(self, job: Job, result: NotModified, spent_s: float) -> FinishedJob:
        freshness = freshness_s(result.headers, result.fetched_at)
        moved_to, moving = confirm_move(
            job.feed, result.moved_to, result.fetched_at, self.policy.move_confirmations
        )
        return FinishedJob(
            lease=job.lease,
            run_id=job.run_id,
            at=result.fetched_at,
            outcome=Outcome.SUCCESS,
            next_run=after_success(
                job.feed, self.policy, self.now(), freshness_s=freshness, hints=job.feed.hints
            ),
            validators=_new_validators(result, job.feed),
            moved_to=moved_to,
            moving=moving,
            spent_s=spent_s,
        )

    async def _read_document(
        self, job: Job, fetched: Fetched, spent_s: float, *, was_conditional: bool
    ) -> FinishedJob | Fetched:
        feed = job.feed
        if self._is_sitemap(feed, fetched, looks_like_sitemap(feed.url)):
            return fetched
        try:
            listing = await self.parse(fetched.body, fetched.final_url, fetched.content_type, feed.zone)
        except CutOffError as fault:
            return failed_job(job, self.policy, fault_of(feed, str(fault), self.now()))
        except ParseError as fault:
            if self._is_sitemap(feed, fetched, True):
                return fetched
            failed = fault_of(feed, str(fault), self.now(), outcome=Outcome.PERMANENT_ERROR)
            return failed_job(job, self.policy, failed)
        kept, dropped = keep_own_host(feed, listing.items)
        if dropped and not kept:
            return failed_job(job, self.policy, fault_of(feed, all_elsewhere(listing.items), self.now()))
        freshness = freshness_s(fetched.headers, fetched.fetched_at)
        chosen = newest(kept, self.max_articles)
        validators = Validators() if listing.is_cut_off else fetched.validators
        digest = hashlib.sha256(fetched.body).hexdigest()[:32]
        repeat = repeat_of(
            feed,
            digest=digest,
            has_validators=bool(validators),
            was_conditional=was_conditional,
            now=self.now(),
        )
        moved_to, moving = confirm_move(
            feed, fetched.moved_to, fetched.fetched_at, self.policy.move_confirmations
        )
        channel = {
            "title": listing.title,
            "site_url": listing.link,
            "description": listing.description,
            "language": listing.language,
            "icon": listing.icon,
        }
        return FinishedJob(
            lease=job.lease,
            run_id=job.run_id,
            at=fetched.fetched_at,
            outcome=Outcome.SUCCESS,
            next_run=after_success(
                feed, self.policy, self.now(), freshness_s=freshness, hints=listing.hints, repeat=repeat
            ),
            listed=chosen,
            # With the validators of half a document, the server would say that nothing has changed.
            validators=validators,
            moved_to=moved_to,
            moving=moving,
            digest=digest,
            kind=FeedKind.FEED,
            channel={name: value for name, value in channel.items() if value},
            dropped=dropped,
            warnings=(
                *listing.warnings,
                *on_other_hosts(dropped),
                *over_the_limit(len(kept) - len(chosen), self.max_articles),
            ),
            hints=listing.hints,
            spent_s=spent_s,
            hubs=find_hubs(fetched, listing),
        )

    def _is_sitemap(self, feed: Feed, fetched: Fetched, is_likely: bool) -> bool:
        """True if the document is a sitemap; checked only for a feed whose kind is not known yet.

        An unlikely document (by its URL) is checked only after it could not be parsed as a feed.
        """
        if feed.kind is not None or self.sitemap is None or not is_likely:
            return False
        return is_sitemap(fetched.body, fetched.content_type)


def find_hubs(fetched: Fetched, listing: Listing) -> HubLinks:
    """The hubs that push a feed: those of the Link header, then those of the document."""
    header = fetched.headers.get("link", "")
    hubs = dict.fromkeys((*find_links(header, "hub", fetched.final_url), *listing.hubs))
    itself = find_links(header, "self", fetched.final_url)
    return HubLinks(hubs=tuple(hubs)[:MAX_HUBS], topic=itself[0] if itself else listing.self_url)


def looks_like_sitemap(url: str) -> bool:
    """True if the URL looks like a sitemap's: then the larger size limit of sitemaps applies to the first fetch."""
    return _LIKE_A_SITEMAP.search(url) is not None


_LIKE_A_SITEMAP = re.compile(r"sitemap|site-map|\.(?:gz|txt)(?:$|\?)", re.IGNORECASE)


def failed_job(job: Job, policy: SchedulePolicy, failed: Failed, *, spent_s: float = 0.0) -> FinishedJob:
    """The end of a job that failed: only the failure is stored."""
    return FinishedJob(
        lease=job.lease,
        run_id=job.run_id,
        at=failed.fetched_at,
        outcome=failed.outcome,
        next_run=after_failure(job.feed, policy, failed),
        spent_s=spent_s,
    )


def fault_of(
    feed: Feed,
    message: str,
    at: datetime,
    reason: FailureReason = FailureReason.BROKEN,
    outcome: Outcome = Outcome.TEMPORARY_ERROR,
) -> Failed:
    return Failed(url=feed.url, outcome=outcome, reason=reason, message=message, fetched_at=at)


def crash_of(feed: Feed, crash: Exception, at: datetime) -> Failed:
    """Turn a bug in Info Radar into a failure of this feed, and log it with its traceback."""
    log.error("feed.crashed", feed_id=str(feed.id), url=feed.url, exc_info=crash)
    text = f"Info Radar itself failed on this feed ({type(crash).__name__}: {crash}). Please report it."
    return fault_of(feed, text, at)


def _new_validators(result: NotModified, feed: Feed) -> Validators | None:
    """The validators of a 304 if they differ from the stored ones; most repeat them, which saves a write."""
    return result.validators if result.validators and result.validators != feed.validators else None


def keep_own_host(feed: Feed, items: tuple[Listed, ...]) -> tuple[tuple[Listed, ...], int]:
    """Drop items on other hosts if `enforce_feed_domain` is set (C3); return the rest and the number dropped.

    An entry without a link of its own is the feed's own.
    """
    if not feed.enforce_feed_domain:
        return items, 0
    own = hostname(feed.url)
    kept = tuple(item for item in items if not item.has_link or hostname(item.url) == own)
    return kept, len(items) - len(kept)


def all_elsewhere(items: tuple[Listed, ...]) -> str:
    hosts = sorted({hostname(item.url) for item in items})
    where = ", ".join(hosts[:3]) + (" and others" if len(hosts) > 3 else "")
    return f"All {len(items)} items are on {where}; allow that with `feed edit --any-host`."


def newest(items: tuple[Listed, ...], limit: int) -> tuple[Listed, ...]:
    """The newest `limit` items. Items without a date count as the newest, in the order of the listing."""
    if len(items) <= limit:
        return items
    dated = sorted(
        enumerate(items),
        key=lambda pair: (pair[1].published_at is not None, -(_epoch(pair[1])), pair[0]),
    )
    chosen = {index for index, _ in dated[:limit]}
    return tuple(item for index, item in enumerate(items) if index in chosen)


def _epoch(item: Listed) -> float:
    return item.published_at.timestamp() if item.published_at else 0.0
