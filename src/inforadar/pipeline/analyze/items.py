"""The analyze stage: analyzes items whose article is stored, outside any feed's lease (ruling 3).

    claim (fresh, then retry) | pick the feed's analyzer | cache | breaker | analyze, within the budget | save

A failure that is the item's fault moves it to the retry lane with growing delays, and it is given up after
`MAX_ATTEMPTS`. Any other failure (an outage, a rate limit, the daily budget) costs no attempt: the item waits in its
lane.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import assert_never
from weakref import WeakValueDictionary

import structlog

from inforadar.errors import ConfigError, ParseError
from inforadar.model.analysis import Analysis, AnalyzerName, Subject, from_json, to_json
from inforadar.model.feed_options import FeedOptions
from inforadar.model.ids import ItemId
from inforadar.model.item import shares_its_page
from inforadar.pipeline.analyze.breaker import REJECTED_PAUSE_S, Breaker
from inforadar.pipeline.analyze.budget import Budget
from inforadar.pipeline.analyze.copies import brief_subject, may_share, scored_here, shared
from inforadar.pipeline.heartbeat import keep_leases
from inforadar.stages.analyze.base import AnalysisFailed, Analyzed, Analyzer, FailureKind
from inforadar.stages.analyze.choose import Analyzers
from inforadar.stages.analyze.llm.dialogue import ModelAnalyzer
from inforadar.store.analyses.claims import (
    AnalysisJob,
    WantedAnalyzer,
    claim_analyses,
    extend_analyses,
    release_analyses,
)
from inforadar.store.analyses.queries import load_cached_analysis, load_item_analysis
from inforadar.store.analyses.save import (
    drop_analysis,
    save_analysis,
    save_analysis_failure,
    save_cached_analysis,
)
from inforadar.store.database import Database
from inforadar.views.reading import TextOrigin, choose_origin, plain_text

BATCH = 50
MAX_ATTEMPTS = 7
FIRST_RETRY_S = 300.0
MAX_RETRY_S = 6 * 3600.0
BUDGET_PAUSE_S = 900.0
"""How often to check again once the budget is used up: someone may raise it before the day is over."""

WAITING = "waiting"
_LOCAL = FeedOptions(analyzer=AnalyzerName.LOCAL)

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisStage:
    """Runs each feed's analyzer over the queued items."""

    database: Database
    analyzers: Analyzers
    concurrency: int
    now: Callable[[], datetime]
    budget: Budget
    placed_only: bool = False
    """Leave items for later that are not placed in a story yet: they may be copies, which need no call to a model."""
    _breakers: dict[tuple[str, str], Breaker] = field(default_factory=dict)
    _asking: WeakValueDictionary[str, asyncio.Lock] = field(default_factory=WeakValueDictionary)
    """Locks by cache key; each lives as long as a task holds or awaits it."""

    async def run_once(self, limit: int | None = None, *, only: Sequence[ItemId] = ()) -> Counter[str]:
        """Analyze the queued items, at most `limit`; return how many ended in each way. `only` are items asked for."""
        await self.analyzers.refresh()
        endings: Counter[str] = Counter()
        slots = asyncio.Semaphore(self.concurrency)
        held: dict[ItemId, AnalysisJob] = {}
        # Analyzers that are paused or cannot work. Going on with their items would only reshuffle the queue; those of
        # other analyzers, which may be behind them, do not wait.
        waiting: set[WantedAnalyzer] = set()

        by_analyzer: defaultdict[WantedAnalyzer, set[str]]

        originals: dict[ItemId, asyncio.Event]

        async def one(job: AnalysisJob) -> None:
            original = originals.get(job.copy_of) if job.copy_of else None
            if original is not None:
                await original.wait()
            try:
                async with slots:
                    ending = await self._work(job)
                    endings[ending] += 1
                    by_analyzer[job.wanted].add(ending)
                    del held[job.item_id]
            finally:
                if own := originals.get(job.item_id):
                    own.set()

        while jobs := await self.database.write(
            claim_analyses,
            _next_batch(limit, endings),
            without=frozenset(waiting),
            only=only,
            placed_only=self.placed_only,
        ):
            by_analyzer = defaultdict(set)
            originals = {job.item_id: asyncio.Event() for job in jobs if job.copy_of is None}
            held |= {job.item_id: job for job in jobs}
            try:
                async with (
                    keep_leases(self.database, held, extend=extend_analyses, release=release_analyses),
                    asyncio.TaskGroup() as tasks,
                ):
                    for job in jobs:
                        tasks.create_task(one(job))
            except ExceptionGroup as faults:
                # Callers of a stage expect a single exception, and the first one says what is wrong.
                raise faults.exceptions[0] from None
            waiting |= {wanted for wanted, ended in by_analyzer.items() if ended == {WAITING}}
            if only:
                # One that failed is queued for later, and would be claimed again at once.
                break
        return endings

    async def _work(self, job: AnalysisJob) -> str:
        try:
            analyzer = self.analyzers.pick(job.options)
        except ConfigError as fault:
            return await self._wait(job, f"{FailureKind.REJECTED.value}: {fault}", REJECTED_PAUSE_S)
        if analyzer is None:
            await self.database.write(drop_analysis, job)
            return "unwanted"
        try:
            subject = subject_of(job)
        except Exception as crash:
            return await self._fail_item(job, _crash_of(job, crash))
        key = cache_key(subject, analyzer)
        # If two feeds have the same text, the second waits for the first one's answer instead of asking too.
        async with self._asking.setdefault(key, asyncio.Lock()):
            if known := await self._load_known(key):
                return "cached" if await self._save(job, known) else "lost"
            return await self._analyze(job, analyzer, subject, key)

    async def _analyze(self, job: AnalysisJob, analyzer: Analyzer, subject: Subject, key: str) -> str:
        original = await self._load_original(job, analyzer)
        is_paid = isinstance(analyzer, ModelAnalyzer)
        if original and is_paid and (own := await self._score_here(subject, job)):
            copied = Analyzed(analysis=scored_here(own, original, analyzer))
            return await self._keep(job, analyzer, key, copied)
        breaker = self._breakers.setdefault((analyzer.name, analyzer.model), Breaker(self.now))
        if breaker.pause_s > 0:
            return await self._wait(job, breaker.reason, breaker.pause_s)
        asked = brief_subject(subject, original) if original and is_paid and subject.text else subject
        result = await self._ask(analyzer, asked, job)
        match result:
            case Analyzed(analysis=analysis):
                breaker.answered()
                whole = shared(analysis, original) if original else analysis
                return await self._keep(job, analyzer, key, replace(result, analysis=whole))
            case AnalysisFailed():
                return await self._fail(job, result, breaker)
            case _:
                assert_never(result)

    async def _keep(self, job: AnalysisJob, analyzer: Analyzer, key: str, result: Analyzed) -> str:
        await self.database.write(
            save_cached_analysis,
            key,
            to_json(result.analysis),
            model=analyzer.model,
            prompt_version=analyzer.prompt_version,
            tokens_in=result.usage.tokens_in,
            tokens_out=result.usage.tokens_out,
            cost=result.usage.cost,
        )
        return "analyzed" if await self._save(job, result.analysis) else "lost"

    async def _score_here(self, subject: Subject, job: AnalysisJob) -> Analysis | None:
        """Return what the local analyzer says, if it was trained for the language."""
        local = self.analyzers.pick(_LOCAL)
        result = await self._ask(local, subject, job) if local else None
        is_measured = isinstance(result, Analyzed) and result.analysis.overall.value is not None
        return result.analysis if isinstance(result, Analyzed) and is_measured else None

    async def _ask(self, analyzer: Analyzer, subject: Subject, job: AnalysisJob) -> Analyzed | AnalysisFailed:
        try:
            if isinstance(analyzer, ModelAnalyzer):
                return await analyzer.analyze(subject, self.budget.purse(analyzer.model, job.feed_id))
            return await analyzer.analyze(subject)
        except Exception as crash:
            return _crash_of(job, crash)

    async def _load_known(self, key: str) -> Analysis | None:
        """Return the cached analysis, if there is one that this version can read."""
        try:
            stored = await self.database.read(load_cached_analysis, key)
            return from_json(stored) if stored else None
        except ParseError as fault:
            log.warning("cache.unreadable", key=key, error=str(fault))
            return None

    async def _load_original(self, job: AnalysisJob, analyzer: Analyzer) -> Analysis | None:
        """Return the analysis of the text that this item repeats, if this analyzer made it."""
        stored = await self.database.read(load_item_analysis, job.copy_of) if job.copy_of else None
        try:
            original = from_json(stored) if stored else None
        except ParseError:
            return None
        return original if original and may_share(original, analyzer) else None

    async def _save(self, job: AnalysisJob, analysis: Analysis) -> bool:
        return await self.database.write(
            save_analysis, job, to_json(analysis), analysis.overall.value, self.now()
        )

    async def _fail(self, job: AnalysisJob, failed: AnalysisFailed, breaker: Breaker) -> str:
        error = f"{failed.kind.value}: {failed.message}"
        log.warning("analysis.failed", url=job.url, kind=failed.kind.value, message=failed.message)
        if failed.kind is FailureKind.BUDGET:
            return await self._wait(job, error, min(self._rest_of_day_s(), BUDGET_PAUSE_S))
        if breaker.failed(failed):
            return await self._fail_item(job, failed)
        return await self._wait(job, error, max(breaker.pause_s, failed.retry_after_s or FIRST_RETRY_S))

    async def _fail_item(self, job: AnalysisJob, failed: AnalysisFailed) -> str:
        """Record a failure that is the item's fault; it counts as an attempt."""
        error = f"{failed.kind.value}: {failed.message}"
        await self.database.write(save_analysis_failure, job, error, retry_s(job, failed))
        return "failed"

    async def _wait(self, job: AnalysisJob, why: str, wait_s: float) -> str:
        await self.database.write(save_analysis_failure, job, why, wait_s, counts=False)
        return WAITING

    def _rest_of_day_s(self) -> float:
        now = self.now().astimezone(UTC)
        midnight = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
        return (midnight - now).total_seconds()


def _next_batch(limit: int | None, endings: Counter[str]) -> int:
    return BATCH if limit is None else min(BATCH, max(limit - endings.total(), 0))


def _crash_of(job: AnalysisJob, crash: Exception) -> AnalysisFailed:
    """Turn a bug in Info Radar into a failure of this item; other items are unaffected."""
    log.error("analysis.crashed", url=job.url, exc_info=crash)
    text = f"Info Radar itself failed on this item ({type(crash).__name__}: {crash}). Please report it."
    return AnalysisFailed(kind=FailureKind.FAULT, message=text)


def retry_s(job: AnalysisJob, failed: AnalysisFailed) -> float | None:
    """Seconds until the next attempt, doubling each time; None after `MAX_ATTEMPTS`, when the item is given up."""
    if job.attempts + 1 >= MAX_ATTEMPTS:
        return None
    wait = min(FIRST_RETRY_S * 2.0**job.attempts, MAX_RETRY_S)
    return max(wait, failed.retry_after_s or 0.0)


def subject_of(job: AnalysisJob) -> Subject:
    """The analyzer's input: the text that people read, the page's or the feed's own."""
    own = plain_text(job.content)
    origin = choose_origin(job.content, len(job.clean_text), shares_page=shares_its_page(job.url))
    return Subject(
        url=job.url,
        title=job.title,
        description=job.snippet or own[:500],
        text=job.clean_text if origin is TextOrigin.PAGE else own,
        language=job.language,
    )


def cache_key(subject: Subject, analyzer: Analyzer) -> str:
    """The key under which an analysis is cached: the same text, prompt and model are asked once (ruling 8)."""
    parts = (
        analyzer.name,
        analyzer.model,
        analyzer.prompt_version,
        subject.title,
        subject.description,
        subject.text,
        subject.language or "",
    )
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
