"""Commands of the command line as a script would use them."""

from __future__ import annotations

import pytest

from tests.acceptance.program import Program
from tests.site.documents import entries, link_to_feed, rss
from tests.site.server import Site

URL = "https://news.example/feed?b=2&a=1&utm_source=x"


async def test_a_feed_is_added_disabled_and_found_by_its_url_id_or_beginning(program: Program) -> None:
    done = await program.run("feed", "add", URL, "--topic", "world", "--json")
    assert done.code == 0
    feed = done.json
    assert feed["url"] == URL
    assert (feed["enabled"], feed["polling"], feed["enforce_feed_domain"]) == (False, False, True)
    assert (feed["source"], feed["topic"], feed["root_domain"]) == ("news.example", "world", "news.example")
    assert (feed["health"], feed["next_run_at"]) == ("disabled", None)
    for reference in (URL, feed["id"], feed["id"][:13], "news.example"):
        assert (await program.run("feed", "show", reference, "--json")).json["id"] == feed["id"]
    again = await program.run("feed", "add", URL, "--json")
    assert (again.json["id"], again.json["added"]) == (feed["id"], False)


async def test_the_life_of_a_feed(program: Program) -> None:
    feed_id = (await program.run("feed", "add", URL, "--json")).json["id"]

    refused = await program.run("feed", "sync", feed_id)
    assert refused.code == 2
    assert "disabled" in refused.err
    assert (await program.run("feed", "enable", feed_id)).code == 0
    assert (await program.run("feed", "polling", feed_id)).code == 0
    assert (await program.run("feed", "sync", feed_id)).code == 0
    feed = (await program.run("feed", "show", feed_id, "--json")).json
    assert (feed["enabled"], feed["polling"]) == (True, True)
    assert feed["next_run_at"] is not None

    unsure = await program.run("feed", "delete", feed_id, stdin=b"n\n")
    assert unsure.code == 2
    assert (await program.run("feed", "delete", feed_id, "--yes")).code == 0
    assert (await program.run("feed", "list", "--json")).json == []
    gone = await program.run("feed", "sync", feed_id)
    assert gone.code == 2
    assert "deleted" in gone.err
    revived = (await program.run("feed", "add", URL, "--json")).json
    assert (revived["id"], revived["added"]) == (feed_id, True)


async def test_root_domains_are_listed_set_and_cleared(program: Program) -> None:
    first = (await program.run("feed", "add", "https://www.bbc.co.uk/rss", "--json")).json["id"]
    second = (await program.run("feed", "add", "https://b.example/rss", "--no-root-domain", "--json")).json
    assert second["root_domain"] is None
    assert (await program.run("root-domain", "list", "--json")).json == ["bbc.co.uk"]
    assert (await program.run("root-domain", "set", second["id"], "Other.example")).code == 0
    assert (await program.run("root-domain", "clear", first)).code == 0
    assert (await program.run("root-domain", "list")).out.split() == ["other.example"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("feed", "add", "ftp://x.example/"), "only http and https"),
        (("feed", "add", "not a url"), "no usable URL"),
        (("feed", "add", "https://x.example/", "--sync"), "--enable"),
        (("feed", "add"), "url"),
        (("fed", "list"), "feed"),
        (("worker", "--stages", "collect,dream"), "dream"),
        (("item", "list", "--limit", "0"), "limit"),
        (("--home",), "--home needs a folder"),
    ],
)
async def test_wrong_use_is_refused_with_what_to_do(
    program: Program, arguments: tuple[str, ...], says: str
) -> None:
    done = await program.run(*arguments)
    assert done.code == 2
    assert says.lower() in (done.err + done.out).lower()
    assert "Traceback" not in done.err


async def test_what_is_not_there_fails_with_a_sentence(program: Program) -> None:
    done = await program.run("feed", "show", "nothing")
    assert done.code == 1
    assert "There is no feed 'nothing'" in done.err


async def test_config_show_says_where_values_came_from_and_hides_secrets(program: Program) -> None:
    extra = {
        "DB_PASSWORD": "hunter2",
        "REDIS_URL": "redis://:hunter2@localhost/0",
        "FETCHER_PROXY": "http://me:hunter2@proxy.example:8080",
        "FETCHER_INTERVAL": "60",
    }
    own = Program(home=program.home, port=program.port, sample_port=program.sample_port, extra=extra)
    for arguments in (("config", "show"), ("config", "show", "--json")):
        done = await own.run(*arguments)
        assert done.code == 0
        assert "hunter2" not in done.out + done.err
    settings = {row["setting"]: row for row in done.json["settings"]}
    assert settings["fetcher.interval"]["value"] == 60
    assert settings["fetcher.interval"]["origin"] == "environment FETCHER_INTERVAL"
    assert settings["fetcher.workers"]["origin"] == "default"


async def test_a_wrong_setting_stops_every_command_with_exit_code_2(program: Program) -> None:
    own = Program(
        home=program.home, port=program.port, sample_port=program.sample_port, extra={"FETCHER_WORKERS": "0"}
    )
    done = await own.run("feed", "list")
    assert done.code == 2
    assert "FETCHER_WORKERS is '0'" in done.err
    assert "a whole number, at least 1" in done.err


async def test_a_hostile_title_cannot_steer_the_terminal(program: Program) -> None:
    title = "\x1b[2J\x1b]0;owned\x07[red]markup[/red]\u202eright to left"
    await program.run("feed", "add", "https://x.example/", "--source", title)
    out = (await program.run("feed", "list")).out
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
    assert report["added_count"] == 3
    exported = (await own.run("opml", "export")).out
    assert first in exported
    assert 'text="Наука"' in exported


async def test_a_feed_is_edited_and_its_password_is_never_shown(program: Program) -> None:
    feed_id = (await program.run("feed", "add", URL, "--json")).json["id"]
    done = await program.run(
        "feed", "edit", feed_id, "--topic", "science", "--any-host", "--user", "me", stdin=b"hunter2\n"
    )
    assert done.code == 0
    shown = await program.run("feed", "show", feed_id, "--json")
    assert (shown.json["topic"], shown.json["enforce_feed_domain"]) == ("science", False)
    assert "hunter2" not in shown.out + done.out + done.err
    assert (await program.run("feed", "edit", feed_id)).code == 2


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
