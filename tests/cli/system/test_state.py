"""Backups, exports, retention and moves, as an operator runs them."""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
import sqlite3
import stat
import sys
from contextlib import closing, suppress
from pathlib import Path

import asyncpg
import pytest

from tests.cli.calling import Call
from tests.support.servers import fresh_postgres


def filled(call: Call, number: int = 3) -> None:
    feeds = "".join(f'<outline text="Канал {n}" xmlUrl="https://a.example/{n}"/>' for n in range(number))
    assert call("opml", "import", "-", stdin=f"<opml><body>{feeds}</body></opml>").code == 0


def number_of_feeds(call: Call) -> int:
    return len(call("feed", "list", "--json").json)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_backup_made_while_the_database_is_in_use_brings_everything_back(call: Call, home: Path) -> None:
    filled(call)
    with closing(sqlite3.connect(home / "inforadar.db")) as other:
        # Somebody is in the middle of something: the copy is of the moment before.
        other.execute("BEGIN IMMEDIATE")
        other.execute("DELETE FROM feed_schedules")
        copy = Path(call("db", "backup", "--json").json["backup"])
        other.rollback()
    assert copy.parent == home
    assert mode(copy) == 0o600
    filled(call, 5)
    assert number_of_feeds(call) == 5
    refused = call("db", "restore", copy)
    assert (refused.code, "--yes" in refused.err) == (2, True)
    done = call("db", "restore", copy, "--yes", "--json").json
    assert done["rows"]["feeds"] == 3
    assert number_of_feeds(call) == 3
    assert call("db", "check").code == 0
    # What was there before is still there.
    assert call("db", "restore", done["replaced"], "--yes").code == 0
    assert number_of_feeds(call) == 5


def test_a_damaged_database_is_refused_and_restored(call: Call, home: Path) -> None:
    filled(call)
    copy = call("db", "backup", home / "good.db", "--json").json["backup"]
    database = home / "inforadar.db"
    for damage in (b"this is no database at all" * 1000, database.read_bytes()[:5000] + b"\xff" * 60_000):
        for ending in ("-wal", "-shm"):
            Path(f"{database}{ending}").unlink(missing_ok=True)
        database.write_bytes(damage)
        refused = call("feed", "list")
        assert refused.code == 1
        assert "inforadar db restore FILE" in refused.err
        assert "Traceback" not in refused.err
        assert call("doctor").code == 1
        assert call("db", "restore", copy, "--yes").code == 0
        assert number_of_feeds(call) == 3


def test_a_damaged_or_foreign_backup_is_refused_and_changes_nothing(call: Call, home: Path) -> None:
    filled(call)
    good = Path(call("db", "backup", home / "good.db", "--json").json["backup"]).read_bytes()
    foreign = home / "foreign.db"
    with closing(sqlite3.connect(foreign)) as other:
        other.execute("CREATE TABLE something (id)")
    bad = home / "bad.db"
    bad.write_bytes(good[:20_000] + os.urandom(20_000) + good[40_000:])
    text = home / "notes.txt"
    text.write_text("nothing")
    for file in (foreign, bad, text, home / "missing"):
        refused = call("db", "restore", file, "--yes")
        assert refused.code in {1, 2}, file
        assert "Traceback" not in refused.err
        assert number_of_feeds(call) == 3
    assert not list(home.glob("*restoring*"))
    again = call("db", "backup", home / "good.db")
    assert (again.code, "already exists" in again.err) == (2, True)


def test_a_database_that_is_open_is_not_replaced(call: Call, home: Path) -> None:
    filled(call)
    copy = call("db", "backup", "--json").json["backup"]
    holder = f"import sqlite3, sys; c = sqlite3.connect({str(home / 'inforadar.db')!r}); " + (
        "c.execute('SELECT count(*) FROM feeds').fetchall(); print('open', flush=True); sys.stdin.read()"
    )

    async def held() -> int:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", holder, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )
        assert process.stdout is not None
        await process.stdout.readline()
        code = await asyncio.to_thread(call, "db", "restore", copy, "--yes")
        process.kill()
        await process.wait()
        return code.code

    assert asyncio.run(held()) == 2


def test_everything_goes_into_one_file_and_back(call: Call, home: Path) -> None:
    filled(call)
    file = home / "all.jsonl.zst"
    said = call("export", file)
    assert (said.code, "3 feeds" in said.out) == (0, True)
    assert mode(file) == 0o600
    assert call("export", file).code == 2
    before = call("feed", "list", "--json").json
    assert (refused := call("import", file)).code == 2
    assert "--replace" in refused.err
    assert call("import", file, "--replace").code == 2
    filled(call, 5)
    assert call("import", file, "--replace", "--yes").code == 0
    assert call("feed", "list", "--json").json == before
    assert call("db", "restore", file, "--yes").code == 0
    assert call("feed", "list", "--json").json == before
    file.write_bytes(file.read_bytes()[:-40])
    assert (cut := call("import", file, "--replace", "--yes")).code == 1
    assert "cut off" in cut.err
    assert call("feed", "list", "--json").json == before


def test_vacuum_says_first_what_it_would_delete(
    call: Call, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(call, 1)
    with closing(sqlite3.connect(home / "inforadar.db")) as other, other:
        other.executescript(
            "INSERT INTO items (id, hash, feed_id, url, uid, created_at) SELECT lower(hex(randomblob(16))), "
            "n.value, f.id, 'https://a.example/' || n.value, n.value, '2020-01-01 00:00:00.000000' "
            "FROM feeds f, json_each('[1,2,3,4,5,6,7]') n"
        )
    assert call("db", "vacuum", "--dry-run", "--json").json["items"] == 0
    monkeypatch.setenv("RETENTION_MAX_AGE_DAYS", "365")
    assert call("db", "vacuum", "--dry-run", "--json").json["items"] == 7
    assert call("item", "list", "--json").json
    refused = call("db", "vacuum")
    assert (refused.code, "--yes" in refused.err) == (2, True)
    assert call("db", "vacuum", "--yes", "--json").json["items"] == 7
    assert call("item", "list", "--json").json == []


def test_a_move_to_the_database_in_use_is_refused(call: Call, home: Path) -> None:
    refused = call("db", "move", "--to", f"sqlite:///{home / 'inforadar.db'}")
    said = "inforadar: --to names the database that is already in use.\n"
    assert (refused.code, refused.err) == (2, said)


async def test_a_move_that_is_killed_goes_on_and_ends_the_same(
    call: Call, home: Path, postgres_server: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    await asyncio.to_thread(filled, call, 300)
    async with fresh_postgres(postgres_server, migrated=False) as target:
        # A pipe without room: it stands still at the first thing it says, with one table moved.
        reading, writing = os.pipe()
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
        os.write(writing, b" " * fcntl.fcntl(writing, fcntl.F_GETPIPE_SZ))
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "inforadar", "db", "move", "--to", target), stderr=writing
        )
        connection = await asyncpg.connect(target)
        try:
            async with asyncio.timeout(60):
                while not await has_moved(connection, "feeds"):
                    await asyncio.sleep(0.02)
            process.send_signal(signal.SIGKILL)
            await process.wait()
        finally:
            await connection.close()
            os.close(reading)
            os.close(writing)

        monkeypatch.setenv("DATABASE_URL", target)
        half = await asyncio.to_thread(call, "feed", "list")
        assert (half.code, "db move" in half.err) == (1, True)
        monkeypatch.delenv("DATABASE_URL")
        moved = (await asyncio.to_thread(call, "db", "move", "--to", target, "--json")).json
        assert (moved["resumed"], moved["rows"]["feed_schedules"]) == (True, 300)

        monkeypatch.setenv("DATABASE_URL", target)
        assert await asyncio.to_thread(number_of_feeds, call) == 300
        copy = (await asyncio.to_thread(call, "db", "backup", "--json")).json["backup"]
        assert copy.endswith(".jsonl.zst")
        restored = (await asyncio.to_thread(call, "db", "restore", copy, "--yes", "--json")).json
        assert (restored["rows"]["feeds"], restored["replaced"]) == (300, None)


async def has_moved(connection: asyncpg.Connection, table: str) -> bool:
    with suppress(asyncpg.UndefinedTableError):
        return bool(await connection.fetchval("SELECT done FROM move_progress WHERE name = $1", table))
    return False
