"""Add feeds, the same for every face, for OPML and for Python. Feeds added together share one transaction.

The faces differ only in how a feed starts, which is described by a `Start`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from inforadar.actions.feed_input import parse_names, parse_timezone, split_credentials
from inforadar.clock import utc_now
from inforadar.config import FetcherSettings
from inforadar.errors import UsageError
from inforadar.model.feed import FeedKind
from inforadar.model.feed_options import FeedOptions
from inforadar.model.subscription import REGISTERED, Start, Subscribed, WantedFeed
from inforadar.pipeline.schedule import default_cutoff
from inforadar.store.database import Database
from inforadar.store.feeds.add import Subscription, save_subscriptions
from inforadar.urls import is_twin_url, keeps_credentials


async def subscribe(
    database: Database, fetcher: FetcherSettings, wanted: WantedFeed, start: Start = REGISTERED
) -> Subscribed:
    """Add one feed; a deleted feed is revived, and an existing one stays as it is."""
    (added,) = await subscribe_all(database, fetcher, [wanted], start)
    return added


async def subscribe_all(
    database: Database, fetcher: FetcherSettings, wanted: Sequence[WantedFeed], start: Start = REGISTERED
) -> list[Subscribed]:
    """Add feeds in one transaction: all of them, or none."""
    subscriptions = [_subscription(one, fetcher, start) for one in wanted]
    saved = await database.write(save_subscriptions, subscriptions)
    return [
        Subscribed(
            feed=feed,
            is_new=is_new,
            url=one.url,
            is_twin=not is_new and is_twin_url(one.url, feed.url),
            kept_credentials=keeps_credentials(one.url, feed.url) if one.headers and is_new else None,
        )
        for one, (feed, is_new) in zip(subscriptions, saved, strict=True)
    ]


def _subscription(wanted: WantedFeed, fetcher: FetcherSettings, start: Start) -> Subscription:
    names = parse_names(source=wanted.source, topic=wanted.topic, title=wanted.title)
    address, headers = split_credentials(wanted.url)
    new = with_defaults(
        address,
        kind=wanted.kind,
        topic=names["topic"],
        options=wanted.options,
        usual_cutoff=fetcher.cutoff_date,
        now=utc_now(),
    )
    return Subscription(
        url=address,
        headers=headers,
        kind=new.kind,
        source=names["source"],
        topic=new.topic,
        title=names["title"],
        site_url=wanted.site_url,
        origin=wanted.origin,
        options=new.options,
        defaulted=new.defaulted,
        enabled=start.enabled,
        polling=start.polling,
        enforce_feed_domain=None if wanted.any_host is None else not wanted.any_host,
        enforce_if_new=not start.any_host,
        with_root_domain=wanted.root_domain,
        fetch_within_s=start.fetch_within_s,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class NewFeed:
    """The settings of an added feed, with defaults for what the person left out."""

    kind: FeedKind | None
    topic: str
    options: FeedOptions
    defaulted: frozenset[str]
    """Names of the columns and options that the person did not give."""


def with_defaults(
    url: str,
    *,
    kind: FeedKind | None = None,
    topic: str | None = None,
    options: FeedOptions,
    usual_cutoff: date | None = None,
    now: datetime,
) -> NewFeed:
    """Fill in defaults. A feed with selectors, or on a site with a reader, is of kind `pages` and gets a cutoff."""
    # Imported here because it is slow, and only this function needs it.
    from inforadar.stages.discover.pages.selectors.definition import parse_selectors  # noqa: PLC0415
    from inforadar.stages.discover.pages.sites import topic_of  # noqa: PLC0415

    selectors = options.selectors
    if selectors is not None:
        parse_selectors(selectors)
        if kind not in {None, FeedKind.PAGES}:
            raise UsageError(f"Selectors are for kind pages, not {kind}.")
    given = {"kind": kind or selectors, "topic": topic, "cutoff_date": options.cutoff_date}
    if kind is None:
        kind = FeedKind.PAGES if selectors is not None else kind_of_url(url)
    cutoff = options.cutoff_date or usual_cutoff or default_cutoff(now)
    return NewFeed(
        kind=kind,
        topic=topic or topic_of(url) or "general",
        options=options.replaced(
            {
                "timezone": parse_timezone(options.timezone),
                "cutoff_date": cutoff if kind is FeedKind.PAGES else None,
            }
        ),
        defaulted=frozenset(name for name, value in given.items() if value is None),
    )


def kind_of_url(url: str) -> FeedKind | None:
    """`pages` if there is a reader for the site; None if only the content will show the kind."""
    from inforadar.stages.discover.pages.sites import is_listing  # noqa: PLC0415 - see above

    return FeedKind.PAGES if is_listing(url) else None
