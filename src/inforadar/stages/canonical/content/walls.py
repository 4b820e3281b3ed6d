"""Pages that are no article: walls, errors, log-ins, front pages and lists.

Their text must not be stored as if it were one. Each rule asks for a sign and for the absence of an
article: a long article that mentions cookies, or whose page also has a log-in form, is an article.
"""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser

from inforadar.stages.canonical.content import phrases
from inforadar.stages.canonical.document.dom import Node, Tree
from inforadar.stages.canonical.metadata.head import ARTICLE_TYPES, Head, is_a

MIN_TEXT = 100
"""Fewer characters are no meaningful text; one Chinese or Japanese sign counts for three."""
SHORT = 700
PREVIEW = 1_800
"""Beyond this, the text is there, whatever the page says about subscribers."""

_WIDE = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def weight(text: str) -> int:
    """Length of a text as if it were written in letters."""
    return len(text) + 2 * len(_WIDE.findall(text))


def find_wall(
    page: LexborHTMLParser, head: Head, tree: Tree, *, text: str, title: str, url: str
) -> str | None:
    """Why this page is no article, or None. `text` is what was taken for its main text."""
    length = weight(text)
    says_article = is_a(head.article, ARTICLE_TYPES) or head.meta.get("og:type", "").lower() == "article"
    wall = None
    if length < PREVIEW and _is_paywalled(page, head, tree.root, text):
        wall = "behind a paywall"
    elif not says_article:
        wall = _not_an_article(page, tree, text=text, title=title, url=url)
    if wall is None and length < MIN_TEXT:
        wall = "needs JavaScript" if _needs_script(page, tree.root) else "no text of its own"
    return wall


def _not_an_article(page: LexborHTMLParser, tree: Tree, *, text: str, title: str, url: str) -> str | None:
    length = weight(text)
    if length < SHORT and phrases.ERROR.search(title):
        return "an error page"
    if _is_consent(text, title, length):
        return "behind a consent wall"
    if length < SHORT and page.css_first("input[type=password]") is not None:
        return "a log-in page"
    return _list_or_front_page(tree, length, url) if length >= MIN_TEXT else None


def _is_consent(text: str, title: str, length: int) -> bool:
    if length > 4_000:
        return False
    signs = len(phrases.CONSENT.findall(text))
    if phrases.CONSENT_TITLE.search(title):
        return signs >= 2
    return signs >= 4 and signs * 120 > length


def _is_paywalled(page: LexborHTMLParser, head: Head, root: Node, text: str) -> bool:
    """The page says that it is not free, or asks for a subscription where the text breaks off."""
    asks = phrases.PAYWALL.search(root.text[:200_000]) is not None or phrases.PAYWALL.search(text) is not None
    free = next(
        (entry["isAccessibleForFree"] for entry in head.objects if "isAccessibleForFree" in entry), True
    )
    closed = (
        str(free).lower() in ("false", "0", "no") or head.meta.get("article:content_tier", "") == "locked"
    )
    if closed:
        return asks or _has_paywall_element(page)
    return asks and (_has_paywall_element(page) or phrases.PAYWALL.search(text[-400:]) is not None)


def _has_paywall_element(page: LexborHTMLParser) -> bool:
    return any(
        phrases.PAYWALL_NAME.search(f"{node.attributes.get('class') or ''} {node.attributes.get('id') or ''}")
        for node in page.css(
            '[class*="wall" i], [id*="wall" i], [class*="subscriber" i], [class*="premium" i]'
        )
    )


def _needs_script(page: LexborHTMLParser, root: Node) -> bool:
    notices = " ".join(node.text() for node in page.css("noscript")[:5])
    return bool(
        phrases.NEEDS_SCRIPT.search(notices) or phrases.NEEDS_SCRIPT.search(root.text[:2_000])
    ) or bool(page.css_first("#root:empty, #app:empty, #__next:empty"))


def _list_or_front_page(tree: Tree, length: int, url: str) -> str | None:
    """Most of the page's words are links to other pages, and what is left is little."""
    root = tree.root
    path = url.partition("//")[2].partition("/")[2].partition("?")[0]
    linked = root.link_length / max(1, root.text_length)
    if url and not path.strip("/") and linked > 0.3:
        return "a front page"
    cards = sum(
        1
        for node in tree.nodes
        if node.tag in ("h2", "h3", "h4", "h5") and node.link_length > 0.9 * node.text_length > 9
    )
    if cards >= 6 and root.prose < 250 * cards and length < 120 * cards:
        return "a list of articles"
    return "a list of links" if linked > 0.85 and length < SHORT // 2 else None
