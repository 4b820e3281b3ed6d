"""`inforadar feed …` and `inforadar root-domain …`."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter
from rich.text import Text

from inforadar.app.store import utc_now
from inforadar.cli.output import print_json, print_line, print_table, safe, short_time
from inforadar.cli.run import on_store
from inforadar.config import Settings
from inforadar.errors import UsageError
from inforadar.model.feed import Feed, FeedKind
from inforadar.pipeline.admin import set_root_domain, switch_feed
from inforadar.pipeline.documents import feed_document
from inforadar.pipeline.health import feed_health
from inforadar.store.engine import Database
from inforadar.store.feeds import (
    delete_feed,
    find_feed,
    insert_feed,
    load_feeds,
    load_former_urls,
    load_root_domains,
    sync_feed,
)

Json = Annotated[bool, Parameter(name="--json", negative="", help="Print JSON.")]
Reference = Annotated[str, Parameter(help="The feed: its id, its URL, or the beginning of either.")]


def add(
    url: Annotated[str, Parameter(help="The feed's URL.")],
    *,
    kind: Annotated[FeedKind | None, Parameter(help="Else seen from the content at the first fetch.")] = None,
    source: Annotated[str | None, Parameter(help="The site's name; else its root domain.")] = None,
    topic: Annotated[str, Parameter(help="The feed's label.")] = "general",
    enable: Annotated[bool, Parameter(negative="", help="Allow it to be fetched and served.")] = False,
    polling: Annotated[bool, Parameter(negative="", help="Fetch it again and again.")] = False,
    sync: Annotated[bool, Parameter(negative="", help="Fetch it now; needs --enable.")] = False,
    discover: Annotated[bool, Parameter(negative="", help="Look for the site's feeds first.")] = False,
    any_host: Annotated[bool, Parameter(negative="", help="Keep items that are on other hosts too.")] = False,
    root_domain: Annotated[
        bool, Parameter(negative="--no-root-domain", help="Group it by its domain.")
    ] = True,
    json: Json = False,
) -> int:
    """Register a feed. Nothing is fetched until it is enabled and synced."""
    if sync and not enable:
        raise UsageError("--sync fetches at once, which a disabled feed is not: add --enable.")

    if discover:
        # Only this goes out to the web, and what it needs takes a moment to import.
        from inforadar.cli.discover import find_feeds, print_several  # noqa: PLC0415

        found = find_feeds(url)
        if len(found) > 1:
            print_several(found, as_json=json)
            return 2
        url, kind = found[0].url, found[0].kind

    async def work(database: Database, _: Settings) -> tuple[Feed, bool]:
        feed, is_new = await database.write(
            insert_feed,
            url,
            kind=kind,
            source=source,
            topic=topic,
            enabled=enable,
            polling=polling,
            enforce_feed_domain=not any_host,
            with_root_domain=root_domain,
        )
        if is_new and sync:
            await database.write(sync_feed, feed.id)
        return await database.read(find_feed, str(feed.id)), is_new

    feed, is_new = on_store(work)
    if json:
        print_json(feed_document(feed, utc_now()) | {"added": is_new})
        return 0
    if not is_new:
        print_line(f"{safe(feed.url)} is there already: {feed.id}")
        return 0
    print_line(f"Added {safe(feed.url)}")
    print_line(f"  id {feed.id} · source {safe(feed.source)} · topic {safe(feed.topic)}")
    if not feed.enabled:
        print_line(f"Next: `inforadar feed enable {feed.id}`, then `inforadar feed sync {feed.id}`.")
    elif feed.requested_at:
        print_line("A running worker takes it next; else run `inforadar worker --once`.")
    else:
        print_line(f"Next: `inforadar feed sync {feed.id}`.")
    return 0


def list_(
    *,
    source: Annotated[list[str] | None, Parameter(negative="", help="Only these sources.")] = None,
    topic: Annotated[list[str] | None, Parameter(negative="", help="Only these topics.")] = None,
    json: Json = False,
) -> None:
    """Show all feeds, their health and what comes next."""

    async def work(database: Database, _: Settings) -> list[Feed]:
        return await database.read(load_feeds, sources=source or (), topics=topic or ())

    feeds = on_store(work)
    now = utc_now()
    if json:
        print_json([feed_document(feed, now) for feed in feeds])
        return
    print_table(
        [
            "Id",
            "Source",
            "Topic",
            "URL",
            "Enabled",
            "Polling",
            "Root domain",
            "Next run",
            "Health",
            "Last error",
        ],
        (
            (
                str(feed.id),
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


def _health_text(feed: Feed) -> Text:
    health = feed_health(feed, utc_now()).state
    return Text(health.value, style=health.colour.replace("grey", "bright_black"))


def show(feed: Reference, *, json: Json = False) -> None:
    """Show everything about one feed."""

    async def work(database: Database, _: Settings) -> tuple[Feed, list[tuple[str, str]]]:
        found = await database.read(find_feed, feed)
        former = await database.read(load_former_urls, found.id)
        return found, [(url, left_at.isoformat()) for url, left_at in former]

    found, former = on_store(work)
    document = feed_document(found, utc_now())
    document["former_urls"] = [{"url": url, "left_at": at} for url, at in former]
    if json:
        print_json(document)
        return
    print_line(document.pop("health_sentence"))
    for name, value in document.items():
        if name == "former_urls":
            for url, at in former:
                print_line(f"  {'former URL':20} {safe(url)} (until {at})")
        else:
            print_line(f"  {name:20} {safe('–' if value is None else value)}")


def enable(feed: Reference) -> None:
    """Allow a feed to be fetched and served. Does not schedule it."""
    found = _switch(feed, enabled=True)
    print_line(f"Enabled {safe(found.url)}. Fetch it with `inforadar feed sync {found.id}`.")


def disable(feed: Reference) -> None:
    """Stop fetching and serving a feed at once; its schedule stays."""
    print_line(f"Disabled {safe(_switch(feed, enabled=False).url)}.")


def polling(
    feed: Reference,
    state: Annotated[Literal["on", "off"] | None, Parameter(help="Else it is toggled.")] = None,
) -> None:
    """Turn the repeated fetching of a feed on or off; without a word it is toggled."""

    async def work(database: Database, _: Settings) -> Feed:
        found = await database.read(find_feed, feed)
        wanted = not found.polling if state is None else state == "on"
        return await switch_feed(database, found.id, polling=wanted)

    found = on_store(work)
    what = "is fetched again after each success" if found.polling else "is fetched only when asked for"
    print_line(f"{safe(found.url)} {what}.")


def sync(feed: Reference) -> None:
    """Fetch a feed now; revives one that was suspended."""

    async def work(database: Database, _: Settings) -> Feed:
        found = await database.read(find_feed, feed)
        await database.write(sync_feed, found.id)
        return found

    found = on_store(work)
    print_line(
        f"{safe(found.url)} is due now. A running worker takes it; else run `inforadar worker --once`."
    )


def delete(
    feed: Reference, *, yes: Annotated[bool, Parameter(negative="", help="Do not ask.")] = False
) -> None:
    """Delete a feed; its items are no longer served. `feed add` brings it back."""

    async def find(database: Database, _: Settings) -> Feed:
        return await database.read(find_feed, feed)

    found = on_store(find)
    if not yes and not _confirmed(f"Delete {safe(found.url)}?"):
        raise UsageError("Nothing was deleted. Say --yes to delete without a question.")

    async def work(database: Database, _: Settings) -> None:
        await database.write(delete_feed, found.id, utc_now())

    on_store(work)
    print_line(f"Deleted {safe(found.url)}. `inforadar feed add` brings it back.")


def _confirmed(question: str) -> bool:
    try:
        return input(f"{question} [y/N] ").strip().lower() in {"y", "yes"}
    except EOFError:
        return False


def _switch(reference: str, *, enabled: bool) -> Feed:
    async def work(database: Database, _: Settings) -> Feed:
        found = await database.read(find_feed, reference)
        return await switch_feed(database, found.id, enabled=enabled)

    return on_store(work)


def _group(reference: str, domain: str | None) -> Feed:
    async def work(database: Database, _: Settings) -> Feed:
        found = await database.read(find_feed, reference)
        return await set_root_domain(database, found.id, domain)

    return on_store(work)


def root_domains(*, json: Json = False) -> None:
    """List all root domains."""

    async def work(database: Database, _: Settings) -> list[str]:
        return await database.read(load_root_domains)

    domains = on_store(work)
    if json:
        print_json(domains)
        return
    for domain in domains:
        print_line(safe(domain))


def root_domain_set(
    feed: Reference, domain: Annotated[str, Parameter(help="For example example.com.")]
) -> None:
    """Set the root domain of a feed."""
    found = _group(feed, domain)
    print_line(f"{safe(found.url)} now belongs to {safe(domain)}.")


def root_domain_clear(feed: Reference) -> None:
    """Clear the root domain of a feed."""
    print_line(f"{safe(_group(feed, None).url)} belongs to no root domain now.")
