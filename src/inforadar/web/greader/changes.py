"""Changes that clients ask for: marks and labels, subscriptions, tags."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from starlette.exceptions import HTTPException

from inforadar.actions.delete import delete_feed
from inforadar.actions.edit import edit_feed
from inforadar.actions.mark import mark_all, mark_stream, rename_item_label
from inforadar.actions.people.accounts import drop_search, hide_feed, keep_search
from inforadar.actions.subscribe import subscribe
from inforadar.config import Settings
from inforadar.errors import InfoRadarError, UsageError
from inforadar.model.feed import Feed
from inforadar.model.item_number import first_id_at, parse_item_number
from inforadar.model.person import Along, Person
from inforadar.model.subscription import LIVE, FeedChanges, WantedFeed
from inforadar.store.database import Database
from inforadar.store.people.queries import load_searches
from inforadar.store.people.streams import load_numbered_urls, load_visible_feeds
from inforadar.web.greader.request import Parameters
from inforadar.web.greader.streams import STATE, feed_of, find_stream, label_of, stream_name

DEFAULT_TOPIC = "general"
ITEMS_PER_STEP = 5000


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    database: Database
    settings: Settings
    now: Callable[[], datetime]
    on_marked: Callable[[], None]

    async def edit_tags(self, person: Person, given: Parameters) -> None:
        """Set and clear states and labels of items."""
        numbers = parse_numbers(given.all("i"))
        marks: dict[str, bool] = {}
        labels: dict[bool, list[str]] = {True: [], False: []}
        for field, is_added in (("r", False), ("a", True)):
            for name in given.all(field):
                if (label := label_of(name)) is not None:
                    labels[is_added].append(label)
                    continue
                match stream_name(name).removeprefix(STATE):
                    case "read":
                        marks["read"] = is_added
                    case "starred":
                        marks["starred"] = is_added
                    case "kept-unread" if is_added:
                        marks["read"] = False
        if not numbers:
            return
        for start in range(0, len(numbers), ITEMS_PER_STEP):
            part = numbers[start : start + ITEMS_PER_STEP]
            urls = await self.database.read(load_numbered_urls, person.id, part)
            if not urls and len(numbers) == 1:
                raise HTTPException(404, "There is no such item.")
            await mark_all(
                self.database,
                person.id,
                urls,
                marks,
                self.now(),
                labels_added=labels[True],
                labels_removed=labels[False],
                along=Along.STORY if person.reads_stories and marks.get("read") else None,
            )
        self.on_marked()

    async def mark_all_read(self, person: Person, given: Parameters) -> None:
        """Mark a stream as read, up to a time."""
        stream_id = given.text("s")
        if not stream_id:
            raise HTTPException(400, "The parameter s is missing.")
        stream = await find_stream(self.database, person, Parameters(pairs=()), stream_id)
        until = given.moment("ts")
        end = first_id_at(until + timedelta(milliseconds=1)) if until else None
        await mark_stream(self.database, replace(stream, end_id=end), self.now())
        self.on_marked()

    async def edit_subscription(self, person: Person, given: Parameters) -> None:
        """Subscribe, unsubscribe, rename, or move to another topic."""
        action = given.text("ac") or "edit"
        names = given.all("s")
        if not names:
            raise HTTPException(400, "The parameter s is missing.")
        for name in names:
            match action:
                case "subscribe":
                    _require_admin(person)
                    await self._subscribe(stream_name(name).removeprefix("feed/"), given)
                case "unsubscribe":
                    await self._unsubscribe(person, await self._feed(person, name))
                case "edit":
                    _require_admin(person)
                    await self._edit(await self._feed(person, name), given)
                case _:
                    raise HTTPException(400, f"{action!r} is not a subscription edit.")

    async def quick_add(self, person: Person, url: str) -> Feed:
        """Subscribe to a URL, which may be given as a stream."""
        _require_admin(person)
        return await self._subscribe(url.removeprefix("feed/"), Parameters(pairs=()))

    async def import_list(self, person: Person, data: bytes) -> int:
        """Import OPML; return how many feeds were added."""
        from inforadar.actions.opml_import import import_opml  # noqa: PLC0415 - imports lxml, as in `lists.py`

        _require_admin(person)
        return len((await import_opml(self.database, self.settings.fetcher, data)).added)

    async def rename_tag(self, person: Person, given: Parameters) -> None:
        """Rename a label: of items, of a saved search, and by an admin the topic of feeds."""
        old, new = _label(given, "s", "t"), _label(given, "dest", "dest")
        await self._replace_label(person, old, new)

    async def disable_tag(self, person: Person, given: Parameters) -> None:
        """Delete a label; feeds of a topic go back to the default topic."""
        await self._replace_label(person, _label(given, "s", "t"), None)

    async def _replace_label(self, person: Person, old: str, new: str | None) -> None:
        feeds = await self.database.read(load_visible_feeds, person.id)
        of_topic = [feed for feed in feeds if feed.topic.casefold() == old.casefold()]
        if of_topic:
            _require_admin(person)
        for feed in of_topic:
            changes = FeedChanges(topic=new or DEFAULT_TOPIC)
            await edit_feed(self.database, self.settings.fetcher, feed.id, changes)
        await rename_item_label(self.database, person.id, old, new)
        words = (await self.database.read(load_searches, person.id)).get(old)
        if words is not None:
            await drop_search(self.database, person.id, old)
            if new is not None:
                await keep_search(self.database, person.id, new, words)

    async def _subscribe(self, url: str, given: Parameters) -> Feed:
        topic = next((label for name in given.all("a") if (label := label_of(name))), None)
        wanted = WantedFeed(url=url, topic=topic, title=given.text("t") or None)
        try:
            return (await subscribe(self.database, self.settings.fetcher, wanted, LIVE)).feed
        except UsageError as fault:
            raise HTTPException(400, str(fault)) from None

    async def _unsubscribe(self, person: Person, feed: Feed) -> None:
        """An admin deletes the feed for everybody; a reader hides it."""
        if person.is_admin:
            await delete_feed(self.database, feed.id, self.now())
        else:
            await hide_feed(self.database, person.id, [feed.id])

    async def _edit(self, feed: Feed, given: Parameters) -> None:
        added = next((label for name in given.all("a") if (label := label_of(name))), None)
        removed = {label for name in given.all("r") if (label := label_of(name))}
        topic = added or (DEFAULT_TOPIC if feed.topic in removed else None)
        title = given.text("t")
        if topic:
            changes = FeedChanges(topic=topic, options={"title": title} if title else {})
        elif title:
            changes = FeedChanges(options={"title": title})
        else:
            return
        try:
            await edit_feed(self.database, self.settings.fetcher, feed.id, changes)
        except InfoRadarError as fault:
            raise HTTPException(400, str(fault)) from None

    async def _feed(self, person: Person, name: str) -> Feed:
        return feed_of(name, await self.database.read(load_visible_feeds, person.id))


def parse_numbers(texts: list[str]) -> list[int]:
    """Read the ids of items; raise 400 if one is none."""
    numbers = [parse_item_number(text) for text in texts]
    if None in numbers:
        raise HTTPException(400, "An item id cannot be read.")
    return [number for number in numbers if number is not None]


def _label(given: Parameters, stream: str, bare: str) -> str:
    text = given.text(stream, bare)
    label = label_of(text) or (text if text and "/" not in text else "")
    if not label:
        raise HTTPException(400, "The label is missing.")
    return label


def _require_admin(person: Person) -> None:
    if not person.is_admin:
        raise HTTPException(403, "Only an admin can change feeds.")
