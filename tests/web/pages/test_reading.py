"""The reading view, and the pages around it, in a real browser."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, expect

from inforadar.config import Settings, load_settings
from inforadar.model.article import Extracted
from inforadar.model.person import FIRST_PERSON
from inforadar.store.articles.queries import count_due_articles
from inforadar.store.people.marks import NO_MARKS, Marks, load_marks
from tests.support.faces.browser import PHONE, Site, no_axe_violations, overflow, site
from tests.support.faces.furnished import TITLES, furnish
from tests.support.ports import free_port

__all__ = ["site"]
pytestmark = pytest.mark.asyncio(loop_scope="session")

MINISTER, FERRY, _ = TITLES["BBC"]
LOADED_WORD, LOUD_WORD = "Loaded: judges while it tells", "Shouting: louder than the matter"
TABS = {"Clean text": "#text", "Analysis": "#analysis", "Changes": "#changes", "Source": "#source"}


async def marks_of(site: Site, url_hash: str) -> Marks:
    return (await site.newsroom.database.read(load_marks, FIRST_PERSON, [url_hash])).get(url_hash, NO_MARKS)  # type: ignore[list-item,call-overload]


async def shown_tab(page: Page) -> list[str]:
    return [name for name, place in TABS.items() if await page.locator(f".tabs > {place}").is_visible()]


@pytest.mark.parametrize("javascript", [True, False])
async def test_one_tab_at_a_time_is_shown(site: Site, javascript: bool) -> None:
    items = await furnish(site.newsroom)
    page = await site.open(f"/item/{items[MINISTER].id}", javascript=javascript)
    assert await shown_tab(page) == ["Clean text"]
    await expect(page.locator("#text")).to_contain_text("The minister slams critics; a furious row followed.")
    await expect(page.locator("#text").get_by_role("cell", name="212")).to_be_visible()
    await expect(page.get_by_role("main").get_by_text("Minister answers critics")).to_be_visible()
    names = page.get_by_role("navigation", name="Views of this article")
    await names.get_by_role("link", name="Analysis").click()
    assert await shown_tab(page) == ["Analysis"]
    await expect(page.locator("#analysis")).to_contain_text("A verb of violence.")
    await names.get_by_role("link", name="Changes").click()
    assert await shown_tab(page) == ["Changes"]
    await expect(page.locator("#changes del").first).to_have_text("Minister answers")
    await names.get_by_role("link", name="Source").click()
    assert await shown_tab(page) == ["Source"]
    await expect(page.locator("#source").get_by_role("link", name="bbc.example/0")).to_be_visible()
    await expect(page.locator("#source")).to_contain_text("As the feed says: a row.")


async def test_a_marked_word_says_its_reason_on_focus_and_on_hover(site: Site) -> None:
    items = await furnish(site.newsroom)
    page = await site.open(f"/item/{items[MINISTER].id}")
    said = "(mark) => getComputedStyle(mark, '::after').content"
    for place, word, reason in (("h1", "SLAMS", LOADED_WORD), ("h1", "furious", LOUD_WORD)):
        mark = page.locator(f"{place} mark", has_text=word)
        assert await mark.evaluate(said) == "none"
        await mark.focus()
        assert await mark.evaluate(said) == f'"{reason}"'
        await mark.blur()
        await mark.hover()
        assert await mark.evaluate(said) == f'"{reason}"'
    # One stop of the Tab key for all of them, and arrows between them.
    assert [await mark.get_attribute("tabindex") for mark in await page.locator("mark").all()] == ["0", "-1"]
    await page.locator("mark").first.focus()
    await page.keyboard.press("ArrowRight")
    await expect(page.locator("mark", has_text="furious")).to_be_focused()
    await page.keyboard.press("w")
    await expect(page.locator("html")).to_have_attribute("data-marks", "off")
    # Not in the text, unless the reader wants them there.
    await expect(page.locator("#text mark")).to_have_count(0)


@pytest.mark.parametrize("javascript", [True, False])
async def test_opening_reads_it_and_buttons_change_the_marks(site: Site, javascript: bool) -> None:
    item = (await furnish(site.newsroom))[FERRY]
    page = await site.open(f"/item/{item.id}", admin=True, javascript=javascript, size=PHONE)
    assert (await marks_of(site, item.hash)).read_at
    await page.get_by_role("button", name="Mark as unread").click()
    await expect(page.get_by_role("button", name="Mark as read")).to_be_visible()
    assert await marks_of(site, item.hash) == NO_MARKS
    await page.get_by_role("button", name="Star", exact=True).click()
    await page.get_by_role("button", name="Remove the star").wait_for()
    await page.get_by_role("button", name="Archive", exact=True).click()
    await page.get_by_role("button", name="Take out of the archive").wait_for()
    marks = await marks_of(site, item.hash)
    assert marks.starred_at
    assert marks.archived_at


async def test_keys_mark_open_and_lead_back(site: Site) -> None:
    item = (await furnish(site.newsroom))[FERRY]
    page = await site.open(f"/item/{item.id}", admin=True, size=PHONE)
    for key, name in (("s", "Remove the star"), ("a", "Take out of the archive"), ("m", "Mark as read")):
        await page.keyboard.press(key)
        await expect(page.get_by_role("button", name=name, exact=True)).to_be_visible()
    marks = await marks_of(site, item.hash)
    assert marks.starred_at
    assert marks.archived_at
    assert marks.read_at is None
    async with page.expect_popup() as popup:
        await page.keyboard.press("o")
    await (await popup.value).wait_for_url(item.url)
    assert "referer" not in await site.outside[-1].all_headers()
    await page.keyboard.press("u")
    await page.wait_for_url(f"{site.base}/")


@pytest.mark.parametrize("javascript", [True, False])
async def test_articles_follow_each_other_in_the_list_they_are_read_in(site: Site, javascript: bool) -> None:
    items = await furnish(site.newsroom)
    page = await site.open(f"/item/{items[MINISTER].id}?topic=world", javascript=javascript, size=PHONE)
    heading = page.get_by_role("heading", level=1)
    await expect(page.get_by_role("link", name="Previous article")).to_have_count(0)
    await page.get_by_role("link", name="Next article").click()
    await expect(heading).to_have_text(FERRY)
    assert page.url == f"{site.base}/item/{items[FERRY].id}?topic=world"
    await page.get_by_role("link", name="Previous article").click()
    await expect(heading).to_have_text(MINISTER)
    await page.get_by_role("link", name="Back to the list").click()
    await page.wait_for_url("**/?topic=world")


async def test_labels_and_a_note_are_kept_without_javascript(site: Site) -> None:
    item = (await furnish(site.newsroom))[FERRY]
    page = await site.open(f"/item/{item.id}?topic=world", admin=True, javascript=False)
    await page.get_by_text("Your labels and note").click()
    await page.get_by_label("Labels, separated by commas").fill("to  do, порт <b>, to do")
    await page.get_by_label("Note").fill("渡轮 <script>")
    await page.get_by_role("button", name="Save").click()
    await expect(page.locator(".chip.own")).to_have_text(["to do", "порт <b>"])
    await expect(page.get_by_label("Note")).to_have_value("渡轮 <script>")
    assert "topic=world" in page.url
    await page.get_by_label("Labels, separated by commas").fill("порт <b>")
    await page.get_by_label("Note").fill("")
    await page.get_by_role("button", name="Save").click()
    marks = await marks_of(site, item.hash)
    assert (marks.labels, marks.note) == (("порт <b>",), "")


@pytest.mark.parametrize("javascript", [True, False])
async def test_the_article_is_asked_for_and_comes(site: Site, javascript: bool) -> None:
    feed = await site.newsroom.add_feed()
    item = await site.newsroom.add_item(feed, "https://news.example/1", title="Without a text")
    page = await site.open(f"/item/{item.id}", admin=True, javascript=javascript)
    await expect(page.get_by_text("has not been fetched yet")).to_be_visible()
    if javascript:
        await page.clock.install()
    await page.get_by_role("button", name="Get the article now").click()
    await expect(page.get_by_text("Asked for.")).to_be_visible()
    await expect(page.get_by_role("button", name="Get the article now")).to_have_count(0)
    assert await site.newsroom.database.read(count_due_articles) == 1
    await site.newsroom.finish_articles(
        {item.url: Extracted(clean_text="Here it is.", markdown="Here *it* is.")}
    )
    if javascript:
        await page.clock.fast_forward(3000)
    else:
        await page.reload()
    await expect(page.locator("#text em")).to_have_text("it")


async def test_pictures_come_from_their_sites_without_a_referrer(site: Site) -> None:
    items = await furnish(site.newsroom)
    page = await site.open(f"/item/{items[MINISTER].id}")
    picture = page.get_by_role("img", name="The house at night")
    await picture.scroll_into_view_if_needed()
    await expect(picture).to_have_js_property("naturalWidth", 1)
    (asked,) = site.outside
    assert asked.url == "https://pictures.example/house.png"
    assert "referer" not in await asked.all_headers()


class TestOnClick:
    @pytest.fixture
    def site_settings(self, tmp_path) -> Settings:  # type: ignore[no-untyped-def]
        return load_settings(tmp_path, {"INFORADAR_PORT": str(free_port()), "INFORADAR_IMAGES": "click"})

    async def test_a_picture_is_loaded_when_it_is_wanted(self, site: Site) -> None:
        items = await furnish(site.newsroom)
        page = await site.open(f"/item/{items[MINISTER].id}")
        await page.get_by_role("link", name="Show the picture: The house at night").click()
        await expect(page.get_by_role("img", name="The house at night")).to_have_js_property(
            "naturalWidth", 1
        )
        (asked,) = site.outside
        assert "referer" not in await asked.all_headers()


class TestNever:
    @pytest.fixture
    def site_settings(self, tmp_path) -> Settings:  # type: ignore[no-untyped-def]
        return load_settings(tmp_path, {"INFORADAR_PORT": str(free_port()), "INFORADAR_IMAGES": "never"})

    async def test_no_picture_is_ever_asked_for(self, site: Site) -> None:
        items = await furnish(site.newsroom)
        page = await site.open(f"/item/{items[MINISTER].id}")
        await expect(page.locator("#text")).to_contain_text("The minister")
        await expect(page.locator("article img, a.picture")).to_have_count(0)
        assert site.outside == []


async def test_logging_in_and_out_by_the_page(site: Site) -> None:
    await furnish(site.newsroom)
    page = await site.open("/login", javascript=False)
    await no_axe_violations(await site.open("/login"))
    site.faults.clear()
    await page.get_by_text("No password yet?").click()
    await page.get_by_label("Admin token").fill("wrong")
    await page.get_by_role("button", name="Log in with the token").click()
    await expect(page.get_by_role("alert")).to_contain_text("That is not the admin token.")
    site.faults.clear()
    await page.get_by_text("No password yet?").click()
    await page.get_by_label("Admin token").fill(site.token)
    await page.get_by_role("button", name="Log in with the token").click()
    await page.locator(".top .menu summary").click()
    await page.get_by_role("button", name="Log out").click()
    await expect(page.get_by_role("link", name="Log in")).to_be_visible()


async def test_a_page_that_is_not_there_is_for_everybody(site: Site) -> None:
    page = await site.open("/nothing", status=404, size=PHONE, dark=True)
    await no_axe_violations(page)
    assert await overflow(page) == 0
    await page.get_by_role("link", name="Back to the articles").click()
    await expect(page.get_by_role("heading", name="Welcome")).to_be_visible()


async def test_a_chip_opens_a_sheet_beside_the_article_and_is_a_plain_link_without_a_script(
    site: Site,
) -> None:
    items = await furnish(site.newsroom)
    page = await site.open(f"/item/{items[MINISTER].id}")
    await page.locator("a.chip", has_text="loaded").click()
    sheet = page.get_by_role("dialog", name="Analysis")
    await expect(sheet).to_contain_text("A verb of violence.")
    await no_axe_violations(page)
    await page.keyboard.press("Escape")
    await expect(sheet).to_have_count(0)
    assert await shown_tab(page) == ["Clean text"]
    plain = await site.open(f"/item/{items[MINISTER].id}", javascript=False)
    await plain.locator("a.chip", has_text="loaded").click()
    assert await shown_tab(plain) == ["Analysis"]
