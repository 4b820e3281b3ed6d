"""Chooses the dates of publication and update among a page's many dates.

Machine-readable statements come first, publication before update; then dates that the page marks up or shows
near its headline, then one in the URL. If only an update is known, it counts for both.

If publication and update are stated as the same time, that is often when the site moved to another system. So an
older date that readers see beside the headline takes precedence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from inforadar.stages.canonical.content import phrases
from inforadar.stages.canonical.document.dom import Node, Tree
from inforadar.stages.canonical.metadata.dates import parse_date
from inforadar.stages.canonical.metadata.head import Head

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

MAX_DATE_TEXT_CHARACTERS = 90
"""The article's date is in a short text of its own, not in a sentence."""
NEAR_ELEMENTS = 25
"""A date farther from the headline than this belongs to another article."""
BESIDE_ELEMENTS = 6
"""A date within this distance is beside the headline."""
_NAMED_BONUS_ELEMENTS = 20
"""A date that is named as one counts as this much nearer."""

ZONE_TOLERANCE = timedelta(days=2)
"""A visible day and a stated time can be this far apart, because of time zones, and mean the same."""

_YEAR = re.compile(r"(?:19|20)\d\d|\b\d\d?([./])\d\d?\1[0-4]\d\b")
_URL_DATE = re.compile(r"/((?:19|20)\d\d)[/-](\d\d?)[/-](\d\d?)(?=[/_-]|$)")
_URL_DIGITS = re.compile(r"(?<=[/_-])(20\d\d)(0[1-9]|1[0-2])([0-2]\d|3[01])(?=[/_.-]|$)")
_DATE_NAME = re.compile(r"date|time|publish|posted|byline|meta|created", re.IGNORECASE)
_OTHER_NAME = re.compile(r"modif|updat|comment|event|copyright|footer", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    place: int
    date: datetime
    named: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Visible:
    published: datetime | None
    updated: datetime | None
    is_certain: bool = False
    """The date is marked up as the publication, is beside the headline, or is named as a date and near it."""


def find_dates(head: Head, tree: Tree, url: str) -> tuple[datetime | None, datetime | None]:
    """Return the dates of publication and update."""
    published = _stated(head, _PUBLISHED, ("datePublished", "dateCreated", "uploadDate"))
    updated = _stated(head, _UPDATED, ("dateModified",))
    if published is None:
        shown = _visible(tree)
        updated = updated or shown.updated
        published = shown.published or _from_url(url) or updated or _from_picture(head)
    elif updated is None or updated < published + ZONE_TOLERANCE:
        shown = _visible(tree)
        if shown.is_certain and shown.published and shown.published < published - ZONE_TOLERANCE:
            published, updated = shown.published, updated or published
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
            if "publi" in name and ("date" in name or "time" in name or name.endswith("_at")):
                return parse_date(value)
    return None


def _parsed(value: Any) -> datetime | None:
    if isinstance(value, list):
        value = value[0] if value else None
    return parse_date(value) if isinstance(value, str) else None


def _from_url(url: str) -> datetime | None:
    match = _URL_DATE.search(url) or _URL_DIGITS.search(url)
    return parse_date(f"{match[1]}-{match[2]:0>2}-{match[3]:0>2}") if match else None


def _from_picture(head: Head) -> datetime | None:
    """Return the day in the address of the lead image: the day it was uploaded, if nothing else is known."""
    return _from_url(head.first("og:image", "twitter:image"))


def _visible(tree: Tree) -> _Visible:
    """Find the dates of publication and update that the page shows."""
    published: datetime | None = None
    updated: datetime | None = None
    shown: list[_Shown] = []
    headline: int | None = None
    place = 0
    dated = _find_dated(tree.nodes)
    todo = [tree.root]
    while todo:
        node = todo.pop()
        if node.tag == "h1" and headline is None and node.text_length > 10:
            headline = place
        if node.text_length <= MAX_DATE_TEXT_CHARACTERS:
            place += 1
            found, text = _date_of(node) if node in dated and not _only_wraps(node) else (None, "")
            if found:
                prop = node.get("itemprop")
                if prop == "datePublished" or "pubdate" in node.attrs:
                    published = published or found
                    continue
                label = phrases.UPDATED.search(text)
                before = parse_date(text[: label.start()]) if label else None
                after = parse_date(text[label.end() :]) if label and before else None
                if before and after:
                    shown.append(_Shown(place=place, date=before, named=True))
                    updated = updated or after
                elif prop == "dateModified" or label or phrases.UPDATED.search(node.get("class")):
                    updated = updated or found
                else:
                    shown.append(_Shown(place=place, date=found, named=_is_named_date(node, text)))
                continue
        todo.extend(child for child in reversed(node.children) if isinstance(child, Node))
    if published:
        return _Visible(published=published, updated=updated, is_certain=True)
    return _nearest(shown, headline, updated)


def _find_dated(nodes: list[Node]) -> set[Node]:
    """Find the short elements that can contain a date: few, so that the others need no closer look."""
    found: set[Node] = set()
    for node in nodes:
        if node.text_length <= MAX_DATE_TEXT_CHARACTERS and (
            "datetime" in node.attrs
            or "itemprop" in node.attrs
            or any(
                isinstance(child, str) and len(child) > 3 and _YEAR.search(child) for child in node.children
            )
        ):
            above: Node | None = node
            while above is not None and above.text_length <= MAX_DATE_TEXT_CHARACTERS and above not in found:
                found.add(above)
                above = above.parent
    return found


def _only_wraps(node: Node) -> bool:
    """Is the element nothing but a box around another? Nested boxes would all be searched for the same date."""
    return len(node.children) == 1 and isinstance(node.children[0], Node) and "datetime" not in node.attrs


def _date_of(node: Node) -> tuple[datetime | None, str]:
    """Return the date of an element, if it has one, and its text."""
    stamp = node.get("datetime")
    if not stamp and node.get("itemprop"):
        stamp = node.get("content") or node.get("title")
    year = any(_YEAR.search(child) for child in node.children if isinstance(child, str))
    if not stamp and not year and (node.text_length > 60 or not node.children):
        return None, ""
    text = node.text
    found = parse_date(stamp) if stamp else None
    if found is None and (year or _YEAR.search(text)):
        stamps = [inner.get("datetime") for inner in node.descendants() if inner.tag == "time"]
        found = (parse_date(stamps[0]) if len(stamps) == 1 else None) or parse_date(text)
    return found, text


def _nearest(shown: list[_Shown], headline: int | None, updated: datetime | None) -> _Visible:
    if not shown:
        return _Visible(published=None, updated=updated)
    at = headline if headline is not None else shown[0].place

    def distance(date: _Shown) -> int:
        # Dates above the headline are the site's, dates below it the article's.
        return abs(date.place - at) + (3 if date.place < at else 0)

    best = min(shown, key=lambda date: distance(date) - (_NAMED_BONUS_ELEMENTS if date.named else 0))
    is_near = distance(best) <= NEAR_ELEMENTS
    return _Visible(
        published=best.date if best.named or is_near else None,
        updated=updated,
        is_certain=headline is not None
        and distance(best) <= (NEAR_ELEMENTS if best.named else BESIDE_ELEMENTS),
    )


def _is_named_date(node: Node, text: str) -> bool:
    if node.tag in ("time", "date") or phrases.PUBLISHED.search(text):
        return True
    around = (node, node.parent) if node.parent is not None else (node,)
    names = (f"{element.get('class')} {element.get('id')}" for element in around)
    return any(_DATE_NAME.search(name) and not _OTHER_NAME.search(name) for name in names)
