"""Takes the pictures out of an article's element: each with its caption, and in its place a mark.

This happens before clutter is removed, because themes name captions and everything around a picture as they like:
`wp-caption` is the caption's name and that of the box with the picture. Pictures inside real clutter go with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from inforadar.stages.canonical.content.inline import plain_text, read_inline, render_inline, tidy
from inforadar.stages.canonical.content.picture_sources import Picture, picture_key, read_picture
from inforadar.stages.canonical.document.dom import INLINE, NOSCRIPT, Node

MAX_FIGURES = 100
MAX_IMAGES_READ = 2_000
MAX_CAPTION_CHARACTERS = 1_000
MAX_STRAY_CHARACTERS = 200
"""A picture's box may have this much text beside the caption: a credit, "Enlarge this image"."""
_MAX_BOX_LEVELS = 6

_CAPTION_REASONS = frozenset(
    ("caption", "captions", "figcaption", "credit", "credits", "lightbox", "<figure>")
)
"""Words that name a picture's box as often as clutter."""
_CAPTION_NAME = re.compile(r"caption|(?:^|[\s_-])(?:credits?|legend|copyright)", re.IGNORECASE)
_BOX_NAME = re.compile(r"caption|figure|image|photo|picture|media|(?:^|[\s_-])(?:img|thumb)", re.IGNORECASE)
_IMAGES = frozenset(("img", "amp-img"))
_WRAPPERS = frozenset(("picture", "span", "a"))
_NOT_IN_BOXES = frozenset(("table", "pre", "blockquote", "ul", "ol", "dl", "h1", "h2", "h3"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One or several pictures with a caption."""

    pictures: tuple[Picture, ...]
    caption: str = ""
    """As HTML."""
    caption_text: str = ""


@dataclass(frozen=True, slots=True)
class _Found:
    node: Node
    picture: Picture


def take_figures(main: Node, clutter: Iterable[Node], base: str) -> dict[int, Figure]:
    """Take the pictures out of `main`. Returns the figures by the `id` of the nodes that now mark their places."""
    unwanted = {id(node) for node in clutter if not (node.clutter and node.clutter <= _CAPTION_REASONS)}
    boxes: dict[int, tuple[Node, list[_Found]]] = {}
    for found in _content_pictures(main, unwanted, base):
        box = _box_of(found.node, main) or found.node
        boxes.setdefault(id(box), (box, []))[1].append(found)
        if len(boxes) >= MAX_FIGURES:
            break
    figures: dict[int, Figure] = {}
    for box, members in boxes.values():
        mark = Node("figure", {}, None)
        figures[id(mark)] = _figure(box, [one.picture for one in members], base)
        _put(mark, box, main, unwanted)
    return figures


def _content_pictures(main: Node, unwanted: set[int], base: str) -> list[_Found]:
    seen: set[str] = set()
    found: list[_Found] = []
    images = [node for node in main.descendants() if node.tag in _IMAGES][:MAX_IMAGES_READ]
    for before, node in zip([None, *images], images, strict=False):
        if _is_inside(node, main, unwanted):
            continue
        picture = read_picture(node, base)
        if picture is None or (key := picture_key(picture.src)) in seen:
            continue
        if before is not None and found and found[-1].node is before and _is_stand_in(node, before):
            continue
        seen.add(key)
        found.append(_Found(node, picture))
    return found


def _is_inside(node: Node, main: Node, unwanted: set[int]) -> bool:
    at: Node | None = node
    while at is not None and at is not main:
        if id(at) in unwanted:
            return True
        at = at.parent
    return False


def _is_stand_in(node: Node, lazy: Node) -> bool:
    """Is it the `<noscript>` twin of the picture before it?"""
    if NOSCRIPT not in node.attrs or node.parent is None or lazy.parent is None:
        return False
    wrapper = lazy.parent
    return wrapper is node.parent or (wrapper.tag in _WRAPPERS and wrapper.parent is node.parent)


def _box_of(image: Node, main: Node) -> Node | None:
    """The element that consists of a picture and its caption."""
    at = image.parent
    for _ in range(_MAX_BOX_LEVELS):
        if at is None or at is main:
            return None
        if at.tag == "figure":
            return at if _is_box(at) else None
        if at.tag not in ("p", "body") and at.text_length and _BOX_NAME.search(at.get("class")):
            return at if _is_box(at) and _captions(at) else None
        at = at.parent
    return None


def _is_box(node: Node) -> bool:
    if node.text_length > MAX_CAPTION_CHARACTERS:
        return False
    captions = _captions(node)
    stray = node.text_length - sum(caption.text_length for caption in captions)
    return stray <= MAX_STRAY_CHARACTERS and not any(
        inner.tag in _NOT_IN_BOXES for inner in node.descendants()
    )


def _captions(box: Node) -> list[Node]:
    """The caption's elements, none inside another."""
    found: list[Node] = []
    todo: list[Node | str] = list(reversed(box.children))
    while todo:
        node = todo.pop()
        if isinstance(node, str):
            continue
        is_named = node.tag == "figcaption" or _CAPTION_NAME.search(node.get("class"))
        if is_named and node.text_length and not any(inner.tag in _IMAGES for inner in node.descendants()):
            found.append(node)
        else:
            todo.extend(reversed(node.children))
    return found


def _figure(box: Node, pictures: list[Picture], base: str) -> Figure:
    if box.tag in _IMAGES:
        return Figure(pictures=tuple(pictures))
    captions = _captions(box) or ([box] if box.text_length <= MAX_STRAY_CHARACTERS else [])
    pieces, _ = read_inline([part for caption in captions for part in (caption, " ")], base)
    return Figure(
        pictures=tuple(pictures),
        caption=render_inline(pieces, line_break=" "),
        caption_text=tidy(plain_text(pieces)),
    )


def _put(mark: Node, box: Node, main: Node, unwanted: set[int]) -> None:
    """Put the mark in the place of the picture's box, or beside the paragraph that a lone picture is in."""
    anchor = box
    while (
        (parent := anchor.parent) is not None
        and parent is not main
        and id(parent) not in unwanted
        and (
            parent.tag in INLINE or parent.tag == "p" or parent.text_length == 0
            or (parent.clutter is not None and bool(parent.clutter) and parent.clutter <= _CAPTION_REASONS)
        )
        and parent.tag not in ("li", "td", "th", "dd")
    ):  # fmt: skip
        anchor = parent
    above = anchor.parent
    if above is None:
        return
    place = above.children.index(anchor)
    if anchor is not box and _has_text_before(anchor, box):
        place += 1
    above.children.insert(place, mark)
    mark.parent = above
    above.has_block = True
    if box.tag not in _IMAGES:
        box.remove()


def _has_text_before(anchor: Node, box: Node) -> bool:
    inner = box
    while inner is not anchor and inner.parent is not None:
        for child in inner.parent.children:
            if child is inner:
                break
            if child.strip() if isinstance(child, str) else child.text_length:
                return True
        inner = inner.parent
    return False
