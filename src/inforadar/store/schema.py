"""The tables. Invariants live here: what must never be is made impossible by a constraint.

Tables and columns of seeds 2 and 4 keep their names, because people read them with their own tools.
An index on a URL is a hash index on PostgreSQL, whose B-trees refuse rows over 2.7 KB.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Date,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Uuid,
    false,
    text,
    true,
)

from inforadar.model.article import ArticleStatus, FailureCode
from inforadar.model.feed import ErrorPolicy, FeedKind
from inforadar.model.http import Outcome
from inforadar.model.ids import new_uuid
from inforadar.model.run import RunKind
from inforadar.store.types import JsonDoc, TextList, UtcDateTime, WebText, db_now, folded

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _words(column: str, words: type) -> CheckConstraint:
    """Only the enum's words may stand in `column`."""
    allowed = ", ".join(f"'{word.value}'" for word in words)  # type: ignore[attr-defined]
    return CheckConstraint(f"{column} IN ({allowed})", name=column)


def _created() -> Column[object]:
    return Column("created_at", UtcDateTime, nullable=False, server_default=db_now())


def _updated() -> Column[object]:
    return Column("updated_at", UtcDateTime, nullable=False, server_default=db_now())


def _partial_index(column: Column[Any]) -> Index:
    """An index of only those rows that have a value: queues are short, tables are long."""
    filled = column.is_not(None)
    return Index(
        f"ix_{column.table.name}_{column.name}", column, sqlite_where=filled, postgresql_where=filled
    )


feeds = Table(
    "feeds",
    metadata,
    Column("id", Uuid, primary_key=True, default=new_uuid),
    _created(),
    _updated(),
    Column("deleted_at", UtcDateTime),
    Column("url", WebText, nullable=False),
    Column("url_hash", String(64), nullable=False, unique=True),
    Column("root_domain", WebText, index=True),
    Column("enforce_feed_domain", Boolean, nullable=False, server_default=true()),
    Column("polling", Boolean, nullable=False, server_default=false()),
    Column("enabled", Boolean, nullable=False, server_default=false()),
    Column("kind", String(16)),
    Column("source", WebText, nullable=False),
    Column("topic", WebText, nullable=False, server_default="general"),
    Column("title", WebText),
    Column("site_url", WebText),
    Column("description", WebText),
    Column("language", WebText),
    Column("origin", WebText),
    Column("etag", WebText),
    Column("last_modified", WebText),
    Column("validators_url", WebText),
    Column("last_fetch_status", String(16)),
    Column("last_fetched_at", UtcDateTime),
    Column("error_policy", String(16)),
    Column("duplicate_of", Uuid, comment="it moved to the URL of this other feed"),
    Column("options", JsonDoc, nullable=False, server_default=text("'{}'")),
    _words("kind", FeedKind),
    _words("last_fetch_status", Outcome),
    _words("error_policy", ErrorPolicy),
)
Index("ix_feeds_url", feeds.c.url, postgresql_using="hash")
# Counts of a million feeds by how they are come from it alone; their rows are not read. (`deleted_at` is there for
# SQLite, which looks at it again though the index has only rows without.)
_kept = feeds.c.deleted_at.is_(None)
Index(
    "ix_feeds_enabled_state",
    feeds.c.enabled,
    feeds.c.last_fetch_status,
    feeds.c.deleted_at,
    sqlite_where=_kept,
    postgresql_where=_kept,
)
# The first labels by name are read from it, and no feed of the others. A B-tree of PostgreSQL refuses long entries.
_listed = text("deleted_at IS NULL AND length(source) <= 200 AND length(topic) <= 200")
Index(
    "ix_feeds_labels",
    feeds.c.source,
    feeds.c.topic,
    feeds.c.enabled,
    feeds.c.deleted_at,
    sqlite_where=_listed,
    postgresql_where=_listed,
)
# Feeds by a name that somebody wrote; see `store/names.py`.
for _name in (feeds.c.source, feeds.c.topic):
    Index(f"ix_feeds_{_name.name}", folded(_name), feeds.c.id)

feed_urls = Table(
    "feed_urls",
    metadata,
    Column("url_hash", String(64), primary_key=True),
    Column("feed_id", Uuid, ForeignKey("feeds.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("url", WebText, nullable=False),
    Column("left_at", UtcDateTime, nullable=False, server_default=db_now()),
    comment="URLs that a feed had before it moved",
)

feed_credentials = Table(
    "feed_credentials",
    metadata,
    Column("id", Uuid, ForeignKey("feeds.id", ondelete="CASCADE"), primary_key=True),
    Column("headers", JsonDoc, nullable=False, comment="request headers that hold secrets"),
    comment="kept apart, so that no list of feeds ever carries them",
)

feed_schedules = Table(
    "feed_schedules",
    metadata,
    Column("id", Uuid, ForeignKey("feeds.id", ondelete="CASCADE"), primary_key=True),
    Column("next_run_at", UtcDateTime),
    Column("requested_at", UtcDateTime),
    Column("locked_until", UtcDateTime),
    Column("lease_token", String(32)),
    Column("claimed_at", UtcDateTime),
    Column("last_error", WebText),
    Column("failures", Integer, nullable=False, server_default="0"),
    Column("build_at", UtcDateTime, comment="its items changed: cached_feeds is to be built anew"),
    Column(
        "walks",
        Boolean,
        server_default=false(),
        comment="of kind pages or sitemap: collecting it may take long, so it has a lane of its own; NULL: in none",
    ),
    Column("fetched_at", UtcDateTime, comment="as feeds.last_fetched_at: claims sort by it"),
    Column("walked_at", UtcDateTime, comment="when a walk of its pages last came to its end"),
)
# Both begin with the lane: that a million feeds of one lane are due must not slow down the claim of the other.
# The end of the lease, which changes only together with `next_run_at`, is there so that leases are counted in it.
Index(
    "ix_feed_schedules_walks_next_run_at_locked_until",
    feed_schedules.c.walks,
    feed_schedules.c.next_run_at,
    feed_schedules.c.locked_until,
)
_asked = feed_schedules.c.requested_at.is_not(None)
Index(
    "ix_feed_schedules_walks_requested_at",
    feed_schedules.c.walks,
    feed_schedules.c.requested_at,
    sqlite_where=_asked,
    postgresql_where=_asked,
)
_partial_index(feed_schedules.c.build_at)
_stopped = feed_schedules.c.next_run_at.is_(None) & feed_schedules.c.last_error.is_not(None)
Index(
    "ix_feed_schedules_stopped",
    feed_schedules.c.next_run_at,
    feed_schedules.c.id,
    sqlite_where=_stopped,
    postgresql_where=_stopped,
)

cached_feeds = Table(
    "cached_feeds",
    metadata,
    Column("id", Uuid, ForeignKey("feeds.id", ondelete="CASCADE"), primary_key=True),
    _created(),
    _updated(),
    Column("xml_header", WebText, nullable=False),
    Column("item_refs", TextList, nullable=False),
    Column("xml_content", WebText, nullable=False),
)

runs = Table(
    "runs",
    metadata,
    Column("id", Uuid, primary_key=True, default=new_uuid),
    Column("kind", String(16), nullable=False),
    Column("started_at", UtcDateTime, nullable=False, index=True),
    Column("finished_at", UtcDateTime),
    Column("interrupted", Boolean, nullable=False, server_default=false()),
    Column("added_count", Integer, nullable=False, server_default="0"),
    Column("updated_count", Integer, nullable=False, server_default="0"),
    Column("errors_count", Integer, nullable=False, server_default="0"),
    Column("details", JsonDoc, nullable=False, server_default=text("'{}'")),
    Column("wanted_at", UtcDateTime, comment="asked for, and no process has taken it yet"),
    Column("stop_at", UtcDateTime, comment="someone asked that it stop"),
    Column("alive_until", UtcDateTime, comment="whoever executes it says so again before this"),
    _words("kind", RunKind),
)
_partial_index(runs.c.wanted_at)
_partial_index(runs.c.alive_until)

run_events = Table(
    "run_events",
    metadata,
    Column("run_id", Uuid, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("at", UtcDateTime, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("feed_id", Uuid),
    Column("label", WebText, nullable=False, server_default=""),
    Column("text", WebText, nullable=False, server_default=""),
    Column("found", Integer, nullable=False, server_default="0"),
    Column("done", Integer, nullable=False, server_default="0"),
    Column("pages", Integer, nullable=False, server_default="0"),
)

items = Table(
    "items",
    metadata,
    Column("id", Uuid, primary_key=True, default=new_uuid),
    _created(),
    _updated(),
    Column("hash", String(64), nullable=False),
    Column("feed_id", Uuid, ForeignKey("feeds.id", ondelete="CASCADE"), nullable=False),
    Column("url", WebText, nullable=False),
    Column("uid", String(16), nullable=False),
    Column("pub_date", UtcDateTime, nullable=False, server_default=db_now()),
    Column("content", WebText, nullable=False, server_default=""),
    Column("guid", WebText),
    Column("title", WebText),
    Column("author", WebText),
    Column("snippet", WebText),
    Column("tags", JsonDoc),
    Column("image", WebText),
    Column("language", WebText),
    Column("views", BigInteger),
    Column("comments", BigInteger),
    Column("rating", Float),
    Column("bookmarks", BigInteger),
    Column("run_id", Uuid, ForeignKey("runs.id", ondelete="SET NULL"), index=True),
    Column("analyzer_result", JsonDoc, nullable=False, server_default=text("'{}'")),
    Column("analyzed_at", UtcDateTime),
    Column("score", Float),
    Column("analyze_at", UtcDateTime),
    Column("analyze_until", UtcDateTime),
    Column("analyze_token", String(32)),
    Column("analyze_attempts", Integer, nullable=False, server_default="0"),
    Column("analyze_error", WebText),
    CheckConstraint("score >= 0 AND score <= 1", name="score"),
)
Index("idx_feed_id_hash", items.c.feed_id, items.c.hash, unique=True)
Index("ix_items_feed_id_pub_date", items.c.feed_id, items.c.pub_date.desc())
Index("ix_items_pub_date", items.c.pub_date.desc())
Index("ix_items_url", items.c.url, postgresql_using="hash")
_partial_index(items.c.analyze_at)
# A band of scores with few items is chosen from it alone. New items have no score: collecting does not pay for it.
_scored = items.c.score.is_not(None)
Index(
    "ix_items_score",
    items.c.score,
    items.c.pub_date,
    items.c.feed_id,
    items.c.id,
    sqlite_where=_scored,
    postgresql_where=_scored,
)

item_changes = Table(
    "item_changes",
    metadata,
    Column("id", Uuid, primary_key=True, default=new_uuid),
    Column("item_id", Uuid, ForeignKey("items.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("run_id", Uuid, ForeignKey("runs.id", ondelete="SET NULL"), index=True),
    Column("at", UtcDateTime, nullable=False, server_default=db_now()),
    Column("fields", JsonDoc, nullable=False, comment="{field: [old, new]}"),
)

articles = Table(
    "articles",
    metadata,
    Column("uid", String(16), primary_key=True),
    _created(),
    _updated(),
    Column("url", WebText, nullable=False),
    Column("category", WebText, nullable=False, server_default="general"),
    Column("status", String(16), nullable=False, server_default=ArticleStatus.NOT_FETCHED.value),
    Column("failure_code", String(16)),
    Column("failure_detail", WebText),
    Column("raw_len", Integer, nullable=False, server_default="0"),
    Column("text_len", Integer, nullable=False, server_default="0"),
    Column("clean_text", WebText),
    Column("markdown", WebText),
    Column("abstract", WebText),
    Column("image", WebText),
    Column("title", WebText),
    Column("author", WebText),
    Column("published_at", UtcDateTime),
    Column("modified_at", UtcDateTime),
    Column("language", WebText),
    Column("site_name", WebText),
    Column("canonical_url", WebText),
    Column("fetched_at", UtcDateTime),
    Column("etag", WebText),
    Column("last_modified", WebText),
    Column("validators_url", WebText),
    Column("attempts", Integer, nullable=False, server_default="0"),
    Column("attempted_at", UtcDateTime, comment="counts as attempted for 30 days from here"),
    Column("next_attempt_at", UtcDateTime),
    Column("locked_until", UtcDateTime),
    Column("lease_token", String(32)),
    _words("status", ArticleStatus),
    _words("failure_code", FailureCode),
)
_partial_index(articles.c.next_attempt_at)
_failed = articles.c.status == ArticleStatus.FAILURE.value
Index(
    "ix_articles_attempted_at",
    articles.c.attempted_at,
    sqlite_where=_failed,
    postgresql_where=_failed,
)

article_categories = Table(
    "article_categories",
    metadata,
    Column("uid", String(16), primary_key=True),
    Column("category", WebText, primary_key=True),
    _created(),
    comment="topics that other programs listed an article under, beside its own and its items'",
)

article_failures = Table(
    "article_failures",
    metadata,
    Column("id", Uuid, primary_key=True, default=new_uuid),
    Column("uid", String(16), nullable=False, index=True),
    Column("at", UtcDateTime, nullable=False, server_default=db_now(), index=True),
    Column("code", String(16), nullable=False),
    Column("detail", WebText, nullable=False, server_default=""),
    Column("host", WebText, nullable=False, server_default=""),
    _words("code", FailureCode),
)

redis_outbox = Table(
    "redis_outbox",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("at", UtcDateTime, nullable=False, server_default=db_now()),
    Column("kind", String(16), nullable=False),
    Column("payload", JsonDoc, nullable=False),
    comment="what Redis has not been told yet; empty without Redis",
)

analyses_cache = Table(
    "analyses_cache",
    metadata,
    Column("key", String(64), primary_key=True, comment="SHA-256 over text, prompt version and model"),
    _created(),
    Column("model", WebText, nullable=False),
    Column("prompt_version", WebText, nullable=False),
    Column("result", JsonDoc, nullable=False),
    Column("tokens_in", Integer, nullable=False, server_default="0"),
    Column("tokens_out", Integer, nullable=False, server_default="0"),
    Column("cost", Float, nullable=False, server_default="0"),
)

analysis_costs = Table(
    "analysis_costs",
    metadata,
    Column("day", Date, primary_key=True, comment="UTC"),
    Column("model", WebText, primary_key=True),
    Column("feed_id", Uuid, primary_key=True),
    Column("calls", Integer, nullable=False, server_default="0"),
    Column("tokens_in", BigInteger, nullable=False, server_default="0"),
    Column("tokens_out", BigInteger, nullable=False, server_default="0"),
    Column("cost", Float, nullable=False, server_default="0", comment="US dollars"),
    comment="refers to no feed: what was spent stays spent when the feed is gone",
)

marks = Table(
    "marks",
    metadata,
    Column("hash", String(64), primary_key=True),
    Column("url", WebText, nullable=False),
    Column("read_at", UtcDateTime),
    Column("starred_at", UtcDateTime),
    Column("archived_at", UtcDateTime),
)
_partial_index(marks.c.starred_at)
_partial_index(marks.c.archived_at)

hosts = Table(
    "hosts",
    metadata,
    Column("host", WebText, primary_key=True, comment="hostname:port"),
    _updated(),
    Column("next_free_at", UtcDateTime),
    Column("paused_until", UtcDateTime),
    Column("pause_reason", WebText),
    Column("crawl_delay_s", Float),
    Column("robots_access", String(8), comment="rules, all or none"),
    Column("robots_text", WebText),
    Column("robots_at", UtcDateTime),
)
