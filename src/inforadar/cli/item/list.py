"""`inforadar item list`: the stored items, newest first."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from cyclopts import Parameter, validators

from inforadar.cli.terminal.output import print_json, print_note, short_time
from inforadar.cli.terminal.run import on_store
from inforadar.cli.terminal.tables import print_table, score_text
from inforadar.config import Settings
from inforadar.model.ids import short_id
from inforadar.model.item import Item
from inforadar.model.search import FIELDS
from inforadar.pipeline.search_index import SearchIndexer
from inforadar.store.database import Database
from inforadar.store.items.item_filter import ItemFilter
from inforadar.store.items.one_row import count_items
from inforadar.store.items.order import SortKey, load_sorted_items
from inforadar.store.people.queries import load_first_admin
from inforadar.texts import counted
from inforadar.views.json import item_document
from inforadar.views.times import shown_counter

_QUERY_HELP = (
    'Only items that match: words, "phrases", -excluded, this OR that, and the fields '
    f"{', '.join(f'{name}:' for name in FIELDS)}."
)


def _is_score(_: object, value: float | None) -> None:
    # `validators.Number` lets NaN through.
    if value is not None and not 0 <= value <= 1:
        raise ValueError("Must be from 0 to 1.")


def list_(
    query: Annotated[
        list[str] | None,
        Parameter(
            negative="",
            allow_leading_hyphen=True,
            help=_QUERY_HELP,
        ),
    ] = None,
    *,
    source: Annotated[list[str] | None, Parameter(negative="", help="Only these sources.")] = None,
    topic: Annotated[list[str] | None, Parameter(negative="", help="Only these topics.")] = None,
    max_score: Annotated[
        float | None,
        Parameter(validator=_is_score, help="Only analyzed items with at most this score, 0 to 1."),
    ] = None,
    limit: Annotated[
        int, Parameter(validator=validators.Number(gte=1, lte=10_000), help="Items per page.")
    ] = 20,
    page: Annotated[
        int, Parameter(validator=validators.Number(gte=1, lte=10_000_000), help="The page to show.")
    ] = 1,
    json: Annotated[bool, Parameter(name="--json", negative="", help="Print JSON.")] = False,
) -> None:
    """List items, newest first."""
    wanted = ItemFilter(
        sources=tuple(source or ()),
        topics=tuple(topic or ()),
        max_score=max_score,
        query=" ".join(query) if query else None,
    )
    offset = (page - 1) * limit

    async def work(database: Database, _: Settings) -> tuple[list[Item], int]:
        nonlocal wanted
        if wanted.query:
            wanted = replace(wanted, person_id=(await database.read(load_first_admin)).id)
            # Items that no worker has indexed yet are found too.
            await SearchIndexer(database=database).run_once()
        found = await database.read(
            load_sorted_items, wanted, SortKey.DATE, descending=True, limit=limit, offset=offset
        )
        return found, await database.read(count_items, wanted)

    items, total = on_store(work)
    if json:
        print_json([item_document(item) for item in items])
        return
    print_table(
        ["Id!", "Source", "Topic", "Title", "Date!", "±>", "Views>", "Cmts>", "Score!"],
        (
            (
                short_id(item.id),
                item.all_sources,
                item.all_topics,
                item.title or item.url,
                short_time(item.published_at),
                *(_counter(item, name) for name in ("rating", "views", "comments")),
                score_text(item.score, is_analyzed=item.score_word is not None),
            )
            for item in items
        ),
        empty=_nothing(page, limit, total, is_search=bool(query)),
        only_wide=("Topic", "±>", "Views>", "Cmts>"),
    )
    if items:
        print_note(f"{offset + 1}–{offset + len(items)} of {total} · by date ↓")


def _counter(item: Item, name: str) -> str | None:
    value = getattr(item, name)
    return None if value is None else shown_counter(name, value)


def _nothing(page: int, limit: int, total: int, *, is_search: bool) -> str:
    if total:
        pages = -(-total // limit)
        what = f"{counted(total, 'item')} {'fills' if total == 1 else 'fill'} {counted(pages, 'page')}"
        return f"There is no page {page}: {what}. `--page {pages}` shows the last one."
    if is_search:
        return "Nothing matches."
    return "No items yet. Run `inforadar worker --once` to fetch feeds that are due."
