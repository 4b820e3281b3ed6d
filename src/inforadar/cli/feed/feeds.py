"""`inforadar feed list` and `show`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number
from rich.console import Console
from rich.text import Text

from inforadar.cli.terminal.output import print_json, print_line, safe, short_time
from inforadar.cli.terminal.run import on_store
from inforadar.cli.terminal.tables import is_narrow, print_table
from inforadar.clock import utc_now
from inforadar.config import Settings
from inforadar.masks import masked
from inforadar.model.feed import Feed
from inforadar.model.ids import short_id
from inforadar.model.push import PushSubscription
from inforadar.model.rhythm import Rhythm
from inforadar.store.database import Database
from inforadar.store.feeds.lists import FeedList, list_feeds
from inforadar.store.feeds.queries import find_feed, load_former_urls
from inforadar.store.feeds.rhythms import load_rhythms
from inforadar.store.push.queries import load_subscription
from inforadar.views.feed_health import HealthState, feed_health
from inforadar.views.json import feed_document
from inforadar.views.rhythm import polling_sentence, week_lines, week_map

Json = Annotated[bool, Parameter(name="--json", negative="", help="Print JSON.")]
Reference = Annotated[
    str, Parameter(help="The feed: its id, its URL, a unique prefix, or the end of its id.")
]


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
        empty="No feeds yet. Add one: `inforadar feed add URL --enable --polling`.",
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
    from inforadar.views.push import push_document  # noqa: PLC0415 - slow; `feed list` does without

    async def work(
        database: Database, _: Settings
    ) -> tuple[Feed, list[tuple[str, str]], Rhythm | None, PushSubscription | None]:
        found = await database.read(find_feed, feed)
        former = await database.read(load_former_urls, found.id)
        rhythms = await database.read(load_rhythms, [found.id])
        push = await database.read(load_subscription, found.id)
        return found, [(url, left_at.isoformat()) for url, left_at in former], rhythms.get(found.id), push

    found, former, rhythm, push = on_store(work)
    now = utc_now()
    document = feed_document(found, now)
    week = week_map(rhythm, found, now)
    document["polling_sentence"] = polling_sentence(found, rhythm, now)
    document["week"] = week
    document["push"] = push_document(push, now)
    document["former_urls"] = [{"url": url, "left_at": at} for url, at in former]
    if json:
        print_json(document)
        return
    print_line(document.pop("health_sentence"))
    if said := document.pop("polling_sentence"):
        print_line(said)
    document.pop("week")
    if told := document.pop("push"):
        print_line(safe(told["sentence"]))
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
