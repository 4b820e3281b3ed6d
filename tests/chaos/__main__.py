"""`make chaos`: many kills on each database, and a table of what came of it.

    python -m tests.chaos [--kills 1000] [--seconds 600] [--database sqlite|postgresql] [--seed 1]
                          [--unfenced] [--whole]

`--seconds` bounds each database. `--unfenced` runs a build whose fencing is taken out; it must end badly.
Workers are forked from a process that has imported the program; `--whole` starts each from nothing.
Exits with 1 if anything was lost, doubled, half-written or committed without its lease.
"""

# ruff: noqa: T201 - it is a program that prints

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path

from inforadar.store.engine import open_database
from inforadar.store.upgrade import upgrade_database
from tests.chaos.rounds import Tally, open_chaos
from tests.chaos.workers import PROGRAM, UNFENCED
from tests.servers import fresh_postgres, run_postgres

DATABASES = ("sqlite", "postgresql")
BAD = ("lost", "duplicated", "half-written", "lost lease", "never published", "ended by itself")
SHOWN = 20


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--database", choices=DATABASES, action="append")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--unfenced", action="store_true")
    parser.add_argument("--whole", action="store_true")
    arguments = parser.parse_args(argv)
    tallies: dict[str, Tally] = {}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="inforadar-chaos-")))
        for kind in arguments.database or DATABASES:
            server = stack.enter_context(run_postgres()) if kind == "postgresql" else None
            tallies[kind] = asyncio.run(_run(server, folder, arguments))
            _print_row(kind, tallies[kind], with_head=len(tallies) == 1)
    violations = [f"{kind}: {one}" for kind, tally in tallies.items() for one in tally.violations]
    print(*violations[:SHOWN], sep="\n")
    return 1 if violations else 0


async def _run(server: dict[str, str] | None, folder: Path, arguments: argparse.Namespace) -> Tally:
    program = UNFENCED if arguments.unfenced else PROGRAM
    async with (
        fresh_postgres(server) if server else _fresh_sqlite(folder) as url,
        open_chaos(url, folder, seed=arguments.seed, program=program, forked=not arguments.whole) as chaos,
    ):
        return await chaos.run(arguments.kills, arguments.seconds)


@asynccontextmanager
async def _fresh_sqlite(folder: Path) -> AsyncIterator[str]:
    url = f"sqlite:///{folder / 'chaos.db'}"
    async with open_database(url) as database:
        await upgrade_database(database)
    yield url


def _print_row(kind: str, tally: Tally, *, with_head: bool) -> None:
    row = {
        "database  ": kind,
        "kills": tally.kills,
        "freezes": tally.freezes,
        "requests": tally.requests,
        "articles": tally.articles,
        "jobs refused": tally.leases_lost,
        **{name: tally.count(name) for name in BAD},
        "seconds": round(tally.seconds),
    }
    if with_head:
        print("  ".join(row))
    print("  ".join(f"{value:>{len(name)}}" for name, value in row.items()), flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
