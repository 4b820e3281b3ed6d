"""All tables, for code that goes over every one of them. They are defined by noun; this module names the nouns."""

from __future__ import annotations

from sqlalchemy import Table

from inforadar.store.schema import (
    analyses,
    articles,
    feeds,
    history,
    hosts,
    items,
    people,
    redis,
    runs,
    search,
    sitemaps,
)
from inforadar.store.schema.columns import metadata

NOUNS = (analyses, articles, feeds, history, hosts, items, people, redis, runs, search, sitemaps)
"""Importing them registers their tables in the metadata."""


def all_tables() -> list[Table]:
    """All tables, each after those it refers to."""
    assert NOUNS
    return list(metadata.sorted_tables)
