"""Finds the parts of a page that are not its article, by their class names and ids.

Class names and ids are descriptive: `post-share-buttons`, `relatedArticles`. They are split into words, and
certain words mark an element as clutter. But names mislead (`post-with-sidebar` is the article, and in some
themes everything is a `widget`), so all the text under a word is added up: if too much of the page would be
removed with it, the word means something else on this page.
"""

from __future__ import annotations

import re
from collections import defaultdict

from inforadar.short_cache import short_cache
from inforadar.stages.canonical.content.main_element import is_named_body
from inforadar.stages.canonical.document.dom import Node

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")

# Elements and roles that mean the same as a name.
_TAGS = frozenset(("nav", "footer", "aside", "menu", "form"))
_ROLES = frozenset(
    (
        "navigation", "banner", "contentinfo", "complementary", "search", "dialog", "alertdialog", "menu",
        "menubar", "toolbar", "tooltip",
    )
)  # fmt: skip
_NEVER_CLUTTER = frozenset(("html", "body", "article", "main"))

_OUTSIDE_WORDS = frozenset(
    (
        "comment", "comments", "commentlist", "disqus", "respond", "livefyre", "footer",
    )
)  # fmt: skip
"""Often longer than the article itself, but never part of it."""
_CLEAR_WORDS = frozenset(
    (
        "addthis", "addtoany", "adsbygoogle", "adslot", "advert", "advertisement", "advertising",
        "breadcrumb", "breadcrumbs", "caption", "captions", "cookie", "cookies", "copyright", "crumbs",
        "figcaption", "gdpr", "navbar", "newsletter", "newsletters", "outbrain", "pagination", "promo",
        "recirc", "recommendation", "recommendations", "recommended", "related", "share", "shareaholic",
        "sharedaddy", "sharethis", "sharing", "social", "socials", "sponsored", "taboola", "trending",
        "zergnet",
    )
)  # fmt: skip
_VAGUE_WORDS = frozenset(
    (
        "ad", "ads", "attribution", "attributions", "author", "authorbio", "authorbox", "authorinfo",
        "authors", "bio", "buttons", "byline", "consent", "contributor", "contributors", "credit",
        "credits", "cta", "dfp", "disclaimer", "donate", "donation", "excerpt", "hidden", "jp", "lightbox",
        "login", "mailchimp", "menu", "meta", "modal", "mostpopular", "mostread", "nav", "navigation",
        "next", "noprint", "offers", "optin", "overlay", "pager", "placeholder", "popover", "popular",
        "popup", "prev", "print", "promotion", "rail", "readmore", "recirculation", "replies", "rollover",
        "saboxplugin", "sidebar", "signup", "skip", "speechify", "sponsor", "submenu", "subscribe",
        "subscription", "tagcloud", "taglist", "tags", "teaser", "toc", "toolbar", "tooltip", "upnext",
        "upsell", "widget", "widgets", "yarpp",
    )
)  # fmt: skip
"""Layouts use these words for anything, so they count only for small parts."""
_CLUTTER_WORDS = _OUTSIDE_WORDS | _CLEAR_WORDS | _VAGUE_WORDS
# `has-sidebar`, `modal-enabled` and `field-label-hidden` do not describe the element itself.
_MODIFIERS = frozenset(("with", "has", "no", "without", "enabled", "label", "w", "is", "not", "hide", "show"))
_NO_REASONS: frozenset[str] = frozenset()
_HIDDEN = "not shown"
"""The page says so for a machine; the word "hidden" in a class name is only vague."""
_ONLY_HIDDEN = frozenset((_HIDDEN,))
MIN_BODY_SHARE = 0.3
"""An element with this share of the prose that is named as the body of an article is no clutter."""


def find_clutter(root: Node) -> list[Node]:
    """Find the elements below `root` that are not part of an article."""
    total = root.prose
    weight: dict[str, float] = defaultdict(float)
    suspects: list[tuple[Node, frozenset[str]]] = []
    todo: list[tuple[Node, frozenset[str]]] = [(root, _NO_REASONS)]
    while todo:
        node, inherited = todo.pop()
        for child in node.children:
            if isinstance(child, str) or child.tag in ("pre", "code"):
                continue
            below = inherited
            if child.tag not in _NEVER_CLUTTER:
                reasons = child.clutter
                if reasons is None:
                    reasons = child.clutter = _reasons(child)
                if reasons:
                    suspects.append((child, reasons))
                    # Text inside a part with the same reason is not counted twice.
                    for reason in reasons - inherited:
                        weight[reason] += child.prose
                    below = inherited | reasons
            todo.append((child, below))
    meaningless = {reason for reason, prose in weight.items() if _takes_too_much(reason, prose, total)}
    return [
        node
        for node, reasons in suspects
        if reasons - meaningless and not (node.prose > MIN_BODY_SHARE * total and _surrounds_body(node))
    ]


def _surrounds_body(node: Node) -> bool:
    """Is the element, or the only one of importance inside it, named as the body of the article?"""
    at: Node | None = node
    while at is not None:
        if is_named_body(at):
            return True
        least = 0.8 * at.prose
        at = next((child for child in at.children if isinstance(child, Node) and child.prose > least), None)
    return False


def _takes_too_much(reason: str, prose: float, total: float) -> bool:
    if reason == _HIDDEN:
        return prose > 0.6 * total
    if reason in _VAGUE_WORDS:
        return prose > 0.2 * total
    return prose > (0.95 if reason in _OUTSIDE_WORDS else 0.7) * total or total - prose < 200


def _reasons(node: Node) -> frozenset[str]:
    attrs = node.attrs
    if node.tag in _TAGS:
        return frozenset(("footer" if node.tag == "footer" else f"<{node.tag}>",))
    if not attrs:
        return _NO_REASONS
    role = attrs.get("role")
    if role in _ROLES:
        return frozenset((f"role={role}",))
    if _is_hidden(attrs):
        return _ONLY_HIDDEN
    name = attrs.get("class")
    if name and "tweet" in name:
        # A quoted post is content, even inside a `social-embed`.
        return _NO_REASONS
    found = _words_in(name) if name else _NO_REASONS
    name = attrs.get("id")
    return found | _words_in(name) if name else found


@short_cache(20_000, max_length=200)
def _words_in(name: str) -> frozenset[str]:
    found: set[str] = set()
    for token in name.split():
        words = {word.lower() for word in _WORD.findall(token)}
        if words.isdisjoint(_MODIFIERS):
            found |= words & _CLUTTER_WORDS
            if "embed" in words:
                # A quoted post is content.
                found.discard("social")
    return frozenset(found)


def _is_hidden(attrs: dict[str, str | None]) -> bool:
    if "hidden" in attrs or attrs.get("aria-hidden") == "true":
        return True
    style = attrs.get("style")
    if not style:
        return False
    style = style.replace(" ", "").lower()
    return "display:none" in style or "visibility:hidden" in style
