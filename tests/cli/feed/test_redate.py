"""`inforadar feed redate`, and what `feed edit --timezone` says about it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.cli.calling import Call
from tests.cli.program import Program
from tests.support.site.answers import status
from tests.support.site.documents import rss
from tests.support.site.server import Site


@pytest.fixture
def program(program: Program, site: Site) -> Program:
    networks = ",".join(site.endpoints)
    return replace(
        program, extra={"FETCHER_ALLOWED_NETWORKS": networks, "FETCHER_DOMAIN_DELAY": "0", "REDIS_URL": ""}
    )


def publish(site: Site) -> str:
    item = (
        f"<item><title>One</title><link>{site.url('/1')}</link><pubDate>2026-11-15T12:00:00</pubDate></item>"
    )
    return site.feed("/feed.xml", rss(extra=item))


async def test_stored_dates_are_corrected_as_the_edit_says(program: Program, site: Site) -> None:
    url = publish(site)
    await program.run("feed", "add", url, "--enable", "--sync")
    await program.run("worker", "--once", "--stages", "collect")
    edited = await program.run("feed", "edit", url, "--timezone", "Europe/Moscow")
    said, command = edited.out.splitlines()[-1].split(" To correct those already stored: inforadar ")
    assert said == "Dates without a zone are read in Europe/Moscow from now on."

    site.respond("/feed.xml", status(503))
    failed = await program.run(*command.split())
    assert (failed.code, failed.out) == (1, "")
    assert failed.err.startswith("inforadar: ")
    publish(site)

    done = await program.run(*command.split())
    assert (done.code, done.out) == (0, "Corrected 1 of 1 date from UTC to Europe/Moscow.\n")
    again = await program.run("feed", "redate", url, "--json")
    assert again.json == {"corrected": 0, "listed": 1, "from": "UTC", "to": "Europe/Moscow"}
    (item,) = (await program.run("item", "list", "--json")).json
    assert item["published_at"] == "2026-11-15T09:00:00Z"


def test_an_edit_names_the_former_zone_and_says_nothing_if_the_zone_stays(call: Call) -> None:
    feed_id = call("feed", "add", "https://example.com/feed", "--timezone", "Asia/Tokyo", "--json").json["id"]
    hint = f"inforadar feed redate {feed_id[-8:]} --from Asia/Tokyo\n"
    assert "redate" not in call("feed", "edit", feed_id, "--timezone", "Asia/Tokyo").out
    assert "redate" not in call("feed", "edit", feed_id, "--topic", "science").out
    assert call("feed", "edit", feed_id, "--timezone", "default").out.endswith(hint)
    assert "redate" not in call("feed", "edit", feed_id, "--timezone", "Asia/Tokyo", "--json").out


def test_the_zone_that_the_feed_has_is_refused_as_the_former_one(call: Call) -> None:
    call("feed", "add", "https://example.com/feed", "--enable")
    done = call("feed", "redate", "https://example.com/feed")
    assert (done.code, done.out) == (2, "")
    assert "already read in UTC" in done.err
