"""How many items the search index takes at a time."""

from datetime import UTC, datetime

import pytest

from inforadar.model.ids import ItemId, new_uuid
from inforadar.pipeline.search_index import MAX_BATCH, MIN_BATCH, next_batch
from inforadar.store.items.search_jobs import SearchJob


def job(*texts: str | None) -> SearchJob:
    return SearchJob(
        item_id=ItemId(new_uuid()), published_at=datetime(2026, 11, 1, tzinfo=UTC), texts=texts, changes=(1,)
    )


@pytest.mark.parametrize(
    ("texts", "batch"),
    [
        (("Ferry line closed", None), MAX_BATCH),
        (("Ferry line closed", "слово " * 400), 206),
        (("Ferry line closed", "слово " * 20_000), MIN_BATCH),
        ((None,), MAX_BATCH),
    ],
)
def test_titles_go_by_the_thousand_and_long_articles_by_the_hundred(
    texts: tuple[str | None, ...], batch: int
) -> None:
    assert next_batch([job(*texts)] * 10) == batch


def test_the_first_batch_after_a_pause_is_small() -> None:
    assert next_batch([]) == MIN_BATCH
