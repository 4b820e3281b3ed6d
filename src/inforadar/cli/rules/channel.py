"""`inforadar channel …`: the ways out for messages."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from cyclopts import Parameter, validators

from inforadar.actions.rules.channels import add_channel, remove_channel, resend_message, send_test_message
from inforadar.app.notify import open_sender
from inforadar.cli.terminal.output import print_json, print_line, safe, short_time
from inforadar.cli.terminal.run import on_store
from inforadar.cli.terminal.tables import print_table
from inforadar.clock import utc_now
from inforadar.config import Settings
from inforadar.errors import InfoRadarError, NotFoundError
from inforadar.model.ids import short_id
from inforadar.model.rule import (
    DEFAULT_LIMIT,
    Channel,
    ChannelKind,
    DeliveryId,
    DeliveryState,
    parse_digest,
    parse_quiet,
)
from inforadar.pipeline.notify.senders import SendFailure, shown_url
from inforadar.store.database import Database
from inforadar.store.rules.queries import StoredDelivery, load_channels, load_deliveries

Name = Annotated[str, Parameter(help="The channel's name.")]
Json = Annotated[bool, Parameter(name="--json", negative="", help="Print JSON.")]


def add(
    name: Name,
    url: Annotated[str, Parameter(help="An http(s) URL is a webhook, anything else an apprise URL.")],
    *,
    digest: Annotated[
        str | None, Parameter(help="Send matches together: hourly, daily@08:00 or weekly@mon@08:00.")
    ] = None,
    quiet: Annotated[str | None, Parameter(help="Send nothing in these hours: 22:00-07:00.")] = None,
    timezone: Annotated[str, Parameter(help="The zone of these times, such as Europe/Warsaw.")] = "UTC",
    limit: Annotated[
        int, Parameter(validator=validators.Number(gte=1, lte=1000), help="Messages in an hour at most.")
    ] = DEFAULT_LIMIT,
    alerts: Annotated[bool, Parameter(negative="", help="Also tell it when a feed needs attention.")] = False,
    json: Json = False,
) -> None:
    """Add a channel. The key that signs its webhooks is printed once."""

    async def work(database: Database, settings: Settings) -> Channel:
        return await add_channel(
            database,
            name,
            url,
            schemes=settings.notify.apprise_schemes,
            digest=parse_digest(digest, timezone) if digest else None,
            quiet=parse_quiet(quiet, timezone) if quiet else None,
            limit=limit,
            alerts=alerts,
            allowed_networks=settings.fetcher.allowed_networks,
        )

    channel = on_store(work)
    is_webhook = channel.kind is ChannelKind.WEBHOOK
    if json:
        print_json(channel_document(channel) | ({"secret": channel.secret} if is_webhook else {}))
        return
    print_line(f"Added the channel {safe(channel.name)} ({channel.kind}).")
    if is_webhook:
        print_line(f"Messages are signed with this key: {channel.secret}")
    print_line(f"`inforadar channel test {safe(channel.name)}` sends a test message.")


def list_(*, json: Json = False) -> None:
    """List all channels; their URLs contain secrets and are not shown."""

    async def work(database: Database, _: Settings) -> list[Channel]:
        return await database.read(load_channels)

    channels = on_store(work)
    if json:
        print_json([channel_document(channel) for channel in channels])
        return
    print_table(
        ["Name", "Kind!", "Address", "Digest!", "Quiet!", "Limit>", "Alerts!", "Trouble"],
        (
            (
                channel.name,
                channel.kind,
                shown_url(channel),
                str(channel.digest or "–"),
                str(channel.quiet or "–"),
                channel.limit,
                "yes" if channel.has_alerts else "no",
                channel.error or "",
            )
            for channel in channels
        ),
        empty="No channels yet. `inforadar channel add NAME URL` adds one.",
        only_wide=("Limit>", "Alerts!"),
    )


def send_test(name: Name, *, json: Json = False) -> None:
    """Send a test message at once."""

    async def work(database: Database, settings: Settings) -> SendFailure | None:
        async with open_sender(settings, database) as sender:
            return await send_test_message(database, sender, name, utc_now())

    failure = on_store(work)
    if failure:
        raise InfoRadarError(f"channel test: {safe(name)}: {failure.message}")
    if json:
        print_json({"name": name, "sent": True})
    else:
        print_line(f"Sent a test message to {safe(name)}.")


def remove(name: Name, *, json: Json = False) -> None:
    """Remove a channel with its waiting messages; refused while rules use it."""

    async def work(database: Database, _: Settings) -> None:
        await remove_channel(database, name)

    on_store(work)
    if json:
        print_json({"name": name})
    else:
        print_line(f"Removed the channel {safe(name)}.")


def messages(
    *,
    dead: Annotated[bool, Parameter(negative="", help="Only messages that were given up.")] = False,
    limit: Annotated[
        int, Parameter(validator=validators.Number(gte=1, lte=1000), help="Maximum number.")
    ] = 30,
    json: Json = False,
) -> None:
    """List messages, newest first: sent, waiting for another attempt, or given up."""
    states = (DeliveryState.DEAD,) if dead else ()

    async def work(database: Database, _: Settings) -> list[StoredDelivery]:
        return await database.read(load_deliveries, states=states, limit=limit)

    found = on_store(work)
    if json:
        print_json([message_document(one) for one in found])
        return
    print_table(
        ["Id!", "Channel", "State!", "Message", "Since!", "Tries>", "Trouble"],
        (
            (
                short_id(one.id),
                one.channel,
                one.state,
                one.title,
                short_time(one.created_at),
                one.attempts,
                one.error or "",
            )
            for one in found
        ),
        empty="No messages.",
        only_wide=("Tries>",),
    )


def resend(
    message: Annotated[str, Parameter(help="The id of the message, or the end of it.")], *, json: Json = False
) -> None:
    """Send a message again that was given up; a running worker does it at once."""

    async def work(database: Database, _: Settings) -> UUID:
        known = await database.read(load_deliveries, limit=1000)
        wanted = message.replace("-", "").casefold()
        found = [one.id for one in known if wanted and one.id.hex.endswith(wanted)]
        if len(found) != 1:
            raise NotFoundError(
                f"There is no single message {message!r}. `inforadar channel messages` lists them."
            )
        await resend_message(database, DeliveryId(found[0]))
        return found[0]

    sent = on_store(work)
    if json:
        print_json({"id": str(sent)})
    else:
        print_line("The message is sent again.")


def channel_document(channel: Channel) -> dict[str, Any]:
    return {
        "name": channel.name,
        "kind": channel.kind.value,
        "address": shown_url(channel),
        "digest": str(channel.digest) if channel.digest else None,
        "quiet": str(channel.quiet) if channel.quiet else None,
        "limit": channel.limit,
        "alerts": channel.has_alerts,
        "created_at": channel.created_at.isoformat(),
        "error": channel.error,
    }


def message_document(one: StoredDelivery) -> dict[str, Any]:
    return {
        "id": str(one.id),
        "channel": one.channel,
        "state": one.state.value,
        "title": one.title,
        "created_at": one.created_at.isoformat(),
        "sent_at": one.sent_at.isoformat() if one.sent_at else None,
        "next_attempt_at": one.next_attempt_at.isoformat() if one.next_attempt_at else None,
        "attempts": one.attempts,
        "error": one.error,
    }
