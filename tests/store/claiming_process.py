"""A process with several workers that claim feeds until there are none left: `URL WORKERS`.

Prints a line when it is ready, begins when it reads one, and prints what each worker got.
"""

from __future__ import annotations

import asyncio
import json
import sys

from inforadar.store.database import open_database
from inforadar.store.feeds.queries import count_feeds
from inforadar.store.leases import claim_due_feeds


async def main(url: str, workers: int) -> None:
    async with open_database(url) as database:
        await database.read(count_feeds)
        print("ready", flush=True)  # noqa: T201
        sys.stdin.readline()

        async def work(limit: int) -> list[str]:
            mine: list[str] = []
            while leases := await database.write(claim_due_feeds, limit):
                mine += [str(lease.feed.id) for lease in leases]
            return mine

        print(json.dumps(await asyncio.gather(*(work(7 + n) for n in range(workers)))), flush=True)  # noqa: T201


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
