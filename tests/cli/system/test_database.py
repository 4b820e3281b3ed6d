"""The common behaviour of all commands, and the exact semantics of seed 2's commands."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cyclopts import App

from inforadar.cli import build_app
from tests.cli.calling import Call

URL = "https://news.example/feed"
WITHOUT_JSON = {
    # They write a document of their own, or run until they are stopped.
    *(
        "up",
        "api",
        "completion show",
        "completion install",
        "sample add",
        "sample remove",
        "sample serve",
        "opml export",
    ),
    *("canonical rebuild", "analyze prompt"),
}


def commands(app: App, path: str = "") -> list[tuple[str, App]]:
    found: list[tuple[str, App]] = []
    for name in app:
        if not name.startswith("-"):
            typed = f"{path} {name}".strip()
            found += commands(app[name], typed) or [(typed, app[name])]
    return found


def test_every_listing_and_every_change_takes_json() -> None:
    without = {
        typed
        for typed, command in commands(build_app())
        if not any("--json" in argument.names for argument in command.assemble_argument_collection())
    }
    assert without <= WITHOUT_JSON


def add(call: Call, url: str = URL, *options: str) -> str:
    feed_id: str = call("feed", "add", url, "--json", *options).json["id"]
    return feed_id


def show(call: Call, feed: str) -> dict[str, object]:
    shown: dict[str, object] = call("feed", "show", feed, "--json").json
    return shown


def test_add_registers_and_says_how_the_feed_becomes_live(call: Call) -> None:
    said = call("feed", "add", URL)
    assert said.code == 0
    assert "Nothing is fetched yet" in said.out
    feed = show(call, URL)
    assert (feed["enabled"], feed["polling"], feed["next_run_at"]) == (False, False, None)
    assert feed["root_domain"] == "news.example"
    # Doing what it says makes it live.
    steps = re.findall(r"^  inforadar (.+?) +#", said.out, re.MULTILINE)
    assert [step.split()[1] for step in steps] == ["enable", "polling", "sync"]
    for step in steps:
        assert call(*step.split()).code == 0
    feed = show(call, URL)
    assert (feed["enabled"], feed["polling"]) == (True, True)
    assert feed["next_run_at"] is not None
    again = call("feed", "add", URL, "--topic", "other")
    assert "nothing was changed" in again.out
    assert show(call, URL)["topic"] == "general"


def test_enable_schedules_nothing_and_disable_keeps_the_schedule(call: Call) -> None:
    feed = add(call)
    assert call("feed", "enable", feed, "--json").json["next_run_at"] is None
    due = call("feed", "sync", feed, "--json").json["next_run_at"]
    off = call("feed", "disable", feed, "--json").json
    assert (off["enabled"], off["next_run_at"]) == (False, due)
    assert call("feed", "enable", feed, "--json").json["next_run_at"] == due


def test_polling_toggles_and_schedules_nothing(call: Call) -> None:
    feed = add(call)
    assert call("feed", "polling", feed, "--json").json["polling"] is True
    assert call("feed", "polling", feed, "--json").json["polling"] is False
    assert call("feed", "polling", feed, "on", "--json").json["polling"] is True
    assert call("feed", "polling", feed, "on", "--json").json["next_run_at"] is None


def test_sync_is_refused_for_a_feed_that_nobody_would_fetch(call: Call) -> None:
    feed = add(call)
    refused = call("feed", "sync", feed)
    assert (refused.code, "disabled" in refused.err, "feed enable" in refused.err) == (2, True, True)
    call("feed", "enable", feed)
    call("feed", "delete", feed, "--yes")
    refused = call("feed", "sync", feed)
    assert (refused.code, "deleted" in refused.err, "feed restore" in refused.err) == (1, True, True)


def test_delete_is_soft_and_asks_only_people(call: Call, home: Path) -> None:
    feed = add(call)
    deleted = call("feed", "delete", feed, stdin="n\n")
    assert (deleted.code, "`inforadar feed restore " in deleted.out) == (0, True)
    assert call("feed", "list", "--json").json == []
    assert call("feed", "add", URL, "--json").json["id"] == feed


def test_feeds_that_came_together_are_told_apart_by_the_ends_of_their_ids(call: Call) -> None:
    first, second = add(call, "https://a.example/1"), add(call, "https://a.example/2")
    assert show(call, first[-8:])["id"] == first
    assert show(call, second.replace("-", "")[-10:])["id"] == second
    assert show(call, "a.example/2")["id"] == second
    unsure = call("feed", "show", "a.example")
    assert (unsure.code, "fits 2 feeds" in unsure.err) == (2, True)


def test_root_domains(call: Call) -> None:
    assert add(call, "https://a.example/x", "--no-root-domain")
    feed = add(call, "https://www.bbc.co.uk/rss")
    assert call("root-domain", "list", "--json").json == ["bbc.co.uk"]
    assert call("root-domain", "set", feed, "BBC.com", "--json").json["root_domain"] == "bbc.com"
    assert call("root-domain", "set", feed, "https://bbc.com/").code == 2
    assert call("root-domain", "clear", feed, "--json").json["root_domain"] is None


@pytest.mark.parametrize(
    ("typed", "meant"),
    [(("fed", "list"), "feed"), (("feed", "lst"), "list"), (("feed", "list", "--jsn"), "--json")],
)
def test_a_typo_gets_a_suggestion(call: Call, typed: tuple[str, ...], meant: str) -> None:
    said = call(*typed)
    assert said.code == 2
    assert f"Did you mean {meant}" in said.err.replace('"', "")


def test_what_is_piped_is_whole_and_without_colours(call: Call) -> None:
    address = "https://news.example/" + "long/" * 60 + "feed"
    add(call, address)
    said = call("feed", "list")
    assert address in said.out
    assert "\x1b" not in said.out


@pytest.mark.parametrize(("columns", "colours"), [(80, True), (60, False)])
def test_on_a_terminal_everything_fits(call: Call, home: Path, columns: int, colours: bool) -> None:
    add(
        call,
        "https://news.example/" + "long/" * 30,
        "--source",
        "Очень длинное название источника",
        "--enable",
    )
    leader, follower = pty.openpty()
    environment = {
        **os.environ,
        "INFORADAR_HOME": str(home),
        "COLUMNS": str(columns),
        "TERM": "xterm-256color",
    }
    environment.pop("NO_COLOR", None)
    if not colours:
        environment["NO_COLOR"] = "1"
    done = subprocess.run(
        [sys.executable, "-m", "inforadar", "feed", "list"],
        env=environment,
        stdin=follower,
        stdout=follower,
        stderr=subprocess.PIPE,
        check=True,
    )
    os.close(follower)
    shown = os.read(leader, 65536).decode()
    os.close(leader)
    assert done.stderr == b""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert max(len(line) for line in plain.splitlines()) <= columns
    assert "not polling" in plain
    assert ("\x1b[34m" in shown) is colours


def test_global_options_may_stand_anywhere(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("INFORADAR_LOG_FORMAT", "INFORADAR_LOG_LEVEL"):
        monkeypatch.setenv(name, "")
    other = tmp_path / "other"
    other.mkdir()
    said = call("config", "show", "--json", "--log-format=json", "--home", other, "--log-level", "error")
    settings = {row["setting"]: row["value"] for row in said.json["settings"]}
    assert (settings["log.format"], settings["log.level"]) == ("json", "error")
    assert said.json["home"] == str(other)
    assert call("config", "show", "--log-format").code == 2


def test_an_interrupted_command_ends_with_130(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("inforadar.cli.feed.root_domains.on_store", interrupt)
    assert call("root-domain", "list").code == 130
