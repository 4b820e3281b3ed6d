"""The analyze stage: items whose article is there get their analysis, outside any feed's lease (ruling 3)."""

from __future__ import annotations

import asyncio
import hashlib
import html
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import assert_never

import structlog

from inforadar.model.analysis import Subject, from_json, to_json
from inforadar.model.ids import ItemId
from inforadar.pipeline.holding import holding
from inforadar.stages.analyze.base import AnalysisFailed, Analyzed, Analyzer
from inforadar.store.analyses import (
    AnalysisJob,
    claim_analyses,
    extend_analyses,
    load_cached_analysis,
    release_analyses,
    save_analysis,
    save_analysis_failure,
    save_cached_analysis,
)
from inforadar.store.engine import Database

BATCH = 50
MAX_ATTEMPTS = 7
FIRST_RETRY_S = 300.0
LONGEST_RETRY_S = 6 * 3600.0

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisStage:
    """Runs the analyzer over what is waiting."""

    database: Database
    analyzer: Analyzer
    concurrency: int
    now: Callable[[], datetime]

    async def run_once(self) -> Counter[str]:
        """Works off what is queued; returns how many ended how."""
        endings: Counter[str] = Counter()
        slots = asyncio.Semaphore(self.concurrency)

        held: dict[ItemId, AnalysisJob] = {}

        async def one(job: AnalysisJob) -> None:
            async with slots:
                endings[await self._analyze(job)] += 1
                del held[job.item_id]

        while jobs := await self.database.write(claim_analyses, BATCH):
            held |= {job.item_id: job for job in jobs}
            async with (
                holding(self.database, held, extend=extend_analyses, release=release_analyses),
                asyncio.TaskGroup() as tasks,
            ):
                for job in jobs:
                    tasks.create_task(one(job))
        return endings

    async def _analyze(self, job: AnalysisJob) -> str:
        subject = subject_of(job)
        key = cache_key(subject, self.analyzer)
        cached = await self.database.read(load_cached_analysis, key)
        if cached and (analysis := from_json(cached)):
            result: Analyzed | AnalysisFailed = Analyzed(analysis=analysis)
        else:
            result = await self.analyzer.analyze(subject)
        match result:
            case Analyzed(analysis=analysis):
                document = to_json(analysis)
                if not cached:
                    await self.database.write(
                        save_cached_analysis,
                        key,
                        document,
                        model=self.analyzer.model,
                        prompt_version=self.analyzer.prompt_version,
                        tokens_in=result.tokens_in,
                        tokens_out=result.tokens_out,
                        cost=result.cost,
                    )
                held = await self.database.write(
                    save_analysis, job, document, analysis.overall.value, self.now()
                )
                return "cached" if held and cached else "analyzed" if held else "lost"
            case AnalysisFailed():
                log.warning("analysis.failed", url=job.url, kind=result.kind.value, message=result.message)
                await self.database.write(
                    save_analysis_failure, job, f"{result.kind.value}: {result.message}", retry_s(job, result)
                )
                return "failed"
            case _:
                assert_never(result)


def retry_s(job: AnalysisJob, failed: AnalysisFailed) -> float | None:
    """Later and later; after `MAX_ATTEMPTS` it is given up."""
    if job.attempts + 1 >= MAX_ATTEMPTS:
        return None
    wait = min(FIRST_RETRY_S * 2.0**job.attempts, LONGEST_RETRY_S)
    return max(wait, failed.retry_after_s or 0.0)


def subject_of(job: AnalysisJob) -> Subject:
    """What the analyzer is given: the article's text, or what the feed itself said if there is none."""
    own = plain_text(job.content)
    return Subject(
        url=job.url,
        title=job.title,
        description=job.snippet or own[:500],
        text=job.clean_text or own,
        language=job.language,
    )


def cache_key(subject: Subject, analyzer: Analyzer) -> str:
    """The same text with the same prompt and model is answered once (ruling 8)."""
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


_TAG = re.compile(r"<[^<>]{0,2000}>")


def plain_text(content: str) -> str:
    """A feed's own HTML as plain text, for reading by a model: markup goes, white space is folded."""
    return " ".join(html.unescape(_TAG.sub(" ", content)).split())
