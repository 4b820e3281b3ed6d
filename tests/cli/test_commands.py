"""Commands as a script would use them."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from html import escape
from pathlib import Path

import pytest

from tests.cli.calling import Call
from tests.cli.program import Program
from tests.support.site.documents import entries, link_to_feed, rss
from tests.support.site.server import Site

HUGE = "9" * 20
URL = "https://news.example/feed?b=2&a=1&utm_source=x"


def test_a_feed_is_added_disabled_and_found_by_its_url_id_or_beginning(call: Call) -> None:
    done = call("feed", "add", URL, "--topic", "world", "--json")
    assert done.code == 0
    feed = done.json
    assert feed["url"] == URL
    assert (feed["enabled"], feed["polling"], feed["enforce_feed_domain"]) == (False, False, True)
    assert (feed["source"], feed["topic"], feed["root_domain"]) == ("news.example", "world", "news.example")
    assert (feed["health"], feed["next_run_at"]) == ("disabled", None)
    for reference in (URL, feed["id"], feed["id"][:13], "news.example"):
        assert (call("feed", "show", reference, "--json")).json["id"] == feed["id"]
    again = call("feed", "add", URL, "--json")
    assert (again.json["id"], again.json["added"]) == (feed["id"], False)


def test_a_long_list_of_feeds_is_cut_off_and_says_so_beside_the_feeds(call: Call) -> None:
    for number in range(3):
        call("feed", "add", f"https://news.example/{number}")
    done = call("feed", "list", "--limit", "1", "--json")
    assert [feed["url"] for feed in done.json] == ["https://news.example/2"]
    assert (
        "… and 2 more; narrow it down with --source, --topic or --state, or see all with --all." in done.err
    )
    for arguments, number in (
        (("--limit", "1", "--all"), 3),
        (("--state", "disabled"), 3),
        (("--state", "new"), 0),
    ):
        done = call("feed", "list", *arguments, "--json")
        assert (len(done.json), done.err) == (number, "")


async def test_several_commands_at_once_set_up_a_new_home(program: Program) -> None:
    done = await asyncio.gather(*(program.run("feed", "list", "--json") for _ in range(4)))
    assert [(one.code, one.out.strip(), one.err) for one in done] == [(0, "[]", "")] * 4


async def test_a_file_that_another_process_has_just_made_is_set_up_too(program: Program) -> None:
    program.home.mkdir(mode=0o700)
    (program.home / "inforadar.db").touch()
    assert (await program.run("feed", "list", "--json")).json == []


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("feed", "add", "ftp://x.example/"), "only http and https"),
        (("feed", "add", "not a url"), "not a valid URL"),
        (("feed", "add", "https://x.example/", "--sync"), "--enable"),
        (("feed", "add"), "url"),
        (("feed", "add", "https://x.example/", "--timezone", "Mars/Base"), "write it like Europe/Moscow"),
        (("fed", "list"), "feed"),
        (("worker", "--stages", "collect,dream"), "dream"),
        (("item", "list", "--limit", "0"), "limit"),
        (("item", "list", "--page", HUGE), "page"),
        (("item", "list", "--max-score", "nan"), "from 0 to 1"),
        (("item", "list", "--max-score", "inf"), "from 0 to 1"),
        (("item", "list", "--max-score", "-0.1"), "from 0 to 1"),
        (("run", "list", "--limit", HUGE), "limit"),
        (("run", "list", "--limit", "-1"), "limit"),
        (("feed", "list", "--limit", HUGE), "limit"),
        (("analyze", "stats", "--days", HUGE), "days"),
        (("analyze", "stats", "--days", "-5"), "days"),
        (("analyze", "run", "--limit", "-1"), "limit"),
        (("feed", "add", "https://x.example/", "--topic", " "), "topic must have 1 to 200 characters"),
        (("feed", "add", "https://x.example/", "--source", "x" * 201), "source must have 1 to 200"),
        (("--home",), "--home needs a folder"),
        (("--home=", "worker"), "--home needs a folder"),
        (("--log-level=", "feed", "list"), "--log-level needs"),
        (("feed", "add", "https://x.example/\udcff"), "is not valid UTF-8"),
        (("item", "list", "--topic", "мир\udcd0"), "'мир\ufffd' is not valid UTF-8"),
        (("--home", "/tmp/\udcff", "feed", "list"), "is not valid UTF-8"),
    ],
)
def test_wrong_use_is_refused_with_what_to_do(call: Call, arguments: tuple[str, ...], says: str) -> None:
    done = call(*arguments)
    assert done.code == 2
    assert says.lower() in done.err.lower()
    assert done.err.startswith("inforadar: "), "every error has the same style"
    assert done.out == ""


def test_what_is_not_there_fails_with_a_sentence(call: Call) -> None:
    done = call("feed", "show", "nothing")
    assert done.code == 1
    assert "There is no feed 'nothing'" in done.err


def test_config_show_says_where_values_came_from_and_hides_secrets(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {
        "DB_PASSWORD": "hunter2",
        "REDIS_URL": "redis://:hunter2@localhost/0",
        "FETCHER_PROXY": "http://me:hunter2@proxy.example:8080",
        "FETCHER_INTERVAL": "60",
    }.items():
        monkeypatch.setenv(name, value)
    for arguments in (("config", "show"), ("config", "show", "--json")):
        done = call(*arguments)
        assert done.code == 0
        assert "hunter2" not in done.out + done.err
    settings = {row["setting"]: row for row in done.json["settings"]}
    assert settings["fetcher.interval"]["value"] == 60
    assert settings["fetcher.interval"]["origin"] == "environment FETCHER_INTERVAL"
    assert settings["fetcher.workers"]["origin"] == "default"


def test_a_wrong_setting_stops_every_command_with_exit_code_2(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FETCHER_WORKERS", "0")
    done = call("feed", "list")
    assert done.code == 2
    assert "FETCHER_WORKERS is '0'" in done.err
    assert "a whole number, at least 1" in done.err


def test_a_hostile_title_cannot_steer_the_terminal(call: Call) -> None:
    title = "\x1b[2J\x1b]0;owned\x07[red]markup[/red]\u202eright to left"
    call("feed", "add", "https://x.example/", "--source", title)
    out = (call("feed", "list")).out
    assert "\x1b" not in out
    assert "\x07" not in out
    assert "\u202e" not in out
    assert "[red]markup[/red]" in out


async def test_the_sites_feeds_are_found_or_listed(program: Program, site: Site) -> None:
    own = with_site(program, site)
    url = site.feed("/feed.xml", rss(entries(2)))
    site.page("/one", f"<!doctype html><html><head>{link_to_feed('/feed.xml')}</head><body>Hi</body></html>")
    two = link_to_feed("/feed.xml") + link_to_feed("/other.xml")
    site.page("/two", f"<!doctype html><html><head>{two}</head><body>Hi</body></html>")
    added = await own.run("feed", "add", site.url("/one"), "--discover", "--json")
    assert added.code == 0
    assert added.json["url"] == url
    several = await own.run("feed", "add", site.url("/two"), "--discover")
    assert several.code == 2
    assert "The site has 2 feeds" in several.out
    assert site.url("/other.xml") in several.out


async def test_a_list_is_imported_fetched_and_exported(program: Program, site: Site) -> None:
    own = with_site(program, site)
    first, second = site.feed("/a.xml", rss(entries(2))), site.feed("/b.xml", rss(entries(1)))
    opml = (
        f'<opml><body><outline text="Наука"><outline text="A" xmlUrl="{first}"/></outline>'
        f'<outline text="B" xmlUrl="{second}"/><outline text="C" xmlUrl="ftp://x"/></body></opml>'
    )
    done = await own.run("opml", "import", "-", "--json", stdin=opml.encode())
    assert done.code == 0
    assert [(feed["topic"], feed["enabled"], feed["polling"]) for feed in done.json["added"]] == [
        ("Наука", True, True),
        ("general", True, True),
    ]
    assert [row["what"] for row in done.json["skipped"]] == ["C"]
    report = (await own.run("worker", "--once", "--stages", "collect", "--json")).json
    assert (report["feeds"], report["errors_count"]) == (2, 0)
    # Two of the three entries have one URL, which counts once.
    assert report["added_count"] == 2
    exported = (await own.run("opml", "export")).out
    assert first in exported
    assert 'text="Наука"' in exported


async def test_a_name_from_a_list_is_kept_until_the_feeds_own_is_asked_for(
    program: Program, site: Site
) -> None:
    own = with_site(program, site)
    url = site.feed("/a.xml", rss(entries(1), title="The channel's name"))
    listed = f'<opml><body><outline text="Моё имя" xmlUrl="{url}"/></body></opml>'
    await own.run("opml", "import", "-", stdin=listed.encode())
    await own.run("worker", "--once", "--stages", "collect")
    (feed,) = (await own.run("feed", "list", "--json")).json
    assert feed["title"] == "Моё имя"
    await own.run("feed", "edit", url, "--title", "default")
    await own.run("worker", "--once", "--stages", "collect")
    (feed,) = (await own.run("feed", "list", "--json")).json
    assert feed["title"] == "The channel's name"


async def test_half_a_list_is_imported_and_ends_with_an_exit_code(program: Program) -> None:
    half = (
        '<opml><body><outline text="Наука"><outline text="A" xmlUrl="https://a.example/1"/>'
        '<outline text="B" xmlUrl="https://a.exa'
    )
    done = await program.run("opml", "import", "-", stdin=half.encode())
    assert done.code == 1
    assert "1 feed added" in done.out
    assert "The file was cut off" in done.err
    again = await program.run("opml", "import", "-", "--json", stdin=half.encode())
    assert (again.code, again.json["is_cut_off"]) == (1, True)
    assert [feed["url"] for feed in again.json["known"]] == ["https://a.example/1"]


LISTED = f"""<opml version="2.0"><body><outline xmlUrl="{escape(URL)}"/></body></opml>"""


@pytest.mark.parametrize("again", [("feed", "add", URL), ("opml", "import", "-")], ids=["feed", "list"])
def test_a_deleted_feed_comes_back_with_what_was_set(call: Call, again: tuple[str, ...]) -> None:
    given = ("--kind", "pages", "--source", "Site", "--topic", "world", "--any-host", "--no-root-domain")
    feed_id = call("feed", "add", URL, *given, "--timezone", "Europe/Moscow", "--json").json["id"]
    call("feed", "edit", feed_id, "--cutoff", "2020-01-02", "--keep-days", "7", "--title", "Mine")
    before = call("feed", "show", feed_id, "--json").json
    assert call("feed", "delete", feed_id, "--yes").code == 0
    assert call(*again, stdin=LISTED).code == 0
    after = call("feed", "show", feed_id, "--json").json
    kept = ("kind", "source", "topic", "title", "enforce_feed_domain", "root_domain", "options")
    assert {name: after[name] for name in kept} == {name: before[name] for name in kept}
    assert after["options"]["cutoff_date"] == "2020-01-02"


def test_every_command_says_that_a_feed_is_deleted(call: Call) -> None:
    feed_id = call("feed", "add", URL, "--json").json["id"]
    call("feed", "delete", feed_id, "--yes")
    for before, after in (
        (("feed", "show"), ()),
        (("feed", "enable"), ()),
        (("feed", "disable"), ()),
        (("feed", "polling"), ("on",)),
        (("feed", "sync"), ()),
        (("feed", "edit"), ("--topic", "science")),
        (("feed", "delete"), ("--yes",)),
        (("root-domain", "set"), ("a.example",)),
    ):
        for reference in (URL, feed_id):
            done = call(*before, reference, *after)
            assert (done.code, done.out) == (1, ""), before
            assert f"is deleted. `inforadar feed restore {feed_id}` brings it back." in done.err


def test_a_feed_is_edited_and_its_password_is_never_shown(call: Call) -> None:
    feed_id = (call("feed", "add", URL, "--json")).json["id"]
    done = call(
        "feed", "edit", feed_id, "--topic", "science", "--any-host", "--user", "me", stdin="hunter2\n"
    )
    assert done.code == 0
    shown = call("feed", "show", feed_id, "--json")
    assert (shown.json["topic"], shown.json["enforce_feed_domain"]) == ("science", False)
    assert "hunter2" not in shown.out + done.out + done.err
    assert (call("feed", "edit", feed_id)).code == 2


@pytest.mark.parametrize("word", ["", " ", "x" * 201])
@pytest.mark.parametrize("name", ["source", "topic", "title"])
def test_a_name_that_nobody_could_read_is_refused_before_anything_changes(
    call: Call, name: str, word: str
) -> None:
    before = call("feed", "add", URL, "--json").json
    done = call("feed", "edit", before["id"], f"--{name}", word, "--keep-days", "7")
    assert done.code == 2
    assert f"The {name} must have 1 to 200 characters, and not only spaces." in done.err
    after = call("feed", "show", before["id"], "--json").json
    assert (after[name], after["options"]) == (before[name], before["options"])


def test_credentials_are_added_to_those_that_are_there_unless_they_are_to_be_forgotten(
    call: Call, home: Path
) -> None:
    edit = ("feed", "edit", call("feed", "add", URL, "--json").json["id"])

    def names() -> list[str]:
        with closing(sqlite3.connect(home / "inforadar.db")) as database:
            return [
                name
                for (kept,) in database.execute("SELECT headers FROM feed_credentials")
                for name in json.loads(kept)
            ]

    assert call(*edit, "--header", "X-Key: k").code == 0
    assert call(*edit, "--user", "me", stdin="hunter2\n").code == 0
    assert names() == ["X-Key", "Authorization"]
    assert call(*edit, "--no-credentials", "--header", "Cookie: c").code == 0
    assert names() == ["Cookie"]
    assert call(*edit, "--no-credentials").code == 0
    assert names() == []


@pytest.mark.parametrize("change", [("--header", "X-Key: k"), ("--no-credentials",), ("--keep-days", "7")])
def test_any_change_of_an_enabled_feed_asks_for_it(call: Call, change: tuple[str, ...]) -> None:
    feed_id = call("feed", "add", URL, "--json").json["id"]
    assert call("feed", "edit", feed_id, *change, "--json").json["requested_at"] is None
    call("feed", "enable", feed_id)
    assert call("feed", "edit", feed_id, *change, "--json").json["requested_at"] is not None


def test_the_time_zone_of_a_feed_is_set_and_taken_away(call: Call) -> None:
    added = call("feed", "add", URL, "--timezone", "Europe/Moscow", "--json").json
    assert added["options"] == {"timezone": "Europe/Moscow"}
    edit = ("feed", "edit", added["id"])
    wrong = call(*edit, "--topic", "science", "--timezone", "Moscow time")
    assert (wrong.code, "'Moscow time' is no time zone; write it like Europe/Moscow." in wrong.err) == (
        2,
        True,
    )
    assert call("feed", "show", added["id"], "--json").json["topic"] == "general"
    assert call(*edit, "--timezone", "Asia/Tokyo", "--json").json["options"]["timezone"] == "Asia/Tokyo"
    assert "Asia/Tokyo" in call("feed", "show", added["id"]).out
    for nothing in ("", "default"):
        call(*edit, "--timezone", "Europe/Moscow")
        assert call(*edit, "--timezone", nothing).code == 0
        assert "timezone" not in call("feed", "show", added["id"], "--json").json["options"]


async def test_a_title_that_a_person_gave_stays_until_it_is_taken_back(program: Program, site: Site) -> None:
    own = with_site(program, site)
    url = site.feed("/feed.xml", rss(entries(1, site.url("/news")), title="As it calls itself"))
    feed_id = (await own.run("feed", "add", url, "--enable", "--json")).json["id"]
    await own.run("feed", "edit", feed_id, "--title", "Моя лента")
    assert (await own.run("worker", "--once", "--stages", "collect")).code == 0
    assert (await own.run("feed", "show", feed_id, "--json")).json["title"] == "Моя лента"
    await own.run("feed", "edit", feed_id, "--title", "default")
    assert (await own.run("feed", "show", feed_id, "--json")).json["title"] == "As it calls itself"


def with_site(program: Program, site: Site) -> Program:
    extra = {"FETCHER_ALLOWED_NETWORKS": ",".join(site.endpoints), "FETCHER_DOMAIN_DELAY": "0"}
    return Program(home=program.home, port=program.port, sample_port=program.sample_port, extra=extra)
