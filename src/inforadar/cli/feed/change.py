"""`inforadar feed enable`, `disable`, `polling`, `sync`, `delete` and `restore`, exactly as in seed 2."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

from cyclopts import Parameter

from inforadar.actions.delete import delete_feed
from inforadar.actions.restore import restore_feed
from inforadar.actions.switch import switch_feed, sync_feed
from inforadar.cli.feed.feeds import Json, Reference
from inforadar.cli.terminal.confirm import Yes, confirm
from inforadar.cli.terminal.output import print_json, print_line, safe, short_time
from inforadar.cli.terminal.run import on_store
from inforadar.clock import utc_now
from inforadar.config import Settings
from inforadar.model.feed import Feed
from inforadar.model.ids import short_id
from inforadar.store.database import Database
from inforadar.store.feeds.queries import find_deleted_feed, find_feed
from inforadar.views.json import feed_document


def _switch(reference: str, *, enabled: bool) -> Feed:
    async def work(database: Database, _: Settings) -> Feed:
        found = await database.read(find_feed, reference)
        return await switch_feed(database, found.id, enabled=enabled)

    return on_store(work)


def tell(feed: Feed, sentence: str, *, as_json: bool) -> None:
    if as_json:
        print_json(feed_document(feed, utc_now()))
    else:
        print_line(sentence)


def enable(feed: Reference, *, json: Json = False) -> None:
    """Allow a feed to be fetched and served. Does not schedule it."""
    found = _switch(feed, enabled=True)
    comes = (
        f"Next run {short_time(found.next_run_at)}."
        if found.next_run_at
        else f"It is not scheduled; `inforadar feed sync {short_id(found.id)}` fetches it now."
    )
    tell(found, f"Enabled {safe(found.url)}. {comes}", as_json=json)


def disable(feed: Reference, *, json: Json = False) -> None:
    """Stop fetching and serving a feed at once; its schedule stays."""
    found = _switch(feed, enabled=False)
    tell(found, f"Disabled {safe(found.url)}. It is neither fetched nor served.", as_json=json)


def polling(
    feed: Reference,
    state: Annotated[Literal["on", "off"] | None, Parameter(help="Default: toggle it.")] = None,
    *,
    json: Json = False,
) -> None:
    """Turn the repeated fetching of a feed on or off; without an argument, toggle it."""

    async def work(database: Database, _: Settings) -> Feed:
        found = await database.read(find_feed, feed)
        wanted = not found.polling if state is None else state == "on"
        return await switch_feed(database, found.id, polling=wanted)

    found = on_store(work)
    what = "is fetched again after each success" if found.polling else "is fetched only when asked for"
    hint = ""
    if found.polling and found.enabled and found.next_run_at is None:
        hint = f" Start with `inforadar feed sync {short_id(found.id)}`."
    tell(found, f"{safe(found.url)} {what}.{hint}", as_json=json)


def sync(feed: Reference, *, json: Json = False) -> None:
    """Fetch a feed now, and revive it if it was suspended. Refused if it is disabled or deleted."""

    async def work(database: Database, _: Settings) -> Feed:
        found = await database.read(find_feed, feed)
        return await sync_feed(database, found.id)

    found = on_store(work)
    sentence = (
        f"{safe(found.url)} is due now. A running worker fetches it; otherwise run `inforadar worker --once`."
    )
    tell(found, sentence, as_json=json)


def delete(feed: Reference, *, yes: Yes = False, json: Json = False) -> None:
    """Delete a feed; its items are no longer served. `feed restore` brings it back."""

    async def find(database: Database, _: Settings) -> Feed:
        return await database.read(find_feed, feed)

    found = on_store(find)
    if sys.stdin.isatty():
        confirm(f"Delete {safe(found.url)}?", yes=yes, undone="Nothing was deleted.")

    async def work(database: Database, _: Settings) -> Feed:
        return await delete_feed(database, found.id, utc_now())

    gone = on_store(work)
    sentence = f"Deleted {safe(gone.url)}. `inforadar feed restore {short_id(gone.id)}` brings it back."
    tell(gone, sentence, as_json=json)


def restore(
    feed: Annotated[
        str, Parameter(help="The deleted feed: its id, its URL, a unique prefix, or the end of its id.")
    ],
    *,
    json: Json = False,
) -> None:
    """Restore a deleted feed exactly as it was, with its settings, items and schedule."""

    async def work(database: Database, _: Settings) -> Feed:
        found = await database.read(find_deleted_feed, feed)
        return await restore_feed(database, found.id)

    back = on_store(work)
    hint = "" if back.enabled else f" It is disabled: `inforadar feed enable {short_id(back.id)}`."
    tell(back, f"Restored {safe(back.url)}.{hint}", as_json=json)
