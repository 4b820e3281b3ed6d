"""Texts of articles are made once, and again when what they are made of changes."""

from __future__ import annotations

from dataclasses import replace

from markupsafe import Markup

from inforadar.translations import LANGUAGES, speaking
from inforadar.views.item import read_item
from inforadar.views.reading import reading_of
from inforadar.web.pages.item_texts import ItemTexts, Texts
from tests.support.faces.newsroom import Newsroom


async def test_a_text_is_made_once_until_its_content_changes(newsroom: Newsroom) -> None:
    feed = await newsroom.add_feed()
    item = await newsroom.add_item(feed, "https://news.example/a", content="<p>One <b>word</b></p>")
    kept = ItemTexts()

    async def shown(content: str, images: str = "never", where: str = "off") -> Texts:
        read = read_item(replace(item, content=content))
        return await kept.make(read, None, reading_of(read.item, None), images, where, may_read=True)  # type: ignore[arg-type]

    first = await shown("<p>One</p>")
    assert first.article == Markup("<p>One</p>")
    assert await shown("<p>One</p>") is first
    assert (await shown("<p>Two</p>")).article == Markup("<p>Two</p>")
    assert await shown("<p>One</p>", images="direct") is not first
    assert await shown("<p>One</p>", where="everywhere") is not first
    assert await shown("<p>One</p>") is first
    with speaking(LANGUAGES[-1]):
        assert await shown("<p>One</p>") is not first
