"""Edit a feed: settings, credentials and URL in one transaction. The same for every face and for Python."""

from __future__ import annotations

import msgspec

from inforadar.actions.feed_input import parse_domain, parse_names, parse_timezone, split_credentials
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
    """Save the changes and, if the feed is enabled, request a fetch so that they take effect.

    Another URL makes the feed start over there: validators and errors are cleared, a suspended feed is scheduled
    again, and credentials stay only where they belong to the same origin. The kind is detected again, unless it is
    named in the same edit or the feed has selectors. The former URL still finds the feed.
    """
    return await _edit(database, fetcher, feed_id, changes, fallback_s=None)


async def edit_live(
    database: Database, fetcher: FetcherSettings, feed_id: FeedId, changes: FeedChanges
) -> Edited:
    """Edit as people expect on the page: an edited feed is enabled and polls, unless the edit says otherwise (B3).

    An edit of switches only changes nothing else.
    """
    if changes.is_switch:
        return await edit_feed(database, fetcher, feed_id, changes)
    on = {name: True for name in ("enabled", "polling") if name not in changes.columns}
    changes = msgspec.structs.replace(changes, **on)
    return await _edit(database, fetcher, feed_id, changes, fallback_s=FALLBACK_S)


async def set_root_domain(database: Database, feed_id: FeedId, domain: str | None) -> Feed:
    """Set the domain that the feed is grouped under; None removes it from its group."""
    changes = FeedChanges(root_domain=parse_domain(domain))
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
        raise UsageError("Nothing to change was named. `inforadar feed edit --help` lists all options.")
    return await database.write(
        save_edit,
        feed_id,
        _checked(changes),
        new_url=_new_url(changes.url, fetcher) if changes.url is not None else None,
        fallback_s=fallback_s,
    )


def _checked(changes: FeedChanges) -> FeedChanges:
    """The changes in the form that is stored; if one is invalid, all are refused."""
    columns, options = changes.columns, dict(changes.options)
    named = {**columns, **options}
    names = parse_names(**{name: named[name] for name in ("source", "topic", "title") if name in named})
    options |= {name: value for name, value in names.items() if name in options}
    if "timezone" in options:
        options["timezone"] = parse_timezone(options["timezone"])
    if selectors := options.get("selectors"):
        from inforadar.stages.discover.pages.selectors.definition import parse_selectors  # noqa: PLC0415 - slow

        parse_selectors(selectors)
    own = {name: value for name, value in names.items() if name in columns}
    checked = msgspec.structs.replace(changes, options=options, **own)
    if "root_domain" in columns:
        checked = msgspec.structs.replace(checked, root_domain=parse_domain(columns["root_domain"]))
    return checked


def _new_url(url: str, fetcher: FetcherSettings) -> NewUrl:
    address, headers = split_credentials(url)
    return NewUrl(
        url=address,
        headers=headers,
        kind=kind_of_url(address),
        cutoff_date=fetcher.cutoff_date or default_cutoff(utc_now()),
    )
