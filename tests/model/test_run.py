"""Details of runs, read from what earlier versions stored."""

from __future__ import annotations

from datetime import date
from typing import Any

import msgspec
import pytest

from inforadar.model.progress import ProgressKind
from inforadar.model.run import FeedTally, RunDetails, RunNumbers


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        ({}, RunDetails()),
        (
            {"feeds": 3, "dropped": 2, "errors": {"https://a.example/": "It failed."}},
            RunDetails(feeds=3, dropped=2, errors={"https://a.example/": "It failed."}),
        ),
        (
            {
                "sources": ["Хабр"],
                "topics": [],
                "cutoff": "2026-01-31",
                "window_days": None,
                "depth": "window",
            },
            RunDetails(sources=("Хабр",), cutoff=date(2026, 1, 31), depth="window"),
        ),
        (
            {
                "by_feed": {"https://a.example/": {"feed": "a/b", "items": 3, "added": 2, "updated": 1}},
                "progress": {"phase": "processed", "found": 3, "done": 2, "pages": 1},
            },
            RunDetails(
                by_feed={"https://a.example/": FeedTally(feed="a/b", items=3, added=2, updated=1)},
                progress=RunNumbers(phase=ProgressKind.PROCESSED, found=3, done=2, pages=1),
            ),
        ),
        ({"feeds": 1, "key of another version": [1]}, RunDetails(feeds=1)),
    ],
)
def test_stored_details_are_read_whatever_run_wrote_them(
    stored: dict[str, Any], expected: RunDetails
) -> None:
    assert msgspec.convert(stored, RunDetails) == expected


def test_details_are_stored_as_plain_json_without_a_phase_once_the_run_has_ended() -> None:
    details = RunDetails(cutoff=date(2026, 1, 31), progress=RunNumbers(found=3, done=3, pages=1))
    stored = msgspec.to_builtins(details)
    assert stored["cutoff"] == "2026-01-31"
    assert stored["progress"] == {"found": 3, "done": 3, "pages": 1}
    assert msgspec.convert(stored, RunDetails) == details
