"""Every table there is, for those who go over all of them. Tables are defined by area; this names the areas."""

from __future__ import annotations

from sqlalchemy import Table

from inforadar.store import found_schema, history_schema, retention_schema, search_schema, sitemap_schema
from inforadar.store.schema import metadata

_AREAS = (found_schema, history_schema, retention_schema, search_schema, sitemap_schema)
"""To import them is what puts their tables into the metadata."""


def all_tables() -> list[Table]:
    """In an order in which no table comes before one that it refers to."""
    assert _AREAS
    return list(metadata.sorted_tables)
