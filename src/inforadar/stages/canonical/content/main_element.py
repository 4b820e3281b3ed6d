"""Finds the element that contains the article: most of the page's prose and little else."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache

from inforadar.stages.canonical.document.dom import LIST_ITEM_WEIGHT, Node

MIN_PROSE_SHARE = 0.8
"""Descend into a child that has more than this share of the prose …"""
MIN_NAMED_BODY_SHARE = 0.5
"""… or this share, if the page's markup names the child as the body of the article."""

_BODY_NAME = re.compile(
    r"(?:^|[\s_-])(?:article|entry|post|story|news|blog|page|main|content|single|detail)s?[_-]*"
    r"(?:body|content|text|copy|inner|main)",
    re.IGNORECASE,
)
_TEXT_TAGS = frozenset(
    ("p", "li", "td", "tr", "ul", "ol", "blockquote", "tbody", "dl", "dd", "pre", "h1", "h2", "h3")
)


def find_main(root: Node, clutter: list[Node]) -> Node:
    """Find the smallest element with nearly all prose of the page, not counting `clutter`."""
    lost = _clutter_prose(clutter)
    node = root
    while True:
        total = node.prose - lost[id(node)]
        best = None
        for child in node.children:
            if isinstance(child, str) or child.tag in _TEXT_TAGS:
                continue
            prose = child.prose - lost[id(child)]
            if prose > MIN_PROSE_SHARE * total or (
                prose > MIN_NAMED_BODY_SHARE * total and _is_named_body(child)
            ):
                best = child
        if best is None:
            return node
        node = best


def _clutter_prose(clutter: list[Node]) -> dict[int, float]:
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
        or _is_body_name(node.get("class"))
        or _is_body_name(node.get("id"))
    )


@lru_cache(maxsize=20_000)
def _is_body_name(name: str) -> bool:
    return _BODY_NAME.search(name) is not None
