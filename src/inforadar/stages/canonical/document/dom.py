"""The page as a light tree of its own, measured while it is built.

Lexbor parses as browsers do, and fast, but each look at its tree from Python is a call. So it is walked once;
what carries text is kept, and on the way up each element learns how much text it holds, how much of that in
links, and how much of it is prose. Everything that comes after is arithmetic on plain attributes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

MAX_LEVEL = 150
"""Deeper elements hand their text to the ancestor at this level, so that recursion over the tree is safe."""
MAX_NODES = 100_000
MAX_TEXT = 1_000_000
"""What comes after so many nodes, or so many characters, is left out: nobody reads that far."""
FULL_PARAGRAPH = 120
"""A run of text of this length counts in full as prose; a shorter one counts the less the shorter it is."""
LIST_ITEM_WEIGHT = 0.4
"""Lists of teasers look like prose, and articles that are lists have paragraphs beside them."""

INLINE = frozenset(
    (
        "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "blink", "br", "cite", "code", "data", "del",
        "dfn", "em", "font", "i", "img", "ins", "kbd", "label", "mark", "nobr", "picture", "q", "rb", "rp",
        "rt", "ruby", "s", "samp", "small", "source", "span", "strike", "strong", "sub", "sup", "time",
        "tt", "u", "var", "wbr",
    )
)  # fmt: skip
_WITHOUT_TEXT = frozenset(
    (
        "audio", "button", "canvas", "datalist", "dialog", "embed", "frameset", "head", "iframe", "input",
        "link", "map", "math", "meta", "noscript", "object", "progress", "script", "select", "style",
        "svg", "template", "textarea", "title", "video",
    )
)  # fmt: skip
_SPACE = re.compile(r"\s+")


class Node:
    """An element: its tag and attributes, what it holds, and how much text that is."""

    __slots__ = (
        "attrs",
        "children",
        "clutter",
        "has_block",
        "link_length",
        "parent",
        "prose",
        "tag",
        "text_length",
    )

    def __init__(self, tag: str, attrs: dict[str, str | None], parent: Node | None) -> None:
        self.tag = tag
        self.attrs = attrs
        self.parent = parent
        self.children: list[Node | str] = []
        self.text_length = 0
        self.link_length = 0
        self.has_block = False
        """Whether anything inside starts a line of its own."""
        self.prose = 0.0
        """How much running text there is inside, in characters."""
        self.clutter: frozenset[str] | None = None
        """Why the element may be no part of an article; None until someone looked."""

    def get(self, name: str) -> str:
        return self.attrs.get(name) or ""

    @property
    def text(self) -> str:
        """All text on one line."""
        return _SPACE.sub(" ", "".join(self._pieces())).strip()

    def _pieces(self) -> Iterator[str]:
        for child in self.children:
            if isinstance(child, str):
                yield child
            elif child.tag == "br":
                yield " "
            else:
                inline = child.tag in INLINE
                yield from child._pieces() if inline else (" ", *child._pieces(), " ")

    def descendants(self) -> Iterator[Node]:
        """Every element below this one, in the order of the page."""
        todo = [self]
        while todo:
            node = todo.pop()
            if node is not self:
                yield node
            todo.extend(child for child in reversed(node.children) if isinstance(child, Node))

    def remove(self) -> None:
        """Take the element out of the tree, and its text out of the sums above it."""
        node = self.parent
        if node is None:
            return
        node.children.remove(self)
        self.parent = None
        while node is not None:
            node.text_length -= self.text_length
            node.link_length -= self.link_length
            node = node.parent


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    root: Node
    """The body of the page."""
    nodes: list[Node]
    """Every element below it, in the order of the page."""


def parse_tree(page: LexborHTMLParser) -> Tree:
    """The body of the page, measured."""
    root = Node("body", {}, None)
    nodes: list[Node] = []
    body = page.body
    if body is None:
        return Tree(root=root, nodes=nodes)
    root.attrs = body.attributes
    nodes_left, text_left = MAX_NODES, MAX_TEXT
    current = root
    trail: list[tuple[LexborNode, Node]] = []
    at: LexborNode | None = body.first_child
    while True:
        if at is None or nodes_left <= 0 or text_left <= 0:
            if not trail:
                break
            at, parent = trail.pop()
            if parent is not current:
                _close(current, parent)
                current = parent
            at = at.next
            continue
        nodes_left -= 1
        tag = at.tag or "-"
        if tag == "-text":
            text = (at.text_content or "")[:text_left]
            text_left -= len(text)
            if text:
                current.children.append(text)
                current.text_length += len(text.strip())
        elif tag[0] != "-" and tag not in _WITHOUT_TEXT:
            child = at.first_child
            if len(trail) < MAX_LEVEL:
                node = Node(tag, at.attributes, current)
                current.children.append(node)
                nodes.append(node)
                if child is None:
                    current.has_block |= tag not in INLINE
                else:
                    trail.append((at, current))
                    current = node
                    at = child
                    continue
            elif child is not None:
                trail.append((at, current))
                at = child
                continue
        at = at.next
    _close(root, root)
    return Tree(root=root, nodes=nodes)


def _close(node: Node, parent: Node) -> None:
    """All children are in: count them."""
    own = 0
    prose = 0.0
    for child in node.children:
        if isinstance(child, str):
            own += len(child.strip())
        elif child.tag in INLINE:
            if child.tag != "a":
                prose += child.prose
                own += child.text_length - child.link_length
        else:
            prose += child.prose
    if prose < own and own > 25 and node.link_length < 0.5 * node.text_length:
        prose = own * min(1.0, own / FULL_PARAGRAPH)
    node.prose = prose * LIST_ITEM_WEIGHT if node.tag == "li" else prose
    if node is parent:
        return
    if node.tag == "a":
        node.link_length = node.text_length
    parent.text_length += node.text_length
    parent.link_length += node.link_length
    parent.has_block |= node.has_block or node.tag not in INLINE
