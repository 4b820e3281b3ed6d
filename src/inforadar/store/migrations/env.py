"""Alembic's entry: runs the migrations on the connection that `inforadar.store.upgrade` hands over."""

from __future__ import annotations

from alembic import context

from inforadar.store import found_schema, history_schema, sitemap_schema  # noqa: F401 - for their tables
from inforadar.store.schema import metadata
from inforadar.store.search_schema import is_compared

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
    compare_type=True,
    include_name=is_compared,
)
context.run_migrations()
