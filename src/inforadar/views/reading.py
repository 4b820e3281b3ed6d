"""Which text of an item is read: that of its page, or the feed's own. One rule, for every face, feed and analysis.

The page is the text, unless it gave none (a paywall, a consent wall, a page of scripts, a refusal) or says less than
the feed did, as pages do that show only the beginning.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from inforadar.model.article import Article, ArticleStatus
from inforadar.model.item import Item, ItemText, shares_its_page
from inforadar.texts import unescape_html
from inforadar.translations import gettext as _

FEED_SHARE = 1.3
FEED_SURPLUS_CHARACTERS = 200
"""The feed says more if its text is longer than the page's by this factor and this much on top: feeds repeat links."""

# Possessive, so that many starts without an end are not searched again and again.
_UNSHOWN = re.compile(r"<(script|style)\b[^<>]*+>[^<]*+(?:<(?!/\1\b)[^<]*+)*+", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]{0,2000}>")
_BEGINS_WITH_TEXT = re.compile(r"\s*+(?:</?+(?!(?i:script|style))[a-zA-Z][^<>]{0,2000}+>\s*+)*+[^\s<&]")
_PICTURE = re.compile(r"<img\s", re.IGNORECASE)
_SIGN = re.compile(r"&[#\w]++;?|\S")
"""A character, also one that is written as a reference."""


class TextOrigin(StrEnum):
    """Where the text that is shown comes from."""

    PAGE = "page"
    FEED = "feed"


def choose_origin(content: str, text_len: int, *, shares_page: bool = False) -> TextOrigin | None:
    """Choose between the page's text of `text_len` characters and the feed's content; None if neither has anything."""
    page = TextOrigin.PAGE if text_len and not shares_page else None
    # Markup only adds to the length, so most contents need not be read.
    if not content or (page and not _is_more(len(content), text_len)):
        return page
    if page:
        return TextOrigin.FEED if _is_more(len(plain_text(content)), text_len) else page
    has_any = _BEGINS_WITH_TEXT.match(content) or _has_text(content) or _PICTURE.search(content)
    return TextOrigin.FEED if has_any else None


def _is_more(feed_len: int, page_len: int) -> bool:
    return feed_len > FEED_SHARE * page_len + FEED_SURPLUS_CHARACTERS


def origin_of_text(text: ItemText) -> TextOrigin | None:
    """The rule for an item that is served. Without an article of its own, it has no `text_len`."""
    return choose_origin(text.content, text.text_len)


def plain_text(content: str) -> str:
    """A feed's HTML as plain text: markup removed, white space folded."""
    return " ".join(unescape_html(_without_markup(content)).split())


def _has_text(content: str) -> bool:
    """Whether there is any plain text. Nearly always the first sign tells; megabytes of references are not read."""
    return any(unescape_html(sign[0]).strip() for sign in _SIGN.finditer(_without_markup(content)))


def _without_markup(content: str) -> str:
    return _TAG.sub(" ", _UNSHOWN.sub(" ", content))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The text that is read of an item, and why it is this one."""

    origin: TextOrigin | None
    sentence: str
    """Says which text it is; empty if there is none."""


def reading_of(item: Item, article: Article | None) -> Reading:
    """The rule for an item with its article."""
    extracted = article.extracted if article else None
    text_len = extracted.text_len if extracted else 0
    origin = choose_origin(item.content, text_len, shares_page=shares_its_page(item.url))
    return Reading(origin=origin, sentence=_sentence(origin, item, article))


def _sentence(origin: TextOrigin | None, item: Item, article: Article | None) -> str:
    if origin is None:
        return ""
    if origin is TextOrigin.PAGE:
        return _("Text from the page.")
    if shares_its_page(item.url):
        return _("Text from the feed: the page is not this entry's alone.")
    if article is None or article.status is ArticleStatus.NOT_FETCHED:
        return _("Text from the feed: the page has not been fetched yet.")
    if article.extracted is not None:
        return _("Text from the feed, which says more than the page.")
    return _failure_sentence(article)


def _failure_sentence(article: Article) -> str:
    failure = article.failure
    if failure is None:
        return _("Text from the feed: the page gave none.")
    why = failure.detail.rstrip(".") or _("no reason given")
    return _("Text from the feed: the page gave none: %(why)s (%(code)s).", why=why, code=failure.code)
