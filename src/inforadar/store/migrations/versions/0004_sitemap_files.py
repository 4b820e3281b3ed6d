"""The files of sitemaps with their validators, and which URLs are no longer listed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from inforadar.store.types import UtcDateTime

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "site_states",
        sa.Column(
            "cleaned_at",
            UtcDateTime(),
            nullable=True,
            comment="when it was last looked for URLs to forget",
        ),
    )
    op.add_column(
        "url_states",
        sa.Column(
            "file_id",
            sa.Uuid(),
            nullable=True,
            comment="the sitemap file that lists it; empty: none or several do",
        ),
    )
    op.add_column(
        "url_states",
        sa.Column(
            "published_at",
            UtcDateTime(),
            nullable=True,
            comment="when it was last published; empty: only noted as seen",
        ),
    )
    op.add_column(
        "url_states",
        sa.Column("left_at", UtcDateTime(), nullable=True, comment="since when it is no longer listed"),
    )
    op.create_index(op.f("ix_url_states_file_id"), "url_states", ["file_id"], unique=False)
    filled = sa.text("left_at IS NOT NULL")
    op.create_index(
        "ix_url_states_left_at",
        "url_states",
        ["left_at"],
        unique=False,
        sqlite_where=filled,
        postgresql_where=filled,
    )
    op.create_table(
        "sitemap_files",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("site_name", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("url_hash", sa.String(length=64), nullable=False),
        sa.Column("parent_id", sa.Uuid(), nullable=True, comment="the index that lists it"),
        sa.Column("form", sa.String(length=16), nullable=True),
        sa.Column("listed_lastmod", UtcDateTime(), nullable=True, comment="what its index says"),
        sa.Column(
            "lastmod", UtcDateTime(), nullable=True, comment="what its index said when it was last read"
        ),
        sa.Column("etag", sa.Text(), nullable=True),
        sa.Column("last_modified", sa.Text(), nullable=True),
        sa.Column("validators_url", sa.Text(), nullable=True),
        sa.Column("digest", sa.String(length=64), nullable=True, comment="SHA-256 of its bytes"),
        sa.Column("read_at", UtcDateTime(), nullable=True, comment="when it was last read to its end"),
        sa.Column("left_at", UtcDateTime(), nullable=True, comment="since when no index lists it any more"),
        sa.ForeignKeyConstraint(
            ["site_name"], ["site_states.site_name"], name=op.f("fk_sitemap_files_site_name")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sitemap_files")),
        comment="the files that a site's sitemap consists of",
    )
    op.create_index(
        "uq_sitemap_files_site_name_url_hash", "sitemap_files", ["site_name", "url_hash"], unique=True
    )


def downgrade() -> None:
    op.drop_table("sitemap_files")
    op.drop_index("ix_url_states_left_at", table_name="url_states")
    op.drop_index(op.f("ix_url_states_file_id"), table_name="url_states")
    with op.batch_alter_table("url_states") as table:
        table.drop_column("left_at")
        table.drop_column("published_at")
        table.drop_column("file_id")
    op.drop_column("site_states", "cleaned_at")
