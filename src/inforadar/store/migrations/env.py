"""Alembic's entry point: runs the migrations on the connection that `inforadar.store.upkeep.upgrade` passes."""

from __future__ import annotations

import structlog
from alembic import context
from alembic.runtime.migration import MigrationInfo

from inforadar.store.schema import all_tables  # noqa: F401 - registers every table
from inforadar.store.schema.columns import metadata
from inforadar.store.schema.search import is_compared

log = structlog.get_logger()


def _log_step(ctx: object, step: MigrationInfo, heads: object, run_args: object) -> None:
    """Say how far the upgrade of an existing database is: for a large one it takes minutes."""
    if step.is_upgrade and context.config.attributes["is_logged"]:
        log.info("database.upgrade_step", revision=step.up_revision_id)


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
    compare_type=True,
    include_name=is_compared,
    on_version_apply=_log_step,
)
context.run_migrations()
