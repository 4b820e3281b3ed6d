"""Nothing that strangers write runs in the reader's browser."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from html import escape

import pytest
from playwright.async_api import Page

from inforadar.model.analysis import Score
from inforadar.model.article import Extracted
from inforadar.model.http import Outcome
from inforadar.model.item import Enclosure, Item, Listed, NewItem
from inforadar.store.items.queries import list_items
from inforadar.store.items.save import FeedItems, insert_items
from inforadar.urls import url_hash
from inforadar.views.marks import Marker
from inforadar.views.sanitize import article_html, listing_html
from tests.support.faces.browser import Site, site
from tests.support.faces.newsroom import analysis
from tests.support.faces.xss import PAYLOADS, PROGRAMS

__all__ = ["site"]
pytestmark = pytest.mark.asyncio(loop_scope="session")

TRAP = """
window.hits = [];
for (const name of ["alert", "confirm", "prompt"]) window[name] = (number) => top.hits.push(number);
"""
WRONG_ADDRESSES = """
() => [...document.querySelectorAll("*")].flatMap((node) =>
  ["href", "src", "action", "formaction", "data", "xlink:href", "srcdoc", "poster", "background"]
    .filter((name) => node.hasAttribute(name))
    .map((name) => node.getAttribute(name))
    .filter((address) => !/^(https?:\\/\\/|mailto:|\\/(?!\\/)|#)/.test(address)))
"""
HANDLERS = """
() => [...document.querySelectorAll("*")].flatMap((node) =>
  node.getAttributeNames().filter((name) => name.startsWith("on") || name === "style"))
"""
ITEMS_READ = 12


async def alone_in_frames(site: Site, documents: list[str], *, expected: int = 0) -> set[int]:
    """Which numbers ran, each document in a frame of its own, without any policy; waits for so many."""
    context = await site.visit()
    await context.add_init_script(TRAP)
    page = await context.new_page()
    frames = "".join(f'<iframe srcdoc="{escape(document)}"></iframe>' for document in documents)
    await page.set_content(frames, wait_until="commit" if expected else "load")
    await page.wait_for_function("(expected) => new Set(window.hits).size >= expected", arg=expected)
    hits = set(await page.evaluate("window.hits"))
    await context.close()
    # Without a policy and with broken pictures, the browser has much to say.
    site.faults.clear()
    return hits


async def test_they_do_run_where_nobody_cleans_and_do_not_where_we_did(site: Site) -> None:
    """The second half holds without the policy: cleaning alone is enough."""
    assert len(set(PAYLOADS)) == len(PAYLOADS) >= 250
    await alone_in_frames(site, [*PAYLOADS[:80:4], *PAYLOADS[-74:-50]], expected=15)
    marker = Marker({"alert": '"><script>alert(1)</script>', "x": "onerror", "script": "s", "img": "i"})
    cleaned = [
        str(marker.html(html))
        for payload in PAYLOADS
        for html in (
            article_html(payload, "click"),
            article_html(payload, "direct"),
            listing_html(payload, "click"),
            listing_html(payload, "direct"),
        )
        if html
    ]
    together = [f"<p>{marker.text(payload)}</p>" for payload in PAYLOADS] + cleaned
    # Balanced pieces: what one leaves open must not hide the next, so each stands in a part of its own.
    pieces = ["".join(f"<section>{one}</section>" for one in together[start::20]) for start in range(20)]
    assert await alone_in_frames(site, pieces) == set()


async def plant(site: Site) -> list[Item]:
    """Every payload as a title, an author, a snippet, a tag and a content; twenty in each article and analysis."""
    newsroom, at = site.newsroom, datetime.now(UTC)
    feeds = [
        await newsroom.add_feed(
            f"https://x.example/{number}", source=payload, topic=PAYLOADS[-number], title=PAYLOADS[number * 2]
        )
        for number, payload in enumerate(PAYLOADS[::8], 1)
    ]
    added = []
    for number, payload in enumerate(PAYLOADS):
        url = PROGRAMS[number] if number < len(PROGRAMS) else f"https://x.example/{number}?{payload}"
        listed = Listed(
            url=url,
            title=payload,
            author=PAYLOADS[number - 1],
            snippet=PAYLOADS[number - 2],
            content="\n\n".join(PAYLOADS[number::ITEMS_READ]),
            tags=PAYLOADS[number::ITEMS_READ],
            image=PROGRAMS[number % len(PROGRAMS)],
            enclosures=(
                Enclosure(url=PROGRAMS[number % len(PROGRAMS)], type="audio/mpeg", title=payload),
                Enclosure(url=f"https://x.example/{number}?{payload}", type="video/mp4", title=payload),
            ),
            language=payload,
            published_at=at - timedelta(minutes=number),
        )
        added.append(NewItem(url=url, hash=url_hash(url), listed=listed))
    batch = FeedItems(feed_id=feeds[0].id, topic=feeds[0].topic, run_id=None, at=at, added=tuple(added))
    await newsroom.database.write(insert_items, [batch])
    items = await newsroom.database.read(list_items, limit=len(PAYLOADS))
    read = items[:: len(items) // ITEMS_READ][:ITEMS_READ]
    texts, analyses = {}, {}
    for number, item in enumerate(read):
        some = PAYLOADS[number::ITEMS_READ]
        texts[item.url] = Extracted(
            clean_text="x",
            markdown="\n\n".join(some),
            language=some[0],
            site_name=some[1],
        )
        score = Score(value=0.7, reason=some[2], words=(*some, "alert", "script", "img", "onerror"))
        told = {"title": some[3], "title_reason": some[4], "summary": some[5], "description": some[6]}
        named = {"model": some[7], "prompt_version": some[8], "category": some[9], "language": some[10]}
        analyses[item.url] = analysis(
            0.7, facts=tuple(some), framing=score, clickbait=score, speculative=score, **told, **named
        )
        await newsroom.change(item, title=(some[11], some[12]), tags=(tuple(some), tuple(some[1:])))
    await newsroom.finish_articles(texts)
    await newsroom.finish_analyses(analyses)
    await newsroom.fetched(feeds[1], Outcome.PERMANENT_ERROR, error=PAYLOADS[-1] + PAYLOADS[0], failures=1)
    return read


async def assert_dead(page: Page, scripts: int = 1) -> None:
    assert await page.evaluate("window.hits") == []
    assert await page.evaluate(WRONG_ADDRESSES) == []
    assert await page.evaluate(HANDLERS) == []
    assert len(page.frames) == 1
    assert await page.locator("script").count() == scripts


async def test_nothing_runs_on_any_page(site: Site) -> None:
    read = await plant(site)
    context = await site.visit(admin=True)
    await context.add_init_script(TRAP)
    page = await context.new_page()
    await page.goto(f"{site.base}/")
    # More is loaded while scrolling, until everything is shown.
    await page.wait_for_function(
        """() => {
          document.querySelector(".pager").scrollIntoView();
          return !document.querySelector('.pager [rel="next"]');
        }"""
    )
    assert await page.locator(".entry").count() == len(PAYLOADS)
    await assert_dead(page)
    for item in read:
        await page.goto(f"{site.base}/item/{item.id}#source")
        assert await page.locator("#text").inner_html()
        await assert_dead(page)
        # Focus and hover run what waits for them.
        await page.evaluate("document.querySelectorAll('mark, a, button').forEach((node) => node.focus())")
        await assert_dead(page)
    await page.goto(f"{site.base}/feeds")
    await assert_dead(page)
    # A feed with its items, and one with its hostile error.
    links = await page.locator(".feeds .name").evaluate_all("(all) => all.map((one) => one.href)")
    for href in links[-2:]:
        await page.goto(href)
        await assert_dead(page, scripts=3)
    assert all(request.resource_type == "image" for request in site.outside)


async def test_nothing_of_an_address_runs(site: Site) -> None:
    context = await site.visit()
    await context.add_init_script(TRAP)
    page = await context.new_page()
    await site.newsroom.add_feed()
    hostile = PAYLOADS[2].replace("&", "%26")
    addresses = [
        f"/?q={hostile}&source={hostile}&topic={hostile}",
        f"/login/link?code={hostile}",
        f"/{hostile}",
    ]
    for path in (*addresses, *(f"/?{name}={hostile}" for name in ("show", "score", "after"))):
        await page.goto(f"{site.base}{path}")
        await assert_dead(page)
    # What is not known is answered so, which the browser reports.
    site.faults[:] = [
        fault for fault in site.faults if "the server responded with a status of 40" not in fault
    ]
