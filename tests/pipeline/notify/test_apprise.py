"""Apprise, in its own process, against a service on loopback."""

from __future__ import annotations

from inforadar.actions.rules.channels import send_test_message
from inforadar.clock import utc_now
from inforadar.model.rule import ChannelKind
from inforadar.store.database import Database
from inforadar.store.rules.save_rules import insert_channel
from tests.pipeline.notify.receiving import notifier, receiver

PLAIN = {"digest": None, "quiet": None, "limit": 20, "alerts": False}


async def test_a_message_reaches_a_service_and_other_schemes_are_refused(database: Database) -> None:
    async with receiver() as hook, notifier(database) as stage:
        place = hook.url.removeprefix("http://").removesuffix("/hook")
        for name, url in (("phone", f"ntfy://{place}/topic"), ("other", f"json://{place}/")):
            await database.write(insert_channel, name, ChannelKind.APPRISE, url, "", **PLAIN)
        hook.status = 200
        assert await send_test_message(database, stage.sender, "phone", utc_now()) is None
        assert b"The channel phone works" in hook.requests[0][1]
        refused = await send_test_message(database, stage.sender, "other", utc_now())
    assert refused is not None
    assert refused.is_final
    assert "NOTIFY_APPRISE_SCHEMES" in refused.message
    assert len(hook.requests) == 1
