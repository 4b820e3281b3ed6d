"""OPML: lists of feeds as other readers write them. Folders become topics.

Real files are often malformed and use attribute names of their own. Entries that can be read are taken, and the others
are reported with the reason.
"""

from __future__ import annotations

import html
import html.entities
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import msgspec
from lxml import etree

from inforadar.actions.feed_input import MAX_NAME_CHARS
from inforadar.actions.opml_repair import repair_opml
from inforadar.errors import InvalidUrlError, ParseError
from inforadar.model.feed import Feed, FeedKind
from inforadar.model.feed_options import NO_OPTIONS, OPTION_NAMES, FeedOptions, parse_options
from inforadar.model.opml import MAX_OPML_BYTES, OPML_NAMESPACE, OPML_PREFIX, Opml, OpmlFeed
from inforadar.stages.discover.feed.encoding import decode
from inforadar.texts import unescape_html
from inforadar.urls import canonical_form, normalized_or_none, readable

MAX_DEPTH = 50
_URL_NAMES = ("xmlurl", "xml_url", "feedurl", "url")
_OTHER_TYPES = {"link", "include"}
MAX_FOLDERS = 10
"""Folders around a topic that are kept."""
_URL, _KIND, _SOURCE, _OPTIONS = (
    f"{{{OPML_NAMESPACE}}}{name}" for name in ("url", "kind", "source", "options")
)
EXPORTED_OPTIONS = OPTION_NAMES - {"title", "epoch", "was_enabled", "folders", "analyzer", "model", "prompt"}
"""Options that a list keeps. The others are written in another way or describe this installation, and a list from
elsewhere chooses no model and no prompt."""


def parse_opml(data: bytes) -> Opml:
    """Parse a list; duplicates count once. Raises `ParseError` if the data is not OPML."""
    if len(data) > MAX_OPML_BYTES:
        raise ParseError(
            f"This file is larger than {MAX_OPML_BYTES // 2**20} MB, too large for a list of feeds."
        )
    root, is_cut_off = _parse(data)
    outlines = [] if root is None else list(root.iter("{*}outline", "{*}Outline", "{*}OUTLINE"))
    if root is None or (not outlines and _local(root) != "opml"):
        raise ParseError(
            "This is not an OPML file. Export the list of feeds from your reader as OPML and try again."
        )
    feeds: dict[str, OpmlFeed] = {}
    skipped: list[tuple[str, str]] = []
    for outline in outlines:
        attributes = _attributes(outline)
        title, address = _title(attributes), _address(attributes)
        if why := _why_skipped(attributes, address, is_folder=len(outline) > 0):
            skipped.append((title or address or "an entry without a name", why))
            continue
        if address is None:
            continue
        try:
            url = canonical_form(_with_scheme(address)).split("#", 1)[0]
        except InvalidUrlError as fault:
            skipped.append((title or address, str(fault)))
            continue
        if url in feeds:
            skipped.append((title or url, "it is listed twice"))
            continue
        feeds[url] = _feed(outline, attributes, url, title)
    return Opml(feeds=tuple(feeds.values()), skipped=tuple(skipped), is_cut_off=is_cut_off)


def _feed(outline: etree._Element, attributes: dict[str, str], url: str, title: str | None) -> OpmlFeed:
    kind, folders = attributes.get(_KIND), _folders(outline, attributes)
    topic = folders.pop() if folders else None
    options = _options(attributes.get(_OPTIONS))
    return OpmlFeed(
        url=url,
        # Without a title readers write the address.
        title=None if title in {url, readable(url), attributes.get("xmlurl")} else title,
        topic=topic,
        site_url=normalized_or_none(attributes.get("htmlurl"), url),
        kind=FeedKind(kind) if kind in set(FeedKind) else None,
        source=(attributes.get(_SOURCE) or "")[:MAX_NAME_CHARS] or None,
        options=options.replaced({"folders": folders}) if folders else options,
    )


def _options(text: str | None) -> FeedOptions:
    """The options that our own export wrote; whatever does not fit is left out."""
    try:
        given = msgspec.json.decode(text or "null", type=dict[str, Any] | None) or {}
    except msgspec.DecodeError:
        return NO_OPTIONS
    found = parse_options({name: value for name, value in given.items() if name in EXPORTED_OPTIONS})
    return found.replaced(dict.fromkeys(found.other))


def _address(attributes: dict[str, str]) -> str | None:
    """The feed's URL: our own attribute first, because for other readers we are the feed of a page."""
    is_link = attributes.get("type", "").lower() in _OTHER_TYPES
    names = (_URL, *(_URL_NAMES[:-1] if is_link else _URL_NAMES))
    return next((attributes[name] for name in names if attributes.get(name)), None)


def _parse(data: bytes) -> tuple[etree._Element | None, bool]:
    """Parse XML in any encoding, ignoring its entity definitions, so that an entity bomb stays harmless text.

    Returns the root and whether the file is cut off.
    """
    text = _without_doctype(decode(data))
    text = _DECLARATION.sub("", _UNREADABLE.sub("", text), count=1).lstrip()
    text = _REFERENCE.sub(_character, text)
    root = _parse_xml(text, recover=False)
    if root is not None:
        return root, False
    repaired = repair_opml(text)
    return (_parse_xml(repaired.text, recover=True), repaired.is_cut_off) if repaired else (None, False)


def _parse_xml(text: str, *, recover: bool) -> etree._Element | None:
    parser = etree.XMLParser(
        recover=recover, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
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
_REFERENCE = re.compile(r"&(?:#[0-9]{1,8};|#[xX][0-9a-fA-F]{1,7};|([A-Za-z][A-Za-z0-9]{1,31});)?")
_XML_OWN = {"amp", "lt", "gt", "quot", "apos"}


def _character(match: re.Match[str]) -> str:
    """Replace an HTML entity such as `&nbsp;`, which XML does not define; escape a `&` that begins no reference."""
    whole, name = match[0], match[1]
    if whole == "&":
        return "&amp;"
    if name in _XML_OWN:
        return whole
    if name is None:
        number = whole[2:-1]
        code = int(number[1:], 16) if number[0] in "xX" else int(number)
        return whole if _is_allowed(code) else ""
    character = html.entities.html5.get(f"{name};")
    return f"&amp;{name};" if character is None else html.escape(character)


def _title(attributes: dict[str, str]) -> str | None:
    """The title as plain text: some readers write HTML there, and some escape it twice."""
    written = attributes.get("text") or attributes.get("title") or ""
    plain = " ".join(_TAG.sub(" ", unescape_html(written)).split())
    return plain[:MAX_NAME_CHARS].strip() or None


_TAG = re.compile(r"</?[A-Za-z][^<>]{0,500}>")


def _why_skipped(attributes: dict[str, str], address: str | None, *, is_folder: bool) -> str | None:
    if address is not None:
        return None
    if attributes.get("type", "").lower() in _OTHER_TYPES:
        return "it is a link, not a feed"
    site = attributes.get("htmlurl")
    if site:
        return f"it has no feed URL, only a site URL; try `inforadar feed add {site} --discover`"
    return None if is_folder else "it has no feed URL"


def _with_scheme(address: str) -> str:
    """Return an http URL for `feed://example.com/rss` and `feed:https://…`, which some readers write."""
    if address.lower().startswith("feed:"):
        rest = address[5:]
        return f"http:{rest}" if rest.startswith("//") else rest
    return address


def _folders(outline: etree._Element, attributes: dict[str, str]) -> list[str]:
    """The names of its folders from the outside, the last of which is the topic; else those of its first category."""
    names: list[str] = []
    for depth, parent in enumerate(outline.iterancestors()):
        if depth > MAX_DEPTH:
            break
        if _local(parent) == "outline" and (name := _title(_attributes(parent))):
            names.append(name)
    if names:
        return names[MAX_FOLDERS::-1]
    category = attributes.get("category", "").split(",")[0].split("/")
    return [name for part in category if (name := part.strip()[:MAX_NAME_CHARS].strip())][-MAX_FOLDERS - 1 :]


def _attributes(node: etree._Element) -> dict[str, str]:
    return {str(name).lower(): str(value).strip() for name, value in node.attrib.items()}


def _local(node: etree._Element) -> str:
    return etree.QName(node).localname.lower() if isinstance(node.tag, str) else ""


def render_opml(feeds: Sequence[Feed], title: str = "Info Radar", public_url: str = "") -> bytes:
    """Write the list as other readers expect it: one folder per topic, inside those that it was imported with.

    Other readers cannot read a page or a sitemap: with a `public_url` they get the address of the feed made of it.
    """
    root = etree.Element("opml", {"version": "2.0"}, nsmap={OPML_PREFIX: OPML_NAMESPACE})
    etree.SubElement(etree.SubElement(root, "head"), "title").text = title
    folders: dict[tuple[str, ...], etree._Element] = {(): etree.SubElement(root, "body")}
    for feed in feeds:
        path = (*(feed.options.folders or ()), feed.topic)
        for depth in range(1, len(path) + 1):
            if path[:depth] not in folders:
                name = _clean(path[depth - 1])
                folders[path[:depth]] = etree.SubElement(folders[path[: depth - 1]], "outline", text=name)
        etree.SubElement(folders[path], "outline", _outline(feed, public_url))
    document: bytes = etree.tostring(root, xml_declaration=True, encoding="utf-8", pretty_print=True)
    return document


def _outline(feed: Feed, public_url: str) -> dict[str, str]:
    attributes = {"type": "rss", "text": _clean(feed.title or readable(feed.url)), "xmlUrl": feed.url}
    if feed.site_url:
        attributes["htmlUrl"] = _clean(feed.site_url)
    if feed.kind not in {None, FeedKind.FEED} and public_url:
        attributes |= {"xmlUrl": f"{public_url}/rss?url={quote(feed.url, safe='')}", _URL: feed.url}
    if feed.kind is not None:
        attributes[_KIND] = feed.kind.value
    attributes[_SOURCE] = _clean(feed.source)
    options = {name: value for name, value in feed.options.to_json().items() if name in EXPORTED_OPTIONS}
    if options:
        attributes[_OPTIONS] = _clean(msgspec.json.encode(options).decode())
    return attributes


def _clean(text: str) -> str:
    """Remove characters that XML does not allow."""
    return "".join(char for char in text if _is_allowed(ord(char)))


def _is_allowed(code: int) -> bool:
    return (
        code in {9, 10, 13}
        or 0x20 <= code <= 0xD7FF
        or 0xE000 <= code <= 0xFFFD
        or 0x10000 <= code <= 0x10FFFF
    )
