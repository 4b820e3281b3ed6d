"""`changed:` in queries and rules: changes of an item's listing, and revisions of its article."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    Text,
    and_,
    bindparam,
    false,
    literal,
    or_,
    select,
    true,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from inforadar.model.ids import ItemId
from inforadar.model.revision import ChangeKind
from inforadar.model.search import LISTING_FIELDS, SIGNIFICANT_CHANGE
from inforadar.model.search_tree import Changed
from inforadar.store.schema.articles import articles
from inforadar.store.schema.items import item_changes, items
from inforadar.store.schema.revisions import article_revisions
from inforadar.store.types import one_of

_c, _r = item_changes.c, article_revisions.c
_KINDS = frozenset(kind.value for kind in ChangeKind)


class _HasKind(FunctionElement[bool]):
    """Whether a list of kinds has this one."""

    name = "has_kind"
    inherit_cache = True


@compiles(_HasKind)
def _default_has_kind(element: _HasKind, compiler: SQLCompiler, **kw: Any) -> str:
    kinds, kind = (compiler.process(clause, **kw) for clause in element.clauses)
    return f"{kind} = ANY({kinds})"


@compiles(_HasKind, "sqlite")
def _sqlite_has_kind(element: _HasKind, compiler: SQLCompiler, **kw: Any) -> str:
    kinds, kind = (compiler.process(clause, **kw) for clause in element.clauses)
    return f"instr({kinds}, '\"' || {kind} || '\"') > 0"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundChange:
    """The newest change of an item that a query asks for: a revision of its text, or a change of its listing."""

    at: datetime
    revision_id: UUID | None = None
    fields: dict[str, Any] | None = None
    """Old and new values, if its listing changed."""


def has_changed(node: Changed, t: FromClause, now: datetime) -> ColumnElement[bool]:
    """Condition on a row of `items`: its listing or its text changed like this."""
    listing = select(literal(1)).select_from(item_changes).where(_c.item_id == t.c.id, _in_listing(node, now))
    text = (
        select(literal(1))
        .join_from(article_revisions, articles, articles.c.uid == _r.uid)
        .where(_r.uid == t.c.uid, articles.c.url == t.c.url, _in_text(node, now))
    )
    return or_(listing.correlate(t).exists(), text.correlate(t).exists())


def load_asked_changes(
    connection: Connection, item_ids: Collection[ItemId], asked: Sequence[Changed], now: datetime
) -> dict[ItemId, FoundChange]:
    """The newest change of each item that is one of those asked for. Counters that move are no change here."""
    of_listing = or_(false(), *(_in_listing(node, now) for node in asked))
    told = or_(*(_c.fields[name].as_string().is_not(None) for name in LISTING_FIELDS))
    of_text = or_(false(), *(_in_text(node, now) for node in asked))
    found: dict[ItemId, FoundChange] = {}
    for row in connection.execute(
        select(_c.item_id, _c.at, _c.fields)
        .where(one_of(_c.item_id, item_ids), told, of_listing)
        .order_by(_c.at, _c.id)
    ):
        fields = {name: value for name, value in row.fields.items() if name in LISTING_FIELDS}
        found[row.item_id] = FoundChange(at=row.at, fields=fields)
    for row in connection.execute(
        select(items.c.id, _r.at, _r.id.label("revision_id"))
        .join_from(items, articles, and_(articles.c.uid == items.c.uid, articles.c.url == items.c.url))
        .join(article_revisions, _r.uid == articles.c.uid)
        .where(one_of(items.c.id, item_ids), of_text)
        .order_by(_r.at, _r.id)
    ):
        known = found.get(row.id)
        if known is None or row.at >= known.at:
            found[row.id] = FoundChange(at=row.at, revision_id=row.revision_id)
    return found


def _in_listing(node: Changed, now: datetime) -> ColumnElement[bool]:
    if node.what is not None and node.what not in LISTING_FIELDS:
        return false()
    conditions = [_c.fields[node.what].as_string().is_not(None)] if node.what else []
    return and_(true(), *conditions, *([_c.at >= node.since.resolve(now)] if node.since else []))


def _in_text(node: Changed, now: datetime) -> ColumnElement[bool]:
    conditions = [~_r.is_noise, *([_r.at >= node.since.resolve(now)] if node.since else [])]
    if node.what == SIGNIFICANT_CHANGE:
        conditions.append(_r.is_significant)
    elif node.what in _KINDS:
        conditions.append(_HasKind(_r.kinds, bindparam(None, node.what, type_=Text, unique=True)))
    elif node.what is not None:
        return false()
    return and_(*conditions)
