"""Finds the element that contains the article: most of the page's prose and little else."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from inforadar.short_cache import short_cache
from inforadar.stages.canonical.document.dom import LIST_ITEM_WEIGHT, Node, Tree

MIN_PROSE_SHARE = 0.8
"""Descend into a child that has more than this share of the prose …"""
MIN_NAMED_BODY_SHARE = 0.5
"""… or this share, if the page's markup names the child as the body of the article."""
MIN_ONLY_BODY_SHARE = 0.3
"""Where no child is chosen, the only named body below with this share of the prose is the article."""
MIN_LEAD_PROSE = 300
MAX_LEAD_SHARE = 0.4
"""Text between the headline and the main element that has more prose, but less than this share, is the beginning."""

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
    found = _walk_down(root, lost)
    if _is_in_named_body(found):
        return found
    bodies = _named_bodies(found, lost)
    return _walk_down(bodies[0], lost) if len(bodies) == 1 else found


def _walk_down(node: Node, lost: dict[int, float]) -> Node:
    """Descend as long as one child has most of the prose."""
    while True:
        total = node.prose - lost[id(node)]
        best = None
        for child in node.children:
            if isinstance(child, str) or child.tag in _TEXT_TAGS:
                continue
            prose = child.prose - lost[id(child)]
            if prose > MIN_PROSE_SHARE * total or (
                prose > MIN_NAMED_BODY_SHARE * total
                and is_named_body(child)
                and not _has_sibling_of_its_class(child)
            ):
                best = child
        if best is None or not best.has_block:
            return node
        node = best


def _has_sibling_of_its_class(node: Node) -> bool:
    """Is the element one of several parts that the page makes alike, such as the screens of one article?"""
    name = node.get("class")
    parent = node.parent
    return (
        bool(name)
        and parent is not None
        and any(
            isinstance(other, Node) and other is not node and other.prose > 0 and other.get("class") == name
            for other in parent.children
        )
    )


def _is_in_named_body(node: Node) -> bool:
    at: Node | None = node
    while at is not None:
        if is_named_body(at):
            return True
        at = at.parent
    return False


def _named_bodies(node: Node, lost: dict[int, float]) -> list[Node]:
    """Find the named bodies below an element that hold a good part of its prose; not those inside another."""
    least = MIN_ONLY_BODY_SHARE * (node.prose - lost[id(node)])
    bodies: list[Node] = []
    todo = [node]
    while todo:
        for child in todo.pop().children:
            if isinstance(child, str) or child.prose - lost[id(child)] < least:
                continue
            if (
                child.tag not in _TEXT_TAGS
                and child.has_block
                and is_named_body(child)
                and not _has_sibling_of_its_class(child)
            ):
                bodies.append(child)
            else:
                todo.append(child)
    return bodies


def find_lead(tree: Tree, main: Node, clutter: list[Node]) -> list[Node]:
    """Find the elements with running text between the headline of the page and the main element, in page order."""
    above_headline = _with_ancestors(node for node in tree.nodes if node.tag == "h1")
    marked = {id(node) for node in clutter}
    found: list[Node] = []
    node = main
    while node.parent is not None and id(node) not in above_headline:
        inner = [child for child in node.parent.children if isinstance(child, Node)]
        for other in reversed(inner[: inner.index(node)]):
            if id(other) in above_headline and id(other) not in marked:
                return _substantial(_after_headline(other, above_headline) + found[::-1], main, marked)
            found.append(other)
        node = node.parent
    return []


def _with_ancestors(nodes: Iterable[Node]) -> set[int]:
    found: set[int] = set()
    for node in nodes:
        at: Node | None = node
        while at is not None and id(at) not in found:
            found.add(id(at))
            at = at.parent
    return found


def _after_headline(node: Node, above_headline: set[int]) -> list[Node]:
    """Return the elements below `node` that follow its last headline."""
    found: list[Node] = []
    while node.tag != "h1":
        inner = [child for child in node.children if isinstance(child, Node)]
        place = max(place for place, child in enumerate(inner) if id(child) in above_headline)
        found = inner[place + 1 :] + found
        node = inner[place]
    return found


def _substantial(parts: list[Node], main: Node, marked: set[int]) -> list[Node]:
    """Keep the parts that are paragraphs; a line or two are the standfirst, a caption or an advertisement."""
    kept = [part for part in parts if part.prose > MIN_LEAD_PROSE and id(part) not in marked]
    return kept if sum(part.prose for part in kept) < MAX_LEAD_SHARE * main.prose else []


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


def is_named_body(node: Node) -> bool:
    return (
        node.tag in ("article", "main")
        or node.get("itemprop") == "articleBody"
        or node.get("role") == "main"
        or _is_body_name(node.get("class"))
        or _is_body_name(node.get("id"))
    )


@short_cache(20_000, max_length=200)
def _is_body_name(name: str) -> bool:
    return _BODY_NAME.search(name) is not None
