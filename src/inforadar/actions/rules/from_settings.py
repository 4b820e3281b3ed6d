"""Rules of the settings file, `[rules.NAME]`: they belong to the first admin and follow the file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inforadar.actions.rules.manage import check_rule, try_query
from inforadar.clock import utc_now
from inforadar.errors import ConfigError, InfoRadarError
from inforadar.model.person import PersonId
from inforadar.model.rule import RuleActions, RuleOrigin
from inforadar.store.database import Database
from inforadar.store.people.queries import load_first_admin
from inforadar.store.rules.queries import load_rules
from inforadar.store.rules.save_rules import replace_settings_rules

_KEYS = {
    "query": str,
    "star": bool,
    "archive": bool,
    "read": bool,
    "label": list,
    "notify": list,
    "on_change": bool,
    "sure": bool,
}


async def apply_settings_rules(database: Database, given: Mapping[str, Any]) -> None:
    """Add, change and remove rules so that those from the file are as it says."""
    parsed = {name: _parse(name, value) for name, value in given.items()}
    there = [rule for rule in await database.read(load_rules) if rule.origin is RuleOrigin.SETTINGS]
    if not parsed and not there:
        return
    owner = await database.read(load_first_admin)
    before = {rule.name: (rule.query, rule.actions, rule.on_change) for rule in there}
    for name, wanted in parsed.items():
        if before.get(name) != wanted and not given[name].get("sure"):
            await _check_width(database, owner.id, name, wanted[0], wanted[1])
    try:
        await database.write(replace_settings_rules, owner.id, parsed)
    except InfoRadarError as fault:
        raise ConfigError(f"inforadar.toml, [rules]: {fault}") from None


async def _check_width(
    database: Database, person_id: PersonId, name: str, query: str, actions: RuleActions
) -> None:
    """Raise `ConfigError` if a new rule would send very many messages: nobody is there to be asked."""
    trial = await try_query(database, person_id, query, utc_now())
    if trial.asks_first(actions):
        raise ConfigError(
            f"inforadar.toml: [rules.{name}]: {trial.warning} Narrow its query, or add `sure = true`."
        )


def _parse(name: str, value: Any) -> tuple[str, RuleActions, bool]:
    where = f"inforadar.toml: [rules.{name}]"
    if not isinstance(value, Mapping):
        raise ConfigError(f"{where} must be a table with a query and actions.")
    for key, inner in value.items():
        kind = _KEYS.get(key)
        if kind is None:
            raise ConfigError(f"{where} has no setting {key!r}. It has: {', '.join(_KEYS)}.")
        is_list = kind is list and isinstance(inner, list) and all(isinstance(one, str) for one in inner)
        if not (is_list or (kind is not list and isinstance(inner, kind))):
            raise ConfigError(f"{where} {key} must be {_WORDS[kind]}.")
    actions = RuleActions(
        star=value.get("star", False),
        archive=value.get("archive", False),
        read=value.get("read", False),
        labels=tuple(value.get("label", ())),
        notify=tuple(value.get("notify", ())),
    )
    query = value.get("query", "")
    try:
        check_rule(name, query, actions)
    except InfoRadarError as fault:
        raise ConfigError(f"{where}: {fault}") from None
    return query, actions, value.get("on_change", False)


_WORDS = {str: "text", bool: "true or false", list: "a list of texts"}
