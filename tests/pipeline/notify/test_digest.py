"""Digests: the briefing's layout as HTML and text, and as a real mail."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

from sqlalchemy import insert, select, update

from inforadar.actions.rules.manage import add_rule
from inforadar.clock import utc_now
from inforadar.model.person import FIRST_PERSON
from inforadar.model.rule import ChannelKind, Digest, RuleActions
from inforadar.pipeline.notify.senders import Sender
from inforadar.store.database import Database
from inforadar.store.rules.save_rules import insert_channel
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.items import items
from inforadar.store.schema.rules import deliveries
from inforadar.store.schema.stories import stories, story_items
from inforadar.store.types import db_later
from inforadar.views.messages import message_html, message_text
from tests.pipeline.notify.receiving import add_hook, known_feed, notifier, publish, receiver
from tests.store.making import collect, listed

EVIL = "<script>alert(1)</script>"


async def _tell(database: Database) -> None:
    """Two outlets tell one story with a number in conflict; a third item is in no story."""
    first = await known_feed(database, "https://a.example/feed")
    second = await known_feed(database, "https://b.example/feed")
    text = "The ferry Nordlys ran aground off Halden on Tuesday and {} people were injured, said the coast guard."
    for feed, number in ((first, 40), (second, 38)):
        entry = listed(
            f"{feed.url}/ferry", title=f"Ferry aground {EVIL}", snippet=text.format(number), language="en"
        )
        await collect(database, feed, entry, at=utc_now())
    await publish(database, first, c="Ferry timetable")

    def group(connection: Any) -> None:
        connection.execute(update(feeds).where(feeds.c.id == first.id).values(source="Harbour Post"))
        connection.execute(update(feeds).where(feeds.c.id == second.id).values(source="The Coast"))
        made = insert(stories).values(began_at=utc_now(), last_at=utc_now()).returning(stories.c.id)
        story = connection.execute(made).scalar_one()
        told = select(items.c.id).where(items.c.url.like("%/ferry"))
        for item_id in connection.execute(told).scalars().all():
            row = {"item_id": item_id, "story_id": story, "at": utc_now(), "version": 1}
            connection.execute(insert(story_items).values(**row))

    await database.write(group)


async def _send_tomorrow(database: Database, **changes: Any) -> None:
    async with notifier(database, now=utc_now() + timedelta(days=2)) as stage:
        for name, value in changes.items():
            object.__setattr__(stage.sender, name, value)
        for _ in range(2):
            due = update(deliveries).values(next_attempt_at=db_later(-1.0))
            await database.write(lambda c, q=due: c.execute(q.where(deliveries.c.sent_at.is_(None))))
            await stage.run_once()


async def test_a_digest_has_the_briefings_layout_as_text_and_html(database: Database) -> None:
    async with receiver() as hook, notifier(database) as stage:
        await add_hook(database, hook.url, digest=Digest(every="daily"))
        await add_rule(database, FIRST_PERSON, "Ferries", "ferry", RuleActions(notify=("hook",)))
        await _tell(database)
        await stage.run_once()
        await _send_tomorrow(database)
    (body,) = hook.bodies
    assert body["title"] == "Ferries: 2 stories"
    story = next(item["story"] for item in body["items"] if "story" in item)
    assert "Harbour Post" in story["line"]
    assert "The Coast" in story["line"]
    assert "headline: " in story["line"]
    text, html = message_text(body), message_html(body)
    assert text.startswith("Ferries: 2 stories\n\n1. ")
    assert "\n2. " in text
    assert f"   {story['line']}" in text
    for fact in story["facts"]:
        assert f"   - {fact}" in text
    assert "<article><h2><a href=" in html
    assert "<script>" not in html
    assert html.count("<article>") == 2


@asynccontextmanager
async def _mail_server() -> AsyncIterator[tuple[int, list[bytes]]]:
    """Takes mails, as little of SMTP as it needs."""
    mails: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 mail.test\r\n")
        while line := (await reader.readline()).strip().upper():
            if line == b"DATA":
                writer.write(b"354 go on\r\n")
                mails.append(await reader.readuntil(b"\r\n.\r\n"))
            elif line == b"QUIT":
                break
            writer.write(b"250 ok\r\n")
        writer.write(b"221 bye\r\n")
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1], mails


async def test_a_digest_is_a_mail_with_text_and_html(database: Database) -> None:
    async with _mail_server() as (port, mails), notifier(database) as stage:
        url = f"mailto://127.0.0.1:{port}?from=radar@news.test&to=me@news.test&mode=insecure"
        given = {"digest": Digest(every="daily"), "quiet": None, "limit": 20, "alerts": False}
        await database.write(insert_channel, "mail", ChannelKind.APPRISE, url, "", **given)
        await add_rule(database, FIRST_PERSON, "Ferries", "ferry", RuleActions(notify=("mail",)))
        await _tell(database)
        await stage.run_once()
        assert isinstance(stage.sender, Sender)
        await _send_tomorrow(database, apprise_schemes=("mailto",))
    assert len(mails) == 1
    mail = message_from_bytes(mails[0], policy=policy.default)
    assert isinstance(mail, EmailMessage)
    assert mail["Subject"] == "Ferries: 2 stories"
    html, plain = mail.get_body(("html",)), mail.get_body(("plain",))
    assert html is not None
    assert plain is not None
    assert "<article><h2><a href=" in html.get_content()
    assert "Harbour Post" in plain.get_content()
    assert "<h2>" not in plain.get_content()
