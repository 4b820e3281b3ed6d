"""Send a message to a channel: a signed webhook through the guarded client, or apprise in a process of its own."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from inforadar.fetch.webhook import signed_headers
from inforadar.masks import masked
from inforadar.model.http import Failed, FailureReason, Posted
from inforadar.model.rule import Channel, ChannelKind, Delivery

if TYPE_CHECKING:
    from inforadar.fetch.client import Client

APPRISE_TIMEOUT_S = 60.0
_PASSED_ON = (
    "PATH",
    "LANG",
    "LC_ALL",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "PYTHONPATH",
    "VIRTUAL_ENV",
    "SYSTEMROOT",
)
"""The variables that apprise's process gets: none of ours, which hold secrets."""


@dataclass(frozen=True, slots=True)
class SendFailure:
    message: str
    is_final: bool = False
    """Trying again would end the same way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sender:
    client: Client
    """Guarded; open for as long as the sender is used."""
    timeout_s: float
    apprise_schemes: tuple[str, ...]
    now: Callable[[], datetime]

    async def send(self, delivery: Delivery) -> SendFailure | None:
        """Send once; return why it failed, or None."""
        if delivery.channel.kind is ChannelKind.WEBHOOK:
            return await self._post(delivery)
        return await self._run_apprise(delivery)

    async def _post(self, delivery: Delivery) -> SendFailure | None:
        from inforadar.views.messages import message_text  # noqa: PLC0415 - few workers have messages to send

        channel = delivery.channel
        payload = dict(delivery.payload) | {"text": message_text(delivery.payload)}
        body = msgspec.json.encode(payload)
        headers = signed_headers(channel.secret, f"msg_{delivery.id.hex}", self.now(), body)
        answer = await self.client.post(channel.url, body, headers, timeout_s=self.timeout_s)
        match answer:
            case Posted(status=status) if answer.is_success:
                return None
            case Posted(status=410):
                return SendFailure(
                    "The receiver answered 410: it does not want messages any more.", is_final=True
                )
            case Posted(status=status):
                return SendFailure(f"The receiver answered {status}.")
            case Failed(reason=FailureReason.GUARD, message=message):
                hint = "FETCHER_ALLOWED_NETWORKS allows an address of your own network."
                return SendFailure(f"{masked(message)} {hint}", is_final=True)
            case Failed(reason=reason, message=message):
                return SendFailure(masked(message), is_final=reason is FailureReason.URL)

    async def _run_apprise(self, delivery: Delivery) -> SendFailure | None:
        from inforadar.views.messages import message_html  # noqa: PLC0415 - as above

        given = {
            "url": delivery.channel.url,
            "schemes": list(self.apprise_schemes),
            "title": str(delivery.payload["title"]),
            "html": message_html(delivery.payload),
        }
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "inforadar.fetch.apprise_process",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            env={name: value for name in _PASSED_ON if (value := os.environ.get(name))},
        )
        try:
            async with asyncio.timeout(APPRISE_TIMEOUT_S):
                _, said = await process.communicate(msgspec.json.encode(given))
        except TimeoutError:
            return SendFailure(f"Apprise did not answer within {APPRISE_TIMEOUT_S:.0f} seconds.")
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
        if process.returncode == 0:
            return None
        message = masked(said.decode(errors="replace").strip()[-300:]) or "Apprise failed."
        return SendFailure(message, is_final=process.returncode == 2)


def shown_url(channel: Channel) -> str:
    """A channel's URL for people: the service, without the secrets that such URLs consist of."""
    scheme, _, rest = channel.url.partition("://")
    host = rest.partition("/")[0].rpartition("@")[2] if channel.kind is ChannelKind.WEBHOOK else ""
    return f"{scheme}://{host}{'/' if host else ''}***"
