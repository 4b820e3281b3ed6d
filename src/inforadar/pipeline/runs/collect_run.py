"""A collect run: one report for all cycles of an interval, including the later turns of crowded hosts."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

import structlog

from inforadar.errors import InfoRadarError
from inforadar.model.ids import RunId
from inforadar.model.run import RunDetails, RunKind
from inforadar.pipeline.runs.cycle_result import CycleResult
from inforadar.store.database import Database
from inforadar.store.runs.save import continue_run, finish_run, insert_run

log = structlog.get_logger()


@dataclass(slots=True)
class CollectRun:
    """A collect run and the totals of its cycles so far."""

    id: RunId | None = None
    """None until something was collected: until then there is nothing to report."""
    feeds: int = 0
    dropped: int = 0
    errors: dict[str, str] = field(default_factory=dict)
    """{feed URL: sentence}."""
    warnings: dict[str, list[str]] = field(default_factory=dict)
    """Entries left out: {feed URL: sentences}."""
    interrupted: bool = False

    def add(self, result: CycleResult, *, interrupted: bool) -> None:
        self.feeds += result.fetched
        self.dropped += result.dropped
        # A feed that could not be saved is retried within the same run.
        self.errors = {
            url: why for url, why in self.errors.items() if url not in result.succeeded
        } | result.errors
        self.warnings |= result.warnings
        self.interrupted = interrupted

    async def begin(self, database: Database, at: datetime) -> RunId:
        """Continue the run if it still exists, else start a new one."""
        if self.id is None or not await database.write(continue_run, self.id):
            self.id = await database.write(insert_run, RunKind.COLLECT, at)
        return self.id

    async def report(self, database: Database, at: datetime) -> None:
        """Write the report so far."""
        assert self.id is not None
        try:
            await database.write(
                finish_run,
                self.id,
                at,
                errors=len(self.errors),
                interrupted=self.interrupted,
                details=RunDetails(
                    feeds=self.feeds, dropped=self.dropped, errors=self.errors, warnings=self.warnings
                ),
            )
        except InfoRadarError as fault:
            log.warning("run.not_finished", run_id=str(self.id), error=str(fault))
