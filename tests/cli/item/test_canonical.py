"""`canonical …`, `item show` and `item refresh`, as a person would use them."""

from __future__ import annotations

import asyncio
import os
import pty
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import redis as plain

from inforadar.urls import uid
from tests.cli.program import Program
from tests.support.site.answers import status
from tests.support.site.documents import Entry, article_page, rss
from tests.support.site.server import Site

PARAGRAPH = (
    "The harbour board of Saltmere met on Tuesday and agreed to dredge the inner basin before the winter, "
    "which will cost 2.4 million crowns and take eleven weeks according to its chair, Ilse Marn. "
)


@pytest.fixture
def program(program: Program, site: Site) -> Program:
    networks = ",".join(site.endpoints)
    return replace(
        program, extra={"FETCHER_ALLOWED_NETWORKS": networks, "FETCHER_DOMAIN_DELAY": "0", "REDIS_URL": ""}
    )


def page(number: int, text: str = PARAGRAPH) -> str:
    return article_page(title=f"Story {number}", paragraphs=[text] * 4, author="Ilse Marn")


async def collect(program: Program, site: Site, urls: list[str]) -> None:
    feed = site.feed("/feed.xml", rss([Entry(url=url, title=f"Story {url[-1]}") for url in urls]))
    await program.run("feed", "add", feed, "--enable", "--sync", "--topic", "world")
    done = await program.run("worker", "--once", "--stages", "collect")
    assert done.code == 0, done


async def test_a_run_prints_the_seeds_lines_and_the_statistics_say_what_failed_where(
    program: Program, site: Site
) -> None:
    good, short, missing = site.page("/articles/1", page(1)), site.page("/articles/2", "x"), site.url("/gone")
    await collect(program, site, [good, short, missing])
    done = await program.run("canonical", "run")
    assert done.code == 0, done
    lines = done.out.splitlines()
    for url in (good, short, missing):
        assert f"[canon] 🌐 Fetching → {url}" in lines
    assert "[canon] ⚠️ Bad HTML → skip" in lines
    assert "[canon] ⚠️ HTTP error → skip" in lines
    assert f"[canon] ✅ Stored canonical → {uid(good)}" in lines
    assert lines[-1] == "3 articles: 1 FAIL_BAD_HTML, 1 FAIL_HTTP, 1 success."

    again = await program.run("canonical", "run", "--json")
    assert again.json["endings"] == {}
    stats = (await program.run("canonical", "stats", "--json")).json
    assert (stats["stored"], stats["failed"], round(stats["success_rate"], 2)) == (1, 2, 0.33)
    assert stats["codes"] == {"FAIL_BAD_HTML": 1, "FAIL_HTTP": 1}
    (host,) = stats["hosts"]
    assert (host["host"], host["stored"], host["failed"]) == (f"127.0.0.1:{site.port}", 1, 2)
    assert host["codes"] == {"FAIL_BAD_HTML": 1, "FAIL_HTTP": 1}
    assert stats["queue"] == {"due": 0, "in_progress": 0, "postponed": 0, "retrying": 0, "outbox": 0}
    shown = await program.run("canonical", "stats")
    assert "1 stored, 2 failed: 33.3% success." in shown.out


async def test_on_a_terminal_a_run_has_a_bar(program: Program, site: Site) -> None:
    await collect(program, site, [site.page("/articles/1", page(1))])
    ours, theirs = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *program.command, "canonical", "run", env=program.environment | {"TERM": "xterm"}, stdout=theirs
    )
    os.close(theirs)
    seen = await asyncio.to_thread(read_all, ours)
    assert await process.wait() == 0
    assert "[canon] 🌐 Fetching →" in seen
    assert "Articles" in seen
    assert "1/1" in seen


def read_all(terminal: int) -> str:
    seen = b""
    try:
        while part := os.read(terminal, 65536):
            seen += part
    except OSError:
        pass  # the other side is gone
    os.close(terminal)
    return seen.decode()


async def test_an_item_is_shown_as_readable_text_with_its_analysis(program: Program, site: Site) -> None:
    text = f"{PARAGRAPH} Кириллица, 中文, عربي, 🛟 \x07and\u202e."
    url = site.page("/articles/1", page(1, text))
    await collect(program, site, [url])
    await program.run("worker", "--once")
    done = await program.run("item", "show", url.removeprefix("http://"))
    assert done.code == 0, done
    for part in (
        "Story 1",
        "Ilse Marn",
        url,
        "dredge the inner basin",
        "Кириллица, 中文, عربي, 🛟",
        "overall",
    ):
        assert part in done.out, part
    assert "\x07" not in done.out
    assert "\u202e" not in done.out
    shown = (await program.run("item", "show", url, "--json")).json
    assert shown["article"]["status"] == "success"
    assert "dredge the inner basin" in shown["article"]["markdown"]
    assert shown["analyzer_result"]["scores"]


async def test_a_refresh_says_what_happened(program: Program, site: Site) -> None:
    url = site.feed("/articles/1", page(1), etag='"v1"', content_type="text/html; charset=utf-8")
    await collect(program, site, [url])
    first = await program.run("item", "refresh", url, "--json")
    assert (first.code, first.json["outcome"], first.json["failure"]) == (0, "stored", None)
    again = await program.run("item", "refresh", url)
    assert again.out == f"{url}: not modified since the last download; nothing was downloaded.\n"
    site.respond("/articles/1", status(404))
    failed = await program.run("item", "refresh", url)
    assert failed.code == 1
    assert f"(FAIL_HTTP). The text of {first.json['text_len']} characters stays." in failed.out


async def test_redis_is_rebuilt_by_one_command(program: Program, site: Site, redis_url: str) -> None:
    refused = await program.run("canonical", "rebuild")
    assert (refused.code, refused.err) == (2, "inforadar: Redis is not configured. Set REDIS_URL.\n")
    program = replace(program, extra={**(program.extra or {}), "REDIS_URL": redis_url})
    url = site.page("/articles/1", page(1))
    await collect(program, site, [url])
    assert (await program.run("canonical", "run", "--json")).json["endings"] == {"success": 1}
    with plain.Redis.from_url(redis_url, decode_responses=True) as client:
        client.flushdb()
        done = await program.run("canonical", "rebuild", "--json")
        assert done.json == {"links": 1, "articles": 1, "failures": 0}
        assert client.hget(f"rss:article_canonical:{uid(url)}", "status") == "success"
        assert client.smembers("rss:category_links:world") == {url}
    away = replace(program, extra={**(program.extra or {}), "REDIS_URL": "redis://127.0.0.1:1/0"})
    done = await away.run("canonical", "rebuild")
    assert (done.code, "Redis cannot be used" in done.err) == (1, True)


async def test_articles_of_an_older_version_are_made_anew_only_when_asked(
    program: Program, site: Site
) -> None:
    url = site.page("/articles/1", page(1))
    await collect(program, site, [url])
    await program.run("canonical", "run")
    none = await program.run("canonical", "rebuild", "--articles")
    assert (none.code, none.out) == (0, "All stored articles have their HTML.\n")
    with closing(sqlite3.connect(program.home / "inforadar.db")) as connection, connection:
        connection.execute("UPDATE articles SET html = NULL")
    assert (await program.run("canonical", "run", "--json")).json["endings"] == {}
    assert (await program.run("canonical", "rebuild", "--articles", "--json")).json == {"queued": 1}
    assert (await program.run("canonical", "run", "--json")).json["endings"] == {"success": 1}
    with closing(sqlite3.connect(program.home / "inforadar.db")) as connection:
        ((html,),) = connection.execute("SELECT html FROM articles").fetchall()
    assert "<p>The harbour board" in html


@pytest.mark.parametrize(
    "command",
    [("feed", "add", "http://127.0.0.1:9/", "--discover"), ("canonical", "run")],
)
async def test_redis_without_its_extra_is_a_clear_sentence(
    program: Program, tmp_path: Path, command: tuple[str, ...]
) -> None:
    # As if it were not installed: the import fails in the same way.
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['redis'] = None\n")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    extra = {**(program.extra or {}), "REDIS_URL": "redis://127.0.0.1:1/0", "PYTHONPATH": path}
    done = await replace(program, extra=extra).run(*command)
    assert done.code == 2, done
    assert "REDIS_URL needs the extra: pip install 'inforadar[redis]'." in done.err
    assert "Traceback" not in done.err
