"""Alembic's entry point: runs the migrations on the connection that `inforadar.store.upkeep.upgrade` passes."""

from __future__ import annotations

from alembic import context

from inforadar.store.schema import all_tables  # noqa: F401 - registers every table
from inforadar.store.schema.columns import metadata
from inforadar.store.schema.search import is_compared

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
    compare_type=True,
    include_name=is_compared,
)
context.run_migrations()
