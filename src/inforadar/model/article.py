"""Articles: the clean content of one URL, shared by all feeds that list it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from inforadar.model.ids import Uid


class ArticleStatus(StrEnum):
    NOT_FETCHED = "not_fetched"
    SUCCESS = "success"
    FAILURE = "failure"


class FailureCode(StrEnum):
    """Seed 3's failure codes; a separate detail gives the exact cause."""

    HTTP = "FAIL_HTTP"
    TIMEOUT = "FAIL_TIMEOUT"
    BAD_HTML = "FAIL_BAD_HTML"
    PARSE = "FAIL_PARSE"
    EMPTY = "FAIL_EMPTY"

    @property
    def in_words(self) -> str:
        return _FAILURES[self]


_FAILURES = {
    FailureCode.HTTP: "HTTP error",
    FailureCode.TIMEOUT: "Timeout",
    FailureCode.BAD_HTML: "Bad HTML",
    FailureCode.PARSE: "Parse error",
    FailureCode.EMPTY: "No text",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """The content extracted from a page."""

    clean_text: str
    """Plain text, paragraphs separated by a blank line."""
    markdown: str
    """The same with headings, lists, quotes, tables, code, links and pictures kept."""
    html: str = ""
    """The article as clean HTML, from which the others are derived. Empty if it was stored by a version before 0.3."""
    abstract: str | None = None
    title: str | None = None
    author: str | None = None
    published_at: datetime | None = None
    updated_at: datetime | None = None
    language: str | None = None
    site_name: str | None = None
    image: str | None = None
    canonical_url: str | None = None
    raw_len: int = 0
    """Length of the HTML in characters."""

    @property
    def text_len(self) -> int:
        return len(self.clean_text)


@dataclass(frozen=True, slots=True, kw_only=True)
class NotExtracted:
    """Why there is no article."""

    code: FailureCode
    detail: str
    """A short sentence: "behind a paywall", "400 nested elements deep"."""
    title: str | None = None
    """The page's own title, where only its text is missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """A stored article, or the record that it could not be fetched or extracted."""

    uid: Uid
    url: str
    category: str
    status: ArticleStatus
    fetched_at: datetime | None = None
    extracted: Extracted | None = None
    failure: NotExtracted | None = None
    attempts: int = 0
