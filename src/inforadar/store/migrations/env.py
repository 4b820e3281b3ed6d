"""Alembic's entry: runs the migrations on the connection that `inforadar.store.upgrade` hands over."""

from __future__ import annotations

from alembic import context

from inforadar.store import sitemap_schema  # noqa: F401 - for its tables
from inforadar.store.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
    compare_type=True,
)
context.run_migrations()
