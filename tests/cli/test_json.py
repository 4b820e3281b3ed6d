"""docs/json.md against the real output: the same fields, in the same order, with the documented types."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from inforadar.cli.system.worker import _document
from inforadar.pipeline.worker import WorkReport
from tests.cli.calling import Call
from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "json.md").read_text("utf-8")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


def documented(section: str) -> dict[str, set[str]]:
    text = re.search(rf"^## {section}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert text is not None
    rows = re.findall(r"^\| `(\w+)` \| ([\w, ]+) \|", text[1], re.MULTILINE)
    return {name: {kind.strip() for kind in kinds.split(",")} for name, kinds in rows}


def kind_of(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "time" if _TIME.fullmatch(value) else "string"
        case list():
            return "array"
        case _:
            return "object"


def assert_documented(section: str, document: dict[str, Any], *more: str) -> None:
    fields = documented(section)
    assert [name for name in document if name not in more] == list(fields)
    wrong = {
        name: value
        for name, value in document.items()
        if name in fields and kind_of(value) not in fields[name]
    }
    assert wrong == {}


def fill(home: Path) -> None:
    """One item with only a URL and one with everything; a finished run and an unfinished one."""
    with closing(sqlite3.connect(home / "inforadar.db")) as database, database:
        database.executescript(
            """
            INSERT INTO items (id, hash, feed_id, url, uid) SELECT lower(hex(randomblob(16))), 'a', id,
              'https://a.example/1', 'u1' FROM feeds;
            INSERT INTO items (id, hash, feed_id, url, uid, title, author, snippet, tags, image, language, views,
              comments, rating, bookmarks, score, analyzed_at, analyzer_result) SELECT lower(hex(randomblob(16))), 'b',
              id, 'https://a.example/2', 'u2', 't', 'a', 's', '["x"]', 'i', 'en', 1, 2, 3.5, 4, 0.5,
              '2026-01-01 00:00:00.000000', '{"summary": "s"}' FROM feeds;
            INSERT INTO articles (uid, url, status, failure_code, failure_detail, fetched_at)
              VALUES ('u1', 'https://a.example/1', 'failure', 'FAIL_HTTP', 'd', '2026-01-01 00:00:00.000000');
            INSERT INTO runs (id, kind, started_at, finished_at) VALUES
              ('00000000000000000000000000000001', 'collect', '2026-01-01 00:00:00.000000', NULL),
              ('00000000000000000000000000000002', 'collect', '2026-01-01 00:00:00.000000',
               '2026-01-01 00:00:01.000000');
            """
        )


def test_the_page_says_what_the_commands_print(call: Call, home: Path) -> None:
    opml = '<opml><body><outline text="A" xmlUrl="https://a.example/feed"/></body></opml>'
    imported = call("opml", "import", "-", "--json", stdin=opml).json
    assert_documented("OPML import", imported)
    assert_documented("Feed", imported["added"][0])
    for command in (("show",), ("polling",), ("disable",), ("enable",), ("sync",), ("edit", "--topic", "x")):
        name, *options = command
        more = ("former_urls", "polling_sentence", "week", "push") if name == "show" else ()
        assert_documented("Feed", call("feed", name, "a.example", *options, "--json").json, *more)
    assert_documented(
        "Feed", call("feed", "add", "https://b.example/", "--json").json, "added", "followed_as"
    )
    assert_documented("Feed", call("root-domain", "set", "b.example", "c.example", "--json").json)
    assert call("root-domain", "list", "--json").json == ["a.example", "c.example"]
    assert_documented("Feed", call("feed", "delete", "b.example", "--yes", "--json").json)
    fill(home)
    listed = call("item", "list", "--json").json
    assert len(listed) == 2
    for item in listed:
        assert_documented("Item", item)
        shown = call("item", "show", item["id"], "--json").json
        assert_documented("Item", shown, "content", "text_from", "article", "changes")
        if shown["article"]:
            assert_documented("Article", shown["article"])
    reports = call("run", "list", "--json").json
    assert len(reports) == 2
    for report in reports:
        assert_documented("Report", report)
    assert_documented("Worker", _document(WorkReport()))


def test_the_page_says_what_the_operators_commands_print(call: Call, home: Path) -> None:
    call("feed", "add", "https://a.example/feed")
    assert_documented("Doctor", call("doctor", "--json").json)
    assert_documented("Config show", call("config", "show", "--json").json)
    assert_documented("Db upgrade", call("db", "upgrade", "--json").json)
    assert_documented("Db check", call("db", "check", "--json").json)
    backup = call("db", "backup", "--json").json
    assert_documented("Db backup", backup)
    assert_documented("Db restore", call("db", "restore", backup["backup"], "--yes", "--json").json)
    assert_documented("Db vacuum", call("db", "vacuum", "--dry-run", "--json").json)
    assert_documented("Db vacuum", call("db", "vacuum", "--json").json, "size_before")
    file = home / "all.jsonl.zst"
    assert_documented("Export", call("export", file, "--json").json)
    assert_documented("Import", call("import", file, "--replace", "--yes", "--json").json)


def test_on_an_error_nothing_is_printed_for_programs(call: Call) -> None:
    for arguments in (
        ("feed", "show", "nothing"),
        ("import", "/nowhere"),
        ("db", "restore", "/nowhere", "--yes"),
    ):
        said = call(*arguments, "--json")
        assert said.code in {1, 2}
        assert said.out == ""
        assert said.err.startswith("inforadar: ")
