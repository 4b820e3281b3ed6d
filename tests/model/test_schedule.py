"""The state of a listing's part, read from what earlier versions stored."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from inforadar.model.item import Listed
from inforadar.model.schedule import PartState


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        ({}, PartState()),
        (
            {
                "url": "https://a.example/",
                "items": [{"url": "https://a.example/1", "title": "Хлеб"}],
                "next_url": "https://a.example/?page=2",
                "is_next_guessed": True,
                "warnings": [],
            },
            PartState(
                url="https://a.example/",
                items=(Listed(url="https://a.example/1", title="Хлеб"),),
                next_url="https://a.example/?page=2",
                is_next_guessed=True,
            ),
        ),
        (
            {
                "site": "news",
                "modified": {"https://a.example/1": "2026-03-01T12:00:00+00:00"},
                "failed": ["https://a.example/2"],
            },
            PartState(
                site="news",
                modified={"https://a.example/1": datetime(2026, 3, 1, 12, tzinfo=UTC)},
                failed=("https://a.example/2",),
            ),
        ),
    ],
    ids=["none", "a page", "a sitemap"],
)
def test_a_stored_state_is_read_whichever_collector_wrote_it(
    stored: dict[str, Any], expected: PartState
) -> None:
    assert msgspec.convert(stored, PartState) == expected
