"""Articles, their categories and failures."""

from __future__ import annotations

from sqlalchemy import Column, Integer, String, Table, Uuid

from inforadar.model.article import ArticleStatus, FailureCode
from inforadar.model.ids import new_uuid
from inforadar.store.schema.columns import (
    created_column,
    enum_check,
    filled_index,
    metadata,
    partial_index,
    updated_column,
)
from inforadar.store.types import UtcDateTime, WebText, db_now

articles = Table(
    "articles",
    metadata,
    Column("uid", String(16), primary_key=True),
    created_column(),
    updated_column(),
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
    Column("html", WebText),
    enum_check("status", ArticleStatus),
    enum_check("failure_code", FailureCode),
)
filled_index(articles.c.next_attempt_at)
_failed = articles.c.status == ArticleStatus.FAILURE.value
partial_index("ix_articles_attempted_at", articles.c.attempted_at, where=_failed)

article_categories = Table(
    "article_categories",
    metadata,
    Column("uid", String(16), primary_key=True),
    Column("category", WebText, primary_key=True),
    created_column(),
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
    enum_check("code", FailureCode),
)
