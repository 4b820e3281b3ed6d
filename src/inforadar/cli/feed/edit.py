"""`inforadar feed edit`: URL, settings and credentials of one feed."""

from __future__ import annotations

import getpass
import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter, validators

from inforadar.actions.edit import edit_feed
from inforadar.actions.feed_input import basic_authorization
from inforadar.cli.feed.change import tell
from inforadar.cli.feed.feeds import Json, Reference
from inforadar.cli.feed.selectors_file import read_selectors
from inforadar.cli.feed.sitemap_options import UNCHANGED, SitemapOptions
from inforadar.cli.terminal.output import print_line, safe
from inforadar.cli.terminal.run import on_store
from inforadar.config import Settings
from inforadar.errors import UsageError
from inforadar.model.analysis import AnalyzerName
from inforadar.model.feed import ErrorPolicy, Feed, FeedKind
from inforadar.model.feed_options import Content
from inforadar.model.ids import short_id
from inforadar.model.subscription import Edited, FeedChanges
from inforadar.stages.analyze.choose import prompts_folder
from inforadar.stages.analyze.llm.prompt import load_prompt
from inforadar.store.database import Database
from inforadar.store.feeds.queries import find_feed

if TYPE_CHECKING:
    AnalyzerChoice = str
    ContentChoice = str
else:
    AnalyzerChoice = Literal[(*(name.value for name in AnalyzerName), "default")]
    ContentChoice = Literal[(*(content.value for content in Content), "default")]

_NUMBER = validators.Number(gte=-1, lte=10_000_000)


def edit(
    feed: Reference,
    *,
    url: Annotated[
        str | None,
        Parameter(help="The new URL; the former one still finds the feed, and is served as before."),
    ] = None,
    kind: Annotated[FeedKind | None, Parameter(help="How the feed is read.")] = None,
    source: Annotated[str | None, Parameter(help="The site's name.")] = None,
    topic: Annotated[str | None, Parameter(help="The feed's label.")] = None,
    title: Annotated[str | None, Parameter(help="The title to show; `default`: the feed's own.")] = None,
    timezone: Annotated[
        str | None,
        Parameter(help="The time zone of dates without one, like Europe/Moscow; `default` or '': UTC."),
    ] = None,
    polling_mode: Annotated[
        Literal["adaptive", "fixed", "default"] | None,
        Parameter(help="When it is polled: by its rhythm, or at the fixed interval."),
    ] = None,
    revisions: Annotated[
        Literal["off", "stories", "always", "default"] | None,
        Parameter(
            help="Which articles are looked at again for changes: none, those in stories, starred or listed anew "
            "(the default), or all."
        ),
    ] = None,
    content: Annotated[
        ContentChoice | None,
        Parameter(help="How much text the published feed carries; `default`: all, without credentials."),
    ] = None,
    selectors: Annotated[
        Path | None, Parameter(help="A TOML file with selectors that say how to read the site's pages.")
    ] = None,
    cutoff: Annotated[
        date | None, Parameter(help="Walk its pages down to this date, like 2026-01-31.")
    ] = None,
    window_days: Annotated[
        int | None,
        Parameter(
            validator=validators.Number(gte=0, lte=36_500),
            help="Do not update the metadata of items older than this many days.",
        ),
    ] = None,
    any_host: Annotated[
        bool | None, Parameter(negative="--own-host", help="Keep items on other hosts, or only on its own.")
    ] = None,
    error_policy: Annotated[
        Literal["backoff", "one-strike", "default"] | None, Parameter(help="What to do after an error.")
    ] = None,
    analyzer: Annotated[
        AnalyzerChoice | None,
        Parameter(help="The analyzer for its items."),
    ] = None,
    model: Annotated[
        str | None, Parameter(help="The language model; `default`: that of the settings.")
    ] = None,
    prompt: Annotated[
        str | None, Parameter(help="The prompt's name; `default`: the standard prompt.")
    ] = None,
    analyze: Annotated[
        bool | None, Parameter(help="Serve only analyzed items, or do not analyze the feed at all.")
    ] = None,
    keep_days: Annotated[
        int | None,
        Parameter(
            validator=_NUMBER, help="Delete items after this many days; 0: never, -1: as in the settings."
        ),
    ] = None,
    keep_items: Annotated[
        int | None,
        Parameter(validator=_NUMBER, help="Maximum number of items to keep; 0: all, -1: as in the settings."),
    ] = None,
    sitemap: SitemapOptions = UNCHANGED,
    header: Annotated[
        list[str] | None, Parameter(negative="", help="A secret 'Name: value' to send with each request.")
    ] = None,
    user: Annotated[
        str | None,
        Parameter(help="User for HTTP authentication; you are asked for the password, or pipe it in."),
    ] = None,
    no_credentials: Annotated[bool, Parameter(negative="", help="Delete headers and password.")] = False,
    json: Json = False,
) -> None:
    """Change a feed's URL, settings or credentials; an enabled feed is fetched right after.

    A new URL clears the feed's errors, schedules a suspended feed again, and detects its kind again unless it has
    selectors. Headers and password stay only if the new URL is on the same site.
    """
    given = {
        "kind": kind,
        "source": source,
        "topic": topic,
        "enforce_feed_domain": None if any_host is None else not any_host,
    }
    columns: dict[str, object] = {name: value for name, value in given.items() if value is not None}
    if error_policy is not None:
        columns["error_policy"] = None if error_policy == "default" else ErrorPolicy(error_policy)
    options = _options(
        title=title,
        timezone=timezone,
        content=content,
        polling_mode=polling_mode,
        revisions=revisions,
        analyzer=analyzer,
        model=model,
        prompt=prompt,
        analyze=analyze,
    )
    options |= {
        name: None if number < 0 else number
        for name, number in (("keep_days", keep_days), ("keep_items", keep_items))
        if number is not None
    }
    options |= sitemap.changes()
    if selectors is not None:
        options["selectors"] = read_selectors(selectors)
        columns.setdefault("kind", FeedKind.PAGES)
    if cutoff is not None:
        options["cutoff_date"] = cutoff
    if window_days is not None:
        options["window_days"] = window_days
    changes = FeedChanges(
        url=url,
        options=options,
        headers=_headers(header or [], user),
        forget_credentials=no_credentials,
        **columns,  # type: ignore[arg-type] # as `given` has them
    )

    async def work(database: Database, settings: Settings) -> tuple[Feed, Edited]:
        if named := options.get("prompt"):
            load_prompt(str(named), prompts_folder(settings.home))
        found = await database.read(find_feed, feed)
        return found, await edit_feed(database, settings.fetcher, found.id, changes)

    before, edited = on_store(work)
    tell(edited.feed, _sentence(edited), as_json=json)
    if not json and (zone := edited.feed.zone_name) != before.zone_name:
        print_line(
            f"Dates without a zone are read in {safe(zone)} from now on. To correct those already stored: "
            f"inforadar feed redate {short_id(edited.feed.id)} --from {safe(before.zone_name)}"
        )
    if not json and analyze is not False and options.keys() & {"analyzer", "model", "prompt", "analyze"}:
        print_line("This applies to new items. To analyze existing ones: `inforadar analyze run --again`.")


def _sentence(edited: Edited) -> str:
    feed, name = edited.feed, short_id(edited.feed.id)
    if edited.former_url is None:
        return f"Changed {safe(feed.url)}."
    sentences = [f"Changed {safe(edited.former_url)} to {safe(feed.url)}."]
    if edited.dropped_credentials:
        sentences.append(
            "Its headers and password were deleted, because they belong to the former site; "
            f"`inforadar feed edit {name} --user NAME` sets new ones."
        )
    if not feed.enabled:
        sentences.append(f"It is disabled: `inforadar feed enable {name}`.")
    return " ".join(sentences)


def _options(*, analyze: bool | None, **named: str | None) -> dict[str, object]:
    """The changes to `feeds.options`; None goes back to the settings."""
    options: dict[str, object] = {
        name: None if value == "default" else value for name, value in named.items() if value is not None
    }
    if analyze is not None:
        options["analyze"] = analyze
    return options


def _headers(lines: list[str], user: str | None) -> dict[str, str]:
    headers = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or not name.strip() or not value.strip():
            raise UsageError("--header takes 'Name: value'.")
        headers[name.strip()] = value.strip()
    if user is not None:
        asked = (
            getpass.getpass(f"Password for {user}: ")
            if sys.stdin.isatty()
            else sys.stdin.readline().rstrip("\n")
        )
        headers["Authorization"] = basic_authorization(user, asked)
    return headers
