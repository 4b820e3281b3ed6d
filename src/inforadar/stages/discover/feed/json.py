"""Read JSON Feed 1.0 and 1.1, tolerating common departures from the specification."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from datetime import tzinfo
from itertools import islice
from typing import Any
from urllib.parse import urljoin

import msgspec

from inforadar.errors import CutOffError, ParseError
from inforadar.model.feed_warning import FeedWarning
from inforadar.model.item import MAX_ENCLOSURES, Enclosure
from inforadar.model.push import MAX_HUBS
from inforadar.stages.discover.dates.absolute import DateOrder, parse_date
from inforadar.stages.discover.dates.order import find_date_order
from inforadar.stages.discover.feed.encoding import decode
from inforadar.stages.discover.feed.fields import MAX_TAGS
from inforadar.stages.discover.feed.limits import MAX_BYTES, MAX_ELEMENTS, MAX_ENTRIES
from inforadar.stages.discover.feed.raw import RawEntry, RawFeed
from inforadar.stages.discover.feed.xml import MAX_AUTHORS, TOO_MANY_ENTRIES
from inforadar.texts import storable_text

CUT_OFF = FeedWarning(text="The document was cut off; the entries before that were read.", is_loss=True)
NO_COMPLETE_ENTRY = "The document was cut off before the end of its first entry."


def read_json(data: bytes, url: str, zone: tzinfo) -> RawFeed:
    """Read the feed in a JSON document; `zone` applies to dates without a time zone."""
    document, is_cut_off = _decoded(data)
    items = document.get("items") if isinstance(document, dict) else None
    if not isinstance(document, dict) or not isinstance(items, list) or not _is_feed(document, items):
        raise ParseError("This is JSON, but not a JSON Feed.")
    warnings: tuple[FeedWarning, ...] = ()
    if len(items) > MAX_ENTRIES:
        warnings = (TOO_MANY_ENTRIES,)
    if is_cut_off:
        warnings = (*warnings, CUT_OFF)
    authors = _authors(document)
    home = _text(document, "home_page_url")
    order = find_date_order(_date_texts(items[:MAX_ENTRIES]), _text(document, "language"))
    return RawFeed(
        entries=tuple(
            _entry(item, url, authors, zone, order) for item in items[:MAX_ENTRIES] if isinstance(item, dict)
        ),
        title=_text(document, "title"),
        link=_absolute(home, url),
        description=_text(document, "description"),
        language=_text(document, "language"),
        icon=_absolute(_text(document, "icon") or _text(document, "favicon"), url),
        warnings=warnings,
        is_cut_off=is_cut_off,
        hubs=tuple(_hubs(document, url)),
        self_link=_absolute(_text(document, "feed_url"), url),
    )


def _hubs(document: dict[str, Any], url: str) -> Iterator[str]:
    """WebSub's hubs; other kinds of push are not ours."""
    hubs = document.get("hubs")
    for hub in islice(hubs, MAX_HUBS) if isinstance(hubs, list) else ():
        is_websub = isinstance(hub, dict) and str(hub.get("type", "")).casefold() in {
            "websub",
            "pubsubhubbub",
        }
        if is_websub and (address := _absolute(_text(hub, "url"), url)):
            yield address


def _decoded(data: bytes) -> tuple[Any, bool]:
    """The document, and whether it is only the part before the place where it was cut off."""
    if len(data) > MAX_BYTES or data.count(b"{") + data.count(b"[") > MAX_ELEMENTS:
        raise ParseError("This JSON document is too large to be a feed.")
    try:
        return msgspec.json.decode(data), False
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    # `decode` handles byte order marks and other encodings, the standard library line breaks inside strings.
    text = decode(data).lstrip("\ufeff")
    try:
        return json.loads(text, strict=False), False
    except (ValueError, RecursionError):
        pass
    document = _complete_part(text) if _ends_too_early(text) else {}
    if document.get("items"):
        return document, True
    if "jsonfeed.org" in str(document.get("version", "")):
        raise CutOffError(NO_COMPLETE_ENTRY)
    raise ParseError("This looks like JSON, but it is not valid.")


def _ends_too_early(text: str) -> bool:
    """Whether a string, list or object is still open at the end."""
    depth = 0
    for match in _STRUCTURE.finditer(text):
        mark = match[0]
        if mark == '"':
            return True
        if mark in "{[":
            depth += 1
        elif mark in "}]":
            depth -= 1
    return depth > 0


def _complete_part(text: str) -> dict[str, Any]:
    """The members of the outermost object up to the one that is cut off; of the items, those that are complete."""
    document: dict[str, Any] = {}
    key, position = "", text.index("{")
    try:
        while text[position : position + 1] in {"{", ","}:
            key, colon = _DECODER.raw_decode(text, _after_space(text, position + 1))
            position = _after_space(text, _after_space(text, colon) + 1)
            document[key], position = _DECODER.raw_decode(text, position)
            position = _after_space(text, position)
    except (ValueError, TypeError, RecursionError):
        if key == "items" and key not in document:
            document[key] = list(islice(_complete_values(text, position), MAX_ENTRIES + 1))
    return document


def _complete_values(text: str, position: int) -> Iterator[Any]:
    """Yield the values of the list that starts here, up to the one that is cut off."""
    try:
        while text[position : position + 1] in {"[", ","}:
            value, position = _DECODER.raw_decode(text, _after_space(text, position + 1))
            yield value
            position = _after_space(text, position)
    except (ValueError, RecursionError):
        return


def _after_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


_DECODER = json.JSONDecoder(strict=False)
_SPACE = re.compile(r"[ \t\r\n]*+")
_STRUCTURE = re.compile(r'"(?:[^"\\]++|\\.)*+"|[{}\[\]"]', re.DOTALL)


def _is_feed(document: dict[str, Any], items: list[Any]) -> bool:
    if "jsonfeed.org" in str(document.get("version", "")):
        return True
    return any(
        isinstance(item, dict) and ("content_html" in item or "content_text" in item or "url" in item)
        for item in items
    )


def _date_texts(items: list[Any]) -> Iterator[str]:
    for item in items:
        if isinstance(item, dict) and (text := _text(item, "date_published")) and "/" in text:
            yield text


def _entry(
    item: dict[str, Any], url: str, feed_authors: tuple[str, ...], zone: tzinfo, order: DateOrder
) -> RawEntry:
    identifier = _text(item, "id")
    link = _text(item, "url") or _text(item, "external_url")
    if link is None and identifier is not None and identifier.startswith(("http://", "https://")):
        link = identifier
    plain = _text(item, "content_text")
    attachments = [one for one in _list(item, "attachments") if isinstance(one, dict)]
    authors = _authors(item) or feed_authors
    tags = dict.fromkeys(tag for name in _list(item, "tags") if (tag := _string(name)))
    return RawEntry(
        id=identifier,
        link=_absolute(link, url),
        title=_text(item, "title"),
        published=parse_date(_text(item, "date_published") or "", zone, order),
        updated=parse_date(_text(item, "date_modified") or "", zone, order),
        summary=_text(item, "summary"),
        content=_text(item, "content_html") or (_escaped(plain) if plain else None),
        author=authors[0] if authors else None,
        tags=tuple(tags)[:MAX_TAGS],
        image=_absolute(_text(item, "image") or _text(item, "banner_image"), url),
        enclosures=tuple(_enclosures(attachments, url)),
        language=_text(item, "language"),
        is_title_plain=True,
        authors=authors,
    )


def _enclosures(attachments: list[dict[str, Any]], url: str) -> Iterable[Enclosure]:
    for one in attachments[:MAX_ENCLOSURES]:
        if address := _absolute(_text(one, "url"), url):
            yield Enclosure(
                url=address,
                type=_text(one, "mime_type"),
                length=_number(one, "size_in_bytes"),
                duration=_number(one, "duration_in_seconds"),
                title=_text(one, "title"),
            )


def _number(holder: dict[str, Any], key: str) -> int | None:
    value = holder.get(key)
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 2**53
    return int(value) if is_number else None  # type: ignore[arg-type]


def _authors(holder: dict[str, Any]) -> tuple[str, ...]:
    """`authors` from version 1.1, else `author` from 1.0; some feeds put a bare name there."""
    found: dict[str, None] = {}
    for author in (*_list(holder, "authors"), *(() if _list(holder, "authors") else (holder.get("author"),))):
        name = _text(author, "name") if isinstance(author, dict) else _string(author)
        if name and len(found) < MAX_AUTHORS:
            found[name] = None
    return tuple(found)


def _text(holder: dict[str, Any], key: str) -> str | None:
    value = holder.get(key)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return _string(str(value))


def _string(value: Any) -> str | None:
    """The text as it will be stored: JSON can hold characters that XML and HTML cannot."""
    return storable_text(value).strip() or None if isinstance(value, str) else None


def _list(holder: dict[str, Any], key: str) -> Iterable[Any]:
    value = holder.get(key)
    return value if isinstance(value, list) else ()


def _absolute(link: str | None, url: str) -> str | None:
    if link is None or link.startswith(("http://", "https://")):
        return link
    try:
        return urljoin(url, link)
    except ValueError:
        return None


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\n", "<br>\n")
