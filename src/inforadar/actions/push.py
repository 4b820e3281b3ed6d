"""Requests of hubs at our addresses: confirm or deny a subscription, and push (WebSub)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from inforadar.fetch.hub_signature import is_signed
from inforadar.model.push import CallbackState
from inforadar.store.database import Database
from inforadar.store.push.callbacks import confirm_leaving, note_denial, record_push, verify_subscription
from inforadar.store.push.queries import find_callback


class PushAnswer(StrEnum):
    """The answer to a hub's push."""

    TAKEN = "taken"
    FORGED = "forged"
    """The signature is missing or wrong. Nothing was changed, and the hub is not told."""
    LEFT = "left"
    """We gave this address up."""


async def answer_hub(
    database: Database, key: str, mode: str, topic: str, *, lease_s: int | None, reason: str, now: datetime
) -> bool:
    """Confirm what a hub is going to do with one of our addresses; False if we did not ask for it."""
    match mode:
        case "subscribe":
            return await database.write(verify_subscription, key, topic, lease_s, now)
        case "unsubscribe":
            return await database.write(confirm_leaving, key, topic)
        case "denied":
            return await database.write(note_denial, key, topic, reason, now)
        case _:
            return False


async def is_known_callback(database: Database, key: str) -> bool:
    return await database.read(find_callback, key) is not None


async def receive_push(
    database: Database, key: str, signature: str, body: bytes, now: datetime
) -> PushAnswer:
    """Ask for the feed of a push, if its signature is right; its content is not used."""
    callback = await database.read(find_callback, key)
    if callback is None or callback.state is CallbackState.LEAVING:
        return PushAnswer.LEFT
    if not is_signed(signature, callback.secret, body):
        return PushAnswer.FORGED
    return PushAnswer.TAKEN if await database.write(record_push, key, now) else PushAnswer.LEFT
