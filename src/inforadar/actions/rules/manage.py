"""Add, try, change and remove rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from inforadar.actions.mark import check_label
from inforadar.errors import UsageError
from inforadar.model.item import Item
from inforadar.model.person import PersonId
from inforadar.model.rule import MAX_NAME_CHARACTERS, Rule, RuleActions, RuleOrigin
from inforadar.pipeline.search_index import SearchIndexer
from inforadar.store.database import Database
from inforadar.store.items.search import read_search
from inforadar.store.rules.queries import find_rule, try_rule
from inforadar.store.rules.save_rules import delete_rule, insert_rule, update_rule
from inforadar.texts import counted

TRIED_FOR = timedelta(days=7)
MANY_MATCHES = 500
"""A rule that would have notified about more items than this in a week asks first."""
SHOWN_MATCHES = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """The items of the last days that a rule would have matched."""

    count: int
    items: Sequence[Item]

    @property
    def is_wide(self) -> bool:
        return self.count > MANY_MATCHES

    def asks_first(self, actions: RuleActions) -> bool:
        """Whether a rule with these actions is added only after asking: it would send very many messages."""
        return self.is_wide and bool(actions.notify)

    @property
    def warning(self) -> str:
        return f"This rule would have notified about {counted(self.count, 'item')} in the last 7 days."


async def try_query(database: Database, person_id: PersonId, query: str, now: datetime) -> Trial:
    """Try a rule on the items of the last seven days; nothing is changed or sent."""
    if read_search(query).is_empty:
        raise UsageError("The query has no term. Write words, phrases or fields such as source:Habr.")
    await SearchIndexer(database=database).run_once()
    count, items = await database.read(try_rule, person_id, query, now - TRIED_FOR, SHOWN_MATCHES)
    return Trial(count=count, items=items)


async def add_rule(
    database: Database,
    person_id: PersonId,
    name: str,
    query: str,
    actions: RuleActions,
    *,
    on_change: bool = False,
) -> Rule:
    """Add a rule; it applies to what is new or changes from now on."""
    check_rule(name, query, actions)
    return await database.write(
        insert_rule, person_id, name.strip(), query.strip(), actions, on_change=on_change
    )


async def edit_rule(database: Database, person_id: PersonId, name: str, /, **changes: Any) -> Rule:
    """Change name, query, actions or on_change of a rule."""
    rule = await _own_rule(database, person_id, name)
    new_name = changes.get("name", rule.name)
    check_rule(new_name, changes.get("query", rule.query), changes.get("actions", rule.actions))
    await database.write(update_rule, rule.id, **changes)
    return await database.read(find_rule, person_id, new_name)


async def remove_rule(database: Database, person_id: PersonId, name: str) -> Rule:
    rule = await _own_rule(database, person_id, name)
    await database.write(delete_rule, rule.id)
    return rule


async def _own_rule(database: Database, person_id: PersonId, name: str) -> Rule:
    rule = await database.read(find_rule, person_id, name)
    if rule.origin is RuleOrigin.SETTINGS:
        raise UsageError(
            f"The rule {rule.name!r} is in inforadar.toml; change it there. Nothing was changed."
        )
    return rule


def check_rule(name: str, query: str, actions: RuleActions) -> None:
    """Raise `UsageError` if this cannot be a rule."""
    if not 0 < len(name.strip()) <= MAX_NAME_CHARACTERS or not name.isprintable():
        raise UsageError(f"A rule's name has 1 to {MAX_NAME_CHARACTERS} printable characters.")
    if read_search(query).is_empty:
        raise UsageError("The query has no term. Write words, phrases or fields such as source:Habr.")
    if not actions:
        raise UsageError("The rule does nothing. Give at least one of: star, archive, read, label, notify.")
    for label in actions.labels:
        check_label(label)
