"""The element that holds the article: where the page's prose is, and nothing much besides."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache

from inforadar.stages.canonical.document.dom import LIST_ITEM_WEIGHT, Node

ALMOST_ALL = 0.8
"""Going down into a child is right while it keeps this share of the prose …"""
MOST = 0.5
"""… or this share, if the page itself calls the child the body of the article."""

_BODY_NAME = re.compile(
    r"(?:^|[\s_-])(?:article|entry|post|story|news|blog|page|main|content|single|detail)s?[_-]*"
    r"(?:body|content|text|copy|inner|main)",
    re.IGNORECASE,
)
_PARTS_OF_TEXT = frozenset(
    ("p", "li", "td", "tr", "ul", "ol", "blockquote", "tbody", "dl", "dd", "pre", "h1", "h2", "h3")
)


def find_main(root: Node, clutter: list[Node]) -> Node:
    """The smallest element with nearly all prose of the page, `clutter` left out of account."""
    lost = _prose_lost(clutter)
    node = root
    while True:
        total = node.prose - lost[id(node)]
        best = None
        for child in node.children:
            if isinstance(child, str) or child.tag in _PARTS_OF_TEXT:
                continue
            prose = child.prose - lost[id(child)]
            if prose > ALMOST_ALL * total or (prose > MOST * total and _is_named_body(child)):
                best = child
        if best is None:
            return node
        node = best


def _prose_lost(clutter: list[Node]) -> dict[int, float]:
    lost: dict[int, float] = defaultdict(float)
    marked = {id(node) for node in clutter}
    for node in clutter:
        above = []
        at: Node | None = node
        while at is not None:
            above.append(at)
            at = at.parent
        if any(id(outer) in marked for outer in above[1:]):
            continue
        prose = node.prose
        for outer in above:
            if outer.tag == "li" and outer is not node:
                prose *= LIST_ITEM_WEIGHT
            lost[id(outer)] += prose
    return lost


def _is_named_body(node: Node) -> bool:
    return (
        node.tag in ("article", "main")
        or node.get("itemprop") == "articleBody"
        or node.get("role") == "main"
        or _names_a_body(node.get("class"))
        or _names_a_body(node.get("id"))
    )


@lru_cache(maxsize=20_000)
def _names_a_body(name: str) -> bool:
    return _BODY_NAME.search(name) is not None
