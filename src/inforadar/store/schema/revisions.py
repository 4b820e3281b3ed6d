"""Versions of articles, the revisions between them, and when articles are looked at again.

A trigger asks for a look when a feed changes an entry's title or its `updated`. The migration has its own copy of the
statements.
"""

# ruff: noqa: S608 - statements are put together from constants

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    DDL,
    Boolean,
    Column,
    Date,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Uuid,
    event,
    false,
    text,
)

from inforadar.model.ids import new_uuid
from inforadar.model.revision import LookState
from inforadar.store.schema.columns import enum_check, filled_index, metadata, partial_index
from inforadar.store.types import JsonDoc, TextList, UtcDateTime, WebText


def _article_column(**options: Any) -> Column[Any]:
    key = ForeignKey("articles.uid", ondelete="CASCADE")
    return Column("uid", String(16), key, **options)


article_versions = Table(
    "article_versions",
    metadata,
    _article_column(primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False, comment="1 is the first that was seen"),
    Column("seen_at", UtcDateTime, nullable=False),
    Column("last_seen_at", UtcDateTime, nullable=False),
    Column("hash", String(64), nullable=False, comment="SHA-256 of the clean text"),
    Column("title", WebText),
    Column("author", WebText),
    Column("published_at", UtcDateTime),
    Column("image", WebText),
    Column("language", WebText),
    Column("text", LargeBinary, nullable=False, comment="the clean text, compressed with zlib"),
    Column("text_len", Integer, nullable=False),
    Column("headers", JsonDoc, nullable=False, server_default=text("'{}'"), comment="what the server said"),
)

article_revisions = Table(
    "article_revisions",
    metadata,
    Column("id", Uuid, primary_key=True, default=new_uuid),
    _article_column(nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Column("old_version", Integer, nullable=False),
    Column("new_version", Integer, nullable=False),
    Column("kinds", TextList, nullable=False, comment="what changed: number, name, title …"),
    Column("is_significant", Boolean, nullable=False),
    Column("is_live", Boolean, nullable=False, server_default=false(), comment="a live page grew"),
    Column("is_noise", Boolean, nullable=False, server_default=false(), comment="of a page that never rests"),
    Column("note", WebText, nullable=False, server_default="", comment="what the article says of its change"),
    Column("details", JsonDoc, nullable=False, comment="{passages, fields}"),
    Column("score_before", Float),
    Column("score_after", Float),
)
Index("ix_article_revisions_uid", article_revisions.c.uid, article_revisions.c.new_version)
_told = article_revisions.c.is_significant
partial_index("ix_article_revisions_at", article_revisions.c.at.desc(), where=_told)

article_looks = Table(
    "article_looks",
    metadata,
    _article_column(primary_key=True),
    Column("first_at", UtcDateTime, nullable=False, comment="when the article was first fetched"),
    Column("due_at", UtcDateTime),
    Column("requested_at", UtcDateTime, comment="its listing changed"),
    Column("looked_at", UtcDateTime),
    Column("state", String(16), nullable=False, server_default=LookState.WATCHED.value),
    Column("changed_in_row", Integer, nullable=False, server_default="0"),
    Column("doubt", String(64), comment="the text of another page, believed if it is seen twice"),
    Column("note", WebText, nullable=False, server_default="", comment="why the last look was in vain"),
    Column("locked_until", UtcDateTime),
    Column("lease_token", String(32)),
    enum_check("state", LookState),
)
filled_index(article_looks.c.due_at)

look_days = Table(
    "look_days",
    metadata,
    Column("day", Date, primary_key=True, comment="UTC"),
    Column("host", WebText, primary_key=True, comment="empty: all hosts together"),
    Column("looks", Integer, nullable=False, server_default="0"),
    comment="requests that looks at articles have cost",
)

_SQLITE_NOW = "strftime('%Y-%m-%d %H:%M:%f000', 'now')"
SQLITE = (
    "CREATE TRIGGER items_changed_for_looks AFTER UPDATE OF title, revised_at ON items "
    "WHEN new.title IS NOT old.title OR new.revised_at IS NOT old.revised_at BEGIN "
    "INSERT INTO article_looks(uid, first_at, due_at, requested_at) "
    f"SELECT uid, coalesce(fetched_at, {_SQLITE_NOW}), {_SQLITE_NOW}, {_SQLITE_NOW} FROM articles "
    "WHERE uid = new.uid AND url = new.url AND status = 'success' "
    f"ON CONFLICT (uid) DO UPDATE SET requested_at = {_SQLITE_NOW}, "
    f"due_at = CASE WHEN locked_until IS NULL THEN {_SQLITE_NOW} ELSE due_at END WHERE state <> 'unstable'; END",
)
POSTGRESQL = (
    "CREATE FUNCTION item_for_looks() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
    "INSERT INTO article_looks(uid, first_at, due_at, requested_at) "
    "SELECT uid, coalesce(fetched_at, statement_timestamp()), statement_timestamp(), statement_timestamp() "
    "FROM articles WHERE uid = new.uid AND url = new.url AND status = 'success' "
    "ON CONFLICT (uid) DO UPDATE SET requested_at = statement_timestamp(), "
    "due_at = CASE WHEN article_looks.locked_until IS NULL THEN statement_timestamp() ELSE article_looks.due_at END "
    "WHERE article_looks.state <> 'unstable'; RETURN NULL; END $$",
    "CREATE TRIGGER items_changed_for_looks AFTER UPDATE OF title, revised_at ON items FOR EACH ROW "
    "WHEN (new.title IS DISTINCT FROM old.title OR new.revised_at IS DISTINCT FROM old.revised_at) "
    "EXECUTE FUNCTION item_for_looks()",
)

for _dialect, _statements in (("sqlite", SQLITE), ("postgresql", POSTGRESQL)):
    for _statement in _statements:
        _ddl = DDL(_statement.replace("%", "%%"))  # type: ignore[no-untyped-call]
        event.listen(metadata, "after_create", _ddl.execute_if(dialect=_dialect))
