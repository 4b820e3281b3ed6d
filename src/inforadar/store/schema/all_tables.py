"""All tables, for code that iterates over them. They are defined by noun; this module lists the nouns."""

from __future__ import annotations

from sqlalchemy import Table

from inforadar.store.schema import (
    analyses,
    articles,
    counters,
    feeds,
    history,
    hosts,
    items,
    people,
    push,
    redis,
    revisions,
    rules,
    runs,
    search,
    sitemaps,
    stories,
    workers,
)
from inforadar.store.schema.columns import metadata

NOUNS = (
    analyses,
    articles,
    counters,
    feeds,
    history,
    hosts,
    items,
    people,
    push,
    redis,
    rules,
    revisions,
    runs,
    search,
    sitemaps,
    stories,
    workers,
)
"""Importing these modules registers their tables in the metadata."""


def all_tables() -> list[Table]:
    """All tables, each after the tables it refers to."""
    assert NOUNS
    return list(metadata.sorted_tables)
