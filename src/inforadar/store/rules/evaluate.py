"""Evaluate rules over new events: match, mark, and note what channels are to be told. One transaction a batch."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

from sqlalchemy import Connection, Row, ScalarSelect, Select, func, insert, select, update
from sqlalchemy.exc import DBAPIError

from inforadar.errors import UsageError
from inforadar.model.ids import ItemId, StoryId
from inforadar.model.rule import SCREEN, Channel, EventKind, Rule
from inforadar.model.search import parse_search
from inforadar.model.search_tree import asked_changes
from inforadar.store.clock_sanity import MIN_SKEW
from inforadar.store.feeds.hidden import sees_feed
from inforadar.store.feeds.queries import ACTIVE
from inforadar.store.items.change_terms import FoundChange, load_asked_changes
from inforadar.store.items.search import read_search
from inforadar.store.items.search_terms import search_conditions
from inforadar.store.people.queries import name_key
from inforadar.store.people.save_marks import save_labels, set_marks
from inforadar.store.rows import JsonRows
from inforadar.store.rules.queries import load_channels, load_rules
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.items import item_changes, items
from inforadar.store.schema.rules import event_state, events, notifications, rule_matches, rules
from inforadar.store.schema.stories import story_items
from inforadar.store.types import one_of
from inforadar.store.upsert import upsert

T = TypeVar("T")

BATCH, BATCH_WITHOUT_RULES = 500, 5000
"""Events of one transaction: each rule looks at its items, and without rules they are only numbered."""

_numbered = JsonRows("numbered", id="bigint", number="bigint")
_NUMBER_EVENTS = update(events).where(events.c.id == _numbered.c["id"]).values(number=_numbered.c["number"])


@dataclass(frozen=True, slots=True)
class _Match:
    item_id: ItemId
    url: str
    title: str
    is_first_fetch: bool
    change: FoundChange | None = None
    """The change that the rule asks for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Context:
    channels: Mapping[str, Channel]
    added_at: Mapping[ItemId, datetime]
    """When new items came, by the database's clock."""
    now: datetime
    settle: timedelta


def has_events(connection: Connection) -> bool:
    return (
        connection.execute(select(events.c.id).where(events.c.number.is_(None)).limit(1)).first() is not None
    )


def evaluate_events(connection: Connection, now: datetime, settle: timedelta) -> int:
    """Take the oldest events, evaluate all rules over their items and number the events; return how many."""
    connection.execute(upsert(connection, event_state).values(id=1, last_number=0).on_conflict_do_nothing())
    last: int = connection.execute(select(event_state.c.last_number).with_for_update()).scalar_one()
    limit = BATCH if load_rules(connection) else BATCH_WITHOUT_RULES
    waiting = connection.execute(
        select(events.c.id, events.c.at, events.c.kind, events.c.item_id, events.c.story_id)
        .where(events.c.number.is_(None))
        .order_by(events.c.id)
        .limit(limit)
    ).all()
    if not waiting:
        return 0
    # Read after the events: one that came after a rule is evaluated by it.
    all_rules = load_rules(connection)
    if all_rules:
        item_ids = {row.item_id for row in waiting if row.item_id and row.kind != EventKind.MATCH.value}
        item_ids |= _items_of(connection, {row.story_id for row in waiting if row.story_id})
        by_name = {name_key(channel.name): channel for channel in load_channels(connection)}
        added_at = {row.item_id: row.at for row in waiting if row.kind == EventKind.ITEM.value}
        context = _Context(channels=by_name, added_at=added_at, now=now, settle=settle)
        for rule in all_rules:
            _apply(connection, rule, item_ids, context)
    given = [(row.id, number) for number, row in enumerate(waiting, last + 1)]
    connection.execute(_NUMBER_EVENTS, _numbered.parameters(given))
    connection.execute(update(event_state).values(last_number=last + len(waiting)))
    return len(waiting)


def _items_of(connection: Connection, story_ids: Collection[StoryId]) -> set[ItemId]:
    if not story_ids:
        return set()
    query = select(story_items.c.item_id).where(one_of(story_items.c.story_id, story_ids))
    return set(connection.execute(query).scalars())


def _apply(
    connection: Connection,
    rule: Rule,
    item_ids: Collection[ItemId],
    context: _Context,
) -> None:
    """Apply one rule. A fault is written on the rule and leaves the other rules alone."""
    try:
        with connection.begin_nested():
            found = _new_matches(connection, rule, _matching(connection, rule, item_ids), context)
            if not found:
                return
            urls = [match.url for match in found]
            set_marks(connection, rule.person_id, urls, rule.actions.marks, context.now)
            save_labels(connection, rule.person_id, urls, added=rule.actions.labels)
            _notify(connection, rule, [one for one in found if one.change or not one.is_first_fetch], context)
            counted = rules.c.match_count + len(found)
            connection.execute(
                update(rules).where(rules.c.id == rule.id).values(matched_at=context.now, match_count=counted)
            )
    except (UsageError, DBAPIError) as fault:
        message = str(fault) if isinstance(fault, UsageError) else f"The database refused: {fault.orig}"
        connection.execute(update(rules).where(rules.c.id == rule.id).values(error=message[:500]))


def _matching(connection: Connection, rule: Rule, item_ids: Collection[ItemId]) -> list[Row[Any]]:
    search = read_search(rule.query)
    other = items.alias("other")
    of_feed = other.c.feed_id == items.c.feed_id
    first_run = select(other.c.run_id).where(of_feed).order_by(other.c.id).limit(1)
    newest = other.c.id.desc()
    last_run = select(other.c.run_id).where(of_feed).order_by(newest).limit(1)
    last_at = select(other.c.created_at).where(of_feed).order_by(newest).limit(1)
    query = (
        select(
            items.c.id,
            items.c.url,
            items.c.title,
            items.c.created_at,
            items.c.run_id.is_not_distinct_from(_for_item(first_run)).label("is_first"),
            items.c.run_id.is_not_distinct_from(_for_item(last_run)).label("is_last"),
            _for_item(last_at).label("last_at"),
        )
        .join_from(items, feeds, feeds.c.id == items.c.feed_id)
        .where(
            one_of(items.c.id, item_ids),
            *ACTIVE,
            *sees_feed(rule.person_id),
            *search_conditions(search, items, rule.person_id, with_index=False),
        )
        .order_by(items.c.id)
    )
    return list(connection.execute(query))


def _for_item(query: Select[tuple[T]]) -> ScalarSelect[T]:
    return query.correlate(items).scalar_subquery()


def _is_first_fetch(row: Row[Any], came_at: datetime, now: datetime) -> bool:
    """True if the item came with its feed's first fetch.

    Ids go by the clocks of workers. One that was behind gives later items lower ids, and one that was ahead gave the
    first ones higher ids: then the feed has items of another fetch, and one of the two times is wrong.
    """
    is_wrong = came_at - row.created_at >= MIN_SKEW or row.last_at - now >= MIN_SKEW
    return bool(row.is_first) and (bool(row.is_last) or not is_wrong)


def _new_matches(
    connection: Connection, rule: Rule, found: Sequence[Row[Any]], context: _Context
) -> list[_Match]:
    """Leave out what matched before and what is older than the rule, unless it changed since as the rule asks.

    Rules have the database's time. Items have that of the worker that fetched them, whose clock may be behind.
    """
    if not found:
        return []
    ids = [row.id for row in found]
    m = rule_matches.c
    known = {
        row.item_id: row.matched_at
        for row in connection.execute(
            select(m.item_id, m.matched_at).where(m.rule_id == rule.id, one_of(m.item_id, ids))
        )
    }
    asked = asked_changes(parse_search(rule.query))
    changes = load_asked_changes(connection, ids, asked, context.now) if asked else {}
    retitled: dict[ItemId, datetime] = {}
    if rule.on_change:
        c = item_changes.c
        query = select(c.item_id, func.max(c.at).label("at")).where(
            one_of(c.item_id, ids), c.fields["title"].as_string().is_not(None)
        )
        retitled = {row.item_id: row.at for row in connection.execute(query.group_by(c.item_id))}

    matches: list[_Match] = []
    noted: list[dict[str, Any]] = []
    for row in found:
        change = changes.get(row.id)
        last = max((at for at in (change and change.at, retitled.get(row.id)) if at), default=None)
        is_changed = last is not None and last > known.get(row.id, rule.created_at)
        came_at = max(row.created_at, context.added_at.get(row.id, row.created_at))
        if not is_changed and (row.id in known or came_at < rule.created_at):
            continue
        matches.append(
            _Match(
                row.id,
                row.url,
                row.title or row.url,
                _is_first_fetch(row, came_at, context.now),
                change if is_changed else None,
            )
        )
        # The time of the change itself: a later one, saved while this one was evaluated, still counts.
        noted.append({"rule_id": rule.id, "item_id": row.id, "matched_at": last or context.now})
    if noted:
        insert_ = upsert(connection, rule_matches).values(noted)
        connection.execute(
            insert_.on_conflict_do_update(
                index_elements=["rule_id", "item_id"], set_={"matched_at": insert_.excluded.matched_at}
            )
        )
    return matches


def _notify(
    connection: Connection,
    rule: Rule,
    found: Sequence[_Match],
    context: _Context,
) -> None:
    if not found:
        return
    for name in rule.actions.notify:
        if name == SCREEN:
            payload = {"rule": rule.name, "person_id": rule.person_id.hex}
            connection.execute(
                insert(events),
                [
                    {
                        "kind": EventKind.MATCH.value,
                        "item_id": match.item_id,
                        "payload": payload | {"title": _screen_title(match), "url": match.url},
                    }
                    for match in found
                ],
            )
            continue
        channel = context.channels.get(name_key(name))
        if channel is None:
            raise UsageError(f"The channel {name!r} does not exist any more.")
        # A while later, so that reports of one event are in one story by then.
        due_at = channel.digest.next(context.now) if channel.digest else context.now + context.settle
        connection.execute(
            insert(notifications),
            [
                {
                    "channel_id": channel.id,
                    "rule_id": rule.id,
                    "item_id": match.item_id,
                    "due_at": due_at,
                    "change": _change_document(match.change),
                }
                for match in found
            ],
        )


def _screen_title(match: _Match) -> str:
    return f"Changed: {match.title}" if match.change else match.title


def _change_document(change: FoundChange | None) -> dict[str, Any] | None:
    if change is None:
        return None
    if change.revision_id is not None:
        return {"revision": str(change.revision_id)}
    return {"at": change.at.isoformat(), "fields": change.fields}
