"""A schedule with very many feeds, made by the database itself: a million rows in half a minute.

Nine of ten hosts have ten feeds. Of a hundred feeds, one is new, three wait after an error, and one is suspended. All
are due within the next hour, except every fiftieth, which has been due for up to a minute.
"""

from __future__ import annotations

from sqlalchemy import Connection, text

FEEDS_A_SOURCE, TOPICS = 10, 50
DUE_EACH = 50

SERIES = {
    "sqlite": "WITH RECURSIVE s(n) AS (SELECT :first UNION ALL SELECT n + 1 FROM s WHERE n + 1 < :last) ",
    "postgresql": "WITH s(n) AS (SELECT generate_series(CAST(:first AS bigint), :last - 1)) ",
}
ID = {"sqlite": "printf('%032x', n + 1)", "postgresql": "CAST(lpad(to_hex(n + 1), 32, '0') AS uuid)"}
HASH = {
    "sqlite": "lower(hex(randomblob(32)))",
    "postgresql": "encode(sha256(convert_to(n::text, 'UTF8')), 'hex')",
}
LATER = {
    "sqlite": "strftime('%Y-%m-%d %H:%M:%f000', 'now', ({seconds}) || ' seconds')",
    "postgresql": "statement_timestamp() + make_interval(secs => {seconds})",
}
_STATUS = (
    "CASE WHEN n % 100 = 0 THEN NULL WHEN n % 100 < 4 THEN 'temporary_error' "
    "WHEN n % 100 = 4 THEN 'permanent_error' ELSE 'success' END"
)
_FEEDS = """
    INSERT INTO feeds (id, url, url_hash, root_domain, enabled, polling, kind, source, topic, title, options,
                       last_fetch_status, last_fetched_at)
    {series}
    SELECT {id}, 'https://site' || (n / {each}) || '.example/feeds/' || n || '.xml', {hash},
           'site' || (n / {each}) || '.example', true, true, 'feed', 'Site ' || (n / {each}),
           'topic ' || (n % {topics}),
           'News of site ' || (n / {each}) || ', part ' || n, '{{}}',
           {status}, CASE WHEN n % 100 = 0 THEN NULL ELSE {fetched} END
    FROM s
"""
_SCHEDULES = """
    INSERT INTO feed_schedules (id, next_run_at, fetched_at, last_error, failures)
    {series}
    SELECT {id},
           CASE WHEN n % 100 = 4 THEN NULL WHEN n % {due} = 7 THEN {late} ELSE {soon} END,
           CASE WHEN n % 100 = 0 THEN NULL ELSE {fetched} END,
           CASE WHEN n % 100 BETWEEN 1 AND 3 THEN 'The server answered 503.'
                WHEN n % 100 = 4 THEN 'The server answered 404.' END,
           CASE WHEN n % 100 BETWEEN 1 AND 4 THEN 1 ELSE 0 END
    FROM s
"""
_LEASES = """
    UPDATE feed_schedules SET next_run_at = {until}, locked_until = {until}, lease_token = 'bench', claimed_at = {now}
    WHERE id IN ({series} SELECT {id} FROM s WHERE n % 100 > 4 AND n % {due} <> 7 AND n % {step} = {rest})
"""


def fill(connection: Connection, first: int, last: int) -> None:
    """Insert the feeds number `first` up to `last`."""
    kind = connection.dialect.name
    words = {
        "series": SERIES[kind],
        "id": ID[kind],
        "hash": HASH[kind],
        "each": FEEDS_A_SOURCE,
        "topics": TOPICS,
        "due": DUE_EACH,
        "status": _STATUS,
        "fetched": LATER[kind].format(seconds="-(n * 7919 % 3600)"),
        "late": LATER[kind].format(seconds="-(n * 7919 % 60)"),
        "soon": LATER[kind].format(seconds="60 + n * 7919 % 3600"),
    }
    for statement in (_FEEDS, _SCHEDULES):
        connection.execute(text(statement.format(**words)), {"first": first, "last": last})


def lease(connection: Connection, number: int, of: int) -> int:
    """Lease feeds as a worker would; earlier leases are released. Return the number of leases."""
    kind = connection.dialect.name
    soon = LATER[kind].format(seconds="60")
    connection.execute(
        text(
            f"UPDATE feed_schedules SET locked_until = NULL, lease_token = NULL, next_run_at = {soon} "
            "WHERE lease_token IS NOT NULL"
        )
    )
    # Of a hundred feeds, five are not waiting for their scheduled time and two are due.
    step = max(of * 93 // 100 // max(number, 1), 2)
    words = {
        "series": SERIES[kind],
        "id": ID[kind],
        "due": DUE_EACH,
        # A step that shares a factor with the feeds left out would hit none, or too few.
        "step": step + (step % 2 == 0),
        "rest": 1,
        "until": LATER[kind].format(seconds="590"),
        "now": LATER[kind].format(seconds="0"),
    }
    return connection.execute(text(_LEASES.format(**words)), {"first": 0, "last": of}).rowcount
