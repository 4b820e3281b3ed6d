"""`inforadar feed edit`: settings and credentials of one feed."""

from __future__ import annotations

import getpass
import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter, validators

from inforadar.actions.admin import (
    basic_authorization,
    check_words,
    edit_feed,
    request_if_enabled,
    timezone_given,
)
from inforadar.cli.feed.change import tell
from inforadar.cli.feed.feeds import Json, Reference
from inforadar.cli.feed.selectors_file import read_selectors
from inforadar.cli.feed.sitemap_options import UNCHANGED, SitemapOptions
from inforadar.cli.terminal.output import print_line, safe
from inforadar.cli.terminal.run import on_store
from inforadar.config import Settings
from inforadar.errors import UsageError
from inforadar.model.analysis import AnalyzerName
from inforadar.model.feed import Feed, FeedKind
from inforadar.stages.analyze.choose import prompts_folder
from inforadar.stages.analyze.llm.prompt import load_prompt
from inforadar.store.database import Database
from inforadar.store.feeds.credentials import add_credentials, save_credentials
from inforadar.store.feeds.feeds import find_feed
from inforadar.store.feeds.options import update_feed_options

if TYPE_CHECKING:
    AnalyzerChoice = str
else:
    AnalyzerChoice = Literal[(*(name.value for name in AnalyzerName), "default")]

_NUMBER = validators.Number(gte=-1, lte=10_000_000)


def edit(
    feed: Reference,
    *,
    kind: Annotated[FeedKind | None, Parameter(help="How it is read.")] = None,
    source: Annotated[str | None, Parameter(help="The site's name.")] = None,
    topic: Annotated[str | None, Parameter(help="The feed's label.")] = None,
    title: Annotated[
        str | None, Parameter(help="What it is called here; `default`: what it calls itself.")
    ] = None,
    timezone: Annotated[
        str | None,
        Parameter(
            help="What its dates without a zone are read in, like Europe/Moscow; `default`, or '': UTC."
        ),
    ] = None,
    selectors: Annotated[
        Path | None, Parameter(help="A TOML file that says how the pages of the site are read.")
    ] = None,
    cutoff: Annotated[
        date | None, Parameter(help="Its pages are walked down to this date, like 2026-01-31.")
    ] = None,
    window_days: Annotated[
        int | None,
        Parameter(
            validator=validators.Number(gte=0, lte=36_500),
            help="Its items older than so many days get no update of their metadata.",
        ),
    ] = None,
    any_host: Annotated[
        bool | None, Parameter(negative="--own-host", help="Keep items that are on other hosts too, or not.")
    ] = None,
    error_policy: Annotated[
        Literal["backoff", "one-strike", "default"] | None, Parameter(help="What an error does to it.")
    ] = None,
    analyzer: Annotated[
        AnalyzerChoice | None,
        Parameter(help="Who analyzes its items."),
    ] = None,
    model: Annotated[
        str | None, Parameter(help="Which language model; `default`: that of the settings.")
    ] = None,
    prompt: Annotated[str | None, Parameter(help="The prompt's name; `default`: the usual one.")] = None,
    analyze: Annotated[
        bool | None, Parameter(help="Serve it with analyzed items only; or do not analyze it at all.")
    ] = None,
    keep_days: Annotated[
        int | None,
        Parameter(validator=_NUMBER, help="Delete items after so long; 0: never, -1: as the settings say."),
    ] = None,
    keep_items: Annotated[
        int | None, Parameter(validator=_NUMBER, help="Keep so many items; 0: all, -1: as the settings say.")
    ] = None,
    sitemap: SitemapOptions = UNCHANGED,
    header: Annotated[
        list[str] | None, Parameter(negative="", help="'Name: value' to send with each request; kept secret.")
    ] = None,
    user: Annotated[
        str | None, Parameter(help="For HTTP authentication; the password is asked for, or read from a pipe.")
    ] = None,
    no_credentials: Annotated[bool, Parameter(negative="", help="Forget headers and password.")] = False,
    json: Json = False,
) -> None:
    """Change a feed's settings or credentials; it is fetched right after, if it is enabled."""
    given = {
        "kind": kind,
        "source": source,
        "topic": topic,
        "enforce_feed_domain": None if any_host is None else not any_host,
        "error_policy": error_policy,
    }
    changes: dict[str, object] = {name: value for name, value in given.items() if value is not None}
    if error_policy == "default":
        changes["error_policy"] = None
    if title is not None:
        changes["title"] = None if title == "default" else title
    if timezone is not None:
        changes["timezone"] = timezone_given(None if timezone == "default" else timezone)
    check_words(source=source, topic=topic, title=title)
    headers = _headers(header or [], user)
    options = _options(analyzer=analyzer, model=model, prompt=prompt, analyze=analyze)
    options |= {
        name: None if number < 0 else number
        for name, number in (("keep_days", keep_days), ("keep_items", keep_items))
        if number is not None
    }
    options |= sitemap.changes()
    if selectors is not None:
        options["selectors"] = read_selectors(selectors)
        changes.setdefault("kind", FeedKind.PAGES)
    if cutoff is not None:
        options["cutoff_date"] = cutoff.isoformat()
    if window_days is not None:
        options["window_days"] = window_days
    if not changes and not options and not headers and not no_credentials:
        raise UsageError("Nothing to change was named. `inforadar feed edit --help` lists what can be.")

    async def work(database: Database, settings: Settings) -> Feed:
        if named := options.get("prompt"):
            load_prompt(str(named), prompts_folder(settings.home))
        found = await database.read(find_feed, feed)
        if no_credentials:
            await database.write(save_credentials, found.id, headers)
        elif headers:
            await database.write(add_credentials, found.id, headers)
        if options:
            await database.write(update_feed_options, found.id, options)
        if changes:
            return await edit_feed(database, found.id, changes)
        return await request_if_enabled(database, found.id)

    changed = on_store(work)
    tell(changed, f"Changed {safe(changed.url)}.", as_json=json)
    if not json and analyze is not False and options.keys() & {"analyzer", "model", "prompt", "analyze"}:
        print_line("New items are analyzed so. For those that are there: `inforadar analyze run --again`.")


def _options(*, analyze: bool | None, **named: str | None) -> dict[str, object]:
    """What `feeds.options` is to hold; `None` goes back to the settings."""
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
