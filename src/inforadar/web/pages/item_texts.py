"""The texts of an article as they are shown: made safe and marked once, and kept by what they were made of."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b

from markupsafe import Markup

from inforadar.model.article import Article
from inforadar.translations.speech import current_language
from inforadar.views.highlight import Highlighter
from inforadar.views.item import ReadItem, page_html
from inforadar.views.marks import IN_TEXTS, marker_for
from inforadar.views.reading import Reading, TextOrigin
from inforadar.views.sanitize import Budget, Images, lead_html, listing_html
from inforadar.web.cache.bounded import BoundedCache
from inforadar.web.cache.single_flight import SingleFlight

MAX_KEPT_CHARACTERS = 4 * 2**20
"""How much text is kept in memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """Sanitized texts with the words marked that the analysis is based on; empty if there is no text."""

    title: Markup
    article: Markup
    lead: Markup
    """The lead image, if the text does not have it."""
    listed: Markup
    """The content from the feed, if the text is not that."""

    @property
    def weight(self) -> int:
        """The memory that it takes, roughly."""
        return 500 + len(self.title) + len(self.article) + len(self.lead) + len(self.listed)


class ItemTexts:
    """Makes texts, and keeps those that were shown last."""

    def __init__(self) -> None:
        self._known: BoundedCache[bytes, Texts] = BoundedCache(
            MAX_KEPT_CHARACTERS, lambda texts: texts.weight
        )
        self._making: SingleFlight[bytes, Texts] = SingleFlight()

    async def make(
        self,
        read: ReadItem,
        article: Article | None,
        reading: Reading,
        images: Images,
        where: str,
        *,
        may_read: bool,
    ) -> Texts:
        """The texts as they were made the last time, unless what they are made of has changed."""
        make = partial(_texts, read, article, reading, images, where, may_read=may_read)
        # The name stands for the function that gives pictures their address.
        mode = images if isinstance(images, str) else images("")
        # The reasons of marks are in the reader's language.
        spoken = current_language().tag
        key = _digest(read, article, reading.origin or "", mode, where, str(may_read), spoken)
        texts = self._known.get(key)
        if texts is None:
            # In a thread, because sanitizing a long text takes a moment and other requests must not wait.
            texts = await self._making.ask(key, partial(asyncio.to_thread, make))
            self._known.put(key, texts)
        return texts


def _digest(read: ReadItem, article: Article | None, *others: str) -> bytes:
    """A digest of everything that the texts of an item are made of."""
    item, extracted = read.item, article.extracted if article else None
    parts = [*others, read.title, item.address, item.content, item.image or "", repr(item.analyzer_result)]
    if extracted is not None:
        parts += [extracted.html, extracted.markdown, extracted.clean_text, extracted.image or ""]
    made = blake2b(digest_size=20)
    for part in parts:
        data = part.encode("utf-8", "replace")
        made.update(b"%d:" % len(data))
        made.update(data)
    return made.digest()


def _texts(
    read: ReadItem,
    article: Article | None,
    reading: Reading,
    images: Images,
    where: str,
    *,
    may_read: bool,
) -> Texts:
    in_title = marker_for(read.analysis if where != "off" else None)
    in_text = marker_for(read.analysis if where == "everywhere" else None, IN_TEXTS)
    title = in_title.text(read.title)
    if not may_read:
        return Texts(title=title, article=Markup(), lead=Markup(), listed=Markup())
    item, extracted = read.item, article.extracted if article else None
    # The text that is read comes first: what it leaves of the budget is for the feed's own content beside it.
    budget, text = Budget(), Markup()
    if reading.origin is not TextOrigin.FEED:
        text = page_html(article, images, budget)
    listed = listing_html(item.content, images, item.address, budget) if item.content else None
    listed = listed or Markup()
    if reading.origin is TextOrigin.FEED:
        text, listed = listed, Markup()
    lead = lead_html((extracted.image if extracted else None) or item.image, text, images)
    return Texts(
        title=title,
        article=in_text.html(text, budget),
        lead=lead if text else Markup(),
        listed=in_text.html(listed, budget),
    )


def with_found(texts: Texts, found: Highlighter) -> Texts:
    """Mark what the search found that the article is read in."""
    if not found.has_words:
        return texts
    return replace(
        texts,
        title=found.html(texts.title),
        article=found.html(texts.article),
        listed=found.html(texts.listed),
    )
