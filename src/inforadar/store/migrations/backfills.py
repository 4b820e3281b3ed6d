"""The values that a migration gives to rows from before it.

A migration runs its own, the import of an older export all later ones, because its rows never saw those migrations, and
a new SQLite database all of them. The latter two run them on the newest schema, so a migration that renames a column
renames it here too.
"""

from __future__ import annotations

from collections.abc import Mapping

_SQLITE_DAY = "substr(created_at, 1, 10)"
_POSTGRES_DAY = "(created_at AT TIME ZONE 'UTC')::date"


def _count_by_day(day: str) -> str:
    counted = f"SELECT feed_id, {day}, count(*) FROM items GROUP BY 1, 2"  # noqa: S608 - one of two constants
    return f"INSERT INTO feed_days (feed_id, day, added) {counted}"


def _first_person(zone: str) -> str:
    """The owner of the marks from before, with a fixed time: an upgrade and an import give the same row."""
    return (
        "INSERT INTO people (id, created_at, name, name_key, role) SELECT '00000000000070008000000000000001', "  # noqa: S608
        f"'2026-01-01 00:00:00.000000{zone}', 'admin', 'admin', 'admin' WHERE NOT EXISTS (SELECT 1 FROM people)"
    )


COUNT_ANEW = (
    "DELETE FROM feed_counts",
    "INSERT INTO feed_counts (feed_id, items, newest_at) "
    "SELECT feed_id, count(*), max(created_at) FROM items GROUP BY feed_id",
    "DELETE FROM person_feed_counts",
    "INSERT INTO person_feed_counts (person_id, feed_id, read) "
    "SELECT marks.person_id, items.feed_id, count(*) FROM marks JOIN items ON items.url = marks.url "
    "WHERE marks.read_at IS NOT NULL GROUP BY marks.person_id, items.feed_id",
)
"""Count the items of each feed, and those that each person has read."""

_BOTH: Mapping[str, tuple[str, ...]] = {
    "0003": (
        "UPDATE feed_schedules SET walks = true "
        "WHERE id IN (SELECT id FROM feeds WHERE kind IN ('pages', 'sitemap'))",
    ),
    "0008": (
        "UPDATE feed_schedules SET fetched_at = "
        "(SELECT last_fetched_at FROM feeds WHERE feeds.id = feed_schedules.id)",
        "UPDATE feed_schedules SET walks = NULL "
        "WHERE id IN (SELECT id FROM feeds WHERE NOT enabled OR deleted_at IS NOT NULL)",
    ),
    "0011": (
        "UPDATE items SET is_shared = true "
        "WHERE url IN (SELECT url FROM items GROUP BY url HAVING count(*) > 1)",
    ),
    "0016": COUNT_ANEW,
    # Documents built before have no texts.
    "0013": ("UPDATE feed_schedules SET build_at = fetched_at WHERE build_at IS NULL AND walks IS NOT NULL",),
    # Otherwise the first request of every feed would be unconditional.
    "0014": ("UPDATE feeds SET read_at = last_fetched_at",),
}

_RECENT = "INSERT INTO story_queue (item_id) SELECT id FROM items WHERE created_at > "
_SQLITE_WINDOW = "strftime('%Y-%m-%d %H:%M:%f000', 'now', '-3 days') ON CONFLICT DO NOTHING"
_POSTGRES_WINDOW = "statement_timestamp() - interval '3 days' ON CONFLICT DO NOTHING"

_BY_DIALECT: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "sqlite": {
        **_BOTH,
        "0002": (_count_by_day(_SQLITE_DAY),),
        "0015": (_RECENT + _SQLITE_WINDOW,),
        "0016": (_first_person(""), *_BOTH["0016"]),
    },
    "postgresql": {
        **_BOTH,
        "0002": (_count_by_day(_POSTGRES_DAY),),
        "0015": (_RECENT + _POSTGRES_WINDOW,),
        "0016": (_first_person("+00"), *_BOTH["0016"]),
    },
}


def backfills(dialect: str, revision: str) -> tuple[str, ...]:
    """The statements that fill in what `revision` added, for rows that were there before."""
    return _BY_DIALECT[dialect].get(revision, ())
