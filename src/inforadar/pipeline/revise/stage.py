"""The revision stage: looks at articles again after they were published, and records what changed.

    plan what to watch | claim within the budgets | robots.txt, conditional fetch, extract | compare | save

A look is a request like any other: in its host's turn, and only where robots.txt allows it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, assert_never

import structlog

from inforadar.errors import InfoRadarError
from inforadar.fetch.engine import Engine
from inforadar.model.article import NotExtracted
from inforadar.model.http import Failed, Fetched, NotModified, Request
from inforadar.model.ids import Uid
from inforadar.pipeline.articles import ACCEPT, Extract
from inforadar.pipeline.dispatch import Dispatch, Ending
from inforadar.pipeline.heartbeat import keep_leases
from inforadar.pipeline.polite_visit import RobotsRefusal, Visitor
from inforadar.pipeline.revise.compare import Score, compare_versions, kept_headers, snapshot_of
from inforadar.pipeline.revise.outcome import FoundPage, Look, end_compared, end_current, end_unseen
from inforadar.pipeline.robots import Robots
from inforadar.store.database import Database
from inforadar.store.revisions.claims import (
    LookBudget,
    LookJob,
    claim_look,
    claim_looks,
    extend_looks,
    release_looks,
    return_looks,
    watch_articles,
)
from inforadar.store.revisions.plan import load_unwatched, seconds_to_next_look
from inforadar.store.revisions.save import LookEnding, save_look

if TYPE_CHECKING:
    from inforadar.store.redis.projection import RedisProjection

BATCH = 50
PLAN_S = 300.0
BUSY_WAIT_S = 60.0
"""How long a look waits whose host is paused."""

log = structlog.get_logger()


@dataclass(slots=True, kw_only=True)
class RevisionStage:
    """Looks at articles again."""

    database: Database
    engine: Engine
    robots: Robots
    extract: Extract
    timeout_s: float
    max_bytes: int
    workers: int
    hours: Sequence[float]
    """When an article is looked at again, in hours after its first fetch."""
    budget: LookBudget
    max_versions: int
    now: Callable[[], datetime]
    score: Score | None = None
    projection: RedisProjection | None = None
    """Redis, if it is configured."""
    plan_s: float = PLAN_S
    """How often it is asked which articles are to be watched, in seconds."""
    _planned_at: datetime | None = None

    async def run_once(self) -> Counter[str]:
        """Make the looks that are due and within the budgets; return how many ended in each way."""
        endings: Counter[str] = Counter()
        if not self.hours or not self.budget.per_host_day:
            return endings
        await self._plan()
        wait_s = await self.next_turn_s()
        if wait_s is None or wait_s > 0:
            return endings
        while jobs := await self.database.write(claim_looks, BATCH, self.budget, self.now()):
            endings += await self._look_at(jobs)
        return endings

    async def next_turn_s(self) -> float | None:
        """Seconds until the next look is due; None if nothing is watched."""
        return await self.database.read(seconds_to_next_look)

    async def look_now(self, uids: Sequence[Uid]) -> Counter[str]:
        """Look at these articles at once, whatever the schedule and the budgets say."""
        jobs = [job for uid in uids if (job := await self.database.write(claim_look, uid)) is not None]
        return await self._look_at(jobs) if jobs else Counter()

    async def _plan(self) -> None:
        now = self.now()
        if self._planned_at is not None and (now - self._planned_at).total_seconds() < self.plan_s:
            return
        self._planned_at = now
        window_s = max(self.hours) * 3600
        found = await self.database.read(load_unwatched, window_s)
        if found:
            watched = await self.database.write(watch_articles, found, min(self.hours) * 3600)
            log.info("looks.planned", articles=watched)

    async def _look_at(self, jobs: Sequence[LookJob]) -> Counter[str]:
        endings: Counter[str] = Counter()
        held = {job.uid: job for job in jobs}

        async def work(job: LookJob) -> Ending:
            async with Visitor(self.engine, self.robots, job.host, self.now, has_one_turn=True) as visitor:
                ending = await self._look(job, visitor)
            if ending is None:
                # The turn was used for robots.txt; the dispatch assigns the next one.
                return Ending.RETRY
            endings[await self._save(ending)] += 1
            del held[job.uid]
            return Ending.DONE

        dispatch = Dispatch(
            pacer=self.engine.pacer, workers=self.workers, host_of=lambda job: job.host, work=work
        )
        async with keep_leases(self.database, held, extend=extend_looks, release=release_looks):
            left = await dispatch.run(jobs)
            waits = [(one.job, max(one.wait_s, BUSY_WAIT_S)) for one in left]
            await self.database.write(return_looks, waits, self.now())
        if self.projection:
            await self.projection.publish()
        return endings

    async def _save(self, ending: LookEnding) -> str:
        is_saved = await self.database.write(
            save_look, ending, max_versions=self.max_versions, outbox=self.projection is not None
        )
        how = _count_as(ending) if is_saved else "lost"
        log.info("look.ended", url=ending.job.url, how=how, note=ending.note)
        return how

    async def _look(self, job: LookJob, visitor: Visitor) -> LookEnding | None:
        """Look at one article. Returns None if the host's turn was used up by robots.txt."""
        refusal = await visitor.admit(job.url)
        if isinstance(refusal, RobotsRefusal):
            return end_unseen(self._at(job), refusal.message)
        if refusal is not None:
            return None
        request = Request(
            url=job.url,
            validators=job.validators,
            accept=ACCEPT,
            timeout_s=self.timeout_s,
            max_bytes=self.max_bytes,
        )
        fetched = await visitor.fetch_admitted(request)
        match fetched:
            case NotModified():
                return end_current(self._at(job), fetched.validators or None)
            case Failed():
                return end_unseen(self._at(job), fetched.message)
            case Fetched():
                return await self._compare(job, fetched)
            case _:
                assert_never(fetched)

    def _at(self, job: LookJob) -> Look:
        return Look(job=job, now=self.now(), hours=self.hours)

    async def _compare(self, job: LookJob, page: Fetched) -> LookEnding:
        try:
            found = await self.extract(page.body, page.final_url, page.content_type)
        except InfoRadarError as fault:
            return end_unseen(self._at(job), str(fault))
        except Exception as crash:
            log.exception("look.crashed", url=page.final_url)
            return end_unseen(
                self._at(job), f"Info Radar itself failed on this page ({type(crash).__name__})."
            )
        if isinstance(found, NotExtracted):
            return end_unseen(self._at(job), found.detail)
        seen = FoundPage(extracted=found, validators=page.validators, headers=kept_headers(page))
        verdict = await compare_versions(job.snapshot, snapshot_of(found, job.url), self.score)
        return end_compared(self._at(job), verdict, seen)


def _count_as(ending: LookEnding) -> str:
    if ending.is_unstable:
        return "unstable"
    if ending.new is not None:
        return "changed"
    return "unchanged" if ending.is_current else "in_vain"
