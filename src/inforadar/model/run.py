"""Runs and reports: one pass over a set of feeds, and what it did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from inforadar.model.ids import RunId


class RunKind(StrEnum):
    FETCH = "fetch"
    """Asked for by a person (A1)."""
    COLLECT = "collect"
    """A cycle of the worker, with those that follow in its interval for a crowded host's turns."""
    CANONICAL = "canonical"
    ANALYZE = "analyze"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a run did (A10)."""

    run_id: RunId
    kind: RunKind
    started_at: datetime
    finished_at: datetime | None = None
    interrupted: bool = False
    added_count: int = 0
    updated_count: int = 0
    errors_count: int = 0
    added_articles: tuple[str, ...] = ()
    updated_articles: tuple[str, ...] = ()
    updated_fields_map: Mapping[str, Mapping[str, tuple[Any, Any]]] = field(default_factory=dict)
    """{url: {field: (old, new)}}."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """Filters, dropped items, errors by feed."""
    is_wanted: bool = False
    """Asked for, and not yet taken by a worker."""
    stop_asked: bool = False
    """Someone asked that it stop; it does, between two items."""
