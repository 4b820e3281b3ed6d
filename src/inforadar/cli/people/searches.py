"""`inforadar person search …`: saved searches, which apps show as labels."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from inforadar.actions.people.accounts import drop_search, keep_search
from inforadar.cli.people.person import Json, Name
from inforadar.cli.terminal.output import print_json, print_line, safe
from inforadar.cli.terminal.run import on_store
from inforadar.cli.terminal.tables import print_table
from inforadar.config import Settings
from inforadar.errors import NotFoundError
from inforadar.store.database import Database
from inforadar.store.people.queries import find_person, load_searches

SearchName = Annotated[str, Parameter(help="The name of the search.")]


def add(
    name: Name,
    search: SearchName,
    words: Annotated[str, Parameter(help="The query: words, phrases and fields such as source:Habr.")],
    *,
    json: Json = False,
) -> None:
    """Save a search of a person; one with the same name is replaced."""

    async def work(database: Database, _: Settings) -> None:
        person = await database.read(find_person, name)
        await keep_search(database, person.id, search, words)

    on_store(work)
    if json:
        print_json({"name": search.strip(), "words": words.strip()})
    else:
        print_line(f"Saved the search {safe(search)}.")


def list_(name: Name, *, json: Json = False) -> None:
    """List a person's saved searches."""

    async def work(database: Database, _: Settings) -> dict[str, str]:
        person = await database.read(find_person, name)
        return await database.read(load_searches, person.id)

    searches = on_store(work)
    if json:
        print_json([{"name": key, "words": words} for key, words in searches.items()])
        return
    print_table(["Name", "Words"], searches.items(), empty="No saved searches yet.")


def remove(name: Name, search: SearchName, *, json: Json = False) -> None:
    """Delete a saved search."""

    async def work(database: Database, _: Settings) -> bool:
        person = await database.read(find_person, name)
        return await drop_search(database, person.id, search)

    if not on_store(work):
        raise NotFoundError(f"There is no saved search {search!r}; nothing was changed.")
    if json:
        print_json({"name": search})
    else:
        print_line(f"Deleted the search {safe(search)}.")
