"""Editing a feed, the same for every face and for Python: settings, credentials and URL in one transaction."""

from __future__ import annotations

import msgspec

from inforadar.actions.feed_input import check_words, domain_given, split_credentials, timezone_given
from inforadar.actions.subscribe import kind_of_url
from inforadar.clock import utc_now
from inforadar.config import FetcherSettings
from inforadar.errors import UsageError
from inforadar.model.feed import Feed
from inforadar.model.ids import FeedId
from inforadar.model.subscription import FALLBACK_S, Edited, FeedChanges, NewUrl
from inforadar.pipeline.schedule import default_cutoff
from inforadar.store.database import Database
from inforadar.store.feeds.edit import save_edit


async def edit_feed(
    database: Database, fetcher: FetcherSettings, feed_id: FeedId, changes: FeedChanges
) -> Edited:
    """Write what is named, and ask for the feed if it is enabled, so that the change shows.

    Another URL makes the feed start over there: validators and errors are cleared, a suspended feed is scheduled
    again, and credentials stay only where they belong to the same origin. The kind is detected again, unless it is
    named in the same edit or the feed has selectors. The former URL still finds the feed.
    """
    return await _edit(database, fetcher, feed_id, changes, fallback_s=None)


async def edit_live(
    database: Database, fetcher: FetcherSettings, feed_id: FeedId, changes: FeedChanges
) -> Edited:
    """Edit as people expect it on the page: an edited feed is enabled and polls, unless the edit says otherwise (B3).

    Switches alone only switch.
    """
    if changes.is_switch:
        return await edit_feed(database, fetcher, feed_id, changes)
    on = {name: True for name in ("enabled", "polling") if name not in changes.columns}
    changes = msgspec.structs.replace(changes, **on)
    return await _edit(database, fetcher, feed_id, changes, fallback_s=FALLBACK_S)


async def set_root_domain(database: Database, feed_id: FeedId, domain: str | None) -> Feed:
    """Group the feed with others of a domain; `None`: with none."""
    changes = FeedChanges(root_domain=domain_given(domain))
    return (await database.write(save_edit, feed_id, changes)).feed


async def _edit(
    database: Database,
    fetcher: FetcherSettings,
    feed_id: FeedId,
    changes: FeedChanges,
    *,
    fallback_s: float | None,
) -> Edited:
    if not changes:
        raise UsageError("Nothing to change was named. `inforadar feed edit --help` lists what can be.")
    return await database.write(
        save_edit,
        feed_id,
        _checked(changes),
        new_url=_new_url(changes.url, fetcher) if changes.url is not None else None,
        fallback_s=fallback_s,
    )


def _checked(changes: FeedChanges) -> FeedChanges:
    """The changes in the form that is stored; refused, all of them, if one cannot be used."""
    columns, options = changes.columns, dict(changes.options)
    named = {**columns, **options}
    check_words(**{name: named[name] for name in ("source", "topic", "title") if name in named})
    if "timezone" in options:
        options["timezone"] = timezone_given(options["timezone"])
    if selectors := options.get("selectors"):
        from inforadar.stages.discover.pages.selectors.definition import parse_selectors  # noqa: PLC0415 - slow

        parse_selectors(selectors)
    checked = msgspec.structs.replace(changes, options=options)
    if "root_domain" in columns:
        checked = msgspec.structs.replace(checked, root_domain=domain_given(columns["root_domain"]))
    return checked


def _new_url(url: str, fetcher: FetcherSettings) -> NewUrl:
    address, headers = split_credentials(url)
    return NewUrl(
        url=address,
        headers=headers,
        kind=kind_of_url(address),
        cutoff_date=fetcher.cutoff_date or default_cutoff(utc_now()),
    )
