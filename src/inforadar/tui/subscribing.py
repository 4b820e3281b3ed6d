"""Adding feeds in the terminal app: by URL, from an OPML file, or the sample."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from inforadar.actions.opml_import import import_opml
from inforadar.actions.subscribe import subscribe
from inforadar.config import Settings
from inforadar.errors import InfoRadarError, UsageError
from inforadar.model.subscription import LIVE, WantedFeed
from inforadar.store.database import Database
from inforadar.texts import counted
from inforadar.tui.background import run_in_thread
from inforadar.tui.list.choices import Choice
from inforadar.tui.screens.choose import ChooseScreen
from inforadar.tui.text import safe
from inforadar.urls import canonical_form, readable

if TYPE_CHECKING:
    from inforadar.model.subscription import FoundFeed


@dataclass(frozen=True, slots=True, kw_only=True)
class AppHooks:
    """The functions of the app that adding feeds needs."""

    settings: Settings
    database: Database
    say: Callable[[str], None]
    choose: Callable[[ChooseScreen], Awaitable[tuple[str, ...] | None]]
    """Show the screen and wait for the choice."""
    show_list: Callable[[], None]
    """Go back to the list and reload it."""


async def add_feed(app: AppHooks, text: str) -> None:
    """Discover the feeds of a URL and add them; if there are several, the reader chooses."""

    async def look() -> list[FoundFeed]:
        from inforadar.tui.fetch.online import find_feeds  # noqa: PLC0415 - in the other thread

        return await find_feeds(app.settings, url)

    try:
        url = canonical_form(text if "://" in text else f"https://{text}")
        app.say(f"Looking for a feed at {safe(readable(url))} …")
        found = await run_in_thread(look)
    except InfoRadarError as fault:
        app.say(safe(fault))
        return
    kinds = {feed.url: feed.kind for feed in found}
    urls: tuple[str, ...] | None = tuple(kinds)
    if len(found) > 1:
        choices = [Choice(name=feed.url, note=feed.how) for feed in found]
        urls = await app.choose(ChooseScreen("Which of its feeds?", choices, [found[0].url]))
    if not urls:
        app.say("Nothing was added.")
        return
    names = []
    for address in urls:
        wanted = WantedFeed(url=address, kind=kinds[address])
        added = await subscribe(app.database, app.settings.fetcher, wanted, LIVE)
        known = (
            ""
            if added.is_new
            else f" (you already follow this as {added.feed.url})"
            if added.is_twin
            else " (was there already)"
        )
        names.append(f"{added.feed.source}/{added.feed.topic}{known}")
    app.show_list()
    app.say(f"Added {safe(', '.join(names))}. f fetches now.")


def _read(path: str) -> bytes:
    try:
        return Path(path).expanduser().read_bytes()
    except OSError as fault:
        raise UsageError(f"{path} cannot be read: {fault.strerror}.") from None
    except (RuntimeError, ValueError):  # the home folder of nobody, or a zero byte
        raise UsageError(f"{path} is not the path of a file.") from None


async def import_file(app: AppHooks, path: str) -> None:
    try:
        data = await asyncio.to_thread(_read, path)
        imported = await import_opml(app.database, app.settings.fetcher, data)
    except InfoRadarError as fault:
        app.say(safe(fault))
        return
    app.show_list()
    app.say(
        f"{counted(len(imported.added), 'feed')} added, {len(imported.known)} already there, "
        f"{len(imported.skipped)} skipped. {imported.warning or 'f fetches now.'}"
    )


async def add_sample(app: AppHooks) -> None:
    async def get() -> int:
        from inforadar.tui.fetch.online import get_sample  # noqa: PLC0415 - in the other thread

        return await get_sample(app.settings)

    app.say("Adding the sample, a small news world of its own …")
    try:
        number = await run_in_thread(get)
    except InfoRadarError as fault:
        app.say(safe(fault))
        return
    app.show_list()
    app.say(f"The sample's {number} feeds are there.")
