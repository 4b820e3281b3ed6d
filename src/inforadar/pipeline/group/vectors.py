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
    _matrix: NDArray[np.float16] | None = None

    async def refresh(self, now: datetime) -> None:
        """Load what was placed since the last time, and forget the oldest beyond `MAX_ROWS`."""
        import numpy as np  # noqa: PLC0415 - only there with the extra that makes vectors

        since = now - KEPT
        rows = await self.database.read(load_vectors_since, self._version, since)
        if rows:
            self._version = rows[-1][3]
            added = np.stack([vectors_from_text(text)[1] for _, _, text, _ in rows]).astype(np.float16)
            self._ids += [id_ for id_, _, _, _ in rows]
            self._times += [at.timestamp() for _, at, _, _ in rows]
            self._matrix = added if self._matrix is None else np.concatenate([self._matrix, added])
        if self._matrix is None:
            return
        # Rows are in the order in which they were placed.
        surplus = len(self._ids) - MAX_ROWS
        if surplus > 0:
            self._ids, self._times = self._ids[surplus:], self._times[surplus:]
            self._matrix = self._matrix[surplus:]

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
