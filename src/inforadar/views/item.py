"""An item prepared for reading: the original and the neutral text, scores, full text, changes. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import structlog
from markupsafe import Markup

from inforadar.errors import ParseError
from inforadar.model.analysis import Analysis, ScoreName, from_json
from inforadar.model.article import Article, ArticleStatus
from inforadar.model.item import (
    COUNTERS,
    DIFFED_FIELDS,
    METADATA_FIELDS,
    Item,
    Metadata,
    ServedItem,
    shares_its_page,
)
from inforadar.model.metadata_fields import MetadataField, json_value
from inforadar.stages.publish.files import UNKNOWN_TYPE, PublishedFile, published_files
from inforadar.stages.publish.text import clean, one_line
from inforadar.translations import gettext as _
from inforadar.translations import ngettext
from inforadar.urls import readable
from inforadar.views.sanitize import (
    MAX_CHARACTERS,
    MAX_PLAIN_PARAGRAPHS,
    PICTURE_SIGN,
    Budget,
    Images,
    article_html,
    kept_html,
    plain_html,
)
from inforadar.views.times import shown_counter

BARS = tuple(name for name in ScoreName if name is not ScoreName.OVERALL)

_PICTURE = re.compile(r"!\[((?:\\.|[^\]\\]){0,600})\]\(([^()\s]{1,3000})\)")
_BLANK_LINES = re.compile(r"\n\s*\n")

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadItem:
    """An item as shown in lists and at the top of a reading view."""

    item: Item
    title: str
    neutral_title: str | None
    """Only if it differs from the title."""
    summary: str
    """One line: the neutral description, else the feed's own snippet."""
    analysis: Analysis | None


def read_item(item: Item) -> ReadItem:
    analysis = analysis_of(item)
    title = one_line(item.title) or readable(item.url)
    neutral = one_line(analysis.title) if analysis else ""
    return ReadItem(
        item=item,
        title=title,
        neutral_title=neutral if neutral and neutral != title else None,
        summary=(one_line(analysis.description) if analysis else "") or one_line(item.snippet),
        analysis=analysis,
    )


def analysis_of(item: Item | ServedItem) -> Analysis | None:
    """The item's analysis."""
    return read_analysis(item.analyzer_result, item.url)


def read_analysis(stored: Mapping[str, Any], url: str) -> Analysis | None:
    """Read a stored analysis; None if it is unreadable, because one bad row must not break a whole list or feed."""
    try:
        return from_json(stored)
    except ParseError as fault:
        log.warning("analysis.unreadable", url=url, error=str(fault))
        return None


def byline(item: Metadata, article: Article | None = None) -> str:
    """All authors on one line: the feed's, else the article's."""
    extracted = article.extracted if article else None
    given = item.authors or ((item.author,) if item.author else ())
    names = given or ((extracted.author,) if extracted and extracted.author else ())
    return ", ".join(dict.fromkeys(name for name in map(one_line, names) if name))


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownFile:
    """A file of an item: an episode, a video, a picture, a document."""

    url: str
    name: str
    facts: str
    """Type, size and duration, as far as they are known."""
    player: str | None
    """`audio` or `video`, if a browser can play it."""


def shown_files(item: Metadata) -> list[ShownFile]:
    return [
        ShownFile(
            url=file.url,
            name=file.title or one_line(readable(file.url)),
            facts=", ".join(_file_facts(file)),
            player=file.medium if file.medium in {"audio", "video"} else None,
        )
        for file in published_files(item.enclosures)
    ]


def _file_facts(file: PublishedFile) -> Iterator[str]:
    if file.type != UNKNOWN_TYPE:
        yield file.type
    if file.length is not None:
        yield shown_size(file.length)
    if file.duration_s is not None:
        hours, rest = divmod(file.duration_s, 3600)
        yield f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"


def shown_size(length_bytes: int) -> str:
    """A size in steps of a thousand: `12.3 MB`."""
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("KB", 10**3)):
        if length_bytes >= size:
            return f"{length_bytes / size:.1f} {unit}"
    return ngettext("%(num)s byte", "%(num)s bytes", length_bytes)


def paragraphs(article: Article | None) -> list[str]:
    """The text of an article, as much of it as is shown; very many paragraphs end as one."""
    if article is None or article.extracted is None:
        return []
    text = clean(article.extracted.clean_text)[:MAX_CHARACTERS]
    parts = _BLANK_LINES.split(text, MAX_PLAIN_PARAGRAPHS)
    return [part.strip() for part in parts if part.strip()]


def page_html(article: Article | None, images: Images, budget: Budget | None = None) -> Markup:
    """An article's text: its HTML; of one stored by an older version its Markdown, else its paragraphs."""
    extracted = article.extracted if article else None
    if extracted is None:
        return Markup()
    if extracted.html.strip():
        return kept_html(extracted.html, images, budget)
    if extracted.markdown.strip():
        return article_html(extracted.markdown, images, budget)
    found = paragraphs(article)
    if budget:
        budget.spend(characters=sum(map(len, found)), tags=len(found))
    return plain_html(found)


def picture_lines(markdown: str) -> str:
    """An article's Markdown for a terminal: each picture as a line with its description and its address."""
    return _PICTURE.sub(
        lambda found: f"{PICTURE_SIGN} {found[1] or 'Picture'}: {escape_markdown(found[2])}", markdown
    )


def escape_markdown(text: str) -> str:
    """Escape all characters with a meaning in Markdown."""
    return "".join(f"\\{sign}" if sign in "\\`*_{}[]()<>#+-.!|~&" else sign for sign in text)


def why_no_text(article: Article | None, item: Item | None = None) -> str:
    """A sentence to show in place of a missing text."""
    if item is not None and shares_its_page(item.url):
        return _("The feed gives no text for this entry, and its page is not its alone.")
    if article is None or article.status is ArticleStatus.NOT_FETCHED:
        return _("The full text has not been fetched yet. A worker fetches it after collecting.")
    if article.failure is None:
        return _("The page was fetched, but no text was found on it.")
    detail = article.failure.detail.rstrip(".")
    if detail:
        return _("There is no full text: %(why)s (%(code)s).", why=detail, code=article.failure.code)
    return _("There is no full text (%(code)s).", code=article.failure.code)


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChange:
    """A change of one field."""

    at: datetime
    field: str
    old: str | None
    new: str


def field_changes(history: Sequence[tuple[datetime, Mapping[str, Sequence[Any]]]]) -> list[FieldChange]:
    """The changes of an item, newest first; those of one fetch in the order of reports."""
    return [
        FieldChange(
            at=at, field=name, old=shown_value(fields[name][0]), new=shown_value(fields[name][1]) or ""
        )
        for at, fields in reversed(history)
        for name in _CHANGED_NAMES
        if name in fields
    ]


_CHANGED_NAMES = tuple(field.name for field in DIFFED_FIELDS)


def shown_counters(item: Metadata) -> list[tuple[str, str]]:
    """The known counters, name and number; the rating comes first, because it is a judgement."""
    known = ((name, getattr(item, name)) for name in SHOWN_COUNTERS)
    return [(name, shown_counter(name, value)) for name, value in known if value is not None]


SHOWN_COUNTERS = tuple(sorted(COUNTERS, key=lambda name: name != "rating"))


def shown_details(item: Metadata, fields: Sequence[MetadataField] = METADATA_FIELDS) -> list[tuple[str, str]]:
    """Label and text of each known field without its own place in detail views."""
    listed = (field for field in fields if not (field.traits.has_place or field.traits.is_counter))
    texts = ((field.label, shown_value(json_value(getattr(item, field.name)))) for field in listed)
    return [(label, text) for label, text in texts if text]


def shown_value(value: Any) -> str | None:
    """A field's JSON value on one line; `None` if there is nothing to show."""
    match value:
        case None | "" | []:
            return None
        case list():
            return ", ".join([shown_value(part) or "" for part in value])
        case dict():
            return " ".join([text for part in value.values() if (text := shown_value(part))])
        case float():
            return f"{value:g}"
        case _:
            return one_line(str(value))
