"""Which of a page's many dates is the article's own.

Statements for machines come first, publication before anything else; then dates that the page marks up or
shows near its headline, then one in the address. Where only an update is known, it stands for both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from inforadar.stages.canonical import phrases
from inforadar.stages.canonical.dates import parse_date
from inforadar.stages.canonical.dom import Node, Tree
from inforadar.stages.canonical.head import Head

_PUBLISHED = (
    "article:published_time", "og:published_time", "datepublished", "article:published",
    "og:article:published_time", "parsely-pub-date", "sailthru.date", "pubdate", "publishdate",
    "publish-date", "publish_date", "publication_date", "citation_publication_date", "citation_date",
    "citation_online_date", "dc.date.issued", "dcterms.issued", "dc.date.created", "dcterms.created",
    "dcterms.date", "dc.date", "dc:date", "article:create_at", "article.created", "article_date_original",
    "cxenseparse:recs:publishtime", "bt:pubdate", "originalpublicationdate", "rnews:datepublished",
    "published_date", "published", "date", "datecreated", "weibo:article:create_at", "og:release_date",
    "release_date",
)  # fmt: skip
_UPDATED = (
    "article:modified_time", "og:updated_time", "datemodified", "article:updated_time", "article:modified",
    "og:modified_time", "dcterms.modified", "dc.date.modified", "last-modified", "lastmod", "revised",
    "updated_time", "modified_date",
)  # fmt: skip

MAX_TEXT = 90
"""A date that stands for the article stands by itself, not in a sentence."""
NEAR = 25
"""A date farther from the headline than so many elements is another article's."""
_NAMED_BONUS = 20
"""So much nearer counts a date that is called one."""

_YEAR = re.compile(r"(?:19|20)\d\d")
_URL_DATE = re.compile(r"/((?:19|20)\d\d)[/-](\d\d?)[/-](\d\d?)(?=[/_-]|$)")
_DATE_NAME = re.compile(r"date|time|publish|posted|byline|meta|created", re.IGNORECASE)
_OTHER_NAME = re.compile(r"modif|updat|comment|event|copyright|footer", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    place: int
    date: datetime
    named: bool


def find_dates(head: Head, tree: Tree, url: str) -> tuple[datetime | None, datetime | None]:
    """Published and updated."""
    published = _stated(head, _PUBLISHED, ("datePublished", "dateCreated", "uploadDate"))
    updated = _stated(head, _UPDATED, ("dateModified",))
    if published is None:
        seen, changed = _visible(tree.root)
        updated = updated or changed
        published = seen or _from_url(url) or updated
    if published and updated and updated < published:
        updated = None
    return published, updated


def _stated(head: Head, names: tuple[str, ...], keys: tuple[str, ...]) -> datetime | None:
    meta = head.meta
    for name in names:
        found = parse_date(meta[name]) if name in meta else None
        if found:
            return found
    for source in (head.article, *head.objects):
        for key in keys:
            found = _parsed(source.get(key))
            if found:
                return found
    if names is _PUBLISHED:
        for name, value in meta.items():
            if "publi" in name and ("date" in name or "time" in name):
                return parse_date(value)
    return None


def _parsed(value: Any) -> datetime | None:
    if isinstance(value, list):
        value = value[0] if value else None
    return parse_date(value) if isinstance(value, str) else None


def _from_url(url: str) -> datetime | None:
    match = _URL_DATE.search(url)
    return parse_date(f"{match[1]}-{match[2]:0>2}-{match[3]:0>2}") if match else None


def _visible(root: Node) -> tuple[datetime | None, datetime | None]:
    """Dates of publication and update that the page shows."""
    published: datetime | None = None
    updated: datetime | None = None
    shown: list[_Shown] = []
    headline: int | None = None
    place = 0
    todo = [root]
    while todo:
        node = todo.pop()
        if node.tag == "h1" and headline is None and node.text_length > 10:
            headline = place
        if node.text_length <= MAX_TEXT:
            place += 1
            found, text = _date_of(node)
            if found:
                prop = node.get("itemprop")
                if prop == "datePublished" or "pubdate" in node.attrs:
                    published = published or found
                elif (
                    prop == "dateModified"
                    or phrases.UPDATED.search(text)
                    or phrases.UPDATED.search(node.get("class"))
                ):
                    updated = updated or found
                else:
                    shown.append(_Shown(place=place, date=found, named=_is_called_date(node, text)))
                continue
        todo.extend(child for child in reversed(node.children) if isinstance(child, Node))
    return published or _nearest(shown, headline), updated


def _date_of(node: Node) -> tuple[datetime | None, str]:
    """The date that an element is about, if any, and its text."""
    stamp = node.get("datetime")
    if not stamp and node.get("itemprop"):
        stamp = node.get("content") or node.get("title")
    year = any(_YEAR.search(child) for child in node.children if isinstance(child, str))
    if not stamp and not year and (node.text_length > 60 or not node.children):
        return None, ""
    text = node.text
    found = parse_date(stamp) if stamp else None
    if found is None and (year or _YEAR.search(text)):
        found = parse_date(text)
    return found, text


def _nearest(shown: list[_Shown], headline: int | None) -> datetime | None:
    if not shown:
        return None
    at = headline if headline is not None else shown[0].place

    def distance(date: _Shown) -> int:
        # Above the headline stand dates of the site, below it those of the article.
        return abs(date.place - at) + (3 if date.place < at else 0)

    best = min(shown, key=lambda date: distance(date) - (_NAMED_BONUS if date.named else 0))
    return best.date if best.named or distance(best) <= NEAR else None


def _is_called_date(node: Node, text: str) -> bool:
    if node.tag in ("time", "date") or phrases.PUBLISHED.search(text):
        return True
    around = (node, node.parent) if node.parent is not None else (node,)
    names = (f"{element.get('class')} {element.get('id')}" for element in around)
    return any(_DATE_NAME.search(name) and not _OTHER_NAME.search(name) for name in names)
