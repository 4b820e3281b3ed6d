"""The page as a light tree, measured while it is built.

Lexbor parses as browsers do, and fast, but every access to its tree from Python is a call. So it is walked once:
elements with text are kept, and each one records how much text it contains, how much of that is in links, and
how much is prose. Everything after that is arithmetic on plain attributes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

MAX_TREE_DEPTH = 150
"""The text of deeper elements goes to their ancestor at this depth, so that recursion over the tree is safe."""
MAX_NODES = 60_000
MAX_TEXT_CHARACTERS = 1_000_000
"""Nodes and characters beyond these limits are left out: nobody reads that far."""
FULL_PARAGRAPH_CHARACTERS = 120
"""Text of this length counts fully as prose; shorter text counts proportionally less."""
LIST_ITEM_WEIGHT = 0.4
"""Lists of teasers look like prose, so they count less; articles that are lists have paragraphs too."""

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
NOSCRIPT = "data-noscript"
"""Marks the picture of a `<noscript>`, of which nothing else is read: it stands in for the lazy one before it."""
_SPACE = re.compile(r"\s+")


class Node:
    """An element: its tag, attributes and children, and how much text it contains."""

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
        """Is there a block element inside?"""
        self.prose = 0.0
        """The amount of running text inside, in characters."""
        self.clutter: frozenset[str] | None = None
        """Reasons why the element may not be part of an article; None until checked."""

    def get(self, name: str) -> str:
        return self.attrs.get(name) or ""

    @property
    def text(self) -> str:
        """All text, on one line."""
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
        """Yield every element below this one, in page order."""
        todo = [self]
        while todo:
            node = todo.pop()
            if node is not self:
                yield node
            todo.extend(child for child in reversed(node.children) if isinstance(child, Node))

    def remove(self) -> None:
        """Remove the element from the tree, and its text from the counts of its ancestors."""
        node = self.parent
        if node is None:
            return
        node.children.remove(self)
        self.parent = None
        while node is not None:
            node.text_length -= self.text_length
            node.link_length -= self.link_length
            node = node.parent


def joined(parts: list[Node]) -> Node:
    """Move elements out of their places into a new one."""
    whole = Node("div", {}, None)
    whole.has_block = True
    for part in parts:
        part.remove()
        part.parent = whole
        whole.children.append(part)
        whole.text_length += part.text_length
        whole.link_length += part.link_length
        whole.prose += part.prose
    return whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    root: Node
    """The body of the page."""
    nodes: list[Node]
    """Every element below the root, in page order."""


def parse_tree(page: LexborHTMLParser) -> Tree:
    """Build the measured tree of the page's body."""
    root = Node("body", {}, None)
    nodes: list[Node] = []
    body = page.body
    if body is None:
        return Tree(root=root, nodes=nodes)
    root.attrs = body.attributes
    nodes_left, text_left = MAX_NODES, MAX_TEXT_CHARACTERS
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
            current.children.append(text)
            current.text_length += len(text.strip())
        elif tag[0] != "-" and tag not in _WITHOUT_TEXT:
            child = at.first_child
            if len(trail) < MAX_TREE_DEPTH:
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
        elif tag == "noscript":
            current.children += _stand_in(at, current)
        at = at.next
    _close(root, root)
    return Tree(root=root, nodes=nodes)


def _stand_in(noscript: LexborNode, parent: Node) -> list[Node]:
    """The picture of a `<noscript>`, if it has one."""
    image = noscript.css_first("img")
    return [] if image is None else [Node("img", {**image.attributes, NOSCRIPT: ""}, parent)]


def _close(node: Node, parent: Node) -> None:
    """Count the text of an element whose children are complete."""
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
        prose = own * min(1.0, own / FULL_PARAGRAPH_CHARACTERS)
    node.prose = prose * LIST_ITEM_WEIGHT if node.tag == "li" else prose
    if node is parent:
        return
    if node.tag == "a":
        node.link_length = node.text_length
    parent.text_length += node.text_length
    parent.link_length += node.link_length
    parent.has_block |= node.has_block or node.tag not in INLINE
