"""Removes blocks that are inside the article's element but are not part of the article.

These are the headline, date line, captions, teasers of other articles, "Read also" and anything after the end.
A rule that would remove much of a page is not applied: on that page its pattern means something else.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from inforadar.stages.canonical.content import phrases
from inforadar.stages.canonical.content.blocks import MIN_WITHOUT_CAPTIONS, Block, Kind
from inforadar.stages.canonical.document.dom import Node

_TEASER_TAGS = frozenset(("div", "li", "article", "section"))
_WALKED_TAGS = _TEASER_TAGS | {"ul", "ol", "td", "main", "center", "span"}
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))

MAX_LABEL_CHARACTERS = 70
MIN_PASSAGE_CHARACTERS = 250
"""A paragraph of this length is part of a text, not a line of a list."""
MAX_END_NOTE_CHARACTERS = 700
MAX_END_NOTES_SHARE = 0.3
"""Notes after the end of an article are shorter than this, and less of it altogether."""


def fold(text: str) -> str:
    """Reduce a text to its words in lower case, for comparing headlines."""
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))


def remove_teasers(main: Node, host: str) -> None:
    """Remove cards for other articles of the site: a linked headline with a line or two below."""
    found = _teasers(main, host)
    if sum(node.text_length for node in found) < 0.4 * main.text_length:
        for node in found:
            node.remove()


def _teasers(main: Node, host: str) -> list[Node]:
    found: list[Node] = []
    todo = [main]
    while todo:
        node = todo.pop()
        for child in node.children:
            if isinstance(child, str) or child.tag not in _WALKED_TAGS:
                continue
            if child.tag in _TEASER_TAGS and 20 < child.text_length < 800 and _is_teaser(child, host):
                found.append(child)
            else:
                todo.append(child)
    return found


def _is_teaser(node: Node, host: str) -> bool:
    headings = [child for child in node.descendants() if child.tag in _HEADINGS]
    if len(headings) != 1:
        return False
    heading = headings[0]
    if heading.link_length <= 0.9 * heading.text_length or node.text_length - heading.text_length >= 350:
        return False
    at: Node | None = heading
    while at is not None and at is not node.parent:
        if at.tag == "a":
            return _is_same_site(at, host)
        at = at.parent
    return all(_is_same_site(child, host) for child in heading.descendants() if child.tag == "a")


def _is_same_site(link: Node, host: str) -> bool:
    href = link.get("href").strip()
    if href.startswith("#"):
        return False
    if href.startswith(("http:", "https:", "//")):
        return href.split("/", 3)[2].lower().removeprefix("www.") == host
    return True


def clean_blocks(blocks: list[Block], titles: set[str]) -> list[Block]:
    """Keep only the blocks of the article; `titles` are the folded titles of the page."""
    blocks = _without(blocks, lambda block: block.kind is Kind.CAPTION, keep=MIN_WITHOUT_CAPTIONS)
    blocks = _without(blocks, _is_machine_text, keep=0.5)
    blocks = _below_headline(blocks, titles)
    blocks = _without_link_lists(blocks)
    blocks = _without(blocks, _is_link_paragraph, keep=0.8)
    blocks = _without_dateline(blocks)
    blocks = _without_end_notes(_cut_after_end(blocks))
    blocks = _without(blocks, _is_pointer, keep=0.8)
    blocks = _without_repeats(blocks)
    return _without_last_headings(blocks)


def _without_last_headings(blocks: list[Block]) -> list[Block]:
    """Remove headings with nothing below them, unless the page writes its text in headings."""
    end = len(blocks)
    while end and blocks[end - 1].kind is Kind.HEADING:
        end -= 1
    return blocks[:end] if size(blocks[end:]) < 0.5 * size(blocks) else blocks


def size(blocks: list[Block]) -> int:
    return sum(len(block.text) for block in blocks)


def _without(blocks: list[Block], unwanted: Callable[[Block], bool], *, keep: float) -> list[Block]:
    kept = [block for block in blocks if not unwanted(block)]
    return kept if size(kept) > keep * size(blocks) else blocks


def _below_headline(blocks: list[Block], titles: set[str]) -> list[Block]:
    total = size(blocks)
    for place, block in enumerate(blocks):
        if block.kind is not Kind.HEADING or block.level > 2 or len(block.text) <= 10:
            continue
        if block.level > 1 and fold(block.text) not in titles:
            continue
        before = blocks[:place]
        if size(before) < 0.15 * total and all(len(above.text) < 120 for above in before):
            return blocks[place + 1 :]
        return [*before, *blocks[place + 1 :]] if block.level == 1 else blocks
    return blocks


def _is_machine_text(block: Block) -> bool:
    return block.kind in (Kind.BARE, Kind.PARAGRAPH) and phrases.MACHINE_TEXT.match(block.text) is not None


def _without_link_lists(blocks: list[Block]) -> list[Block]:
    """Remove lists of links, and the line with a colon that introduces each."""
    kept: list[Block] = []
    was_link = False
    for block in blocks:
        if _is_link_list(block):
            if not was_link and kept and _is_introduction(kept[-1]):
                kept.pop()
            was_link = True
            continue
        was_link = False
        kept.append(block)
    return kept if size(kept) > 0.5 * size(blocks) else blocks


def _is_introduction(block: Block) -> bool:
    return (
        block.kind in (Kind.PARAGRAPH, Kind.BARE)
        and len(block.text) < MAX_LABEL_CHARACTERS
        and block.text.endswith((":", "："))
    )


def _is_link_list(block: Block) -> bool:
    return block.kind in (Kind.ITEM, Kind.BARE, Kind.ROW) and block.link_length > 0.6 * len(block.text)


def _is_link_paragraph(block: Block) -> bool:
    return block.kind is Kind.PARAGRAPH and block.link_length > 0.9 * len(block.text)


def _is_pointer(block: Block) -> bool:
    """Is it a line that points elsewhere, or only a time or a copyright notice?"""
    length = len(block.text)
    if length < 14 and block.kind is Kind.BARE and phrases.CLOCK.fullmatch(block.text):
        return True
    if length < 100 and phrases.RIGHTS.match(block.text):
        return True
    return (
        length < 150
        and (block.link_length > 0.4 * length or length < 30)
        and bool(phrases.POINTER.match(block.text))
    )


def _without_dateline(blocks: list[Block]) -> list[Block]:
    """Remove short lines at the top with author and date, which have their own fields."""
    top = 0
    while top < len(blocks) and len(blocks[top].text) < 80 and blocks[top].kind is not Kind.HEADING:
        top += 1
    if top >= 8:
        return blocks
    kept = [
        block
        for block in blocks[:top]
        if len(block.text) >= 25
        and not phrases.DATE_OR_TIME.search(block.text)
        and not phrases.BYLINE.match(block.text)
    ]
    return kept + blocks[top:]


def _cut_after_end(blocks: list[Block]) -> list[Block]:
    total = size(blocks)
    done = 0
    for place, block in enumerate(blocks):
        if done > 0.7 * total and _is_after_the_end(block, blocks[place + 1 :]):
            return blocks[:place]
        done += len(block.text)
    return blocks


def _is_after_the_end(block: Block, below: list[Block]) -> bool:
    """Does the section below this heading follow the article? If it is not marked as one, it must look like links."""
    if block.kind not in (Kind.HEADING, Kind.BARE) or len(block.text) > MAX_LABEL_CHARACTERS:
        return False
    if not phrases.AFTER_THE_END.fullmatch(block.text):
        return False
    return block.kind is Kind.HEADING or all(len(other.text) < MIN_PASSAGE_CHARACTERS for other in below)


def _without_end_notes(blocks: list[Block]) -> list[Block]:
    """Remove the notes that follow an article: about its author, about newsletters, tags."""
    end = place = len(blocks)
    left = MAX_END_NOTES_SHARE * size(blocks)
    while place:
        block = blocks[place - 1]
        left -= len(block.text)
        if left < 0 or block.kind is Kind.CODE:
            break
        if len(block.text) < MAX_END_NOTE_CHARACTERS and phrases.END_NOTE.match(block.text):
            end = place - 1
        elif not _is_label(block):
            break
        place -= 1
    if end == len(blocks):
        return blocks
    while end and _is_label(blocks[end - 1]):
        end -= 1
    return blocks[:end]


def _is_label(block: Block) -> bool:
    """Is it the heading of a note, or a name, a role or a date above or below it?"""
    return block.kind is Kind.HEADING or (
        block.kind is Kind.BARE
        and len(block.text) < 50
        and not block.text.endswith((".", "!", "?", "”", '"', "。", "؟"))
    )


def _without_repeats(blocks: list[Block]) -> list[Block]:
    """Keep the first of repeated paragraphs: pages repeat them for other screen sizes."""
    seen: set[str] = set()
    kept = []
    for block in blocks:
        if len(block.text) > 60:
            if block.text in seen:
                continue
            seen.add(block.text)
        kept.append(block)
    return kept
