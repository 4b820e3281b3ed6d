"""Questions about rules, channels and messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time
from typing import Any

from sqlalchemy import Connection, Row, func, select

from inforadar.errors import NotFoundError
from inforadar.model.item import Item
from inforadar.model.person import PersonId
from inforadar.model.rule import (
    DEFAULT_LIMIT,
    Channel,
    ChannelId,
    ChannelKind,
    DeliveryId,
    DeliveryState,
    Digest,
    Quiet,
    Rule,
    RuleActions,
    RuleId,
    RuleOrigin,
)
from inforadar.store.items.item_filter import ItemFilter
from inforadar.store.items.one_row import count_items
from inforadar.store.items.pages import load_item_page
from inforadar.store.people.queries import name_key
from inforadar.store.schema.rules import channels, deliveries, notifications, rules


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredDelivery:
    """A message with its fate, for people."""

    id: DeliveryId
    channel: str
    state: DeliveryState
    title: str
    created_at: datetime
    sent_at: datetime | None
    next_attempt_at: datetime | None
    attempts: int
    error: str | None


def load_rules(connection: Connection, person_id: PersonId | None = None) -> list[Rule]:
    """Load the rules of a person, or of all, by name."""
    query = select(rules).order_by(rules.c.name_key, rules.c.id)
    if person_id is not None:
        query = query.where(rules.c.person_id == person_id)
    return [rule_from_row(row) for row in connection.execute(query)]


def find_rule(connection: Connection, person_id: PersonId, name: str) -> Rule:
    own = (rules.c.person_id == person_id, rules.c.name_key == name_key(name))
    row = connection.execute(select(rules).where(*own)).first()
    if row is None:
        raise NotFoundError(f"There is no rule {name!r}. `inforadar rule list` shows all.")
    return rule_from_row(row)


def load_channels(connection: Connection) -> list[Channel]:
    return [
        channel_from_row(row) for row in connection.execute(select(channels).order_by(channels.c.name_key))
    ]


def find_channel(connection: Connection, name: str) -> Channel:
    row = connection.execute(select(channels).where(channels.c.name_key == name_key(name))).first()
    if row is None:
        raise NotFoundError(f"There is no channel {name!r}. `inforadar channel list` shows all.")
    return channel_from_row(row)


def try_rule(
    connection: Connection, person_id: PersonId, query: str, since: datetime, limit: int
) -> tuple[int, Sequence[Item]]:
    """How many items since then the query would have matched, and the newest of them."""
    wanted = ItemFilter(query=query, person_id=person_id, added_since=since)
    return count_items(connection, wanted), load_item_page(connection, wanted, limit=limit).items


def load_deliveries(
    connection: Connection, *, states: Sequence[DeliveryState] = (), limit: int = 50
) -> list[StoredDelivery]:
    """Load messages, newest first."""
    query = (
        select(deliveries, channels.c.name.label("channel_name"))
        .join_from(deliveries, channels, channels.c.id == deliveries.c.channel_id)
        .order_by(deliveries.c.created_at.desc(), deliveries.c.id.desc())
        .limit(limit)
    )
    if states:
        query = query.where(deliveries.c.state.in_([state.value for state in states]))
    return [
        StoredDelivery(
            id=row.id,
            channel=row.channel_name,
            state=DeliveryState(row.state),
            title=row.payload.get("title", ""),
            created_at=row.created_at,
            sent_at=row.sent_at,
            next_attempt_at=row.next_attempt_at,
            attempts=row.attempts,
            error=row.error,
        )
        for row in connection.execute(query)
    ]


def count_deliveries(connection: Connection) -> dict[str, int]:
    """Number of messages by state, and of matches that wait to be told."""
    query = select(deliveries.c.state, func.count()).group_by(deliveries.c.state)
    counts = {state.value: 0 for state in DeliveryState} | {
        row[0]: row[1] for row in connection.execute(query)
    }
    waiting = select(func.count()).select_from(notifications).where(notifications.c.due_at.is_not(None))
    return counts | {"waiting": connection.execute(waiting).scalar_one()}


def rule_from_row(row: Row[Any]) -> Rule:
    return Rule(
        id=RuleId(row.id),
        person_id=row.person_id,
        name=row.name,
        query=row.query,
        actions=actions_from_json(row.actions),
        on_change=row.on_change,
        origin=RuleOrigin(row.origin),
        created_at=row.created_at,
        matched_at=row.matched_at,
        match_count=row.match_count,
        error=row.error,
    )


def actions_from_json(stored: Mapping[str, Any]) -> RuleActions:
    return RuleActions(
        star=stored.get("star", False),
        archive=stored.get("archive", False),
        read=stored.get("read", False),
        labels=tuple(stored.get("labels", ())),
        notify=tuple(stored.get("notify", ())),
    )


def actions_to_json(actions: RuleActions) -> dict[str, Any]:
    return {
        "star": actions.star,
        "archive": actions.archive,
        "read": actions.read,
        "labels": list(actions.labels),
        "notify": list(actions.notify),
    }


def channel_from_row(row: Row[Any]) -> Channel:
    given: Mapping[str, Any] = row.settings
    digest, quiet = given.get("digest"), given.get("quiet")
    return Channel(
        id=ChannelId(row.id),
        name=row.name,
        kind=ChannelKind(row.kind),
        url=row.url,
        secret=row.secret,
        digest=Digest(
            every=digest["every"],
            at=time.fromisoformat(digest["at"]),
            weekday=digest["weekday"],
            zone=digest["zone"],
        )
        if digest
        else None,
        quiet=Quiet(
            start=time.fromisoformat(quiet["start"]), end=time.fromisoformat(quiet["end"]), zone=quiet["zone"]
        )
        if quiet
        else None,
        limit=given.get("limit", DEFAULT_LIMIT),
        has_alerts=given.get("alerts", False),
        created_at=row.created_at,
        error=row.error,
    )
