"""The sentence vectors in a worker: made where it is told, and held as long as they are compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import numpy
import pytest
from sqlalchemy import update

from inforadar.pipeline.group import vectors as vectors_module
from inforadar.pipeline.group.stage import GroupStage
from inforadar.pipeline.group.vectors import VectorIndex
from inforadar.store.database import Database
from inforadar.store.schema.stories import story_items
from inforadar.store.stories.window import KEPT
from tests.pipeline.group.test_stage import NOW
from tests.store.making import add_feed, collect, listed


class Encoding:
    """Encodes each text as a direction of its own, and remembers the texts."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    async def __call__(self, work: Callable[..., Any], texts: Sequence[str]) -> Any:
        self.texts += texts
        return numpy.eye(len(texts), 512, dtype=numpy.float32)


async def place(database: Database, *names: str) -> Encoding:
    for name in names:
        feed = await add_feed(database, f"https://{name}.example/feed", source=name)
        await collect(database, feed, listed(f"https://{name}.example/1", title=f"Mayor of {name} resigns"))
    encoding = Encoding()
    await GroupStage(database=database, now=lambda: NOW, encode=encoding).run_once()
    return encoding


async def test_texts_are_encoded_where_the_worker_says(database: Database) -> None:
    encoding = await place(database, "Saltmere", "Osterby")
    assert sorted(set(encoding.texts)) == ["Mayor of Osterby resigns", "Mayor of Saltmere resigns"]
    index = VectorIndex(database)
    await index.refresh(NOW)
    # The titles with their texts are the second half of what was encoded.
    found = index.like([numpy.eye(4, 512, dtype=numpy.float32)[2]], [NOW])
    assert [len(ids) for ids in found] == [1]


async def test_vectors_are_forgotten_when_they_are_no_longer_compared(database: Database) -> None:
    await place(database, "Saltmere", "Osterby")
    index = VectorIndex(database)
    await index.refresh(NOW)
    assert len(index) == 2
    await database.write(lambda c: c.execute(update(story_items).values(joined_at=NOW)))
    index = VectorIndex(database)
    await index.refresh(NOW)
    await index.refresh(NOW + KEPT)
    assert len(index) == 2
    await index.refresh(NOW + KEPT + timedelta(seconds=1))
    assert len(index) == 0
    await place(database, "Lindau")
    await index.refresh(NOW)
    assert len(index) == 1


async def test_no_more_vectors_are_held_than_the_limit(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors_module, "MAX_ROWS", 3)
    index = VectorIndex(database)
    for name in ("Saltmere", "Osterby", "Lindau", "Mirny"):
        await place(database, name)
        await index.refresh(NOW)
    assert len(index) == 3
    assert index._matrix is not None
    assert (index._matrix.shape, index._matrix.base) == ((3, 512), None)
