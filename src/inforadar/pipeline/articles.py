"""The canonical stage: turns queued URLs into articles. Runs once after a collecting cycle, not as a loop (D2).

URLs that other programs put into Redis | claim | robots.txt, fetch, extract | save | publish to Redis
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, assert_never

import structlog

from inforadar.errors import InfoRadarError
from inforadar.fetch.engine import Engine
from inforadar.model.article import Extracted, FailureCode, NotExtracted
from inforadar.model.http import Failed, FailureReason, Fetched, NotModified, Outcome, Request, Validators
from inforadar.model.ids import Uid
from inforadar.model.revision import Revision
from inforadar.pipeline.dispatch import Dispatch, Ending
from inforadar.pipeline.heartbeat import keep_leases
from inforadar.pipeline.polite_visit import RobotsRefusal, Visitor
from inforadar.pipeline.pool import PoolBrokenError, PoolCrashError, PoolTimeoutError
from inforadar.pipeline.revise.compare import Score, compare_versions, kept_headers, snapshot_of
from inforadar.pipeline.robots import Robots
from inforadar.stages.revise.verdict import Doubtful, NotTheArticle, Unchanged
from inforadar.store.articles.claims import (
    ArticleJob,
    claim_articles,
    extend_articles,
    postpone_articles,
    release_articles,
)
from inforadar.store.articles.queries import load_article, seconds_to_next_article
from inforadar.store.articles.save import ArticleEnding, save_article
from inforadar.store.database import Database
from inforadar.store.revisions.prune import DEFAULT_VERSIONS
from inforadar.store.revisions.save import NewVersion
from inforadar.urls import host_key

if TYPE_CHECKING:
    from inforadar.store.redis.projection import RedisProjection

ACCEPT = "text/html, application/xhtml+xml;q=0.9, */*;q=0.1"
RETRY_AFTER_S = (3600.0, 6 * 3600.0, 24 * 3600.0)
"""Temporary failures are retried after 1, 6 and 24 hours (ruling 14)."""
SITEMAP_RETRY_AFTER_S = (3600.0, 3600.0, 6 * 3600.0, 24 * 3600.0)
"""A sitemap's page is retried by each run until its third failure, by this stage after an hour."""
BATCH = 100
MIN_WAIT_S = 0.05
MAX_WAIT_S = 60.0
"""How long `run_to_the_end` waits for a host's next turn; hosts that need longer are left for the next run."""

Extract = Callable[[bytes, str, str], Awaitable[Extracted | NotExtracted]]
"""Extracts an article in another process: (body, url, content type)."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnFault(Failed):
    """Info Radar itself failed on a page: that is no attempt of the article, which is tried again later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleProgress:
    """An article is being fetched (`ending` is None), or is finished."""

    job: ArticleJob
    ending: ArticleEnding | None = None


ArticleListener = Callable[[ArticleProgress], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Canonicalizer:
    """Fetches and extracts articles."""

    database: Database
    engine: Engine
    robots: Robots
    extract: Extract
    timeout_s: float
    max_bytes: int
    retries: int
    workers: int
    now: Callable[[], datetime]
    max_versions: int = DEFAULT_VERSIONS
    """How many versions of an article are kept."""
    score: Score | None = None
    """Scores both wordings of an article that changed."""
    projection: RedisProjection | None = None
    """Redis, if it is configured."""
    listener: ArticleListener | None = None

    async def run_to_the_end(self) -> Counter[str]:
        """Repeat `run_once` at the next turns of crowded hosts, until the queue is empty."""
        endings = await self.run_once()
        while (wait_s := await self.next_turn_s()) is not None and wait_s <= MAX_WAIT_S:
            await asyncio.sleep(max(wait_s, MIN_WAIT_S))
            endings += await self.run_once()
        return endings

    async def next_turn_s(self) -> float | None:
        """Seconds until the next article is due; None if nothing is queued."""
        return await self.database.read(seconds_to_next_article)

    async def run_once(self) -> Counter[str]:
        """Fetch the articles that are due; return how many ended in each way. Returns at once if none is."""
        endings: Counter[str] = Counter()
        if self.projection:
            await self.projection.take_in()
        held: dict[Uid, ArticleJob] = {}

        async def work(job: ArticleJob) -> Ending:
            host = host_key(job.url)
            async with Visitor(self.engine, self.robots, host, self.now, has_one_turn=True) as visitor:
                ending = await self.visit_article(job, visitor)
            if isinstance(ending, OwnFault):
                await self.database.write(postpone_articles, [(job, ending.retry_after_s or 0.0)])
                endings["postponed"] += 1
            elif isinstance(ending, Failed):
                # The turn was used for robots.txt; the dispatch assigns the next one.
                return Ending.RETRY
            else:
                endings[_count_as(job, ending)] += 1
            del held[job.uid]
            return Ending.DONE

        while jobs := await self.database.write(claim_articles, BATCH):
            held |= {job.uid: job for job in jobs}
            dispatch = Dispatch(
                pacer=self.engine.pacer,
                workers=self.workers,
                host_of=lambda job: host_key(job.url),
                work=work,
            )
            async with keep_leases(self.database, held, extend=extend_articles, release=release_articles):
                leftovers = await dispatch.run(jobs)
                await self.database.write(postpone_articles, [(left.job, left.wait_s) for left in leftovers])
            held.clear()
            if self.projection:
                await self.projection.publish()
        if self.projection:
            await self.projection.publish()
        return endings

    async def visit_article(self, job: ArticleJob, visitor: Visitor) -> ArticleEnding | Failed | None:
        """Fetch one article and save the result.

        Returns None if the lease was lost meanwhile, `Failed` if the host's turn is too far away, and `OwnFault` after
        a fault that is not the page's: then nothing was saved.
        """
        refusal = await visitor.admit(job.url)
        if refusal is None:
            log.info("article.fetching", url=job.url)
            self._notify(ArticleProgress(job=job))
            ending = await self._fetch_article(job, visitor)
        elif isinstance(refusal, RobotsRefusal):
            ending = self._failed(job, refusal)
        else:
            return refusal
        if isinstance(ending, OwnFault):
            return ending
        if not await self.database.write(
            save_article, ending, max_versions=self.max_versions, outbox=self.projection is not None
        ):
            log.warning("article.lease_lost", url=job.url)
            return None
        self._notify(ArticleProgress(job=job, ending=ending))
        return ending

    def _notify(self, progress: ArticleProgress) -> None:
        if self.listener:
            self.listener(progress)

    async def _fetch_article(self, job: ArticleJob, visitor: Visitor) -> ArticleEnding | OwnFault:
        request = Request(
            url=job.url,
            validators=job.validators,
            accept=ACCEPT,
            timeout_s=self.timeout_s,
            max_bytes=self.max_bytes,
        )
        fetched = await visitor.fetch_admitted(request)
        match fetched:
            case Fetched():
                return await self._read(job, fetched)
            case Failed():
                return self._failed(job, fetched)
            case NotModified():
                return ArticleEnding(job=job, at=self.now(), result=fetched, validators=fetched.validators)
            case _:
                assert_never(fetched)

    def _failed(self, job: ArticleJob, failed: Failed) -> ArticleEnding:
        if isinstance(failed, RobotsRefusal):
            failed = _article_refusal(failed)
        is_temporary = failed.outcome is Outcome.TEMPORARY_ERROR
        return ArticleEnding(
            job=job,
            at=self.now(),
            result=NotExtracted(code=failure_code(failed), detail=failed.message),
            retry_after_s=self._retry_after_s(job, failed.retry_after_s or 0.0) if is_temporary else None,
            is_forbidden=failed.reason is FailureReason.ROBOTS and not is_temporary,
        )

    async def _read(self, job: ArticleJob, page: Fetched) -> ArticleEnding | OwnFault:
        result: Extracted | NotExtracted
        wait_s: float | None = None
        try:
            result = await self.extract(page.body, page.final_url, page.content_type)
        except PoolBrokenError as fault:
            log.error("article.crashed", url=page.final_url, error=str(fault))
            return self._own_fault(job, str(fault))
        except (PoolCrashError, PoolTimeoutError) as fault:
            # On an overloaded machine this happens to any page, so only the last attempt counts against this one.
            result = NotExtracted(code=FailureCode.PARSE, detail=str(fault))
            wait_s = self._retry_after_s(job, 0.0)
        except InfoRadarError as fault:
            result = NotExtracted(code=FailureCode.PARSE, detail=str(fault))
        except Exception as crash:
            log.exception("article.crashed", url=page.final_url)
            return self._own_fault(job, f"{type(crash).__name__}: {crash}")
        if isinstance(result, Extracted) and job.text_len is not None:
            return await self._compare(job, page, result)
        return ArticleEnding(
            job=job, at=self.now(), result=result, validators=page.validators, retry_after_s=wait_s
        )

    async def _compare(self, job: ArticleJob, page: Fetched, found: Extracted) -> ArticleEnding:
        """Compare with the stored text: what the outlet changed is kept, and a wall does not replace the article."""
        ending = ArticleEnding(job=job, at=self.now(), result=found, validators=page.validators)
        stored = await self.database.read(load_article, job.uid)
        before = stored.extracted if stored else None
        if before is None or not before.html:
            # An older version of Info Radar read it, and read it differently.
            return ending
        verdict = await compare_versions(
            snapshot_of(before, job.url), snapshot_of(found, job.url), self.score
        )
        match verdict:
            case NotTheArticle(reason=reason):
                refused = NotExtracted(code=FailureCode.EMPTY, detail=reason)
                return replace(ending, result=refused, validators=Validators())
            case Unchanged():
                return ending
            case Doubtful(revision=revision) | (Revision() as revision):
                new = NewVersion(extracted=found, revision=revision, headers=kept_headers(page))
                return replace(ending, new_version=new)
            case _:
                assert_never(verdict)

    def _own_fault(self, job: ArticleJob, what: str) -> OwnFault:
        return OwnFault(
            url=job.url,
            outcome=Outcome.TEMPORARY_ERROR,
            reason=FailureReason.BROKEN,
            message=f"Info Radar itself failed on this page ({what}). Please report it.",
            fetched_at=self.now(),
            retry_after_s=RETRY_AFTER_S[0],
        )

    def _retry_after_s(self, job: ArticleJob, asked_s: float) -> float | None:
        """Seconds until the next attempt; None if this was the last one, or a text is already stored."""
        waits = SITEMAP_RETRY_AFTER_S if job.is_of_sitemap else RETRY_AFTER_S
        retries = self.retries + (len(waits) - len(RETRY_AFTER_S) if self.retries else 0)
        if job.attempts >= retries or job.text_len is not None:
            return None
        return max(waits[min(job.attempts, len(waits) - 1)], asked_s)


def _count_as(job: ArticleJob, ending: ArticleEnding | None) -> str:
    """Log how an article ended; return the name it is counted under."""
    if ending is None:
        return "lost"
    match ending.result:
        case Extracted():
            log.info("article.stored", uid=job.uid, url=job.url)
            return "success"
        case NotModified():
            log.info("article.unchanged", uid=job.uid, url=job.url)
            return "unchanged"
        case NotExtracted(code=code, detail=detail):
            log.info("article.failed", uid=job.uid, url=job.url, code=code.value, detail=detail)
            return code.value
        case _:
            assert_never(ending.result)


def _article_refusal(refusal: RobotsRefusal) -> Failed:
    """The failure for an article that robots.txt forbids: permanent, even if only a redirect led there."""
    fault = refusal.fault
    if fault:
        why = f"its robots.txt cannot be fetched for now: {fault.message}"
    elif refusal.is_unreachable:
        why = "its robots.txt cannot be fetched for now"
    else:
        why = "its robots.txt asks us to stay away"
    return Failed(
        url=refusal.url,
        outcome=Outcome.TEMPORARY_ERROR if refusal.is_unreachable else Outcome.PERMANENT_ERROR,
        reason=fault.reason if fault else FailureReason.ROBOTS,
        message=f"{refusal.site}: {why}",
        fetched_at=refusal.fetched_at,
        retry_after_s=refusal.retry_after_s,
    )


def failure_code(failed: Failed) -> FailureCode:
    """Seed 3's failure code for a failed download."""
    match failed.reason:
        case FailureReason.TIMEOUT:
            return FailureCode.TIMEOUT
        case FailureReason.TOO_LARGE:
            return FailureCode.BAD_HTML
        case _:
            return FailureCode.HTTP
