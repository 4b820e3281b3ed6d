"""All tables of the first version."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from inforadar.store.types import JsonDoc, TextList, UtcDateTime, db_now

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "analyses_cache",
        sa.Column(
            "key", sa.String(length=64), nullable=False, comment="SHA-256 over text, prompt version and model"
        ),
        sa.Column("created_at", UtcDateTime(), server_default=db_now(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("prompt_version", sa.Text(), nullable=False),
        sa.Column("result", JsonDoc, nullable=False),
        sa.Column("tokens_in", sa.Integer(), server_default="0", nullable=False),
        sa.Column("tokens_out", sa.Integer(), server_default="0", nullable=False),
        sa.Column("cost", sa.Float(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_analyses_cache")),
    )
    op.create_table(
        "analysis_costs",
        sa.Column("day", sa.Date(), nullable=False, comment="UTC"),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("feed_id", sa.Uuid(), nullable=False),
        sa.Column("calls", sa.Integer(), server_default="0", nullable=False),
        sa.Column("tokens_in", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("tokens_out", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("cost", sa.Float(), server_default="0", nullable=False, comment="US dollars"),
        sa.PrimaryKeyConstraint("day", "model", "feed_id", name=op.f("pk_analysis_costs")),
        comment="refers to no feed: what was spent stays spent when the feed is gone",
    )
    op.create_table(
        "article_categories",
        sa.Column("uid", sa.String(length=16), nullable=False),
        sa.Column("category", sa.Text(), nullable=False),
        sa.Column("created_at", UtcDateTime(), server_default=db_now(), nullable=False),
        sa.PrimaryKeyConstraint("uid", "category", name=op.f("pk_article_categories")),
        comment="topics that other programs listed an article under, beside its own and its items'",
    )
    op.create_table(
        "article_failures",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("uid", sa.String(length=16), nullable=False),
        sa.Column("at", UtcDateTime(), server_default=db_now(), nullable=False),
        sa.Column("code", sa.String(length=16), nullable=False),
        sa.Column("detail", sa.Text(), server_default="", nullable=False),
        sa.Column("host", sa.Text(), server_default="", nullable=False),
        sa.CheckConstraint(
            "code IN ('FAIL_HTTP', 'FAIL_TIMEOUT', 'FAIL_BAD_HTML', 'FAIL_PARSE', 'FAIL_EMPTY')",
            name=op.f("ck_article_failures_code"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_article_failures")),
    )
    op.create_index(op.f("ix_article_failures_at"), "article_failures", ["at"], unique=False)
    op.create_index(op.f("ix_article_failures_uid"), "article_failures", ["uid"], unique=False)
    op.create_table(
        "articles",
        sa.Column("uid", sa.String(length=16), nullable=False),
        sa.Column("created_at", UtcDateTime(), server_default=db_now(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), server_default=db_now(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("category", sa.Text(), server_default="general", nullable=False),
        sa.Column("status", sa.String(length=16), server_default="not_fetched", nullable=False),
        sa.Column("failure_code", sa.String(length=16), nullable=True),
        sa.Column("failure_detail", sa.Text(), nullable=True),
        sa.Column("raw_len", sa.Integer(), server_default="0", nullable=False),
        sa.Column("text_len", sa.Integer(), server_default="0", nullable=False),
        sa.Column("clean_text", sa.Text(), nullable=True),
        sa.Column("markdown", sa.Text(), nullable=True),
        sa.Column("abstract", sa.Text(), nullable=True),
        sa.Column("image", sa.Text(), nullable=True),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("author", sa.Text(), nullable=True),
        sa.Column("published_at", UtcDateTime(), nullable=True),
        sa.Column("modified_at", UtcDateTime(), nullable=True),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column("site_name", sa.Text(), nullable=True),
        sa.Column("canonical_url", sa.Text(), nullable=True),
        sa.Column("fetched_at", UtcDateTime(), nullable=True),
        sa.Column("etag", sa.Text(), nullable=True),
        sa.Column("last_modified", sa.Text(), nullable=True),
        sa.Column("validators_url", sa.Text(), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column(
            "attempted_at", UtcDateTime(), nullable=True, comment="counts as attempted for 30 days from here"
        ),
        sa.Column("next_attempt_at", UtcDateTime(), nullable=True),
        sa.Column("locked_until", UtcDateTime(), nullable=True),
        sa.Column("lease_token", sa.String(length=32), nullable=True),
        sa.CheckConstraint(
            "failure_code IN ('FAIL_HTTP', 'FAIL_TIMEOUT', 'FAIL_BAD_HTML', 'FAIL_PARSE', 'FAIL_EMPTY')",
            name=op.f("ck_articles_failure_code"),
        ),
        sa.CheckConstraint(
            "status IN ('not_fetched', 'success', 'failure')", name=op.f("ck_articles_status")
        ),
        sa.PrimaryKeyConstraint("uid", name=op.f("pk_articles")),
    )
    op.create_index(
        "ix_articles_next_attempt_at",
        "articles",
        ["next_attempt_at"],
        unique=False,
        sqlite_where=sa.text("next_attempt_at IS NOT NULL"),
        postgresql_where=sa.text("next_attempt_at IS NOT NULL"),
    )
    op.create_index(
        "ix_articles_attempted_at",
        "articles",
        ["attempted_at"],
        unique=False,
        sqlite_where=sa.text("status = 'failure'"),
        postgresql_where=sa.text("status = 'failure'"),
    )
    op.create_table(
        "feeds",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", UtcDateTime(), server_default=db_now(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), server_default=db_now(), nullable=False),
        sa.Column("deleted_at", UtcDateTime(), nullable=True),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("url_hash", sa.String(length=64), nullable=False),
        sa.Column("root_domain", sa.Text(), nullable=True),
        sa.Column("enforce_feed_domain", sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.Column("polling", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("enabled", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=True),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("topic", sa.Text(), server_default="general", nullable=False),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("site_url", sa.Text(), nullable=True),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column("origin", sa.Text(), nullable=True),
        sa.Column("etag", sa.Text(), nullable=True),
        sa.Column("last_modified", sa.Text(), nullable=True),
        sa.Column("validators_url", sa.Text(), nullable=True),
        sa.Column("last_fetch_status", sa.String(length=16), nullable=True),
        sa.Column("last_fetched_at", UtcDateTime(), nullable=True),
        sa.Column("error_policy", sa.String(length=16), nullable=True),
        sa.Column("duplicate_of", sa.Uuid(), nullable=True, comment="it moved to the URL of this other feed"),
        sa.Column("options", JsonDoc, server_default=sa.text("'{}'"), nullable=False),
        sa.CheckConstraint("error_policy IN ('backoff', 'one-strike')", name=op.f("ck_feeds_error_policy")),
        sa.CheckConstraint("kind IN ('feed', 'sitemap', 'pages')", name=op.f("ck_feeds_kind")),
        sa.CheckConstraint(
            "last_fetch_status IN ('success', 'temporary_error', 'permanent_error', 'unauthorized')",
            name=op.f("ck_feeds_last_fetch_status"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_feeds")),
        sa.UniqueConstraint("url_hash", name=op.f("uq_feeds_url_hash")),
    )
    op.create_index(op.f("ix_feeds_enabled"), "feeds", ["enabled"], unique=False)
    op.create_index(op.f("ix_feeds_root_domain"), "feeds", ["root_domain"], unique=False)
    op.create_index("ix_feeds_url", "feeds", ["url"], unique=False, postgresql_using="hash")
    op.create_table(
        "hosts",
        sa.Column("host", sa.Text(), nullable=False, comment="hostname:port"),
        sa.Column("updated_at", UtcDateTime(), server_default=db_now(), nullable=False),
        sa.Column("next_free_at", UtcDateTime(), nullable=True),
        sa.Column("paused_until", UtcDateTime(), nullable=True),
        sa.Column("pause_reason", sa.Text(), nullable=True),
        sa.Column("crawl_delay_s", sa.Float(), nullable=True),
        sa.Column("robots_access", sa.String(length=8), nullable=True, comment="rules, all or none"),
        sa.Column("robots_text", sa.Text(), nullable=True),
        sa.Column("robots_at", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("host", name=op.f("pk_hosts")),
    )
    op.create_table(
        "marks",
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("read_at", UtcDateTime(), nullable=True),
        sa.Column("starred_at", UtcDateTime(), nullable=True),
        sa.Column("archived_at", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_marks")),
    )
    op.create_table(
        "redis_outbox",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("at", UtcDateTime(), server_default=db_now(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("payload", JsonDoc, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_redis_outbox")),
        comment="what Redis has not been told yet; empty without Redis",
    )
    op.create_table(
        "runs",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("started_at", UtcDateTime(), nullable=False),
        sa.Column("finished_at", UtcDateTime(), nullable=True),
        sa.Column("interrupted", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("added_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("updated_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("errors_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("details", JsonDoc, server_default=sa.text("'{}'"), nullable=False),
        sa.CheckConstraint("kind IN ('fetch', 'collect', 'canonical', 'analyze')", name=op.f("ck_runs_kind")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
    )
    op.create_index(op.f("ix_runs_started_at"), "runs", ["started_at"], unique=False)
    op.create_table(
        "site_states",
        sa.Column("site_name", sa.Text(), nullable=False),
        sa.Column("sitemap_url", sa.Text(), nullable=True),
        sa.Column("last_run", UtcDateTime(), nullable=True),
        sa.Column("created_at", UtcDateTime(), server_default=db_now(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), server_default=db_now(), nullable=False),
        sa.PrimaryKeyConstraint("site_name", name=op.f("pk_site_states")),
    )
    op.create_table(
        "cached_feeds",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", UtcDateTime(), server_default=db_now(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), server_default=db_now(), nullable=False),
        sa.Column("xml_header", sa.Text(), nullable=False),
        sa.Column("item_refs", TextList, nullable=False),
        sa.Column("xml_content", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["id"], ["feeds.id"], name=op.f("fk_cached_feeds_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_cached_feeds")),
    )
    op.create_table(
        "feed_credentials",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("headers", JsonDoc, nullable=False, comment="request headers that hold secrets"),
        sa.ForeignKeyConstraint(
            ["id"], ["feeds.id"], name=op.f("fk_feed_credentials_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_feed_credentials")),
        comment="kept apart, so that no list of feeds ever carries them",
    )
    op.create_table(
        "feed_schedules",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("next_run_at", UtcDateTime(), nullable=True),
        sa.Column("requested_at", UtcDateTime(), nullable=True),
        sa.Column("locked_until", UtcDateTime(), nullable=True),
        sa.Column("lease_token", sa.String(length=32), nullable=True),
        sa.Column("claimed_at", UtcDateTime(), nullable=True),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.Column("failures", sa.Integer(), server_default="0", nullable=False),
        sa.Column(
            "build_at",
            UtcDateTime(),
            nullable=True,
            comment="its items changed: cached_feeds is to be built anew",
        ),
        sa.ForeignKeyConstraint(["id"], ["feeds.id"], name=op.f("fk_feed_schedules_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_feed_schedules")),
    )
    op.create_index(
        "ix_feed_schedules_build_at",
        "feed_schedules",
        ["build_at"],
        unique=False,
        sqlite_where=sa.text("build_at IS NOT NULL"),
        postgresql_where=sa.text("build_at IS NOT NULL"),
    )
    op.create_index(op.f("ix_feed_schedules_next_run_at"), "feed_schedules", ["next_run_at"], unique=False)
    op.create_index(
        "ix_feed_schedules_requested_at",
        "feed_schedules",
        ["requested_at"],
        unique=False,
        sqlite_where=sa.text("requested_at IS NOT NULL"),
        postgresql_where=sa.text("requested_at IS NOT NULL"),
    )
    op.create_table(
        "feed_urls",
        sa.Column("url_hash", sa.String(length=64), nullable=False),
        sa.Column("feed_id", sa.Uuid(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("left_at", UtcDateTime(), server_default=db_now(), nullable=False),
        sa.ForeignKeyConstraint(
            ["feed_id"], ["feeds.id"], name=op.f("fk_feed_urls_feed_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("url_hash", name=op.f("pk_feed_urls")),
        comment="URLs that a feed had before it moved",
    )
    op.create_index(op.f("ix_feed_urls_feed_id"), "feed_urls", ["feed_id"], unique=False)
    op.create_table(
        "items",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", UtcDateTime(), server_default=db_now(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), server_default=db_now(), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("feed_id", sa.Uuid(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("uid", sa.String(length=16), nullable=False),
        sa.Column("pub_date", UtcDateTime(), server_default=db_now(), nullable=False),
        sa.Column("content", sa.Text(), server_default="", nullable=False),
        sa.Column("guid", sa.Text(), nullable=True),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("author", sa.Text(), nullable=True),
        sa.Column("snippet", sa.Text(), nullable=True),
        sa.Column("tags", JsonDoc, nullable=True),
        sa.Column("image", sa.Text(), nullable=True),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column("views", sa.BigInteger(), nullable=True),
        sa.Column("comments", sa.BigInteger(), nullable=True),
        sa.Column("rating", sa.Float(), nullable=True),
        sa.Column("bookmarks", sa.BigInteger(), nullable=True),
        sa.Column("run_id", sa.Uuid(), nullable=True),
        sa.Column("analyzer_result", JsonDoc, server_default=sa.text("'{}'"), nullable=False),
        sa.Column("analyzed_at", UtcDateTime(), nullable=True),
        sa.Column("score", sa.Float(), nullable=True),
        sa.Column("analyze_at", UtcDateTime(), nullable=True),
        sa.Column("analyze_until", UtcDateTime(), nullable=True),
        sa.Column("analyze_token", sa.String(length=32), nullable=True),
        sa.Column("analyze_attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("analyze_error", sa.Text(), nullable=True),
        sa.CheckConstraint("score >= 0 AND score <= 1", name=op.f("ck_items_score")),
        sa.ForeignKeyConstraint(["feed_id"], ["feeds.id"], name=op.f("fk_items_feed_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_items_run_id"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_items")),
    )
    op.create_index("idx_feed_id_hash", "items", ["feed_id", "hash"], unique=True)
    op.create_index(
        "ix_items_analyze_at",
        "items",
        ["analyze_at"],
        unique=False,
        sqlite_where=sa.text("analyze_at IS NOT NULL"),
        postgresql_where=sa.text("analyze_at IS NOT NULL"),
    )
    op.create_index(
        "ix_items_feed_id_pub_date", "items", ["feed_id", sa.literal_column("pub_date DESC")], unique=False
    )
    op.create_index("ix_items_pub_date", "items", [sa.literal_column("pub_date DESC")], unique=False)
    op.create_index(op.f("ix_items_run_id"), "items", ["run_id"], unique=False)
    op.create_index("ix_items_url", "items", ["url"], unique=False, postgresql_using="hash")
    op.create_table(
        "run_events",
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("feed_id", sa.Uuid(), nullable=True),
        sa.Column("label", sa.Text(), server_default="", nullable=False),
        sa.Column("text", sa.Text(), server_default="", nullable=False),
        sa.Column("found", sa.Integer(), server_default="0", nullable=False),
        sa.Column("done", sa.Integer(), server_default="0", nullable=False),
        sa.Column("pages", sa.Integer(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name=op.f("fk_run_events_run_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", "seq", name=op.f("pk_run_events")),
    )
    op.create_table(
        "url_states",
        sa.Column("site_name", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column(
            "state",
            sa.Integer(),
            server_default="0",
            nullable=False,
            comment="0 pending, 1 processed, 2 failed",
        ),
        sa.Column("first_seen", UtcDateTime(), server_default=db_now(), nullable=False),
        sa.Column("last_seen", UtcDateTime(), server_default=db_now(), nullable=False),
        sa.Column("lastmod", UtcDateTime(), nullable=True),
        sa.CheckConstraint("state IN (0, 1, 2)", name=op.f("ck_url_states_state")),
        sa.ForeignKeyConstraint(
            ["site_name"], ["site_states.site_name"], name=op.f("fk_url_states_site_name")
        ),
        sa.PrimaryKeyConstraint("site_name", "url", name=op.f("pk_url_states")),
    )
    op.create_index("idx_url_lastseen", "url_states", ["last_seen"], unique=False)
    op.create_index("idx_url_state", "url_states", ["state"], unique=False)
    op.create_table(
        "item_changes",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("item_id", sa.Uuid(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=True),
        sa.Column("at", UtcDateTime(), server_default=db_now(), nullable=False),
        sa.Column("fields", JsonDoc, nullable=False, comment="{field: [old, new]}"),
        sa.ForeignKeyConstraint(
            ["item_id"], ["items.id"], name=op.f("fk_item_changes_item_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name=op.f("fk_item_changes_run_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_item_changes")),
    )
    op.create_index(op.f("ix_item_changes_item_id"), "item_changes", ["item_id"], unique=False)
    op.create_index(op.f("ix_item_changes_run_id"), "item_changes", ["run_id"], unique=False)
    if op.get_bind().dialect.name == "postgresql":
        # Served whole and often, so it is kept out of line and uncompressed: reading the row's other columns
        # never touches it, and serving it costs no decompression.
        op.execute("ALTER TABLE cached_feeds ALTER COLUMN xml_content SET STORAGE EXTERNAL")


def downgrade() -> None:
    op.drop_table("item_changes")
    op.drop_table("url_states")
    op.drop_table("run_events")
    op.drop_table("items")
    op.drop_table("feed_urls")
    op.drop_table("feed_schedules")
    op.drop_table("feed_credentials")
    op.drop_table("cached_feeds")
    op.drop_table("site_states")
    op.drop_table("runs")
    op.drop_table("redis_outbox")
    op.drop_table("marks")
    op.drop_table("hosts")
    op.drop_table("feeds")
    op.drop_table("articles")
    op.drop_table("article_failures")
    op.drop_table("article_categories")
    op.drop_table("analysis_costs")
    op.drop_table("analyses_cache")
