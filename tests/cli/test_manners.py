"""How the command line behaves towards people: what it takes, what it warns about, how it counts and lays out."""

from __future__ import annotations

import os
import pty
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from inforadar.tui.text import safe
from inforadar.views.times import shown_counter
from tests.cli.calling import Call


@pytest.mark.parametrize(
    ("typed", "url"),
    [
        ("example.com", "https://example.com/"),
        ("news.example.com:8443/feed?a=1", "https://news.example.com:8443/feed?a=1"),
        ("http://example.com/", "http://example.com/"),
        ("me:secret@example.com/feed", "https://example.com/feed"),
    ],
)
def test_an_address_without_a_scheme_means_https(call: Call, typed: str, url: str) -> None:
    assert call("feed", "add", typed, "--json").json["url"] == url


@pytest.mark.parametrize(
    "typed", ["not a url", "nonsense", "mailto:me@example.com", "/etc/passwd", "feed add"]
)
def test_what_is_no_address_is_refused(call: Call, typed: str) -> None:
    done = call("feed", "add", typed)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("inforadar: ")


def test_a_feed_that_is_enabled_and_polled_is_scheduled_without_being_asked_for(call: Call) -> None:
    feed = call("feed", "add", "https://a.example/", "--enable", "--polling", "--json").json
    assert feed["next_run_at"] is not None
    for options in ((), ("--enable",), ("--polling",)):
        waiting = call("feed", "add", f"https://b.example/{len(options)}/{options}", *options, "--json").json
        assert waiting["next_run_at"] is None, options
    assert (
        "A running worker fetches it now"
        in call("feed", "add", "https://c.example/", "--enable", "--polling").out
    )


@pytest.mark.parametrize(
    ("url", "kind", "setting"),
    [
        ("http://10.0.0.7/feed", "a private address", "FETCHER_ALLOWED_NETWORKS=10.0.0.7:80"),
        ("localhost:8080/feed", "this machine", "FETCHER_ALLOWED_NETWORKS=127.0.0.1:8080"),
        ("http://[::1]/feed", "this machine", "FETCHER_ALLOWED_NETWORKS=[::1]:80"),
        ("http://[::ffff:192.168.0.1]/", "a private address", "FETCHER_ALLOWED_NETWORKS="),
    ],
)
def test_a_private_address_is_warned_about_with_the_setting_that_allows_it(
    call: Call, monkeypatch: pytest.MonkeyPatch, url: str, kind: str, setting: str
) -> None:
    done = call("feed", "add", url)
    assert done.code == 0
    assert done.err.startswith("inforadar: ")
    assert f"is {kind}" in done.err
    assert setting in done.err
    allowed = done.err.split("FETCHER_ALLOWED_NETWORKS=")[1].split(" ")[0]
    monkeypatch.setenv("FETCHER_ALLOWED_NETWORKS", allowed)
    assert call("feed", "add", url).err == ""


def test_a_wrong_setting_is_refused_before_a_feed_is_added(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as wrong:
        wrong.setenv("FETCHER_ALLOWED_NETWORKS", "my own")
        done = call("feed", "add", "http://10.0.0.7/feed")
    assert (done.code, done.err.partition(" is not")[0]) == (2, "inforadar: 'my own'")
    assert call("feed", "list", "--json").json == []


@pytest.mark.parametrize(
    "url",
    [
        "http://nas.local/feed",
        "printer.lan:8080",
        "http://wiki.home.arpa./",
        "http://db.internal/",
        "http://nas/feed",
    ],
)
def test_a_name_of_the_own_network_is_warned_about_without_a_lookup(
    call: Call, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    done = call("feed", "add", url)
    name, _, port = url.removeprefix("http://").partition("/")[0].partition(":")
    port = port or ("80" if url.startswith("http:") else "443")
    assert done.code == 0
    assert done.err.startswith(f"inforadar: {name.rstrip('.')} looks like a name of your own network")
    assert f"FETCHER_ALLOWED_NETWORKS to its address and port, like 192.168.1.5:{port} " in " ".join(
        done.err.split()
    )
    monkeypatch.setenv("FETCHER_ALLOWED_NETWORKS", "192.168.0.0/16")
    assert call("feed", "add", url).err == "", "who allows networks knows the setting"


@pytest.mark.parametrize(
    "url", ["http://93.184.216.34/feed", "https://local.example/", "https://lan.example.org/"]
)
def test_a_public_address_is_not_warned_about(call: Call, url: str) -> None:
    assert call("feed", "add", url).err == ""


def test_a_mistyped_home_is_refused_and_nothing_is_made(call: Call, tmp_path: Path) -> None:
    wrong = tmp_path / "hmoe"
    done = call("--home", str(wrong), "feed", "list")
    assert done.code == 2
    assert done.err.startswith(f"inforadar: The folder {wrong} does not exist. Check --home")
    assert not wrong.exists()
    wrong.mkdir()
    assert call("--home", str(wrong), "feed", "list").code == 0


@pytest.mark.parametrize(("answer", "is_made"), [(b"n\n", False), (b"y\n", True)])
def test_at_a_terminal_a_new_home_is_asked_about(tmp_path: Path, answer: bytes, is_made: bool) -> None:
    home = tmp_path / "new"
    code, said = at_a_terminal(answer, "--home", str(home), "config", "show", "--json")
    assert "does not exist. Create it" in said
    assert (code == 0) is is_made


def test_the_first_start_asks_once_where_to_keep_everything(tmp_path: Path) -> None:
    code, said = at_a_terminal(b"n\n", HOME=str(tmp_path), XDG_DATA_HOME="", INFORADAR_HOME="")
    home = tmp_path / ".local/share/inforadar"
    assert f"Set it up in {home}? [Y/n]" in said
    assert (code, home.exists()) == (2, False)


def at_a_terminal(answer: bytes, *arguments: str, **environment: str) -> tuple[int, str]:
    """Run a command on a terminal, type the answer, and return its exit code and what it printed."""
    outer, inner = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "inforadar", *arguments],
        stdin=inner,
        stdout=inner,
        stderr=inner,
        env=os.environ | environment,
    ) as process:
        os.close(inner)
        os.write(outer, answer)
        said = b""
        try:
            while got := os.read(outer, 65536):
                said += got
        except OSError:  # the other end is closed
            pass
        os.close(outer)
        return process.wait(), said.decode()


def test_a_page_past_the_end_says_so(call: Call, home: Path) -> None:
    assert "No items yet" in call("item", "list", "--page", "999").out
    add_item(call, home, "First")
    done = call("item", "list", "--page", "999")
    assert done.out == "There is no page 999: 1 item fills 1 page. `--page 1` shows the last one.\n"
    assert call("item", "list", "--page", "999", "--json").json == []


def add_item(call: Call, home: Path, title: str) -> None:
    call("feed", "add", "https://news.example/", "--enable")
    with closing(sqlite3.connect(home / "inforadar.db")) as database, database:
        database.execute(
            "INSERT INTO items (id, hash, feed_id, url, uid, title, rating)"
            " SELECT lower(hex(randomblob(16))), 'a', id, 'https://news.example/1', 'u1', ?, 5 FROM feeds",
            (title,),
        )


def test_a_piped_table_has_tabs_and_no_padding(call: Call) -> None:
    call("feed", "add", "https://a.example/", "--topic", "a long name of a topic")
    call("feed", "add", "https://b.example/", "--topic", "b")
    header, *rows = call("feed", "list").out.splitlines()
    assert header.split("\t")[:4] == ["Id", "Source", "Topic", "URL"]
    assert [row.split("\t")[2:4] for row in rows] == [
        ["a long name of a topic", "https://a.example/"],
        ["b", "https://b.example/"],
    ]
    assert "  " not in header + "".join(rows)


def test_a_rating_looks_the_same_in_every_view(call: Call, home: Path) -> None:
    assert [shown_counter("rating", value) for value in (5, -3, 0, 2100)] == ["+5", "-3", "0", "+2.1K"]
    assert shown_counter("views", 2100) == "2.1K"
    add_item(call, home, "Rated")
    listed = call("item", "list")
    header, row = listed.out.splitlines()
    assert listed.err == "1–1 of 1 · by date ↓\n", "what is no row is not in the way of a pipe"
    assert dict(zip(header.split("\t"), row.split("\t"), strict=True))["±"] == "+5"
    assert "rating +5" in call("item", "show", "https://news.example/1").out


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("A family 👩‍👩‍👧", "A family 👩‍👩‍👧"),
        ("می‌خواهم", "می‌خواهم"),
        ("pay\u200dpal", "pay pal"),
        ("я\u200d\u200d\u200dб", "я б"),
        ("\u200d\U0001f308", "\U0001f308"),
    ],
)
def test_a_joiner_stays_where_it_joins_and_nowhere_else(title: str, shown: str) -> None:
    assert safe(title) == shown


def test_too_many_arguments_are_named(call: Call) -> None:
    done = call("feed", "show", "a", "b", "c")
    assert (done.code, done.err) == (2, "inforadar: Too many arguments: b c\n")
