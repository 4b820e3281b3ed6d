"""Extracts the article from a page: puts the parts of this package together."""

from __future__ import annotations

import re
from typing import overload

from selectolax.lexbor import LexborHTMLParser

from inforadar.errors import InvalidUrlError
from inforadar.model.article import Extracted, FailureCode, NotExtracted
from inforadar.stages.canonical.content.blocks import Block, Kind, gallery_blocks, read_blocks, with_figures
from inforadar.stages.canonical.content.cleaning import clean_blocks, fold, remove_teasers
from inforadar.stages.canonical.content.clutter import find_clutter
from inforadar.stages.canonical.content.figures import take_figures
from inforadar.stages.canonical.content.html import render_html
from inforadar.stages.canonical.content.main_element import find_lead, find_main
from inforadar.stages.canonical.content.markdown import render_markdown, render_text
from inforadar.stages.canonical.content.walls import NOT_THE_PAGE, find_wall
from inforadar.stages.canonical.document.dom import Node, joined, parse_tree
from inforadar.stages.canonical.document.encoding import parse_text
from inforadar.stages.canonical.document.limits import TooComplexError, make_parseable
from inforadar.stages.canonical.document.noscript import empty_open_noscripts
from inforadar.stages.canonical.document.streamed import place_streamed_parts
from inforadar.stages.canonical.metadata.fields import (
    find_author,
    find_canonical_url,
    find_title,
    headlines,
    site_name,
    stated_titles,
)
from inforadar.stages.canonical.metadata.head import Head
from inforadar.stages.canonical.metadata.images import find_image
from inforadar.stages.canonical.metadata.language import find_language
from inforadar.stages.canonical.metadata.published import find_dates
from inforadar.urls import canonical_form, hostname

MIN_HTML_CHARACTERS = 200
"""A page has to be longer than this."""
MIN_ABSTRACT_CHARACTERS = 40
"""The abstract is the first paragraph longer than this."""
_PAGE_TAG = re.compile(
    r"<(?:html|head|body|p|div|article|main|section|table|title|meta|style|h1|span|!doctype html)[\s/>]", re.I
)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def extract(html: bytes, url: str, content_type: str = "") -> Extracted | NotExtracted:
    """Extract the article from a page as downloaded from an absolute `url`."""
    text = parse_text(html, content_type)
    if len(text) <= MIN_HTML_CHARACTERS:
        return _too_short(text, url)
    if not _is_html(text):
        return NotExtracted(code=FailureCode.BAD_HTML, detail="not HTML")
    try:
        page = LexborHTMLParser(make_parseable(empty_open_noscripts(text)))
    except TooComplexError as problem:
        return NotExtracted(code=FailureCode.BAD_HTML, detail=str(problem))
    except (ValueError, RuntimeError, MemoryError) as problem:
        return NotExtracted(code=FailureCode.PARSE, detail=f"the parser failed: {problem}"[:200])
    place_streamed_parts(page, text)
    return _extract_page(page, url, raw_len=len(text))


def _extract_page(page: LexborHTMLParser, url: str, *, raw_len: int) -> Extracted | NotExtracted:
    head = Head(page)
    tree = parse_tree(page)
    base = _base(head, url)
    host = _host(url)
    visible = headlines(tree)
    title = find_title(head, visible, host)
    published_at, updated_at = find_dates(head, tree, url)
    author = find_author(head, tree)
    clutter = find_clutter(tree.root)
    main = find_main(tree.root, clutter)
    lead = find_lead(tree, main, clutter)
    if lead:
        main = joined([*lead, main])
    blocks = _article_blocks(
        main, base, host, {fold(name) for name in (*stated_titles(head, host), title or "")}
    )
    clean_text = _without_controls(render_text(blocks))
    wall = find_wall(page, head, tree, text=clean_text, title=title or "", url=url)
    if wall is not None:
        own = None if wall in NOT_THE_PAGE else _without_controls(title)
        return NotExtracted(code=FailureCode.EMPTY, detail=wall, title=own)
    return Extracted(
        clean_text=clean_text,
        html=_without_controls(render_html(blocks)),
        markdown=_without_controls(render_markdown(blocks)),
        abstract=_without_controls(_abstract(blocks)),
        title=_without_controls(title),
        author=_without_controls(author),
        published_at=published_at,
        updated_at=updated_at,
        language=find_language(head, clean_text),
        site_name=_without_controls(site_name(head)),
        image=find_image(head, blocks, base),
        canonical_url=find_canonical_url(head, base),
        raw_len=raw_len,
    )


def _too_short(text: str, url: str) -> NotExtracted:
    """A page too short for an article may still state its title."""
    title = None
    if _is_html(text):
        page = LexborHTMLParser(text)
        title = _without_controls(find_title(Head(page), headlines(parse_tree(page)), _host(url)))
    detail = f"only {len(text)} characters of HTML"
    return NotExtracted(code=FailureCode.BAD_HTML, detail=detail, title=title)


def _article_blocks(main: Node, base: str, host: str, titles: set[str]) -> list[Block]:
    clutter = find_clutter(main)
    figures = take_figures(main, clutter, base)
    for node in clutter:
        node.remove()
    remove_teasers(main, host)
    blocks = read_blocks(main, base, figures)
    kept = clean_blocks([block for block in blocks if block.text], titles)
    return gallery_blocks(blocks, kept) or with_figures(blocks, kept)


def _is_html(text: str) -> bool:
    """Does the text have a tag that pages have? Feeds, JSON, PDF and plain text have none."""
    start = text[:2_000].lstrip("\ufeff \t\r\n").lower()
    if start.startswith(("<rss", "<feed", "%pdf", "{", "[")):
        return False
    if start.startswith("<?xml") and "<html" not in start:
        return False
    return _PAGE_TAG.search(text) is not None


def _base(head: Head, url: str) -> str:
    try:
        return canonical_form(head.links.get("base", ""), url)
    except InvalidUrlError:
        return url


def _host(url: str) -> str:
    try:
        return hostname(url).removeprefix("www.")
    except ValueError:
        return ""


@overload
def _without_controls(text: str) -> str: ...
@overload
def _without_controls(text: str | None) -> str | None: ...
def _without_controls(text: str | None) -> str | None:
    """Remove control characters: XML cannot contain them, and a terminal obeys some."""
    return _CONTROL.sub("", text) if text else text


def _abstract(blocks: list[Block]) -> str | None:
    prose = (Kind.PARAGRAPH, Kind.BARE, Kind.QUOTE, Kind.ITEM)
    return next((b.text for b in blocks if b.kind in prose and len(b.text) > MIN_ABSTRACT_CHARACTERS), None)
