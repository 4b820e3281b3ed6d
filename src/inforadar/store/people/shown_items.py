"""Items with all that a reader app shows of them: text, marks, the feed's name, other outlets.

An app that starts fetches a hundred thousand of them, so only the columns that it needs are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, null, select

from inforadar.model.feed_options import parse_options
from inforadar.model.item import METADATA_FIELDS, Enclosure, ItemText, shares_its_page
from inforadar.model.person import Person, PersonId
from inforadar.store.articles.queries import load_article_texts
from inforadar.store.feeds.hidden import sees_feed
from inforadar.store.feeds.queries import ACTIVE
from inforadar.store.people.marks import NO_MARKS, Marks, load_marks
from inforadar.store.people.streams import load_numbered_ids, stored_number
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.items import items
from inforadar.store.stories.tellings import Telling, load_other_tellings
from inforadar.store.types import StoredId, one_of, stored_form


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownFeed:
    id: str
    name: str
    site_url: str | None
    topic: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownItem:
    number: int
    url: str
    link: str
    """The address that people follow."""
    title: str | None
    snippet: str | None
    authors: tuple[str, ...]
    enclosures: tuple[Enclosure, ...]
    published_at: datetime
    revised_at: datetime | None
    analyzer_result: Mapping[str, Any]
    """Empty if the person did not choose neutral titles."""
    text: ItemText
    marks: Marks
    feed: ShownFeed
    others: Sequence[Telling] = ()
    """Articles of other outlets about the same event."""


def load_shown_items(connection: Connection, person: Person, numbers: Sequence[int]) -> list[ShownItem]:
    """Load the items with these numbers that the person sees, in the order of the numbers."""
    ids = load_numbered_ids(connection, numbers)
    if not ids:
        return []
    query = select(*_COLUMNS, _i.analyzer_result if person.has_neutral_titles else null())
    rows = {row[0]: row for row in connection.execute(query.where(one_of(_i.id, ids))).all()}
    own = {row[2] for row in rows.values() if not shares_its_page(row[3])}
    articles = load_article_texts(connection, own)
    marks = load_marks(connection, person.id, [row[4] for row in rows.values()])
    others = load_other_tellings(connection, person.id, ids)
    shown_feeds = _load_shown_feeds(connection, person.id, {row[1] for row in rows.values()})
    shown = []
    for id_ in ids:
        if (row := rows.get(id_)) is None or (feed := shown_feeds.get(row[1])) is None:
            continue
        (
            *_,
            uid,
            url,
            hash_,
            link,
            title,
            snippet,
            author,
            authors,
            enclosures,
            published_at,
            revised_at,
            content,
            analyzer_result,
        ) = row
        article = None if shares_its_page(url) else articles.get(uid)
        shown.append(
            ShownItem(
                number=stored_number(id_),
                url=url,
                link=link or url,
                title=title,
                snippet=snippet,
                authors=tuple(authors) if authors else (author,) if author else (),
                enclosures=_read_enclosures(enclosures) if enclosures else (),
                published_at=published_at,
                revised_at=revised_at,
                analyzer_result=analyzer_result or {},
                text=replace(article, content=content) if article else ItemText(content=content),
                marks=marks.get(hash_, NO_MARKS),
                feed=feed,
                others=others.get(id_, ()),
            )
        )
    return shown


_i = items.c
_COLUMNS = (
    stored_form(_i.id),
    stored_form(_i.feed_id),
    _i.uid,
    _i.url,
    _i.hash,
    _i.link,
    _i.title,
    _i.snippet,
    _i.author,
    _i.authors,
    _i.enclosures,
    _i.pub_date,
    _i.revised_at,
    _i.content,
)
_read_enclosures = next(one.from_json for one in METADATA_FIELDS if one.name == "enclosures")


def _load_shown_feeds(
    connection: Connection, person_id: PersonId, feed_ids: Iterable[StoredId]
) -> dict[StoredId, ShownFeed]:
    """Load those of the feeds that the person sees."""
    f = feeds.c
    query = select(stored_form(f.id), f.options, f.title, f.source, f.url, f.site_url, f.topic)
    rows = connection.execute(query.where(one_of(f.id, feed_ids), *ACTIVE, *sees_feed(person_id)))
    return {
        id_: ShownFeed(
            id=_dashed(id_),
            # The person's title wins, as it does in the list of feeds.
            name=(parse_options(options).title if options else None) or title or source or url,
            site_url=site_url,
            topic=topic,
        )
        for id_, options, title, source, url, site_url, topic in rows.all()
    }


def _dashed(stored: StoredId) -> str:
    """An id as people and apps see it."""
    if not isinstance(stored, str):
        return str(stored)
    return f"{stored[:8]}-{stored[8:12]}-{stored[12:16]}-{stored[16:20]}-{stored[20:]}"
