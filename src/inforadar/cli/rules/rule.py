"""`inforadar rule …`: saved searches with actions."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from cyclopts import Parameter

from inforadar.actions.rules.from_settings import apply_settings_rules
from inforadar.actions.rules.manage import Trial, add_rule, check_rule, edit_rule, remove_rule, try_query
from inforadar.cli.terminal.confirm import Yes, confirm
from inforadar.cli.terminal.output import print_json, print_line, safe, short_time
from inforadar.cli.terminal.run import on_store
from inforadar.cli.terminal.tables import print_table
from inforadar.clock import utc_now
from inforadar.config import Settings, read_rules
from inforadar.errors import NotFoundError, UsageError
from inforadar.model.person import Person
from inforadar.model.rule import Rule, RuleActions
from inforadar.store.database import Database
from inforadar.store.people.queries import find_person, load_first_admin
from inforadar.store.rules.queries import find_rule, load_rules
from inforadar.texts import counted
from inforadar.views.json import item_document

Name = Annotated[str, Parameter(help="The rule's name.")]
Query = Annotated[str, Parameter(help="The query, in the search language: 'ferry -football source:Habr'.")]
Owner = Annotated[str | None, Parameter(name="--person", help="Whose rule. Default: the first admin.")]
Json = Annotated[bool, Parameter(name="--json", negative="", help="Print JSON.")]
Notify = Annotated[
    list[str] | None,
    Parameter(
        negative="", help="Send a message to this channel; `screen` is an open page and the terminal app."
    ),
]
Label = Annotated[list[str] | None, Parameter(negative="", help="Add this label.")]


def add(
    name: Name,
    query: Query,
    *,
    notify: Notify = None,
    star: Annotated[bool, Parameter(negative="", help="Star the items.")] = False,
    archive: Annotated[bool, Parameter(negative="", help="Archive the items.")] = False,
    read: Annotated[bool, Parameter(negative="", help="Mark the items as read.")] = False,
    label: Label = None,
    on_change: Annotated[
        bool, Parameter(negative="", help="Match an item again when its title changes.")
    ] = False,
    person: Owner = None,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Add a rule for what is new from now on; it is tried on the last 7 days first."""
    actions = RuleActions(
        star=star, archive=archive, read=read, labels=tuple(label or ()), notify=tuple(notify or ())
    )

    async def work(database: Database, _: Settings) -> tuple[Rule, Trial]:
        check_rule(name, query, actions)
        owner = await _owner(database, person)
        trial = await try_query(database, owner.id, query, utc_now())
        if trial.asks_first(actions):
            confirm(f"{trial.warning} Add it?", yes=yes, undone=f"{trial.warning} The rule was not added.")
        return await add_rule(database, owner.id, name, query, actions, on_change=on_change), trial

    rule, trial = on_store(work)
    if json:
        print_json(rule_document(rule) | {"matched_last_7_days": trial.count})
        return
    print_line(f"Added the rule {safe(rule.name)}: {safe(rule.actions.words)}.")
    _print_trial(trial)


def list_(*, person: Owner = None, json: Json = False) -> None:
    """List rules."""

    async def work(database: Database, settings: Settings) -> list[Rule]:
        await apply_settings_rules(database, read_rules(settings.home))
        return await database.read(load_rules, (await _owner(database, person)).id)

    rules = on_store(work)
    if json:
        print_json([rule_document(rule) for rule in rules])
        return
    print_table(
        ["Name", "Query", "Actions", "Matches>", "Last!", "Trouble"],
        (
            (
                rule.name,
                rule.query,
                rule.actions.words,
                rule.match_count,
                short_time(rule.matched_at),
                rule.error or "",
            )
            for rule in rules
        ),
        empty="No rules yet. `inforadar rule add NAME QUERY --notify CHANNEL` adds one.",
        only_wide=("Last!",),
    )


def try_(
    rule: Annotated[str, Parameter(help="The name of a rule, or a query.")],
    *,
    person: Owner = None,
    json: Json = False,
) -> None:
    """Show what a rule or a query would have matched of the last 7 days; nothing is changed or sent."""

    async def work(database: Database, _: Settings) -> Trial:
        owner = await _owner(database, person)
        try:
            query = (await database.read(find_rule, owner.id, rule)).query
        except NotFoundError:
            query = rule
        return await try_query(database, owner.id, query, utc_now())

    trial = on_store(work)
    if json:
        print_json({"count": trial.count, "items": [item_document(item) for item in trial.items]})
    else:
        _print_trial(trial)


def edit(
    name: Name,
    *,
    rename: Annotated[str | None, Parameter(help="A new name.")] = None,
    query: Annotated[str | None, Parameter(help="A new query; it applies from now on.")] = None,
    notify: Notify = None,
    star: Annotated[bool | None, Parameter(help="Star the items, or not.")] = None,
    archive: Annotated[bool | None, Parameter(help="Archive the items, or not.")] = None,
    read: Annotated[bool | None, Parameter(help="Mark the items as read, or not.")] = None,
    label: Label = None,
    on_change: Annotated[
        bool | None, Parameter(help="Match an item again when its title changes, or not.")
    ] = None,
    person: Owner = None,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Change a rule. Channels and labels that are given replace those it has."""
    given = {"star": star, "archive": archive, "read": read}
    new: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    if label is not None:
        new["labels"] = tuple(one for one in label if one)
    if notify is not None:
        new["notify"] = tuple(one for one in notify if one)
    other = {"name": rename, "query": query, "on_change": on_change}
    changes: dict[str, Any] = {key: value for key, value in other.items() if value is not None}
    if not new and not changes:
        raise UsageError("Nothing to change. `inforadar rule edit --help` lists what can be.")

    async def work(database: Database, _: Settings) -> Rule:
        owner = await _owner(database, person)
        before = await database.read(find_rule, owner.id, name)
        actions = replace(before.actions, **new)
        if new:
            changes["actions"] = actions
        if query is not None or actions.notify != before.actions.notify:
            trial = await try_query(database, owner.id, query or before.query, utc_now())
            if trial.asks_first(actions):
                confirm(
                    f"{trial.warning} Change it?",
                    yes=yes,
                    undone=f"{trial.warning} The rule was not changed.",
                )
        return await edit_rule(database, owner.id, name, **changes)

    rule = on_store(work)
    if json:
        print_json(rule_document(rule))
    else:
        print_line(f"Changed the rule {safe(rule.name)}: {safe(rule.query)} → {safe(rule.actions.words)}.")


def remove(name: Name, *, person: Owner = None, json: Json = False) -> None:
    """Remove a rule; marks and labels that it set stay."""

    async def work(database: Database, _: Settings) -> Rule:
        return await remove_rule(database, (await _owner(database, person)).id, name)

    rule = on_store(work)
    if json:
        print_json({"name": rule.name})
    else:
        print_line(f"Removed the rule {safe(rule.name)}.")


async def _owner(database: Database, name: str | None) -> Person:
    return await (database.read(find_person, name) if name else database.read(load_first_admin))


def _print_trial(trial: Trial) -> None:
    print_line(f"It would have matched {counted(trial.count, 'item')} of the last 7 days.")
    for item in trial.items:
        print_line(f"  {safe(item.title or item.url)} ({safe(item.source)})")
    if trial.count > len(trial.items):
        print_line(f"  … and {trial.count - len(trial.items):,} more")


def rule_document(rule: Rule) -> dict[str, Any]:
    return {
        "name": rule.name,
        "query": rule.query,
        "star": rule.actions.star,
        "archive": rule.actions.archive,
        "read": rule.actions.read,
        "labels": list(rule.actions.labels),
        "notify": list(rule.actions.notify),
        "on_change": rule.on_change,
        "origin": rule.origin.value,
        "created_at": rule.created_at.isoformat(),
        "matched_at": rule.matched_at.isoformat() if rule.matched_at else None,
        "match_count": rule.match_count,
        "error": rule.error,
    }
