"""Place queued items into stories.

    claim | read titles and texts | encode | load the window | screen | load stories that may fit | decide | save

Reading and encoding are shared by all workers. Decisions are saved one batch at a time: each is made on a version of
the grouping, and made again if another worker saved first. So two workers that meet the same event make one story.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from inforadar.pipeline.heartbeat import keep_leases
from inforadar.store.database import Database
from inforadar.store.stories.claims import (
    GroupJob,
    claim_group_jobs,
    extend_group_jobs,
    finish_group_jobs,
    release_group_jobs,
)
from inforadar.store.stories.save import prune_window
from inforadar.store.stories.window import KEPT

if TYPE_CHECKING:
    from inforadar.pipeline.group.placing import Encode, Placer

BATCH = 50
PRUNE_S = 3600.0


@dataclass(slots=True, kw_only=True)
class GroupStage:
    """Places queued items into stories."""

    database: Database
    now: Callable[[], datetime]
    use_vectors: bool = True
    """Use sentence vectors if the extra for them is installed."""
    encode: Encode | None = None
    """Makes the vectors, by default in a thread of this process."""
    _placer: Placer | None = None
    _pruned_at: datetime | None = None

    async def run_once(self) -> int:
        """Place all queued items; return their number."""
        total = 0
        while jobs := await self.database.write(claim_group_jobs, BATCH):
            held = {job.item_id: job for job in jobs}
            async with keep_leases(self.database, held, extend=extend_group_jobs, release=release_group_jobs):
                await self._place(jobs)
                held.clear()
            total += len(jobs)
        await self._prune()
        return total

    async def _prune(self) -> None:
        now = self.now()
        if self._pruned_at is None or (now - self._pruned_at).total_seconds() >= PRUNE_S:
            self._pruned_at = now
            await self.database.write(prune_window, now - KEPT)

    async def _place(self, jobs: Sequence[GroupJob]) -> None:
        # What a person placed stays, and what is long over is not torn apart by a change to one title.
        settled = [job for job in jobs if job.is_pinned or job.is_over]
        if settled:
            await self.database.write(finish_group_jobs, settled)
        if open_jobs := [job for job in jobs if job not in settled]:
            await self._open_placer().place(open_jobs)

    def _open_placer(self) -> Placer:
        if self._placer is None:
            from inforadar.pipeline.group.placing import Placer  # noqa: PLC0415 - only when there is work

            self._placer = Placer(
                database=self.database, now=self.now, use_vectors=self.use_vectors, encode=self.encode
            )
        return self._placer
