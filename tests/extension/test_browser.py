"""The extension in a real Chromium: popup, marks on front pages, options."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from html import escape

import aiohttp
import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from inforadar.model.article import Extracted
from tests.support.faces.browser import no_axe_violations
from tests.support.faces.extension import PERMITTED, Extended, extended
from tests.support.faces.newsroom import analysis
from tests.support.faces.told import tell
from tests.support.site.answers import Answer
from tests.support.site.documents import entries, link_to_feed, rss

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]
HOSTILE = '<img src=x onerror=alert(1)> "Minister" slams </h1><script>alert(2)</script>'
SITE = f"*://*.{PERMITTED}/*"
LOOKUPS = re.compile(r"^inforadar_http_requests_total\{.*?\} (\d+)", re.MULTILINE)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def started(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Extended]:
    async with extended(tmp_path_factory.mktemp("extended")) as running:
        newsroom = running.newsroom
        await tell(newsroom)
        feed = await newsroom.add_feed("https://daily.example/feed", source="The <b>Daily</b>")
        scores = {"https://www.daily.example/slams": 0.9, "https://daily.example/calm/": 0.1}
        for url in scores:
            await newsroom.add_item(feed, url, title=HOSTILE)
        await newsroom.finish_articles(dict.fromkeys(scores, Extracted(clean_text="Text.", markdown="Text.")))
        await newsroom.finish_analyses(
            {url: analysis(score, title="Minister <i>answers</i> critics") for url, score in scores.items()}
        )
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def extension(started: Extended) -> AsyncIterator[Extended]:
    await started.reset()
    yield started
    assert not started.faults, started.faults


def front(*links: tuple[str, str]) -> str:
    rows = "".join(f'<h3><a href="{escape(url)}"><span>{escape(text)}</span></a></h3>' for url, text in links)
    return f"<!doctype html><meta charset=utf-8><title>Front</title><h1>News of today</h1>{rows}"


async def count_requests(extension: Extended) -> int:
    async with aiohttp.ClientSession() as client, client.get(f"{extension.address}/metrics") as answer:
        return sum(int(number) for number in LOOKUPS.findall(await answer.text()))


async def test_the_popup_shows_the_article_its_neutral_title_and_the_other_outlets(
    extension: Extended,
) -> None:
    popup = await extension.open_popup("http://www.three.example/1/?utm_source=x")
    await expect(popup.get_by_role("heading", level=1)).to_have_text("SHOCK: Grandel quake horror")
    await expect(popup.get_by_text("loaded 0.90")).to_be_visible()
    outlets = popup.locator(".outlets li")
    await expect(outlets).to_have_count(2)
    await expect(outlets.first).to_contain_text("Earthquake in Grandel: mayor <b>Torvald</b> speaks")
    assert await outlets.first.get_by_role("link").get_attribute("href") == "https://one.example/1"
    assert "/stories/" in str(await popup.get_by_text("Compare them").get_attribute("href"))
    await popup.get_by_text("Why this score").click()
    await expect(popup.get_by_text("Speculation")).to_be_visible()
    await expect(popup.get_by_text("You follow this site.")).to_be_visible()
    await no_axe_violations(popup)


async def test_text_of_the_web_stays_text(extension: Extended) -> None:
    popup = await extension.open_popup("https://daily.example/slams/amp")
    await expect(popup.get_by_role("heading", level=1)).to_have_text("Minister <i>answers</i> critics")
    await expect(popup.locator(".original")).to_contain_text(HOSTILE)
    await expect(popup.get_by_text("The <b>Daily</b>")).to_be_visible()
    assert await popup.locator("main img, main script, main i, main b").count() == 0


async def test_loaded_headlines_of_a_chosen_site_are_marked_by_one_request(extension: Extended) -> None:
    links = (
        ("http://daily.example/slams", "Minister slams his critics in a row"),
        ("https://daily.example/slams#comments", "142 comments on this article so far"),
        ("https://www.daily.example/calm", "A calm report about the harbour"),
        ("https://unknown.example/1", "An article that nobody has heard of"),
        ("javascript:alert(3)", "A link that is no address of the web"),
    )
    # Under a policy that allows nothing.
    policy = {"Content-Type": "text/html", "Content-Security-Policy": "default-src 'none'"}
    extension.site.respond("/", Answer(body=front(*links).encode(), headers=policy))
    # Chosen, but not permitted by the browser.
    await extension.set(sites=["elsewhere.example", PERMITTED])
    await extension.await_registered(SITE)
    elsewhere, page = await extension.context.new_page(), await extension.context.new_page()
    await elsewhere.goto("http://elsewhere.example/")
    before = await count_requests(extension)
    await page.goto(f"http://www.{PERMITTED}/")
    mark = page.locator("inforadar-mark")
    await expect(mark).to_have_count(1)
    assert await mark.get_attribute("aria-label") == (
        "Info Radar: loaded, 0.90. Plainer title: Minister <i>answers</i> critics"
    )
    assert await mark.evaluate("mark => mark.closest('a').href") == "http://daily.example/slams"
    # The lookup, and the question for the number itself.
    assert await count_requests(extension) - before == 2
    await mark.hover()
    await expect(page.locator("inforadar-mark[popover]")).to_be_visible()
    await page.mouse.move(0, 0)
    await expect(page.locator("inforadar-mark[popover]")).to_have_count(0)
    await grows(page)
    assert await elsewhere.locator("inforadar-mark").count() == 0


async def grows(page: Page) -> None:
    """Headlines that come later are marked too."""
    await page.evaluate(
        "() => document.body.insertAdjacentHTML('beforeend', "
        "'<p><a href=\"https://three.example/1\">Horror as an earthquake hits Grandel</a></p>')"
    )
    await expect(page.locator("p inforadar-mark")).to_have_count(1)


async def test_the_page_of_an_article_has_its_score_on_the_button_and_at_its_title(
    extension: Extended,
) -> None:
    feed = await extension.newsroom.add_feed(f"https://{PERMITTED}/feed")
    url = f"http://{PERMITTED}/article"
    await extension.newsroom.add_item(feed, url)
    await extension.newsroom.analyze({url: 0.5})
    extension.site.page("/article", front())
    await extension.set(sites=[PERMITTED])
    await extension.await_registered(SITE)
    page = await extension.context.new_page()
    await page.goto(url)
    await expect(page.locator("h1 inforadar-mark")).to_have_count(1)
    badge = await extension.worker.evaluate(
        "async url => chrome.action.getBadgeText({tabId: (await chrome.tabs.query({url}))[0].id})", url
    )
    assert badge == ".50"


async def test_marks_are_switched_on_and_off_in_the_popup(extension: Extended) -> None:
    popup = await extension.open_popup(f"https://www.{PERMITTED}/")
    marks = popup.get_by_label("Mark loaded headlines on this site")
    assert await extension.registered() == []
    await marks.check()
    await extension.await_registered(SITE)
    options = await extension.open("options.html")
    await expect(options.locator("#sites li")).to_contain_text(PERMITTED)
    await options.get_by_role("button", name=f"Stop marking {PERMITTED}").click()
    await extension.await_registered()
    await expect(options.locator("#sites")).to_contain_text("None yet")


async def test_a_site_is_followed_by_one_click(extension: Extended) -> None:
    site = extension.site
    feed = site.feed("/feed.xml", rss(entries(3)))
    site.page("/story", f"<!doctype html><head>{link_to_feed('/feed.xml')}</head><body></body>")
    popup = await extension.open_popup(site.url("/story"))
    await expect(popup.get_by_text("Info Radar does not know this page.")).to_be_visible()
    await popup.get_by_role("button", name="Follow this site").click()
    await expect(popup.locator("#follow")).to_contain_text(f"You follow {feed} now.")
    async with aiohttp.ClientSession() as client, client.get(f"{extension.address}/api/feeds") as answer:
        assert feed in [one["url"] for one in (await answer.json())["feeds"]]


async def test_the_options_check_address_and_token(extension: Extended) -> None:
    options = await extension.open("options.html")
    state = options.locator("#state")
    await no_axe_violations(options)
    for address, token, said in (
        (f"{extension.address}/", extension.token, "Saved. Connected as admin."),
        (extension.address.removeprefix("http://"), "", "Connected for reading."),
        (extension.address, "wrong", "does not know this token"),
        ("http://localhost:1", "", "does not answer at http://localhost:1"),
        ("ftp://x", "", "That is not an address."),
    ):
        await options.get_by_label("Address").fill(address)
        await options.get_by_label("Token").fill(token)
        await options.get_by_role("button", name="Save and check").click()
        await expect(state).to_contain_text(said)


async def test_a_server_that_does_not_answer_is_said_with_the_way_to_the_options(extension: Extended) -> None:
    await extension.set(address="http://127.0.0.1:1")
    popup = await extension.open_popup("https://daily.example/1")
    await expect(popup.locator("main")).to_contain_text("Info Radar does not answer at http://127.0.0.1:1.")
    await expect(popup.get_by_role("button", name="Open the options")).to_be_visible()
