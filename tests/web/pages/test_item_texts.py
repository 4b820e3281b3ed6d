"""Texts of articles are made once, and again when what they are made of changes."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace

import pytest
from markupsafe import Markup

from inforadar.model.analysis import Score
from inforadar.model.article import Article, ArticleStatus, Extracted
from inforadar.translations import LANGUAGES, speaking
from inforadar.urls import uid
from inforadar.views.item import read_item
from inforadar.views.reading import Reading, TextOrigin, reading_of
from inforadar.views.sanitize import MAX_CHARACTERS, MAX_MARKS, MAX_TAGS
from inforadar.web.pages.item_texts import ItemTexts, Texts
from tests.support.faces.newsroom import Newsroom, analysis


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


async def test_readers_who_open_an_article_together_have_its_text_made_once(newsroom: Newsroom) -> None:
    feed = await newsroom.add_feed()
    item = await newsroom.add_item(feed, "https://news.example/a", content="<p>One</p>" * 500)
    read, kept = read_item(item), ItemTexts()
    made = await asyncio.gather(
        *(
            kept.make(read, None, reading_of(item, None), "never", "off", may_read=True)
            for _reader in range(5)
        )
    )
    assert all(texts is made[0] for texts in made)


@pytest.mark.parametrize("text", ["html", "markdown", "clean_text"])
async def test_two_hostile_texts_in_one_item_share_one_budget(newsroom: Newsroom, text: str) -> None:
    hostile = {
        "html": "<p>angry <b>x</b></p>" * 20_000,
        "markdown": "- *angry*\n" * 40_000,
        "clean_text": "angry\n\n" * 60_000,
    }
    feed = await newsroom.add_feed()
    item = await newsroom.add_item(
        feed, "https://news.example/a", content="<p>angry <i>y</i></p>" * 20_000, title="Angry"
    )
    angry = Score(value=0.9, reason="", words=("angry",))
    read = replace(read_item(item), analysis=analysis(0.9, framing=angry))
    article = Article(
        uid=uid(item.url),
        url=item.url,
        category="general",
        status=ArticleStatus.SUCCESS,
        extracted=Extracted(**{"clean_text": "", "markdown": "", text: hostile[text]}),
    )
    reading = Reading(origin=TextOrigin.PAGE, sentence="")
    shown = await ItemTexts().make(read, article, reading, "never", "everywhere", may_read=True)
    both = shown.article + shown.listed
    assert shown.article.count("<mark") > 100
    assert both.count("<mark") <= MAX_MARKS
    assert len(re.findall("<[a-z]", both.replace("<mark", ""))) <= MAX_TAGS
    assert len(re.sub("<[^>]*>", "", both)) <= MAX_CHARACTERS
