"""Feeds, their schedules, and the documents built from them.

Tables and columns of seeds 2 and 4 keep their names, because people read them with their own tools.
An index on a URL is a hash index on PostgreSQL, whose B-trees refuse rows over 2.7 KB.
"""

from __future__ import annotations

from sqlalchemy import (
    DDL,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Uuid,
    event,
    false,
    null,
    text,
    true,
)

from inforadar.model.feed import ErrorPolicy, FeedKind
from inforadar.model.http import Outcome
from inforadar.model.ids import new_uuid
from inforadar.store.schema.columns import (
    created_column,
    enum_check,
    filled_index,
    hash_index,
    metadata,
    partial_index,
    updated_column,
)
from inforadar.store.types import JsonDoc, TextList, UtcDateTime, WebText, db_now, folded

feeds = Table(
    "feeds",
    metadata,
    Column("id", Uuid, primary_key=True, default=new_uuid),
    created_column(),
    updated_column(),
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
    Column(
        "is_title_given",
        Boolean,
        nullable=False,
        server_default=false(),
        comment="a person chose the title; the document's does not replace it",
    ),
    Column("site_url", WebText),
    Column("description", WebText),
    Column("language", WebText),
    Column("icon", WebText),
    Column("warnings", JsonDoc, comment="what the last document that was read lacks: [{text, is_loss}]"),
    Column("hints", JsonDoc, comment="how often the last document that was read asks to be fetched"),
    Column("origin", WebText),
    Column("etag", WebText),
    Column("last_modified", WebText),
    Column("validators_url", WebText),
    Column("last_fetch_status", String(16)),
    Column("last_fetched_at", UtcDateTime),
    Column("read_at", UtcDateTime, comment="when its whole document was last sent; a 304 sends none"),
    Column("body_digest", String(32), comment="of that document"),
    Column("body_changed_at", UtcDateTime, comment="when that document first differed from the one before"),
    Column("moving", JsonDoc, comment="a permanent redirect that is not confirmed yet: {url, times, since}"),
    Column("error_policy", String(16)),
    Column("duplicate_of", Uuid, comment="it moved to the URL of this other feed"),
    Column("options", JsonDoc, nullable=False, server_default=text("'{}'")),
    enum_check("kind", FeedKind),
    enum_check("last_fetch_status", Outcome),
    enum_check("error_policy", ErrorPolicy),
)
event.listen(
    feeds,
    "after_create",
    DDL("ALTER TABLE feeds ALTER COLUMN id SET DEFAULT gen_random_uuid()").execute_if(dialect="postgresql"),  # type: ignore[no-untyped-call]
)
hash_index("ix_feeds_url", feeds.c.url)
# A million feeds are counted by state from this index alone, without reading their rows. (`deleted_at` is included
# for SQLite, which checks it again although the index contains only rows without it.)
_kept = feeds.c.deleted_at.is_(None)
partial_index(
    "ix_feeds_enabled_state", feeds.c.enabled, feeds.c.last_fetch_status, feeds.c.deleted_at, where=_kept
)
# Few feeds have warnings; those that lose entries are counted among them.
HAS_WARNINGS = feeds.c.warnings.is_not(null())
partial_index("ix_feeds_warnings", feeds.c.id, where=HAS_WARNINGS)
# The first labels by name are read from this index alone. PostgreSQL's B-trees refuse long entries.
_listed = text("deleted_at IS NULL AND length(source) <= 200 AND length(topic) <= 200")
partial_index(
    "ix_feeds_labels", feeds.c.source, feeds.c.topic, feeds.c.enabled, feeds.c.deleted_at, where=_listed
)
# The list of deleted feeds, newest first.
_deleted = feeds.c.deleted_at.is_not(None)
partial_index("ix_feeds_deleted_at", feeds.c.deleted_at, feeds.c.id, where=_deleted)
# Finds feeds by a name that a person wrote; see `store/feeds/label_match.py`.
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
    Column("reason", String(16), comment="why next_run_at is what it is"),
    Column("polls_per_day", Float, comment="planned; NULL: polled at the fixed interval, or not planned yet"),
    Column("items_per_day", Float, comment="expected"),
    Column("expected_delay_s", Float, comment="of the items expected before next_run_at"),
)
# Both start with the lane: a million due feeds in one lane must not slow down claims of the other. The end of the
# lease, which changes only together with `next_run_at`, is included so that leases can be counted from the index.
Index(
    "ix_feed_schedules_walks_next_run_at_locked_until",
    feed_schedules.c.walks,
    feed_schedules.c.next_run_at,
    feed_schedules.c.locked_until,
)
_asked = feed_schedules.c.requested_at.is_not(None)
partial_index(
    "ix_feed_schedules_walks_requested_at",
    feed_schedules.c.walks,
    feed_schedules.c.requested_at,
    where=_asked,
)
filled_index(feed_schedules.c.build_at)
_stopped = feed_schedules.c.next_run_at.is_(None) & feed_schedules.c.last_error.is_not(None)
partial_index("ix_feed_schedules_stopped", feed_schedules.c.next_run_at, feed_schedules.c.id, where=_stopped)

feed_rhythms = Table(
    "feed_rhythms",
    metadata,
    Column("id", Uuid, ForeignKey("feeds.id", ondelete="CASCADE"), primary_key=True),
    Column("counts", JsonDoc, nullable=False, comment="when it posts, as counts that forget"),
    comment="kept apart: written only when there is news, while the schedule is written with each job",
)

polling_prices = Table(
    "polling_prices",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False, comment="always 1"),
    Column("price_s", Float, nullable=False, comment="seconds of delay of one item that a request is worth"),
    Column("budget", Float, nullable=False, comment="requests a day for the feeds polled by plan"),
    Column("planned", Float, nullable=False, comment="requests a day that their plans add up to"),
    Column("feeds", Integer, nullable=False, comment="number of those feeds"),
    Column("expected_delay_s", Float, nullable=False, comment="mean of the expected items"),
    Column("steered_at", UtcDateTime, nullable=False),
    comment="one row: the price by which all workers plan, steered to the budget",
)

cached_feeds = Table(
    "cached_feeds",
    metadata,
    Column("id", Uuid, ForeignKey("feeds.id", ondelete="CASCADE"), primary_key=True),
    created_column(),
    updated_column(),
    Column("xml_header", WebText, nullable=False),
    Column("item_refs", TextList, nullable=False),
    Column("xml_content", WebText, nullable=False),
)
