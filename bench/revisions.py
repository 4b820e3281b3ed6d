"""How well changes of articles are found: `python -m bench revisions`.

Two parts: the tables of `tests/data/revisions` (pairs that are the same, pairs that were edited), and the sample world,
whose recorded past is looked at once more. Printed are requests spent, changes found and false changes.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import select

from inforadar.config import load_settings
from inforadar.model.revision import Revision
from inforadar.sample.feeds import past_run_times
from inforadar.sample.install import add_sample, load_world
from inforadar.stages.revise.judge import judge_look
from inforadar.stages.revise.verdict import Unchanged
from inforadar.store.database import open_database
from inforadar.store.revisions.queries import load_revisions_of
from inforadar.store.schema.revisions import article_revisions
from inforadar.store.upkeep.upgrade import upgrade_database
from inforadar.views.revisions import kinds_text, noted_text
from tests.support.revision_pairs import load_pairs


def main(argv: list[str]) -> int:
    argparse.ArgumentParser(description=__doc__).parse_args(argv)
    is_right = _measure_tables()
    asyncio.run(_measure_sample())
    return 0 if is_right else 1


def _measure_tables() -> bool:
    same, edits = load_pairs("same"), load_pairs("edits")
    began = time.process_time()
    false = [pair.name for pair in same if not isinstance(judge_look(pair.old, pair.new), Unchanged)]
    missed, kinds = [], Counter[str]()
    for pair in edits:
        found = judge_look(pair.old, pair.new)
        if isinstance(found, Revision) and set(pair.kinds) <= {kind.value for kind in found.kinds}:
            kinds.update(pair.kinds)
        else:
            missed.append(pair.name)
    each_ms = (time.process_time() - began) / (len(same) + len(edits)) * 1000
    print(f"tables: {len(same)} pairs without an edit, {len(false)} false changes {false}")
    print(f"        {len(edits)} edits, {len(edits) - len(missed)} found with their kinds, missed {missed}")
    print(f"        {dict(kinds.most_common())}")
    print(f"        {each_ms:.1f} ms of CPU for each comparison")
    return not false and not missed


async def _measure_sample() -> None:
    with tempfile.TemporaryDirectory() as home:
        settings = load_settings(Path(home), {})
        async with open_database(settings.database_url) as database:
            await upgrade_database(database)
            await add_sample(database, settings, lambda: datetime.now(UTC))
            world = await load_world(database)
            assert world is not None
            uids = await database.read(lambda c: list(c.execute(select(article_revisions.c.uid)).scalars()))
            found = await database.read(load_revisions_of, uids)
            revisions = sorted((one for own in found.values() for one in own), key=lambda one: one.id)
            looked_at = [world.changed_urls(moment) for moment in past_run_times(world.epoch)]
            looks, changed = sum(map(len, looked_at)), set(looked_at[-1])
            false = [one.url for one in revisions if one.url not in changed]
            print(f"sample: {looks} requests, {len(revisions)} changes found, {len(false)} false {false}")
            for one in revisions:
                print(f"        {one.url.rpartition('/')[2]}: {kinds_text(one)}, {noted_text(one)}")
