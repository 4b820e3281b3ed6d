"""Add, change and remove rules and channels."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, delete, select, update

from inforadar.errors import NotFoundError, UsageError
from inforadar.model.ids import new_uuid
from inforadar.model.person import PersonId
from inforadar.model.rule import (
    SCREEN,
    Channel,
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
from inforadar.store.people.queries import name_key
from inforadar.store.rules.queries import actions_to_json, find_channel, find_rule
from inforadar.store.schema.rules import channels, deliveries, rules
from inforadar.store.types import db_now
from inforadar.store.upsert import upsert


def insert_rule(
    connection: Connection,
    person_id: PersonId,
    name: str,
    query: str,
    actions: RuleActions,
    *,
    on_change: bool = False,
    origin: RuleOrigin = RuleOrigin.PERSON,
) -> Rule:
    """Add a rule; raise `UsageError` if the person has one of this name, or a channel does not exist."""
    _check_channels(connection, actions)
    row = upsert(connection, rules).values(
        id=new_uuid(),
        person_id=person_id,
        name=name,
        name_key=name_key(name),
        query=query,
        actions=actions_to_json(actions),
        on_change=on_change,
        origin=origin.value,
    )
    conflict = ["person_id", "name_key"]
    added = connection.execute(
        row.on_conflict_do_nothing(index_elements=conflict).returning(rules.c.id)
    ).first()
    if added is None:
        raise UsageError(f"There is a rule {name!r} already; `inforadar rule edit` changes it.")
    return find_rule(connection, person_id, name)


def update_rule(connection: Connection, rule_id: RuleId, /, **changes: Any) -> None:
    """Change a rule. Its matches stay; a new query applies to what comes from now on."""
    values = dict(changes)
    if actions := values.get("actions"):
        _check_channels(connection, actions)
        values["actions"] = actions_to_json(actions)
    if "name" in values:
        values["name_key"] = name_key(values["name"])
    if "query" in values:
        values["created_at"] = db_now()
    connection.execute(update(rules).where(rules.c.id == rule_id).values(**values, error=None))


def delete_rule(connection: Connection, rule_id: RuleId) -> None:
    connection.execute(delete(rules).where(rules.c.id == rule_id))


def replace_settings_rules(
    connection: Connection, person_id: PersonId, given: dict[str, tuple[str, RuleActions, bool]]
) -> None:
    """Make the rules from the settings file those of this person: {name: (query, actions, on_change)}."""
    own = (rules.c.person_id == person_id, rules.c.origin == RuleOrigin.SETTINGS.value)
    there = {row.name_key: row for row in connection.execute(select(rules).where(*own))}
    wanted = {name_key(name): name for name in given}
    for key, row in there.items():
        if key not in wanted:
            delete_rule(connection, row.id)
    for key, name in wanted.items():
        query, actions, on_change = given[name]
        known = there.get(key)
        if known is None:
            insert_rule(
                connection, person_id, name, query, actions, on_change=on_change, origin=RuleOrigin.SETTINGS
            )
        elif (known.query, known.actions, known.on_change) != (query, actions_to_json(actions), on_change):
            changed = {"query": query} if known.query != query else {}
            update_rule(connection, known.id, actions=actions, on_change=on_change, **changed)


def _check_channels(connection: Connection, actions: RuleActions) -> None:
    for name in actions.notify:
        if name != SCREEN:
            find_channel(connection, name)


def insert_channel(
    connection: Connection,
    name: str,
    kind: ChannelKind,
    url: str,
    secret: str,
    *,
    digest: Digest | None,
    quiet: Quiet | None,
    limit: int,
    alerts: bool,
) -> Channel:
    """Add a channel; raise `UsageError` if there is one of this name."""
    settings = {
        "limit": limit,
        "alerts": alerts,
        "digest": {
            "every": digest.every,
            "at": digest.at.isoformat(),
            "weekday": digest.weekday,
            "zone": digest.zone,
        }
        if digest
        else None,
        "quiet": {"start": quiet.start.isoformat(), "end": quiet.end.isoformat(), "zone": quiet.zone}
        if quiet
        else None,
    }
    row = upsert(connection, channels).values(
        id=new_uuid(),
        name=name,
        name_key=name_key(name),
        kind=kind.value,
        url=url,
        secret=secret,
        settings=settings,
    )
    added = connection.execute(
        row.on_conflict_do_nothing(index_elements=["name_key"]).returning(channels.c.id)
    ).first()
    if added is None:
        raise UsageError(f"There is a channel {name!r} already; remove it first.")
    return find_channel(connection, name)


def delete_channel(connection: Connection, name: str) -> None:
    """Remove a channel with its waiting messages; refuse while rules use it."""
    channel = find_channel(connection, name)
    used = [
        row.name
        for row in connection.execute(select(rules.c.name, rules.c.actions))
        if any(name_key(one) == name_key(channel.name) for one in row.actions.get("notify", ()))
    ]
    if used:
        raise UsageError(
            f"The channel {channel.name!r} is used by the rules {', '.join(used)}; nothing was changed."
        )
    connection.execute(delete(channels).where(channels.c.id == channel.id))


def resend(connection: Connection, delivery_id: DeliveryId) -> None:
    """Send a message again that was given up, or at once if it waits for its next attempt."""
    d = deliveries.c
    changed = connection.execute(
        update(deliveries)
        .where(d.id == delivery_id, d.state != DeliveryState.SENT.value)
        .values(state=DeliveryState.PENDING.value, next_attempt_at=db_now(), attempts=0)
    )
    if not changed.rowcount:
        raise NotFoundError("There is no such message, or it was sent already.")
