"""A process that saves jobs and can be killed at a known moment: `URL MOMENT FEED…`.

MOMENT is a number of statements: after that many of its first save it prints "here" and waits to be killed, its
transaction open. With `committed` it does so after the commit, with `never` it saves feed after feed, printing
each once it is committed.
"""

from __future__ import annotations

import asyncio
import sys
from uuid import UUID

from sqlalchemy import Connection, event

from inforadar.model.ids import FeedId
from inforadar.model.run import RunKind
from inforadar.stages.diff import diff
from inforadar.store.database import open_database
from inforadar.store.leases import claim_feeds
from inforadar.store.runs.save import insert_run
from inforadar.store.writer import save_collected
from tests.store.making import NOW, collected, listed

ITEMS = 40


def stop_here() -> None:
    print("here", flush=True)  # noqa: T201
    sys.stdin.read()


async def main(url: str, moment: str, feed_ids: list[FeedId]) -> None:
    async with open_database(url) as database:
        run = await database.write(insert_run, RunKind.COLLECT, NOW)
        leases = await database.write(claim_feeds, feed_ids)

        def save(connection: Connection, job: object) -> None:
            done = 0

            def after(*_: object) -> None:
                nonlocal done
                done += 1
                if str(done) == moment:
                    stop_here()

            event.listen(connection, "after_cursor_execute", after)
            save_collected(connection, [job], diff)  # type: ignore[list-item]
            event.remove(connection, "after_cursor_execute", after)
            if moment == "before the commit":
                stop_here()

        for lease in leases:
            new = [listed(f"{lease.feed.url}/{n}") for n in range(ITEMS)]
            await database.write(save, collected(lease, run, *new))
            if moment == "committed":
                stop_here()
            print(lease.feed.id, flush=True)  # noqa: T201


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], [FeedId(UUID(one)) for one in sys.argv[3:]]))
