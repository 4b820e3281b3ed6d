"""`inforadar person …`: accounts, and links to log in with."""

from __future__ import annotations

import getpass
import sys
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from inforadar.actions.people.accounts import (
    add_person,
    edit_person,
    hide_feed,
    remove_person,
    show_feed,
)
from inforadar.actions.people.passwords import check_password, set_password
from inforadar.actions.people.tokens import make_link
from inforadar.cli.terminal.confirm import Yes, confirm
from inforadar.cli.terminal.output import print_json, print_line, safe, short_time
from inforadar.cli.terminal.run import on_store
from inforadar.cli.terminal.tables import print_table
from inforadar.clock import utc_now
from inforadar.config import Settings
from inforadar.errors import UsageError
from inforadar.model.person import Person, Role
from inforadar.store.database import Database
from inforadar.store.feeds.queries import find_feed
from inforadar.store.people.queries import find_person, load_people

Name = Annotated[str, Parameter(help="The person's name.")]
Json = Annotated[bool, Parameter(name="--json", negative="", help="Print JSON.")]
RoleName = Literal["admin", "reader"]


def add(
    name: Name,
    *,
    role: Annotated[
        RoleName, Parameter(help="admin: changes feeds and people; reader: reads and marks.")
    ] = "reader",
    password: Annotated[
        bool,
        Parameter(negative="--no-password", help="Read a password; without one, they log in by a link."),
    ] = True,
    json: Json = False,
) -> None:
    """Add a person; the password is asked for, or read from standard input."""
    given = _read_password(required=False) if password else None

    async def work(database: Database, _: Settings) -> Person:
        return await add_person(database, name, Role(role), given, utc_now())

    person = on_store(work)
    if json:
        print_json(person_document(person) | {"has_password": given is not None})
        return
    print_line(f"Added {safe(person.name)} ({person.role}).")
    if given is None:
        print_line(
            f"They have no password yet: `inforadar person link {safe(person.name)}` makes a login link."
        )


def list_(*, json: Json = False) -> None:
    """List all people."""

    async def work(database: Database, _: Settings) -> list[Person]:
        return await database.read(load_people)

    people = on_store(work)
    if json:
        print_json([person_document(person) for person in people])
        return
    print_table(
        ["Name", "Role!", "Password!", "Since!"],
        (
            (person.name, person.role, "yes" if person.has_password else "no", short_time(person.joined_at))
            for person in people
        ),
        empty="There are no people.",
    )


def edit(
    name: Name,
    *,
    rename: Annotated[str | None, Parameter(help="A new name.")] = None,
    role: Annotated[RoleName | None, Parameter(help="A new role.")] = None,
    titles: Annotated[
        Literal["original", "neutral"] | None, Parameter(help="Which title apps show first.")
    ] = None,
    hide: Annotated[
        tuple[str, ...], Parameter(negative="", help="A feed that they do not want to see. Repeatable.")
    ] = (),
    show: Annotated[tuple[str, ...], Parameter(negative="", help="A hidden feed to show again.")] = (),
    json: Json = False,
) -> None:
    """Change a person's name, role or settings, or hide feeds from them."""
    if rename is None and role is None and titles is None and not hide and not show:
        raise UsageError("Nothing to change. Give --rename, --role, --titles, --hide or --show.")

    async def work(database: Database, _: Settings) -> Person:
        person = await database.read(find_person, name)
        hidden = [(await database.read(find_feed, one)).id for one in hide]
        shown = [(await database.read(find_feed, one)).id for one in show]
        new_role = Role(role) if role else None
        edited = await edit_person(database, person.id, name=rename, role=new_role, titles=titles)
        await hide_feed(database, person.id, hidden)
        await show_feed(database, person.id, shown)
        return edited

    person = on_store(work)
    if json:
        print_json(person_document(person))
    else:
        print_line(f"Changed {safe(person.name)} ({person.role}).")


def remove(name: Name, *, yes: Yes = False, json: Json = False) -> None:
    """Remove a person with all marks, labels, notes and app passwords."""
    confirm(
        f"Remove {safe(name)} with all marks, labels, notes and app passwords?",
        yes=yes,
        undone=f"{name} was not removed.",
    )

    async def work(database: Database, _: Settings) -> Person:
        person = await database.read(find_person, name)
        await remove_person(database, person.id)
        return person

    person = on_store(work)
    if json:
        print_json(person_document(person))
    else:
        print_line(f"Removed {safe(person.name)}.")


def password(name: Name, *, json: Json = False) -> None:
    """Set a person's password, asked for or read from standard input; all their sessions end."""

    async def find(database: Database, _: Settings) -> Person:
        return await database.read(find_person, name)

    person = on_store(find)
    given = _read_password(required=True)
    assert given is not None

    async def work(database: Database, _: Settings) -> None:
        await set_password(database, person.id, given, utc_now())

    on_store(work)
    if json:
        print_json(person_document(person) | {"has_password": True})
    else:
        print_line(f"{safe(person.name)} has a new password, and no session any more.")


def link(name: Name, *, json: Json = False) -> None:
    """Print a link with which a person logs in once, within a day."""

    async def work(database: Database, settings: Settings) -> str:
        person = await database.read(find_person, name)
        code = await make_link(database, person.id)
        return f"{settings.web.outer_url}/login/link?code={code}"

    address = on_store(work)
    if json:
        print_json({"link": address})
    else:
        print(address)  # not masked: the link is the secret, and it is asked for


def person_document(person: Person) -> dict[str, Any]:
    """A person as JSON."""
    return {
        "id": str(person.id),
        "name": person.name,
        "role": person.role,
        "has_password": person.has_password,
        "created_at": person.joined_at,
        "settings": dict(person.settings),
    }


def _read_password(*, required: bool) -> str | None:
    """Ask for a password twice, or read the first line of standard input; None if there is none."""
    if not sys.stdin.isatty():
        given = sys.stdin.readline().rstrip("\r\n")
    else:
        given = getpass.getpass("Password (empty for none): " if not required else "Password: ")
        if given and getpass.getpass("Again: ") != given:
            raise UsageError("The two passwords differ; nothing was changed.")
    if not given and not required:
        return None
    check_password(given)
    return given
