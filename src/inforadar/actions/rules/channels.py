"""Add, test and remove channels; send messages again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from ipaddress import ip_address
from urllib.parse import urlsplit
from uuid import uuid4

from inforadar.errors import UsageError
from inforadar.fetch.webhook import make_secret
from inforadar.model.ids import new_uuid
from inforadar.model.rule import (
    DEFAULT_LIMIT,
    MAX_NAME_CHARACTERS,
    SCREEN,
    Channel,
    ChannelKind,
    Delivery,
    DeliveryId,
    Digest,
    Quiet,
)
from inforadar.pipeline.notify.senders import Sender, SendFailure
from inforadar.store.database import Database
from inforadar.store.rules.queries import find_channel
from inforadar.store.rules.save_rules import delete_channel, insert_channel, resend
from inforadar.urls import normalize


async def add_channel(
    database: Database,
    name: str,
    url: str,
    *,
    schemes: tuple[str, ...],
    digest: Digest | None = None,
    quiet: Quiet | None = None,
    limit: int = DEFAULT_LIMIT,
    alerts: bool = False,
    allowed_networks: Sequence[str] | None = None,
) -> Channel:
    """Add a channel: an http(s) URL is a webhook, anything else an apprise URL with one of the allowed schemes.

    With `allowed_networks`, a webhook to any other address of a private network is refused here already. A name that
    leads there is refused when a message is sent.
    """
    name, url = name.strip(), url.strip()
    if not 0 < len(name) <= MAX_NAME_CHARACTERS or not name.isprintable():
        raise UsageError(f"A channel's name has 1 to {MAX_NAME_CHARACTERS} printable characters.")
    if name.casefold() == SCREEN:
        raise UsageError(f"{SCREEN!r} is built in: an open page and the terminal app.")
    scheme, separator, _ = url.partition("://")
    kind = ChannelKind.WEBHOOK if scheme.casefold() in {"http", "https"} else ChannelKind.APPRISE
    if kind is ChannelKind.WEBHOOK:
        url = normalize(url)
        if allowed_networks is not None:
            _check_address(url, allowed_networks)
    elif not separator or scheme.casefold() not in schemes:
        raise UsageError(
            f"{scheme if separator else url!r} is not a service that channels may use. NOTIFY_APPRISE_SCHEMES lists "
            f"them: {', '.join(schemes)}. A webhook starts with http:// or https://."
        )
    return await database.write(
        insert_channel,
        name,
        kind,
        url,
        make_secret(),
        digest=digest,
        quiet=quiet,
        limit=limit,
        alerts=alerts,
    )


def _check_address(url: str, allowed_networks: Sequence[str]) -> None:
    """Raise `UsageError` if the URL has a literal address, or `localhost`, to which no message would be sent."""
    parts = urlsplit(url)
    name = (parts.hostname or "").rstrip(".")
    is_local = name == "localhost" or name.endswith(".localhost")
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        ip_address("127.0.0.1" if is_local else name)
    except ValueError:
        return
    # Imported here because it is large, and few webhooks have a literal address.
    from inforadar.fetch.guard import AddressRefusedError, AllowedNetworks, Guard  # noqa: PLC0415

    try:
        Guard(AllowedNetworks.parse(allowed_networks)).check_address("127.0.0.1" if is_local else name, port)
    except AddressRefusedError as fault:
        raise UsageError(
            f"{fault} To allow a webhook there, add {fault.address}:{port} to FETCHER_ALLOWED_NETWORKS. "
            "The channel was not added."
        ) from None


async def send_test_message(
    database: Database, sender: Sender, name: str, now: datetime
) -> SendFailure | None:
    """Send a test message at once, whatever the quiet hours; return why it failed, or None."""
    channel = await database.read(find_channel, name)
    payload = {
        "type": "test",
        "timestamp": now.isoformat(),
        "title": "Info Radar: a test message",
        "rules": [],
        "items": [],
        "alerts": [
            {"title": f"The channel {channel.name} works", "message": "Rules can send messages here."}
        ],
        "more": 0,
    }
    delivery = Delivery(
        id=DeliveryId(new_uuid()),
        channel=channel,
        payload=payload,
        created_at=now,
        attempts=1,
        token=uuid4().hex,
    )
    return await sender.send(delivery)


async def remove_channel(database: Database, name: str) -> None:
    await database.write(delete_channel, name)


async def resend_message(database: Database, delivery_id: DeliveryId) -> None:
    """Send a message again that was given up."""
    await database.write(resend, delivery_id)
