"""The local analyzer as the analyze stage uses it: items that wait together are analyzed together.

The encoder reads several texts in one call at about half the cost of reading them one by one. Where the work is done is
up to the caller: in one thread of this process, or in a process of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from inforadar.model.analysis import Analysis, Subject
from inforadar.stages.analyze.base import Analyzed, Run, Work
from inforadar.stages.analyze.local.version import RULES_VERSION, model_name

MAX_BATCH = 16


class LocalAnalyzer:
    """Scores without key or network; the same subject always gets the same analysis."""

    name = "local"
    prompt_version = RULES_VERSION

    def __init__(self, run: Run | None = None) -> None:
        """By default, the work is done in a thread."""
        self._run = run or _in_thread
        self._waiting: list[tuple[Subject, asyncio.Future[Analysis]]] = []
        self._working: asyncio.Task[None] | None = None

    @property
    def model(self) -> str:
        return model_name()

    async def analyze(self, subject: Subject) -> Analyzed:
        """Analyze together with the other subjects that wait."""
        found: asyncio.Future[Analysis] = asyncio.get_running_loop().create_future()
        self._waiting.append((subject, found))
        if self._working is None or self._working.done():
            self._working = asyncio.create_task(self._work())
        return Analyzed(analysis=await found)

    async def _work(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[:MAX_BATCH], self._waiting[MAX_BATCH:]
            batch = [(subject, found) for subject, found in batch if not found.done()]
            if not await self._finish(batch):
                # One of them failed: each for itself, so that it fails alone.
                for one in batch:
                    await self._finish([one])

    async def _finish(self, batch: Sequence[tuple[Subject, asyncio.Future[Analysis]]]) -> bool:
        """Analyze a batch; return False if it failed and has several subjects."""
        if not batch:
            return True
        try:
            analyses = await self._run(_analyze, [subject for subject, _ in batch])
        except Exception as fault:
            if len(batch) > 1:
                return False
            if not batch[0][1].done():
                batch[0][1].set_exception(fault)
            return True
        for (_, found), analysis in zip(batch, analyses, strict=True):
            if not found.done():
                found.set_result(analysis)
        return True


def _analyze(subjects: Sequence[Subject]) -> list[Analysis]:
    # Imported here because a worker has it done in a process of its own, and needs none of it itself.
    from inforadar.stages.analyze.local.analyzer import analyze_subjects  # noqa: PLC0415

    return analyze_subjects(subjects)


async def _in_thread(work: Work, subjects: Sequence[Subject]) -> list[Analysis]:
    return await asyncio.get_running_loop().run_in_executor(_thread(), work, subjects)


@cache
def _thread() -> ThreadPoolExecutor:
    """The one thread that analyzes: more of them would wait for each other."""
    return ThreadPoolExecutor(1, "local-analyzer")
