"""`python notifying_process.py DATABASE_URL`: evaluates and sends until it is killed."""

from __future__ import annotations

import asyncio
import sys

from inforadar.store.database import open_database
from tests.pipeline.notify.receiving import notifier


async def main() -> None:
    async with open_database(sys.argv[1]) as database, notifier(database) as stage:
        while True:
            await stage.run_once()
            await asyncio.sleep(0.01)


if __name__ == "__main__":
    asyncio.run(main())
