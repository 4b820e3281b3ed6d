"""Detects pages that are not articles: walls, errors, log-ins, passwords, front pages, lists, products, services.

Their text must not be stored as an article. Each rule requires a sign of such a page and the absence of an
article: a long text that mentions cookies, or whose page also has a log-in form, is an article.
"""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser

from inforadar.stages.canonical.content import phrases
from inforadar.stages.canonical.document.dom import Node, Tree
from inforadar.stages.canonical.metadata.head import ARTICLE_TYPES, Head, is_a

MIN_TEXT_CHARACTERS = 100
"""Less is not a meaningful text. One Chinese or Japanese character counts as three."""
SHORT_TEXT_CHARACTERS = 700
PREVIEW_CHARACTERS = 1_800
"""A longer text is the whole article, whatever the page says about subscribers."""

ERROR_PAGE, CONSENT_WALL, LOG_IN_PAGE = "an error page", "behind a consent wall", "a log-in page"
NOT_THE_PAGE = frozenset({ERROR_PAGE, CONSENT_WALL, LOG_IN_PAGE})
"""Something else was shown in place of the page: its title is not the page's either."""
LONG_TEXT_CHARACTERS = 4_000
"""A text of this length is an article, whatever else the page sells or lists."""
_PAGE_KINDS = {
    "a product page": frozenset(("Product", "ProductGroup", "IndividualProduct", "Offer", "AggregateOffer")),
    "a service page": frozenset(("Service",)),
    "a list of articles": frozenset(("CollectionPage", "SearchResultsPage", "ItemList")),
}
"""Types that a page states for itself if it is not an article, by the reason that is given."""

_PROTECTED_POST = "form.post-password-form, form[action*='action=postpass']"
_ARTICLE_QUERY = re.compile(
    r"(?:^|&)(?:p|page_id|id|aid|nid|article|articleid|story|storyid|post|news)=\w", re.I
)
_WIDE = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def letter_length(text: str) -> int:
    """Return the length of a text as if it were written in letters."""
    return len(text) + 2 * len(_WIDE.findall(text))


def find_wall(
    page: LexborHTMLParser, head: Head, tree: Tree, *, text: str, title: str, url: str
) -> str | None:
    """Say why this page is not an article, or return None. `text` is its extracted main text."""
    length = letter_length(text)
    says_article = is_a(head.article, ARTICLE_TYPES) or head.meta.get("og:type", "").lower() == "article"
    wall = None
    if length < PREVIEW_CHARACTERS and _is_paywalled(page, head, tree.root, text):
        wall = "behind a paywall"
    elif length < SHORT_TEXT_CHARACTERS and page.css_first(_PROTECTED_POST) is not None:
        wall = "behind a password"
    elif not says_article:
        wall = _find_non_article(page, head, tree, text=text, title=title, url=url)
    if wall is None and length < MIN_TEXT_CHARACTERS:
        wall = "needs JavaScript" if _needs_script(page, tree.root) else "no readable text"
    return wall


def _find_non_article(
    page: LexborHTMLParser, head: Head, tree: Tree, *, text: str, title: str, url: str
) -> str | None:
    length = letter_length(text)
    if length < SHORT_TEXT_CHARACTERS and (
        phrases.ERROR.search(title)
        or any(node.tag == "h1" and phrases.ERROR.search(node.text[:200]) for node in tree.nodes)
    ):
        return ERROR_PAGE
    if _is_consent_wall(text, title, length):
        return CONSENT_WALL
    if length < SHORT_TEXT_CHARACTERS and page.css_first("input[type=password]") is not None:
        return LOG_IN_PAGE
    kind = _stated_kind(head) if length < LONG_TEXT_CHARACTERS else None
    if kind is None and length >= MIN_TEXT_CHARACTERS:
        kind = _list_or_front_page(tree, length, url)
    return kind


def _stated_kind(head: Head) -> str | None:
    """Return what the page calls itself for machines, if that is no article."""
    if head.meta.get("og:type", "").lower().startswith("product"):
        return "a product page"
    names: set[str] = set()
    for found in head.objects:
        kind = found.get("@type")
        names.update(name for name in (kind if isinstance(kind, list) else [kind]) if isinstance(name, str))
    return next((reason for reason, kinds in _PAGE_KINDS.items() if names & kinds), None)


def _is_consent_wall(text: str, title: str, length: int) -> bool:
    if length > 4_000:
        return False
    signs = len(phrases.CONSENT.findall(text))
    if phrases.CONSENT_TITLE.search(title):
        return signs >= 2
    return signs >= 4 and signs * 120 > length


def _is_paywalled(page: LexborHTMLParser, head: Head, root: Node, text: str) -> bool:
    """Does the page say that it is not free, or ask for a subscription where the text breaks off?"""
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
    """Detect a page that consists mostly of links to other pages and has little other text."""
    root = tree.root
    path, _, query = url.partition("#")[0].partition("//")[2].partition("/")[2].partition("?")
    linked = root.link_length / max(1, root.text_length)
    # `/?p=123` is an article of a site without readable addresses.
    if url and not path.strip("/") and not _ARTICLE_QUERY.search(query) and linked > 0.3:
        return "a front page"
    cards = sum(
        1
        for node in tree.nodes
        if node.tag in ("h2", "h3", "h4", "h5") and node.link_length > 0.9 * node.text_length > 9
    )
    if cards >= 6 and root.prose < 250 * cards and length < min(120 * cards, LONG_TEXT_CHARACTERS):
        return "a list of articles"
    return "a list of links" if linked > 0.85 and length < SHORT_TEXT_CHARACTERS // 2 else None
