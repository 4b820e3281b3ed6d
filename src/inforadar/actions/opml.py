"""OPML: lists of feeds as other readers write them. Folders become topics.

Real files are often malformed and use attribute names of their own. Entries that can be read are taken, and the others
are reported with the reason.
"""

from __future__ import annotations

import html
import html.entities
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lxml import etree

from inforadar.actions.feed_input import MAX_NAME_CHARS
from inforadar.errors import InvalidUrlError, ParseError
from inforadar.model.feed import Feed
from inforadar.stages.discover.feed.encoding import decode
from inforadar.texts import unescape_html
from inforadar.urls import canonical_form, readable

MAX_BYTES = 20 * 2**20
MAX_DEPTH = 50
_URL_NAMES = ("xmlurl", "xml_url", "feedurl", "url")
_OTHER_TYPES = {"link", "include"}


@dataclass(frozen=True, slots=True, kw_only=True)
class OpmlFeed:
    """One feed of a list."""

    url: str
    title: str | None
    topic: str | None
    """The name of its folder; None if it is in none."""
    site_url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Opml:
    """A parsed list."""

    feeds: tuple[OpmlFeed, ...]
    skipped: tuple[tuple[str, str], ...]
    """(what, why)."""


def parse_opml(data: bytes) -> Opml:
    """Parse a list; duplicates count once. Raises `ParseError` if the data is not OPML."""
    if len(data) > MAX_BYTES:
        raise ParseError(f"This file is larger than {MAX_BYTES // 2**20} MB, too large for a list of feeds.")
    root = _parse(data)
    outlines = [] if root is None else list(root.iter("{*}outline", "{*}Outline", "{*}OUTLINE"))
    if root is None or (not outlines and _local(root) != "opml"):
        raise ParseError(
            "This is not an OPML file. Export the list of feeds from your reader as OPML and try again."
        )
    feeds: dict[str, OpmlFeed] = {}
    skipped: list[tuple[str, str]] = []
    for outline in outlines:
        attributes = _attributes(outline)
        title = _title(attributes)
        address = next((attributes[name] for name in _URL_NAMES if attributes.get(name)), None)
        if why := _why_skipped(attributes, address, is_folder=len(outline) > 0):
            skipped.append((title or address or "an entry without a name", why))
        if address is None or attributes.get("type", "").lower() in _OTHER_TYPES:
            continue
        try:
            url = canonical_form(_with_scheme(address)).split("#", 1)[0]
        except InvalidUrlError as fault:
            skipped.append((title or address, str(fault)))
            continue
        if url in feeds:
            skipped.append((title or url, "it is listed twice"))
            continue
        feeds[url] = OpmlFeed(
            url=url,
            title=title,
            topic=_topic(outline, attributes),
            site_url=attributes.get("htmlurl") or None,
        )
    return Opml(feeds=tuple(feeds.values()), skipped=tuple(skipped))


def _parse(data: bytes) -> etree._Element | None:
    """Parse XML in any encoding, ignoring its entity definitions, so that an entity bomb stays harmless text."""
    text = _without_doctype(decode(data))
    text = _DECLARATION.sub("", _UNREADABLE.sub("", text), count=1).lstrip()
    text = _ENTITY.sub(_character, text)
    parser = etree.XMLParser(
        recover=True, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    try:
        return etree.fromstring(text.encode(), parser)
    except etree.XMLSyntaxError:
        return None


def _without_doctype(text: str) -> str:
    # Searched only once: a file with a million unclosed DOCTYPEs would otherwise be searched a million times.
    start = _DOCTYPE_START.search(text)
    whole = _DOCTYPE.match(text, start.start()) if start else None
    return text[: whole.start()] + text[whole.end() :] if whole else text


_DOCTYPE_START = re.compile("<!DOCTYPE", re.IGNORECASE)
_DECLARATION = re.compile(r"^\s*<\?xml[^>]{0,200}\?>")
_DOCTYPE = re.compile(r"<!DOCTYPE[^>\[]{0,1000}(?:\[.*?\]\s{0,100})?>", re.DOTALL | re.IGNORECASE)
_UNREADABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufeff\ufffe\uffff\ud800-\udfff]")
_ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]{1,31});")
_XML_OWN = {"amp", "lt", "gt", "quot", "apos"}


def _character(match: re.Match[str]) -> str:
    """Replace an HTML entity such as `&nbsp;`: XML does not define it, and parsing would stop there."""
    name = match[1]
    if name in _XML_OWN:
        return match[0]
    return html.escape(html.entities.html5.get(f"{name};", ""))


def _title(attributes: dict[str, str]) -> str | None:
    """The title as plain text: some readers write HTML there, and some escape it twice."""
    written = attributes.get("text") or attributes.get("title") or ""
    plain = " ".join(_TAG.sub(" ", unescape_html(written)).split())
    return plain[:MAX_NAME_CHARS].strip() or None


_TAG = re.compile(r"</?[A-Za-z][^<>]{0,500}>")


def _why_skipped(attributes: dict[str, str], address: str | None, *, is_folder: bool) -> str | None:
    if address is None:
        site = attributes.get("htmlurl")
        if site:
            return f"it has no feed URL, only a site URL; try `inforadar feed add {site} --discover`"
        return None if is_folder else "it has no feed URL"
    if attributes.get("type", "").lower() in _OTHER_TYPES:
        return "it is a link, not a feed"
    return None


def _with_scheme(address: str) -> str:
    """Return an http URL for `feed://example.com/rss` and `feed:https://…`, which some readers write."""
    if address.lower().startswith("feed:"):
        rest = address[5:]
        return f"http:{rest}" if rest.startswith("//") else rest
    return address


def _topic(outline: etree._Element, attributes: dict[str, str]) -> str | None:
    """The name of the nearest folder, else the last part of the first category."""
    for depth, parent in enumerate(outline.iterancestors()):
        if depth > MAX_DEPTH:
            break
        if _local(parent) == "outline" and (name := _title(_attributes(parent))):
            return name
    category = attributes.get("category", "").split(",")[0].strip().strip("/")
    return category.rsplit("/", 1)[-1][:MAX_NAME_CHARS].strip() or None


def _attributes(node: etree._Element) -> dict[str, str]:
    return {str(name).lower(): str(value).strip() for name, value in node.attrib.items()}


def _local(node: etree._Element) -> str:
    return etree.QName(node).localname.lower() if isinstance(node.tag, str) else ""


def render_opml(feeds: Sequence[Feed], title: str = "Info Radar") -> bytes:
    """Write the list as other readers expect it: one folder per topic."""
    root = etree.Element("opml", version="2.0")
    etree.SubElement(etree.SubElement(root, "head"), "title").text = title
    body = etree.SubElement(root, "body")
    folders: dict[str, etree._Element] = {}
    for feed in feeds:
        folder = folders.get(feed.topic)
        if folder is None:
            folder = folders[feed.topic] = etree.SubElement(body, "outline", text=_clean(feed.topic))
        attributes = {"type": "rss", "text": _clean(feed.title or readable(feed.url)), "xmlUrl": feed.url}
        if feed.site_url:
            attributes["htmlUrl"] = _clean(feed.site_url)
        etree.SubElement(folder, "outline", attributes)
    document: bytes = etree.tostring(root, xml_declaration=True, encoding="utf-8", pretty_print=True)
    return document


def _clean(text: str) -> str:
    """Remove characters that XML does not allow."""
    return "".join(_allowed(text))


def _allowed(text: str) -> Iterator[str]:
    for char in text:
        code = ord(char)
        if code in {9, 10, 13} or 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or code >= 0x10000:
            yield char
