"""What on a page is not its article, by the names its authors gave to the parts.

Class names and ids are prose: `post-share-buttons`, `relatedArticles`. They are cut into words, and words
judge. But names mislead (`post-with-sidebar` is the article, in some themes everything is a `widget`), so
a word is weighed by all the text that bears it: if too much of the page would go with it, it means
something else here.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache

from inforadar.stages.canonical.document.dom import Node

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")

# Elements and roles that say the same as a name.
_TAGS = frozenset(("nav", "footer", "aside", "menu", "form"))
_ROLES = frozenset(
    (
        "navigation", "banner", "contentinfo", "complementary", "search", "dialog", "alertdialog", "menu",
        "menubar", "toolbar", "tooltip",
    )
)  # fmt: skip
_NEVER = frozenset(("html", "body", "article", "main"))

_OUTSIDE = frozenset(
    (
        "comment", "comments", "commentlist", "disqus", "respond", "livefyre", "footer",
    )
)  # fmt: skip
"""Often longer than the article itself, and still not the article."""
_CLEAR = frozenset(
    (
        "addthis", "addtoany", "adsbygoogle", "adslot", "advert", "advertisement", "advertising",
        "breadcrumb", "breadcrumbs", "caption", "captions", "cookie", "cookies", "copyright", "crumbs",
        "figcaption", "gdpr", "navbar", "newsletter", "newsletters", "outbrain", "pagination", "promo",
        "recirc", "recommendation", "recommendations", "recommended", "related", "share", "shareaholic",
        "sharedaddy", "sharethis", "sharing", "social", "socials", "sponsored", "taboola", "trending",
        "zergnet",
    )
)  # fmt: skip
_VAGUE = frozenset(
    (
        "ad", "ads", "authorbox", "byline", "consent", "credit", "credits", "cta", "dfp", "hidden", "jp",
        "lightbox", "login", "menu", "meta", "modal", "nav", "navigation", "noprint", "optin", "overlay",
        "pager", "popover", "popular", "popup", "print", "promotion", "rail", "replies", "sidebar",
        "signup", "skip", "sponsor", "submenu", "subscribe", "subscription", "tagcloud", "taglist", "tags",
        "teaser", "toc", "toolbar", "tooltip", "upsell", "widget", "widgets",
    )
)  # fmt: skip
"""Layout uses these words for anything; they count for small parts only."""
_JUDGED = _OUTSIDE | _CLEAR | _VAGUE
# `has-sidebar`, `modal-enabled`, `field-label-hidden` speak of something else than the element itself.
_MODIFIERS = frozenset(("with", "has", "no", "without", "enabled", "label", "w", "is", "not", "hide", "show"))
_NOTHING: frozenset[str] = frozenset()


def find_clutter(root: Node) -> list[Node]:
    """Elements below `root` that are not part of an article."""
    total = root.prose
    weight: dict[str, float] = defaultdict(float)
    suspects: list[tuple[Node, frozenset[str]]] = []
    todo: list[tuple[Node, frozenset[str]]] = [(root, _NOTHING)]
    while todo:
        node, inherited = todo.pop()
        for child in node.children:
            if isinstance(child, str) or child.tag in ("pre", "code"):
                continue
            below = inherited
            if child.tag not in _NEVER:
                reasons = child.clutter
                if reasons is None:
                    reasons = child.clutter = _reasons(child)
                if reasons:
                    suspects.append((child, reasons))
                    # What stands inside a part of the same name is not counted twice.
                    for reason in reasons - inherited:
                        weight[reason] += child.prose
                    below = inherited | reasons
            todo.append((child, below))
    meaningless = {reason for reason, prose in weight.items() if _takes_too_much(reason, prose, total)}
    return [node for node, reasons in suspects if reasons - meaningless]


def _takes_too_much(reason: str, prose: float, total: float) -> bool:
    if reason in _VAGUE:
        return prose > 0.2 * total
    return prose > (0.95 if reason in _OUTSIDE else 0.7) * total or total - prose < 200


def _reasons(node: Node) -> frozenset[str]:
    attrs = node.attrs
    if node.tag in _TAGS:
        return frozenset(("footer" if node.tag == "footer" else f"<{node.tag}>",))
    if not attrs:
        return _NOTHING
    role = attrs.get("role")
    if role in _ROLES:
        return frozenset((f"role={role}",))
    if _is_hidden(attrs):
        return frozenset(("hidden",))
    name = attrs.get("class")
    if name and "tweet" in name:
        # A quoted post is content, whatever `social-embed` it stands in.
        return _NOTHING
    found = _words_in(name) if name else _NOTHING
    name = attrs.get("id")
    return found | _words_in(name) if name else found


@lru_cache(maxsize=20_000)
def _words_in(name: str) -> frozenset[str]:
    found: set[str] = set()
    for token in name.split():
        words = {word.lower() for word in _WORD.findall(token)}
        if words.isdisjoint(_MODIFIERS):
            found |= words & _JUDGED
    return frozenset(found)


def _is_hidden(attrs: dict[str, str | None]) -> bool:
    if "hidden" in attrs or attrs.get("aria-hidden") == "true":
        return True
    style = attrs.get("style")
    if not style:
        return False
    style = style.replace(" ", "").lower()
    return "display:none" in style or "visibility:hidden" in style
