"""People, their secrets, and what they store: marks, labels, hidden feeds, saved searches."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, ForeignKey, Index, String, Table, Uuid, text

from inforadar.model.ids import new_uuid
from inforadar.model.person import FIRST_PERSON, Role, TokenKind
from inforadar.store.schema.columns import created_column, enum_check, filled_index, metadata
from inforadar.store.types import JsonDoc, UtcDateTime, WebText

people = Table(
    "people",
    metadata,
    Column("id", Uuid, primary_key=True, default=new_uuid),
    created_column(),
    Column("name", WebText, nullable=False),
    Column("name_key", String(200), nullable=False, unique=True, comment="the name without regard to case"),
    Column("role", String(16), nullable=False),
    Column("settings", JsonDoc, nullable=False, server_default=text("'{}'")),
    enum_check("role", Role),
)


def _person_column(**options: Any) -> Column[Any]:
    return Column(
        "person_id", Uuid, ForeignKey("people.id", ondelete="CASCADE"), **{"nullable": False} | options
    )


person_passwords = Table(
    "person_passwords",
    metadata,
    _person_column(primary_key=True),
    Column("hash", String(200), nullable=False, comment="argon2id"),
    Column("changed_at", UtcDateTime, nullable=False),
)

person_tokens = Table(
    "person_tokens",
    metadata,
    Column("id", Uuid, primary_key=True, default=new_uuid),
    _person_column(index=True),
    Column("kind", String(16), nullable=False),
    Column("hash", String(64), nullable=False, unique=True, comment="keyed: see secret_keys"),
    Column("label", WebText, nullable=False),
    created_column(),
    Column("used_at", UtcDateTime, comment="about when it was last used"),
    Column("expires_at", UtcDateTime),
    enum_check("kind", TokenKind),
)

secret_keys = Table(
    "secret_keys",
    metadata,
    Column("name", String(32), primary_key=True),
    Column("secret", String(64), nullable=False),
    comment="the keys of keyed hashes; they move with the database",
)

marks = Table(
    "marks",
    metadata,
    Column(
        "person_id",
        Uuid,
        # Checked at the end of a transaction: the import of an older export adds the first person last.
        ForeignKey("people.id", ondelete="CASCADE", deferrable=True, initially="DEFERRED"),
        primary_key=True,
        server_default=FIRST_PERSON.hex,
    ),
    Column("hash", String(64), primary_key=True),
    Column("url", WebText, nullable=False),
    Column("read_at", UtcDateTime),
    Column("starred_at", UtcDateTime),
    Column("archived_at", UtcDateTime),
    Column("note", WebText),
)
Index("ix_marks_hash", marks.c.hash)
filled_index(marks.c.starred_at)
filled_index(marks.c.archived_at)

mark_labels = Table(
    "mark_labels",
    metadata,
    _person_column(primary_key=True),
    Column("label", WebText, primary_key=True),
    Column("hash", String(64), primary_key=True),
    Column("url", WebText, nullable=False),
    comment="labels that people gave to items",
)
Index("ix_mark_labels_hash", mark_labels.c.hash)

hidden_feeds = Table(
    "hidden_feeds",
    metadata,
    _person_column(primary_key=True),
    Column("feed_id", Uuid, ForeignKey("feeds.id", ondelete="CASCADE"), primary_key=True),
    comment="feeds that a person does not want to see",
)

saved_searches = Table(
    "saved_searches",
    metadata,
    _person_column(primary_key=True),
    Column("name", WebText, primary_key=True),
    Column("words", WebText, nullable=False),
)
