"""Stream ids: `feed/…`, `user/-/state/com.google/…` and `user/-/label/…`, and the items they stand for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from urllib.parse import unquote
from uuid import UUID

from starlette.exceptions import HTTPException

from inforadar.errors import InvalidUrlError
from inforadar.model.feed import Feed
from inforadar.model.ids import FeedId
from inforadar.model.item_number import first_id_at
from inforadar.model.person import Person
from inforadar.store.database import Database
from inforadar.store.feeds.queries import feed_key
from inforadar.store.people.marks import load_label_names
from inforadar.store.people.queries import load_searches
from inforadar.store.people.streams import Stream, load_visible_feeds
from inforadar.web.greader.request import Parameters

STATE = "user/-/state/com.google/"
LABEL = "user/-/label/"
OVERLAP = timedelta(minutes=10)
"""How far `ot` reaches back: items are dated by their fetch, and may be committed later than others."""
STORIES = "stories"
"""The state whose stream has one entry for each event; also a label, unless the person has one of that name."""
_STATES = {
    "reading-list": {},
    "read": {"is_read": True},
    "kept-unread": {"is_read": False},
    "unread": {"is_read": False},
    "fresh": {"is_read": False},
    "starred": {"is_starred": True},
    STORIES: {"by_story": True},
}


def stream_name(given: str) -> str:
    """The id in one form: clients write the user as `-` or as a number, and escape the id or not."""
    text = unquote(given.strip().lstrip("/")) if "%" in given else given.strip().lstrip("/")
    parts = text.split("/", 2)
    return f"user/-/{parts[2]}" if len(parts) == 3 and parts[0] == "user" else text


def feed_of(given: str, feeds: Sequence[Feed]) -> Feed:
    """Find a feed by `feed/ID` or `feed/URL`; raise 404 if the person has none like that."""
    name = stream_name(given).removeprefix("feed/")
    try:
        feed_id: UUID | None = UUID(name)
    except ValueError:
        feed_id = None
    try:
        url = feed_key(name)[0] if feed_id is None else None
    except InvalidUrlError:
        url = None
    for feed in feeds:
        if feed.id == feed_id or (url is not None and feed.url in {url, name}):
            return feed
    raise HTTPException(404, "There is no such feed.")


def label_of(given: str) -> str | None:
    """The name of a label's stream; None if it is another stream."""
    name = stream_name(given)
    return name.removeprefix(LABEL) if name.startswith(LABEL) else None


async def find_stream(database: Database, person: Person, given: Parameters, stream_id: str) -> Stream:
    """Find the items that a request asks for: the stream, less `xt`, only `it`, from `ot` to `nt`."""
    stream = await _stream(database, person, stream_name(stream_id or f"{STATE}reading-list"))
    if person.reads_stories and not (stream.is_starred or stream.label or stream.words):
        stream = replace(stream, by_story=True)
    for name in map(stream_name, given.all("it")):
        stream = _with_state(stream, name, is_wanted=True)
    for name in map(stream_name, given.all("xt")):
        stream = _with_state(stream, name, is_wanted=False)
    since, until = given.seconds("ot"), given.seconds("nt")
    return replace(
        stream,
        first_id=first_id_at(since - OVERLAP) if since else None,
        end_id=first_id_at(until + timedelta(seconds=1)) if until else None,
    )


async def _stream(database: Database, person: Person, name: str) -> Stream:
    if name.startswith("feed/"):
        feeds = await database.read(load_visible_feeds, person.id)
        return Stream(person_id=person.id, feed_ids=(feed_of(name, feeds).id,))
    if name.startswith(STATE):
        state = name.removeprefix(STATE)
        if state not in _STATES:
            # A state that we do not have, such as `broadcast`, has no items.
            return Stream(person_id=person.id, feed_ids=())
        return Stream(person_id=person.id, **_STATES[state])  # type: ignore[arg-type]
    label = label_of(name)
    if label is None:
        raise HTTPException(404, "There is no such stream.")
    return await _labelled(database, person, label)


async def _labelled(database: Database, person: Person, label: str) -> Stream:
    """A label is a topic of feeds, a label of items, a saved search, or several of them."""
    feeds = await database.read(load_visible_feeds, person.id)
    feed_ids = tuple(feed.id for feed in feeds if feed.topic.casefold() == label.casefold())
    words = (await database.read(load_searches, person.id)).get(label)
    own = label if label in await database.read(load_label_names, person.id) else None
    if not feed_ids and words is None and own is None:
        if label.casefold() == STORIES:
            return Stream(person_id=person.id, by_story=True)
        raise HTTPException(404, "There is no such label.")
    return Stream(person_id=person.id, feed_ids=feed_ids, label=own, words=words)


def _with_state(stream: Stream, name: str, *, is_wanted: bool) -> Stream:
    match name.removeprefix(STATE):
        case "read":
            return replace(stream, is_read=is_wanted)
        case "kept-unread" | "unread" | "fresh":
            return replace(stream, is_read=not is_wanted)
        case "starred":
            return replace(stream, is_starred=is_wanted)
        case _:
            return stream


def topics_of(feeds: Sequence[Feed]) -> dict[str, list[FeedId]]:
    """The topics of feeds, each with its feeds; names that differ in case are one topic."""
    spelled: dict[str, str] = {}
    found: dict[str, list[FeedId]] = {}
    for feed in feeds:
        name = spelled.setdefault(feed.topic.casefold(), feed.topic)
        found.setdefault(name, []).append(feed.id)
    return found
