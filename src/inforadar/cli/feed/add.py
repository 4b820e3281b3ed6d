"""`inforadar feed add`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from inforadar.actions.private_address import private_address_warning
from inforadar.actions.subscribe import subscribe
from inforadar.cli.feed.feeds import Json
from inforadar.cli.terminal.output import print_json, print_line, print_warning, safe
from inforadar.cli.terminal.run import on_store
from inforadar.clock import utc_now
from inforadar.config import Settings
from inforadar.errors import UsageError
from inforadar.model.feed import Feed, FeedKind
from inforadar.model.feed_options import Content, FeedOptions
from inforadar.model.ids import short_id
from inforadar.model.subscription import FALLBACK_S, Start, Subscribed, WantedFeed
from inforadar.store.database import Database
from inforadar.urls import canonical_form, with_scheme
from inforadar.views.json import added_document


def add(
    url: Annotated[str, Parameter(help="The feed's URL; without a scheme, https is meant.")],
    *,
    kind: Annotated[FeedKind | None, Parameter(help="Default: detected on the first fetch.")] = None,
    source: Annotated[str | None, Parameter(help="The site's name. Default: its root domain.")] = None,
    topic: Annotated[
        str | None, Parameter(help="The feed's label. Default: the hub of a Habr listing, or `general`.")
    ] = None,
    selectors: Annotated[
        Path | None,
        Parameter(help="A TOML file with selectors that say how to read the site's pages (kind pages)."),
    ] = None,
    timezone: Annotated[
        str | None, Parameter(help="The time zone of dates without one, like Europe/Moscow. Default: UTC.")
    ] = None,
    content: Annotated[
        Content | None,
        Parameter(
            help="How much text the published feed carries. Default: all, unless it needs credentials."
        ),
    ] = None,
    enable: Annotated[bool, Parameter(negative="", help="Allow it to be fetched and served.")] = False,
    polling: Annotated[
        bool, Parameter(negative="", help="Fetch it repeatedly, with --enable from now on.")
    ] = False,
    sync: Annotated[bool, Parameter(negative="", help="Fetch it now; needs --enable.")] = False,
    discover: Annotated[bool, Parameter(negative="", help="Look for the site's feeds first.")] = False,
    any_host: Annotated[bool, Parameter(negative="", help="Keep items on other hosts.")] = False,
    root_domain: Annotated[
        bool | None,
        Parameter(negative="--no-root-domain", help="Group it by its domain, or not. Default: yes."),
    ] = None,
    json: Json = False,
) -> int:
    """Register a feed. It is fetched at once with --enable and --polling or --sync, otherwise not until you say so.

    Adding a deleted feed restores it with its settings, except for the options given here; `feed restore` restores it
    as it was.
    """
    if sync and not enable:
        raise UsageError("--sync fetches the feed now, but a disabled feed is not fetched: add --enable.")

    if discover:
        # Imported here because it is slow, and only this option needs it.
        from inforadar.cli.feed.discover import find_feeds, print_several  # noqa: PLC0415

        found = find_feeds(url)
        if len(found) > 1:
            print_several(found, as_json=json)
            return 2
        url, kind = found[0].url, found[0].kind
    wanted = WantedFeed(
        url=url,
        kind=kind,
        source=source,
        topic=topic,
        options=FeedOptions(
            timezone=timezone,
            content=content,
            selectors=_read_selectors(selectors) if selectors else None,
        ),
        any_host=True if any_host else None,
        root_domain=root_domain,
    )
    start = Start(
        enabled=enable, polling=polling or None, fetch_within_s=_fetch_within_s(enable, polling, sync)
    )

    async def work(database: Database, settings: Settings) -> tuple[Subscribed, str | None]:
        # First, because it refuses a setting that is wrong.
        warning = private_address_warning(canonical_form(with_scheme(url)), settings.fetcher)
        return await subscribe(database, settings.fetcher, wanted, start), warning

    added, warning = on_store(work)
    if warning:
        print_warning(warning)
    feed = added.feed
    if json:
        print_json(added_document(added, utc_now()))
        return 0
    if not added.is_new:
        if added.is_twin:
            print_line(f"You already follow this as {safe(feed.url)} (id {feed.id}); nothing was changed.")
        else:
            print_line(f"{safe(feed.url)} already exists (id {feed.id}); nothing was changed.")
        print_line(
            f"`inforadar feed show {short_id(feed.id)}` shows it, `feed edit` and `feed enable` change it."
        )
        return 0
    print_line(f"Added {safe(feed.url)}")
    print_line(f"  id {feed.id} · source {safe(feed.source)} · topic {safe(feed.topic)}")
    if added.kept_credentials:
        print_line("  The password is stored separately and never shown.")
    elif added.kept_credentials is False:
        print_line(
            "  The password was not kept: it belongs to another site than the one the feed has moved to. "
            f"`inforadar feed edit {short_id(feed.id)} --user NAME` sets a new one."
        )
    for line in _what_next(feed):
        print_line(line)
    return 0


def _fetch_within_s(enable: bool, polling: bool, sync: bool) -> float | None:
    if sync:
        return 0.0
    return FALLBACK_S if enable and polling else None


def _what_next(feed: Feed) -> list[str]:
    """Tell the person how to get the feed fetched."""
    name = short_id(feed.id)
    if feed.requested_at:
        again = (
            ""
            if feed.polling
            else f" It is fetched only once; `inforadar feed polling {name} on` repeats it."
        )
        return [f"A running worker fetches it now; otherwise run `inforadar worker --once`.{again}"]
    steps = [] if feed.enabled else [f"inforadar feed enable {name}"]
    steps += [] if feed.polling else [f"inforadar feed polling {name} on"]
    steps.append(f"inforadar feed sync {name}")
    whys = {
        "enable": "fetch it and serve it",
        "polling": "fetch it repeatedly",
        "sync": "fetch it now",
    }
    return [
        "Nothing is fetched yet. To make it live:",
        *(f"  {step:42} # {whys[step.split()[2]]}" for step in steps),
    ]


def _read_selectors(path: Path) -> dict[str, Any]:
    # Imported here because it is slow, and most commands do not need it.
    from inforadar.cli.feed.selectors_file import read_selectors  # noqa: PLC0415

    return read_selectors(path)
