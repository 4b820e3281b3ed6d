"""What must never be seen in the database, and triggers that see it even if it is covered up later.

At every moment the articles of a feed are exactly those up to the number in its ETag: a job is all or nothing,
and validators never run ahead of content. Each cycle claims with one token, which begins with its worker's key, and a
run is one or more cycles of a worker: a run that commits under another worker's token, or under none, had lost its
lease. The triggers write down each commit, and each ETag that goes back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sqlalchemy import Connection, text

from inforadar.store.database import Database
from tests.chaos.site import NumberedFeed

_TABLES = (
    "CREATE TABLE audit_commits (feed_id {uuid}, run_id {uuid}, token VARCHAR(32))",
    "CREATE TABLE audit_breaches (feed_id {uuid}, what TEXT)",
)
_WATCHED = (
    (
        "items",
        "INSERT",
        "NEW.run_id IS NOT NULL",
        "INSERT INTO audit_commits SELECT NEW.feed_id, NEW.run_id, s.lease_token"
        " FROM feed_schedules s WHERE s.id = NEW.feed_id;",
    ),
    (
        "feed_schedules",
        "UPDATE",
        # Only what was fetched sets this time; others may plan the next fetch.
        "OLD.lease_token IS NULL AND NEW.lease_token IS NULL AND NEW.fetched_at IS DISTINCT FROM OLD.fetched_at",
        "INSERT INTO audit_breaches VALUES (NEW.id, 'was saved though nobody had its lease');",
    ),
    (
        "feeds",
        "UPDATE",
        "CAST(trim(NEW.etag, '\"') AS INTEGER) < CAST(trim(OLD.etag, '\"') AS INTEGER)",
        "INSERT INTO audit_breaches VALUES"
        " (NEW.id, 'went back from version ' || OLD.etag || ' to ' || NEW.etag);",
    ),
)
"""(table, event, condition, what is noted)."""


def install_audit(connection: Connection) -> None:
    on_sqlite = connection.dialect.name == "sqlite"
    for table in _TABLES:
        connection.execute(text(table.format(uuid="CHAR(32)" if on_sqlite else "UUID")))
    for table, event, condition, note in _WATCHED:
        trigger = f"CREATE TRIGGER audit_{table} AFTER {event} ON {table} FOR EACH ROW WHEN ({condition})"
        if on_sqlite:
            connection.exec_driver_sql(f"{trigger} BEGIN {note} END")
        else:
            function = f"CREATE FUNCTION audit_{table}() RETURNS trigger LANGUAGE plpgsql AS"
            connection.exec_driver_sql(f"{function} $$BEGIN {note} RETURN NULL; END$$")
            connection.exec_driver_sql(f"{trigger} EXECUTE FUNCTION audit_{table}()")


_SNAPSHOT = text(
    """SELECT f.url, f.etag, count(i.id) AS stored, count(DISTINCT i.url) AS different
    FROM feeds f LEFT JOIN items i ON i.feed_id = f.id GROUP BY f.id, f.url, f.etag"""
)
_FOREIGN_COMMITS = text(
    """SELECT f.url, count(*) AS times FROM audit_commits c JOIN feeds f ON f.id = c.feed_id
    WHERE c.token IS NULL
       OR c.run_id IN (SELECT run_id FROM audit_commits GROUP BY run_id
          HAVING count(DISTINCT substr(token, 1, 16)) > 1)
       OR c.token IN (SELECT token FROM audit_commits GROUP BY token HAVING count(DISTINCT run_id) > 1)
    GROUP BY f.url"""
)
_BREACHES = text("SELECT f.url, b.what FROM audit_breaches b JOIN feeds f ON f.id = b.feed_id")
_STORED = text("SELECT f.url AS feed, i.url FROM items i JOIN feeds f ON f.id = i.feed_id")


def find_half_written(connection: Connection) -> list[str]:
    """One look while everything runs: articles and validators belong together in each feed."""
    found = []
    for row in connection.execute(_SNAPSHOT):
        version = int((row.etag or "0").strip('"'))
        if (row.stored, row.different) != (version, version):
            found.append(f"half-written: {row.url} says version {version}, {row.different} articles stored")
    return found


def find_lost_leases(connection: Connection) -> list[str]:
    """Commits of those who had lost their lease by then."""
    foreign = [
        f"lost lease: {row.url} got {row.times} articles from a run that no longer held it"
        for row in connection.execute(_FOREIGN_COMMITS)
    ]
    return foreign + [f"lost lease: {row.url} {row.what}" for row in connection.execute(_BREACHES)]


def compare_articles(connection: Connection, feeds: Sequence[NumberedFeed]) -> list[str]:
    """What was published against what is stored, URL by URL."""
    stored: dict[str, Counter[str]] = {feed.url: Counter() for feed in feeds}
    for row in connection.execute(_STORED):
        stored[row.feed][row.url] += 1
    found = []
    for feed in feeds:
        there, published = stored[feed.url], feed.article_urls()
        found += [f"lost: {url}" for url in sorted(published - there.keys())]
        found += [f"never published: {url}" for url in sorted(there.keys() - published)]
        found += [f"duplicated: {url}" for url in sorted(url for url, times in there.items() if times > 1)]
    return found


async def find_violations(database: Database, feeds: Sequence[NumberedFeed]) -> list[str]:
    """Everything that is wrong once all is quiet; each begins with its kind."""
    return [
        *await database.read(compare_articles, feeds),
        *await database.read(find_half_written),
        *await database.read(find_lost_leases),
    ]
