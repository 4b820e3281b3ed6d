"""`inforadar doctor` on a healthy system and on broken ones."""

from __future__ import annotations

import asyncio
import json
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calling import Call, Called
from tests.support.ports import free_port
from tests.support.servers import fresh_postgres
from tests.support.site.documents import entries, rss
from tests.support.site.server import Site

LEVELS = {"ok", "warning", "problem"}


def examined(called: Called) -> dict[str, list[dict[str, Any]]]:
    """Return the findings by check. Each has a sentence, and advice where the fix is not obvious."""
    found: dict[str, list[dict[str, Any]]] = {}
    for finding in called.json["findings"]:
        assert set(finding) == {"check", "level", "sentence", "advice"}
        assert finding["level"] in LEVELS
        assert finding["sentence"].endswith((".", "?", ")"))
        found.setdefault(finding["check"], []).append(finding)
    assert called.json["ok"] is (called.code == 0)
    return found


def levels(found: dict[str, list[dict[str, Any]]], check: str) -> set[str]:
    return {finding["level"] for finding in found[check]}


def test_a_well_system_has_nothing_to_complain_about(call: Call) -> None:
    said = call("doctor", "--json")
    found = examined(said)
    assert said.code == 0
    assert set(found) == {
        "settings", "install", "disk", "database", "speed", "clock", "feeds", "redis", "analyzer", "semantic",
    }  # fmt: skip
    assert {level for check in found for level in levels(found, check)} == {"ok"}
    words = call("doctor")
    assert "No problems found." in words.out


def test_sick_feeds_are_named_with_what_to_do(call: Call, home: Path) -> None:
    for name in ("overdue", "suspended", "failing", "stuck", "silent"):
        call("feed", "add", f"https://127.0.0.1/{name}", "--enable", "--polling")
    states = {
        "overdue": "next_run_at = '2026-01-01 00:00:00.000000'",
        "suspended": "next_run_at = NULL, last_error = 'It answered 404.'",
        "failing": "next_run_at = '2999-01-01 00:00:00.000000', failures = 3",
        "stuck": "next_run_at = '2999-01-01 00:00:00.000000', lease_token = 'x', "
        "locked_until = '2026-01-01 00:00:00.000000'",
    }
    with closing(sqlite3.connect(home / "inforadar.db")) as database, database:
        for name, values in states.items():
            database.execute(
                f"UPDATE feed_schedules SET {values} WHERE id = (SELECT id FROM feeds WHERE url LIKE '%/{name}')"
            )
        database.executescript(
            "UPDATE feeds SET last_fetch_status = 'permanent_error' WHERE url LIKE '%/suspended'; "
            "UPDATE feeds SET last_fetch_status = 'success', created_at = '2020-01-01 00:00:00.000000' "
            "WHERE url LIKE '%/silent'; "
            "INSERT INTO items (id, hash, feed_id, url, uid, created_at) "
            "SELECT lower(hex(randomblob(16))), 'h', id, 'https://a.example/', 'u', "
            "'2020-01-02 00:00:00.000000' FROM feeds WHERE url LIKE '%/silent'"
        )
    said = call("doctor", "--json")
    feeds = examined(said)["feeds"]
    assert said.code == 1
    for name in (*states, "silent"):
        (finding,) = [finding for finding in feeds if finding["sentence"].endswith(f"/{name}.")]
        assert finding["advice"]
    assert [finding["level"] for finding in feeds].count("problem") == 1


def test_patterns_of_an_earlier_version_are_named(call: Call, home: Path) -> None:
    for name, pattern in (("safe", "/blog/"), ("unsafe", "/blog/(?!tag)")):
        call("feed", "add", f"https://127.0.0.1/{name}", "--enable")
        options = json.dumps({"include_patterns": [pattern]})
        with closing(sqlite3.connect(home / "inforadar.db")) as database, database:
            database.execute("UPDATE feeds SET options = ? WHERE url LIKE ?", (options, f"%/{name}"))
    (finding,) = examined(call("doctor", "--json"))["patterns"]
    assert finding["sentence"].startswith("https://127.0.0.1/unsafe chooses its pages by '/blog/(?!tag)'")
    assert "`feed edit URL --include`" in finding["advice"]


def test_a_missing_index_and_open_files_are_found(call: Call, home: Path) -> None:
    with closing(sqlite3.connect(home / "inforadar.db")) as database:
        database.execute("DROP INDEX ix_items_pub_date")
    (home / "inforadar.toml").write_text('[ai]\napi_key = "hunter2"\n')
    (home / "inforadar.toml").chmod(0o644)
    home.chmod(0o755)
    said = call("doctor", "--json")
    found = examined(said)
    assert "ix_items_pub_date" in found["database"][0]["sentence"]
    advice = {finding["advice"] for finding in found["settings"]}
    assert advice == {f"chmod 700 {home}", f"chmod 600 {home / 'inforadar.toml'}"}
    assert "hunter2" not in said.out
    assert call("db", "check").code == 1
    assert call("db", "check", "--repair").code == 0
    assert levels(examined(call("doctor", "--json")), "database") == {"ok"}


@pytest.mark.parametrize(
    ("variables", "check", "says"),
    [
        ({"AI_TYPE": "openai"}, "analyzer", "AI_API_KEY"),
        (
            {"AI_TYPE": "openai", "AI_BASE_URL": "http://127.0.0.1:{port}/v1", "AI_MODEL": "m"},
            "analyzer",
            "{port}",
        ),
        ({"REDIS_URL": "redis://:hunter2@127.0.0.1:{port}/0"}, "redis", "does not answer"),
        (
            {"DATABASE_URL": "postgresql://radar:hunter2@127.0.0.1:{port}/radar"},
            "database",
            "does not answer",
        ),
    ],
)
def test_what_is_away_is_found(
    call: Call, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], check: str, says: str
) -> None:
    port = str(free_port())
    for name, value in variables.items():
        monkeypatch.setenv(name, value.replace("{port}", port))
    said = call("doctor", "--json")
    assert said.code == 1
    (finding,) = examined(said)[check]
    assert finding["level"] == "problem"
    assert says.replace("{port}", port) in finding["sentence"]
    assert "hunter2" not in said.out + said.err


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A server that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def test_a_server_that_never_answers_does_not_hold_it_up(
    call: Call, monkeypatch: pytest.MonkeyPatch, silent_port: int
) -> None:
    monkeypatch.setenv("REDIS_URL", f"redis://127.0.0.1:{silent_port}/0")
    monkeypatch.setenv("DATABASE_URL", f"postgresql://radar@127.0.0.1:{silent_port}/radar")
    found = examined(call("doctor", "--json"))
    assert levels(found, "redis") == levels(found, "database") == {"problem"}


async def test_the_way_out_goes_through_the_guard(
    call: Call, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = site.feed("/feed.xml", rss(entries(1)))
    refused = await asyncio.to_thread(call, "doctor", "--url", url, "--json")
    assert (refused.code, levels(examined(refused), "web")) == (1, {"problem"})
    assert site.requests == []
    monkeypatch.setenv("FETCHER_ALLOWED_NETWORKS", ",".join(site.endpoints))
    allowed = await asyncio.to_thread(call, "doctor", "--url", url, "--json")
    assert (allowed.code, levels(examined(allowed), "web")) == (0, {"ok"})


async def test_postgresql_and_redis_are_looked_at_too(
    call: Call, postgres_server: dict[str, str], redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with fresh_postgres(postgres_server) as url:
        monkeypatch.setenv("DATABASE_URL", url)
        monkeypatch.setenv("REDIS_URL", redis_url)
        said = await asyncio.to_thread(call, "doctor", "--json")
    found = examined(said)
    assert {level for check in found for level in levels(found, check)} == {"ok"}, found
    assert "answers in" in found["redis"][0]["sentence"]
