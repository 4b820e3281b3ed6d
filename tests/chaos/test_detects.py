"""A check that cannot fail proves nothing: with the fencing taken out, the same checks must find violations."""

from __future__ import annotations

import signal
from pathlib import Path

from inforadar.store.database import Database
from tests.chaos.frozen import FEEDS, overtaken_worker
from tests.chaos.workers import UNFENCED
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
