"""A check that cannot fail proves nothing: with the fencing taken out, the same checks must find violations.

And on a database where all is well, each kind of harm that is planted must be named.
"""

from __future__ import annotations

import json
import shutil
import signal
from pathlib import Path

from sqlalchemy import Connection, text

from inforadar.store.database import Database
from tests.chaos.audit import compare_articles, find_half_written, find_lost_leases
from tests.chaos.frozen import FEEDS, overtaken_worker
from tests.chaos.mix_audit import list_mix_violations
from tests.chaos.rounds import Chaos, open_chaos
from tests.chaos.workers import UNFENCED, work_once
from tests.support.site import Site


async def test_without_fencing_a_frozen_worker_undoes_the_others_work_and_the_checks_say_so(
    site: Site, database: Database, database_url: str, tmp_path: Path
) -> None:
    async with overtaken_worker(site, database, database_url, tmp_path, UNFENCED) as overtaken:
        assert await overtaken.violations() == []
        overtaken.sleeper.signal(signal.SIGCONT)
        await overtaken.sleeper.said("batch.finished")
        found = await overtaken.violations()
    kinds = [violation.partition(":")[0] for violation in found]
    # Each feed says an older version than it has articles of, went back to it, and was not the sleeper's to save.
    assert kinds.count("half-written") == FEEDS
    assert kinds.count("lost lease") == 2 * FEEDS


PLANTED = {
    "DELETE FROM items WHERE id = (SELECT max(item_id) FROM notifications WHERE delivery_id IS NOT NULL)": (
        "lost: http",
        "half-written: http",
    ),
    "UPDATE feeds SET etag = '\"99\"' WHERE id = (SELECT min(feed_id) FROM items)": ("half-written: http",),
    "UPDATE items SET url = url || '-other' WHERE id = (SELECT max(id) FROM items)": (
        "never published: http",
        "lost: http",
    ),
    "INSERT INTO audit_commits SELECT feed_id, run_id, NULL FROM items LIMIT 1": ("lost lease: http",),
    "DELETE FROM rule_matches WHERE item_id = (SELECT max(id) FROM items)": (
        "lost: 1 items that no rule was asked about",
    ),
    "DELETE FROM story_items WHERE item_id = (SELECT max(id) FROM items)": (
        "lost: 1 items without a story",
        "half-written: 1 stories whose count is not that of their items",
    ),
    "UPDATE deliveries SET state = 'pending' WHERE id = (SELECT max(id) FROM deliveries)": (
        "lost: 1 deliveries that were not sent",
    ),
    "UPDATE notifications SET delivery_id = NULL, story_id = NULL WHERE delivery_id IS NOT NULL": (
        "lost: ",
        "messages left out though nothing was told of their story",
    ),
    "UPDATE events SET number = NULL WHERE id = (SELECT max(id) FROM events)": (
        "lost: 1 events without a number",
    ),
    "UPDATE feed_counts SET items = items + 1 WHERE feed_id = (SELECT min(feed_id) FROM items)": (
        "half-written: 1 feeds whose items are counted wrongly",
    ),
}
"""Statement → what is found then, or a part of it."""


class UndoneError(Exception):
    """Ends a transaction without a trace."""


async def found_after(chaos: Chaos, statement: str = "SELECT 1") -> list[str]:
    """What the checks find after a statement that is undone."""
    found: list[str] = []

    def look(connection: Connection) -> None:
        assert chaos.mix is not None
        connection.execute(text(statement))
        found.extend(compare_articles(connection, chaos.feeds))
        found.extend(find_half_written(connection))
        found.extend(find_lost_leases(connection))
        found.extend(list_mix_violations(connection, chaos.mix))
        raise UndoneError

    try:
        await chaos.database.write(look)
    except UndoneError:
        return found
    raise AssertionError("it was not undone")


async def test_what_is_lost_doubled_or_half_written_is_named(sqlite_template: Path, tmp_path: Path) -> None:
    file = tmp_path / "chaos.db"
    shutil.copy(sqlite_template, file)
    async with open_chaos(f"sqlite:///{file}", tmp_path, seed=2, harms={}, forked=True, mixed=True) as chaos:
        # The first items of a feed are told to nobody: the second time there is something to tell.
        await work_once(chaos.setup)
        tally = await chaos.run({}, 0.0)
        assert tally.violations == await found_after(chaos) == []
        assert min(tally.mixed[name] for name in ("stories", "deliveries", "webhooks")) > 0
        for statement, expected in PLANTED.items():
            found = await found_after(chaos, statement)
            for beginning in expected:
                assert any(beginning in one for one in found), (statement, found)

        assert chaos.mix is not None
        requests = chaos.mix.hook.requests
        headers, body = requests[-1]
        key = next(name for name in headers if name.lower() == "webhook-id")
        requests.append(({**headers, key: "msg_another"}, body))
        assert [one for one in await found_after(chaos) if one.endswith("was told under 2 keys")]
        requests[-1] = (headers, json.dumps({"items": [{"url": "https://other.example/"}]}).encode())
        assert [one for one in await found_after(chaos) if "was sent with different contents" in one]
        del requests[:]
        assert [one for one in await found_after(chaos) if one.endswith("never arrived")]
        reader = chaos.mix.readers[0]
        reader.confirmed.add(10**9)
        assert "lost: 1 items that a person marked" in await found_after(chaos)
