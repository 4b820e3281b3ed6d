"""`inforadar feed edit`: settings and credentials of one feed."""

from __future__ import annotations

import getpass
import sys
from typing import Annotated, Literal

from cyclopts import Parameter

from inforadar.cli.output import print_line, safe
from inforadar.cli.run import on_store
from inforadar.config import Settings
from inforadar.errors import UsageError
from inforadar.model.feed import Feed, FeedKind
from inforadar.pipeline.admin import basic_authorization, edit_feed
from inforadar.store.credentials import save_credentials
from inforadar.store.engine import Database
from inforadar.store.feeds import find_feed


def edit(
    feed: Annotated[str, Parameter(help="The feed: its id, its URL, or the beginning of either.")],
    *,
    kind: Annotated[FeedKind | None, Parameter(help="How it is read.")] = None,
    source: Annotated[str | None, Parameter(help="The site's name.")] = None,
    topic: Annotated[str | None, Parameter(help="The feed's label.")] = None,
    any_host: Annotated[
        bool | None, Parameter(negative="--own-host", help="Keep items that are on other hosts too, or not.")
    ] = None,
    error_policy: Annotated[
        Literal["backoff", "one-strike", "default"] | None, Parameter(help="What an error does to it.")
    ] = None,
    header: Annotated[
        list[str] | None, Parameter(negative="", help="'Name: value' to send with each request; kept secret.")
    ] = None,
    user: Annotated[
        str | None, Parameter(help="For HTTP authentication; the password is asked for, or read from a pipe.")
    ] = None,
    no_credentials: Annotated[bool, Parameter(negative="", help="Forget headers and password.")] = False,
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
    headers = _headers(header or [], user)
    if not changes and not headers and not no_credentials:
        raise UsageError("Nothing to change was named. `inforadar feed edit --help` lists what can be.")

    async def work(database: Database, _: Settings) -> Feed:
        found = await database.read(find_feed, feed)
        if headers or no_credentials:
            await database.write(save_credentials, found.id, headers)
        return await edit_feed(database, found.id, changes) if changes else found

    print_line(f"Changed {safe(on_store(work).url)}.")


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
