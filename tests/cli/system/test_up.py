"""`inforadar up` for a newcomer: from nothing to articles, and a clean stop."""

from __future__ import annotations

import asyncio
import signal
import socket
import sqlite3
import stat
from contextlib import closing
from datetime import UTC, datetime
from urllib.parse import quote, unquote

import aiohttp
import feedparser

from tests.cli.program import Program, read_until
from tests.support.feed_rules import rss_problems


async def get(url: str) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.get(url) as response:
        return response.status, await response.text()


async def test_from_nothing_to_articles_changes_and_scores_and_down_again(program: Program) -> None:
    async with program.started("up") as up:
        said = await read_until(up, "Press Ctrl-C to stop")
        assert f"{program.url}/" in said
        assert str(program.home) in said
        assert "login/link" not in said, "only a terminal gets the link; this may be a log"
        link = f"INFORADAR_PORT={program.port} inforadar --home {program.home} person link admin "
        assert link in said, "what is printed can be pasted into another terminal"

        items = (await program.run("item", "list", "--limit", "100", "--json")).json
        assert len(items) >= 15
        assert sum(item["score"] is not None for item in items) >= 15  # the newest may just have come in
        assert len({item["language"] for item in items}) > 1
        runs = (await program.run("run", "list", "--json")).json
        assert len(runs) >= 2
        assert any(run["updated_count"] for run in runs)
        feeds = (await program.run("feed", "list", "--json")).json
        assert {feed["health"] for feed in feeds} <= {"success", "new"}

        status, page = await get(program.url)
        assert status == 200
        assert items[5]["title"].split()[0] in page
        status, health = await get(f"{program.url}/health")
        assert status == 200
        assert '"ok"' in health
        status, document = await get(f"{program.url}/rss?url={quote(feeds[0]['url'], safe='')}")
        assert status == 200
        assert rss_problems(document, now=datetime.now(UTC)) == []
        parsed = feedparser.parse(document)
        assert not parsed.bozo
        assert len(parsed.entries) >= 5

        second = await program.run("up")
        assert second.code == 2
        assert f"already running on {program.home} (process {up.pid})" in second.err

        up.send_signal(signal.SIGINT)
        async with asyncio.timeout(30):
            assert await up.wait() == 0
        assert up.stdout is not None
        assert "Traceback" not in (await up.stdout.read()).decode()

    removed = await program.run("sample", "remove")
    assert removed.code == 0
    assert (await program.run("item", "list", "--json")).json == []
    # A run that found nothing new belongs to no feed.
    left = (await program.run("run", "list", "--json")).json
    assert [run for run in left if run["added_count"] or run["updated_count"]] == []
    with closing(sqlite3.connect(program.home / "inforadar.db")) as database:
        assert database.execute("SELECT count(*) FROM articles").fetchone() == (0,)


async def test_without_the_sample_it_starts_empty(program: Program) -> None:
    async with program.started("up", "--no-sample") as up:
        await read_until(up, "Press Ctrl-C to stop")
        assert (await program.run("feed", "list", "--json")).json == []
        status, page = await get(program.url)
        assert status == 200
        assert "Welcome." in page


async def test_a_busy_port_is_said_at_once_and_refused(program: Program) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", program.port))
        other.listen()
        done = await program.run("up")
    assert done.code == 2
    assert f"Port {program.port} on 127.0.0.1 is taken by another program" in done.err


async def test_a_busy_port_of_the_sample_is_said_at_once_and_nothing_is_added(program: Program) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", program.sample_port))
        other.listen()
        done = await program.run("up")
    assert done.code == 2
    assert f"Port {program.sample_port} on 127.0.0.1, which the sample world needs" in done.err
    assert "is running" not in done.out
    assert (await program.run("feed", "list", "--json")).json == []


async def test_a_sample_that_is_there_is_not_served_where_its_port_is_taken(program: Program) -> None:
    assert (await program.run("sample", "add")).code == 0
    with socket.socket() as other:
        other.bind(("127.0.0.1", program.sample_port))
        other.listen()
        done = await program.run("up")
        assert done.code == 2
        assert "start without the sample: --no-sample" in done.err
        assert "is running" not in done.out
        async with program.started("up", "--no-sample") as up:
            said = await read_until(up, "Press Ctrl-C to stop")
            assert f":{program.sample_port}" not in unquote(said)
            up.send_signal(signal.SIGINT)
            async with asyncio.timeout(30):
                assert await up.wait() == 0


async def test_a_home_that_cannot_be_written_is_a_sentence(program: Program) -> None:
    program.home.parent.mkdir(exist_ok=True)
    program.home.write_text("a file where the folder should be")
    done = await program.run("up")
    assert done.code == 1
    assert str(program.home) in done.err
    assert "INFORADAR_HOME" in done.err
    assert "Traceback" not in done.err


async def test_a_database_of_a_newer_program_is_refused(program: Program) -> None:
    assert (await program.run("db", "upgrade")).code == 0
    with closing(sqlite3.connect(program.home / "inforadar.db")) as database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")
        database.commit()
    for command in (("up",), ("item", "list"), ("worker", "--once")):
        done = await program.run(*command)
        assert done.code == 2, command
        assert "newer Info Radar" in done.err


async def test_the_home_folder_is_closed_to_others(program: Program) -> None:
    assert (await program.run("feed", "list")).code == 0
    assert stat.S_IMODE(program.home.stat().st_mode) == 0o700


async def test_a_child_that_dies_is_started_again_with_a_word(program: Program) -> None:
    async with program.started("up", "--no-sample") as up:
        await read_until(up, "Press Ctrl-C to stop")
        for wait in ("1 second.", "2 seconds."):
            async with asyncio.timeout(60):
                while not await killed(up, "inforadar worker"):
                    pass
            said = await read_until(up, "It is started again")
            assert (
                f"`inforadar worker` ended unexpectedly (killed by SIGKILL). It is started again in {wait}"
                in said
            )
        up.terminate()
        await read_until(up, "Stopped.")
        assert await up.wait() == 0


async def killed(up: asyncio.subprocess.Process, command: str) -> bool:
    """Kill the child that runs this command; False if there is none."""
    killing = await asyncio.create_subprocess_exec("pkill", "-KILL", "-P", str(up.pid), "-f", command)
    return await killing.wait() == 0
