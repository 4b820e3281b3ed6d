"""`inforadar fetch` and the commands for paged sites, as a person uses them."""

from __future__ import annotations

import json
import signal
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from tests.cli.program import Program, read_until
from tests.support.site.paged import SELECTORS, PagedSite
from tests.support.site.server import Site


def toml(**keys: str) -> str:
    return "".join(f"{key} = {json.dumps(value)}\n" for key, value in keys.items())


async def with_feed(
    program: Program, site: Site, paged: PagedSite, tmp_path: Path, delay: str = "0"
) -> Program:
    """The program with one paged site that it is allowed to reach."""
    selectors = tmp_path / "selectors.toml"
    selectors.write_text(toml(**SELECTORS))
    extra = {"FETCHER_ALLOWED_NETWORKS": ",".join(site.endpoints), "FETCHER_DOMAIN_DELAY": delay}
    ready = replace(program, extra=extra)
    added = await ready.run(
        "feed", "add", paged.url, "--selectors", str(selectors), "--source", "Paged", "--enable", "--json"
    )
    assert added.code == 0, added.err
    assert (added.json["kind"], added.json["topic"]) == ("pages", "general")
    return ready


def expire_leases(home: Path) -> None:
    """Expire the leases of a killed run, instead of waiting half a minute."""
    with closing(sqlite3.connect(home / "inforadar.db")) as database:
        database.execute("UPDATE feed_schedules SET locked_until = '2000-01-01', next_run_at = NULL")
        database.commit()


async def test_fetch_prints_lines_a_table_and_the_report(
    program: Program, site: Site, tmp_path: Path
) -> None:
    paged = PagedSite(site)
    paged.publish(7)
    paged.change(2, at=None)
    program = await with_feed(program, site, paged, tmp_path)
    done = await program.run("fetch", "--source", "paged")
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[0] == "Fetch    source: paged"
    said = [line[10:] for line in lines]
    assert "Paged                 page 1: 5 items, 4 new" in said
    assert f"Paged                 item without a date skipped: {paged.post_url(2)}" in said
    assert "Paged                 + Post 6" in said
    assert "Found 6 items on 2 pages." in lines
    assert lines[-1].startswith("6 added, 0 updated, 0 errors.")

    paged.change(1, views=140)
    again = await program.run("fetch", "--json")
    assert again.code == 0, again.err
    report = again.json
    assert report["updated_fields_map"] == {paged.post_url(1): {"views": [0, 140]}}
    assert (report["kind"], report["added_count"], report["interrupted"]) == ("fetch", 0, False)
    shown = await program.run("run", "show", report["run_id"])
    assert f"~ {paged.post_url(1)}\n    views: 0 → 140" in shown.out

    nothing = await program.run("fetch", "--topic", "nope")
    assert nothing.code == 2
    assert "No enabled feed has the topic 'nope'." in nothing.err


async def test_ctrl_c_stops_with_the_report_so_far_and_the_next_fetch_goes_on(
    program: Program, site: Site, tmp_path: Path
) -> None:
    paged = PagedSite(site)
    paged.publish(20)
    program = await with_feed(program, site, paged, tmp_path, delay="1")
    async with program.started("fetch") as process:
        await read_until(process, "page 2")
        process.send_signal(signal.SIGINT)
        assert process.stdout is not None
        rest = (await process.stdout.read()).decode()
        assert await process.wait() == 130
    assert "Interrupted: 0 added, 0 updated, 0 errors." in rest
    asked = list(paged.asked)
    extra = {**dict(program.extra or {}), "FETCHER_DOMAIN_DELAY": "0"}
    done = await replace(program, extra=extra).run("fetch", "--json")
    assert done.json["added_count"] == 20
    assert not set(asked) & set(paged.asked[len(asked) :])
    states = [run["state"] for run in (await program.run("run", "list", "--json")).json]
    assert states == ["finished", "interrupted"]


async def test_a_killed_fetch_is_taken_up_without_asking_for_its_pages_again(
    program: Program, site: Site, tmp_path: Path
) -> None:
    paged = PagedSite(site)
    paged.publish(20)
    program = await with_feed(program, site, paged, tmp_path)
    async with program.started("fetch") as process:
        await read_until(process, "Found 20 items")
        process.kill()
        await process.wait()
    assert paged.asked == ["1", "2", "3", "4"]
    expire_leases(program.home)
    done = await program.run("fetch", "--json")
    assert done.code == 0, done.err
    with closing(sqlite3.connect(program.home / "inforadar.db")) as database:
        assert database.execute("SELECT count(*) FROM items").fetchone() == (20,)
    # Unless it was so quick that all was saved when it was killed, nothing is asked for again.
    if done.json["added_count"]:
        assert paged.asked == ["1", "2", "3", "4"]


async def test_preview_shows_what_selectors_catch_and_edit_takes_them(
    program: Program, site: Site, tmp_path: Path
) -> None:
    paged = PagedSite(site)
    paged.publish(3)
    program = await with_feed(program, site, paged, tmp_path)
    shown = await program.run("feed", "preview", paged.url)
    assert shown.code == 0, shown.err
    assert "3 of 3" in shown.out
    assert "Post 2" in shown.out
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(toml(item="article.post", link="h2 a", title="h3", date=".author"))
    caught = await program.run("feed", "preview", paged.url, "--selectors", str(wrong), "--json")
    assert caught.code == 1
    assert "`title` matches nothing in any of the 3 items." in caught.json["messages"]
    wrong.write_text(toml(**{**SELECTORS, "title": ".author"}))
    edited = await program.run("feed", "edit", paged.url, "--selectors", str(wrong), "--cutoff", "2026-01-02")
    assert edited.code == 0, edited.err
    options = (await program.run("feed", "show", paged.url, "--json")).json["options"]
    assert (options["cutoff_date"], options["selectors"]["title"]) == ("2026-01-02", ".author")
