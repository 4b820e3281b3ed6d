"""Finding items of like meaning: the vectors of the window, in memory, kept in step with the database."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from inforadar.model.ids import ItemId
from inforadar.stages.group.signature import Vector
from inforadar.stages.group.stored import vectors_from_text
from inforadar.stages.group.window import LEAST_COSINE, MAX_LIKE_VECTORS, WINDOW
from inforadar.store.database import Database
from inforadar.store.stories.window import KEPT, load_vectors_since

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_ROWS = 120_000
"""The newest vectors that are held; half a gigabyte would be more than a worker may use."""


@dataclass(slots=True)
class VectorIndex:
    """The vectors of the items in the window, as a matrix of half-precision numbers."""

    database: Database
    _version: int = 0
    _ids: list[ItemId] = field(default_factory=list)
    _times: list[float] = field(default_factory=list)
    _joined: list[float] = field(default_factory=list)
    """When each was placed: they are held in this order."""
    _matrix: NDArray[np.float16] | None = None

    def __len__(self) -> int:
        return len(self._ids)

    async def refresh(self, now: datetime) -> None:
        """Load what was placed since the last time; forget what is no longer compared, or is beyond `MAX_ROWS`."""
        import numpy as np  # noqa: PLC0415 - only there with the extra that makes vectors

        since = now - KEPT
        rows = await self.database.read(load_vectors_since, self._version, since)
        newest = rows[-MAX_ROWS:]
        oldest = self._outdated(max(len(self._ids) + len(newest) - MAX_ROWS, 0), since)
        if not newest and not oldest:
            return
        self._ids = self._ids[oldest:] + [row.item_id for row in newest]
        self._times = self._times[oldest:] + [row.at.timestamp() for row in newest]
        self._joined = self._joined[oldest:] + [row.joined_at.timestamp() for row in newest]
        kept = [] if self._matrix is None else [self._matrix[oldest:]]
        if newest:
            self._version = newest[-1].version
            kept.append(np.stack([vectors_from_text(row.vectors)[1] for row in newest]).astype(np.float16))
        # A new matrix: a part of the old one would keep all of it in memory.
        self._matrix = np.concatenate(kept)

    def _outdated(self, surplus: int, since: datetime) -> int:
        """Return how many of the oldest to forget: at least the surplus, and those placed before a time."""
        before = since.timestamp()
        return next(
            (n for n in range(surplus, len(self._joined)) if self._joined[n] >= before), len(self._joined)
        )

    def like(self, vectors: list[Vector], times: list[datetime]) -> list[list[ItemId]]:
        """For each vector the items that are most alike, inside the window around its time."""
        import numpy as np  # noqa: PLC0415 - only there with the extra that makes vectors

        if self._matrix is None or not len(self._ids):
            return [[] for _ in vectors]
        queries = np.stack(vectors).astype(np.float32)
        cosines = np.concatenate(
            [
                queries @ self._matrix[start : start + 4096].astype(np.float32).T
                for start in range(0, len(self._ids), 4096)
            ],
            axis=1,
        )
        at = np.array(self._times)
        found = []
        for row, time in zip(cosines, times, strict=True):
            near = np.where(abs(at - time.timestamp()) <= WINDOW.total_seconds() * 2, row, -1.0)
            best = np.argsort(-near, kind="stable")[:MAX_LIKE_VECTORS]
            found.append([self._ids[n] for n in best if near[n] >= LEAST_COSINE])
        return found
