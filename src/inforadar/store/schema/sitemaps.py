"""The tables for sitemaps: seed 4's two, under its names, and the files that a sitemap consists of.

They do not refer to feeds: the same tables are in the separate state file of `IncrementalStateManager`.
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Uuid,
    false,
)

from inforadar.model.ids import new_uuid
from inforadar.store.schema.columns import metadata, partial_index
from inforadar.store.types import UtcDateTime, WebText, db_now

site_states = Table(
    "site_states",
    metadata,
    Column("site_name", WebText, primary_key=True),
    Column("sitemap_url", WebText),
    Column("last_run", UtcDateTime),
    Column("cleaned_at", UtcDateTime, comment="when it was last looked for URLs to forget"),
    Column("created_at", UtcDateTime, nullable=False, server_default=db_now()),
    Column("updated_at", UtcDateTime, nullable=False, server_default=db_now()),
)

url_states = Table(
    "url_states",
    metadata,
    Column("site_name", WebText, ForeignKey("site_states.site_name"), primary_key=True),
    Column("url", WebText, primary_key=True),
    Column("state", Integer, nullable=False, server_default="0", comment="0 pending, 1 processed, 2 failed"),
    Column("first_seen", UtcDateTime, nullable=False, server_default=db_now()),
    Column("last_seen", UtcDateTime, nullable=False, server_default=db_now()),
    Column("lastmod", UtcDateTime),
    Column("published_at", UtcDateTime, comment="when it was last published; empty: only noted as seen"),
    Column("file_id", Uuid, index=True, comment="the sitemap file that lists it; empty: none or several do"),
    Column("left_at", UtcDateTime, comment="since when it is no longer listed"),
    CheckConstraint("state IN (0, 1, 2)", name="state"),
    Index("idx_url_state", "state"),
    Index("idx_url_lastseen", "last_seen"),
)
_left = url_states.c.left_at.is_not(None)
partial_index("ix_url_states_left_at", url_states.c.left_at, where=_left)

sitemap_files = Table(
    "sitemap_files",
    metadata,
    Column("id", Uuid, primary_key=True, default=new_uuid),
    Column("site_name", WebText, ForeignKey("site_states.site_name"), nullable=False),
    Column("url", WebText, nullable=False),
    Column("url_hash", String(64), nullable=False),
    Column("parent_id", Uuid, comment="the index that lists it"),
    Column("form", String(16)),
    Column("listed_lastmod", UtcDateTime, comment="what its index says"),
    Column("lastmod", UtcDateTime, comment="what its index said when it was last read"),
    Column("etag", WebText),
    Column("last_modified", WebText),
    Column("validators_url", WebText),
    Column("digest", String(64), comment="SHA-256 of its bytes"),
    Column("read_at", UtcDateTime, comment="when it was last read to its end"),
    Column("checked_at", UtcDateTime, comment="when the walk that has not ended yet asked for it"),
    Column("left_at", UtcDateTime, comment="since when no index lists it any more"),
    Column(
        "is_baseline",
        Boolean,
        nullable=False,
        server_default=false(),
        comment="listed in the first run, which could not read it: what it lists is no news",
    ),
    Index("uq_sitemap_files_site_name_url_hash", "site_name", "url_hash", unique=True),
    comment="the files that a site's sitemap consists of",
)
