"""`inforadar feed add`, `list` and `show`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from cyclopts.validators import Number
from rich.console import Console
from rich.text import Text

from inforadar.actions.subscribe import subscribe
from inforadar.cli.terminal.output import (
    is_narrow,
    print_json,
    print_line,
    print_table,
    safe,
    short_id,
    short_time,
)
from inforadar.cli.terminal.run import on_store
from inforadar.clock import utc_now
from inforadar.config import Settings
from inforadar.errors import UsageError
from inforadar.masks import masked
from inforadar.model.feed import Feed, FeedKind
from inforadar.model.feed_options import Content, FeedOptions
from inforadar.model.rhythm import Rhythm
from inforadar.model.subscription import Start, Subscribed, WantedFeed
from inforadar.store.database import Database
from inforadar.store.feeds.lists import FeedList, list_feeds
from inforadar.store.feeds.queries import find_feed, load_former_urls
from inforadar.store.feeds.rhythms import load_rhythms
from inforadar.views.feed_health import HealthState, feed_health
from inforadar.views.json import added_document, feed_document
from inforadar.views.rhythm import polling_sentence, week_lines, week_map

Json = Annotated[bool, Parameter(name="--json", negative="", help="Print JSON.")]
Reference = Annotated[
    str, Parameter(help="The feed: its id, its URL, a unique prefix, or the end of its id.")
]


def add(
    url: Annotated[str, Parameter(help="The feed's URL.")],
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
    polling: Annotated[bool, Parameter(negative="", help="Fetch it repeatedly.")] = False,
    sync: Annotated[bool, Parameter(negative="", help="Fetch it now; needs --enable.")] = False,
    discover: Annotated[bool, Parameter(negative="", help="Look for the site's feeds first.")] = False,
    any_host: Annotated[bool, Parameter(negative="", help="Keep items on other hosts.")] = False,
    root_domain: Annotated[
        bool | None,
        Parameter(negative="--no-root-domain", help="Group it by its domain, or not. Default: yes."),
    ] = None,
    json: Json = False,
) -> int:
    """Register a feed. Nothing is fetched until it is enabled and synced.

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
    start = Start(enabled=enable, polling=polling or None, fetch_within_s=0.0 if sync else None)

    async def work(database: Database, settings: Settings) -> Subscribed:
        return await subscribe(database, settings.fetcher, wanted, start)

    added = on_store(work)
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


LISTED = 500
"""Default number of feeds to show: a million would take minutes to print, and nobody reads them."""


def list_(
    *,
    source: Annotated[list[str] | None, Parameter(negative="", help="Only these sources.")] = None,
    topic: Annotated[list[str] | None, Parameter(negative="", help="Only these topics.")] = None,
    state: Annotated[HealthState | None, Parameter(help="Only feeds in this state.")] = None,
    limit: Annotated[
        int, Parameter(validator=Number(gte=1, lte=10_000_000), help="Maximum number to show.")
    ] = LISTED,
    all_: Annotated[bool, Parameter(name="--all", negative="", help="Show all, however many.")] = False,
    json: Json = False,
) -> None:
    """List feeds with their health and next run; if there are very many, those added last."""

    async def work(database: Database, _: Settings) -> FeedList:
        return await database.read(
            list_feeds,
            sources=source or (),
            topics=topic or (),
            state=state,
            limit=None if all_ else limit,
        )

    found = on_store(work)
    _print_feeds(found.feeds, as_json=json)
    if found.more:
        # On stderr, because a program that reads the feeds from a pipe expects nothing else there.
        hint = "narrow it down with --source, --topic or --state, or see all with --all"
        print(f"… and {found.more:,} more; {hint}.", file=sys.stderr)


def _print_feeds(feeds: Sequence[Feed], *, as_json: bool) -> None:
    now = utc_now()
    if as_json:
        print_json([feed_document(feed, now) for feed in feeds])
        return
    if is_narrow() and feeds:
        for feed in feeds:
            _print_card(feed)
        return
    print_table(
        [
            "Id!",
            "Source",
            "Topic",
            "URL",
            "Enabled!",
            "Polling!",
            "Root domain",
            "Next run!",
            "Health!",
            "Last error",
        ],
        (
            (
                short_id(feed.id),
                feed.source,
                feed.topic,
                feed.url,
                "yes" if feed.enabled else "no",
                "yes" if feed.polling else "no",
                feed.root_domain,
                short_time(feed.next_run_at),
                _health_text(feed),
                feed.last_error,
            )
            for feed in feeds
        ),
        empty="No feeds yet. Add one: `inforadar feed add URL --enable --polling --sync`.",
    )


def _print_card(feed: Feed) -> None:
    """Print a feed in a few lines, for terminals too narrow for a table."""
    console = Console(highlight=False)
    facts = [
        "enabled" if feed.enabled else "not enabled",
        "polling" if feed.polling else "not polling",
        feed.root_domain or "no root domain",
        f"next {short_time(feed.next_run_at)}",
    ]
    lines = [
        Text.assemble((short_id(feed.id), "bold"), "  ", masked(safe(feed.url))),
        Text.assemble(" " * 10, _health_text(feed), " · ", safe(" · ".join(facts))),
    ]
    if feed.last_error:
        lines.append(Text(f"{'':10}{masked(safe(feed.last_error))}", style="dim"))
    for line in lines:
        console.print(line, no_wrap=True, overflow="ellipsis", crop=True)


def _health_text(feed: Feed) -> Text:
    health = feed_health(feed, utc_now()).state
    return Text(health.value, style=health.colour.replace("grey", "bright_black"))


def show(feed: Reference, *, json: Json = False) -> None:
    """Show everything about one feed."""

    async def work(database: Database, _: Settings) -> tuple[Feed, list[tuple[str, str]], Rhythm | None]:
        found = await database.read(find_feed, feed)
        former = await database.read(load_former_urls, found.id)
        rhythms = await database.read(load_rhythms, [found.id])
        return found, [(url, left_at.isoformat()) for url, left_at in former], rhythms.get(found.id)

    found, former, rhythm = on_store(work)
    now = utc_now()
    document = feed_document(found, now)
    week = week_map(rhythm, found, now)
    document["polling_sentence"] = polling_sentence(found, rhythm, now)
    document["week"] = week
    document["former_urls"] = [{"url": url, "left_at": at} for url, at in former]
    if json:
        print_json(document)
        return
    print_line(document.pop("health_sentence"))
    if said := document.pop("polling_sentence"):
        print_line(said)
    document.pop("week")
    for line in week_lines(week):
        print_line(f"  {line}")
    for name, value in document.items():
        if name == "former_urls":
            for url, at in former:
                print_line(f"  {'former URL':20} {safe(url)} (until {at})")
        elif name == "warnings":
            for warning in found.warnings:
                print_line(f"  {'left out':20} {safe(warning.text)}")
        else:
            print_line(f"  {name:20} {safe('–' if value is None else value)}")
