"""Articles that are read along with another one: copies of its text, or its whole story."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, or_, select

from inforadar.model.person import Along, PersonId
from inforadar.store.schema.items import items
from inforadar.store.schema.people import people
from inforadar.store.schema.stories import story_items
from inforadar.store.types import one_of

_s, _i = story_items.c, items.c


def load_along(connection: Connection, person_id: PersonId) -> Along:
    """Return this person's choice of items that are marked as read along with an article."""
    stored: Mapping[str, Any] | None = connection.execute(
        select(people.c.settings).where(people.c.id == person_id)
    ).scalar()
    return Along.of(stored or {})


def load_told_along(connection: Connection, urls: Sequence[str], along: Along) -> list[str]:
    """URLs of the copies of these articles, or of all articles of their stories, without the given ones."""
    if along is Along.ARTICLE:
        return []
    of_urls = one_of(_i.url, sorted(set(urls)))  # There is no index on the hash alone.
    own = list(
        connection.execute(
            select(_s.item_id, _s.story_id, _s.copy_of)
            .join_from(items, story_items, _s.item_id == _i.id)
            .where(of_urls)
        )
    )
    if not own:
        return []
    wanted = [one_of(_s.story_id, sorted({row.story_id for row in own}))]
    if along is Along.COPIES:
        originals = sorted({row.copy_of or row.item_id for row in own})
        wanted.append(or_(one_of(_s.item_id, originals), one_of(_s.copy_of, originals)))
    found = select(_i.url).join_from(story_items, items, _i.id == _s.item_id).where(*wanted)
    given = set(urls)
    return sorted({url for url in connection.execute(found).scalars() if url not in given})
