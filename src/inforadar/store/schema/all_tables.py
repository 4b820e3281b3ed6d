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
    redis,
    runs,
    search,
    sitemaps,
    stories,
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
    redis,
    runs,
    search,
    sitemaps,
    stories,
)
"""Importing these modules registers their tables in the metadata."""


def all_tables() -> list[Table]:
    """All tables, each after the tables it refers to."""
    assert NOUNS
    return list(metadata.sorted_tables)
