"""The tables for search, and what a `Table` cannot express: each database's own index, and the triggers.

The migration has its own copy of the same statements, as it has of the tables. A later migration that recreates `items`
or `articles`, as SQLite must for most changes, has to create their triggers again.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from sqlalchemy import DDL, BigInteger, Column, ForeignKey, Integer, Table, Uuid, event

from inforadar.store.schema.columns import metadata
from inforadar.store.types import WebText

item_search = Table(
    "item_search",
    metadata,
    Column(
        "id",
        BigInteger().with_variant(Integer, "sqlite"),
        primary_key=True,
        autoincrement=False,
        comment="by the item's date: the newest are the highest",
    ),
    Column("item_id", Uuid, ForeignKey("items.id", ondelete="CASCADE"), nullable=False, unique=True),
    Column("words", WebText, nullable=False, comment="each once, folded, Chinese and Japanese in pairs"),
)

search_queue = Table(
    "search_queue",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("item_id", Uuid, nullable=False),
    comment="written by triggers: whose words are to be made anew",
)


def is_compared(name: str | None, kind: str, parents: MutableMapping[Any, Any]) -> bool:
    """Whether Alembic compares it with the metadata: not FTS5's tables, nor the corresponding index on PostgreSQL."""
    is_fts = kind == "table" and name is not None and name.startswith("item_words")
    return not is_fts and name != "ix_item_search_words"


SQLITE = (
    # We extract the words and separate them by spaces; no positions are needed, because each word is there once.
    "CREATE VIRTUAL TABLE item_words USING fts5(words, content='item_search', content_rowid='id', "
    "tokenize='ascii', detail='none')",
    "CREATE TRIGGER item_search_added AFTER INSERT ON item_search BEGIN "
    "INSERT INTO item_words(rowid, words) VALUES (new.id, new.words); END",
    "CREATE TRIGGER item_search_changed AFTER UPDATE OF words ON item_search BEGIN "
    "INSERT INTO item_words(item_words, rowid, words) VALUES ('delete', old.id, old.words); "
    "INSERT INTO item_words(rowid, words) VALUES (new.id, new.words); END",
    "CREATE TRIGGER item_search_removed AFTER DELETE ON item_search BEGIN "
    "INSERT INTO item_words(item_words, rowid, words) VALUES ('delete', old.id, old.words); END",
    "CREATE TRIGGER items_added_for_search AFTER INSERT ON items BEGIN "
    "INSERT INTO search_queue(item_id) VALUES (new.id); END",
    "CREATE TRIGGER items_changed_for_search AFTER UPDATE OF title, snippet, analyzer_result ON items BEGIN "
    "INSERT INTO search_queue(item_id) VALUES (new.id); END",
    "CREATE TRIGGER articles_changed_for_search AFTER UPDATE OF clean_text ON articles "
    "WHEN new.clean_text IS NOT old.clean_text BEGIN "
    "INSERT INTO search_queue(item_id) SELECT id FROM items WHERE url = new.url; END",
)

POSTGRESQL = (
    "CREATE INDEX ix_item_search_words ON item_search "
    "USING gin (array_to_tsvector(string_to_array(words, ' ')))",
    "CREATE FUNCTION item_for_search() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
    "INSERT INTO search_queue(item_id) VALUES (new.id); RETURN NULL; END $$",
    "CREATE FUNCTION article_for_search() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
    "INSERT INTO search_queue(item_id) SELECT id FROM items WHERE url = new.url; RETURN NULL; END $$",
    "CREATE TRIGGER items_added_for_search AFTER INSERT ON items "
    "FOR EACH ROW EXECUTE FUNCTION item_for_search()",
    "CREATE TRIGGER items_changed_for_search AFTER UPDATE OF title, snippet, analyzer_result ON items "
    "FOR EACH ROW EXECUTE FUNCTION item_for_search()",
    "CREATE TRIGGER articles_changed_for_search AFTER UPDATE OF clean_text ON articles FOR EACH ROW "
    "WHEN (new.clean_text IS DISTINCT FROM old.clean_text) EXECUTE FUNCTION article_for_search()",
)

for _dialect, _statements in (("sqlite", SQLITE), ("postgresql", POSTGRESQL)):
    for _statement in _statements:
        event.listen(metadata, "after_create", DDL(_statement).execute_if(dialect=_dialect))  # type: ignore[no-untyped-call]
