"""Turn the bytes of a document into a `RawFeed`, by the cheapest method that works.

Nearly all feeds are well-formed XML and go straight to the parser. If the parser rejects a document, it is decoded
by evidence, repaired and parsed again: first between its tags, and only if that is not enough, as a whole. JSON has
its own reader. Documents with a type declaration are always repaired first, so the parser never sees one: neither an
entity bomb nor a reference to an outside file.
"""

from __future__ import annotations

import re
import threading
from dataclasses import replace
from datetime import UTC, tzinfo
from functools import partial
from typing import Any

from lxml import etree

from inforadar.errors import CutOffError, ParseError
from inforadar.model.feed_warning import FeedWarning
from inforadar.stages.discover.feed.encoding import UTF8_DECLARATIONS, declared_encoding, decode
from inforadar.stages.discover.feed.json import CUT_OFF, NO_COMPLETE_ENTRY, read_json
from inforadar.stages.discover.feed.limits import (
    MAX_BYTES,
    cut_to_limits,
    has_excessive_namespaces,
    has_many_names,
)
from inforadar.stages.discover.feed.raw import RawFeed
from inforadar.stages.discover.feed.repair import repair_references, repair_xml
from inforadar.stages.discover.feed.sniff import describe_non_feed, is_page
from inforadar.stages.discover.feed.xml import drop_last_entry, read_feed

_PLAIN_HEAD = re.compile(rb"(?:[^<]++|<!--.*?-->|<\?.*?\?>)*+<[A-Za-z_]", re.DOTALL)
"""Everything allowed before the root tag. Comments are matched whole: a tag inside one does not end the head."""

_ONLY_PROLOG = re.compile(r"<\?xml\b[^>]*+(?:>(?:[^<]++|<!--.*?-->|<\?.*?\?>)*+(?:<[^<>]*+)?)?", re.DOTALL)
"""A document that ends before its root tag does."""

_FEED_ROOT = re.compile(r"<(?:[\w.-]+:)?(?:rss|feed|rdf)(?=[\s>])", re.IGNORECASE)
_DECLARED_ROOT = re.compile(r"<[\w.:-]+\s[^<>]*(?:xmlns|version)\s*=", re.IGNORECASE)
"""A root tag with a version or namespace. Without one, a tag inside an HTML page only shares a feed root's name."""

_CHANNEL = re.compile(r"<channel(?=[\s>])", re.IGNORECASE)
_ENTRY = re.compile(r"<(?:[\w.-]+:)?(?:item|entry)[\s>]", re.IGNORECASE)
_REPAIRED = FeedWarning(text="The document is not well-formed XML; it was repaired before reading.")


class NotAFeedError(ParseError):
    """The document is not a feed; `feeds` are the feeds it links to, if it is an HTML page."""

    def __init__(self, message: str, feeds: tuple[str, ...] = ()) -> None:
        super().__init__(message, feeds)
        self.feeds = feeds

    def __str__(self) -> str:
        return str(self.args[0])


class NeedsSlowParser(ParseError):  # noqa: N818 - a request, not an error yet
    """The feed has entries, but only the tolerant parser may be able to read them, in a separate process."""


def parse_document(data: bytes, url: str, content_type: str = "", zone: tzinfo = UTC) -> RawFeed:
    """Parse a document into a feed with every entry. Pure; time and memory are bounded for any input."""
    if data[:64].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{":
        return read_json(data, url, zone)
    data = data.lstrip(b" \t\r\n")
    warnings: tuple[FeedWarning, ...] = ()
    limit: str | None = None
    if _is_plain(data):
        # What will not be read is let go before the rest is decoded and repaired, which makes several copies of it.
        data, limit = cut_to_limits(data)
        if limit is None:
            feed = _parse_xml(data, url, zone, recover=False)
            if feed is not None:
                return feed
            warnings = (_REPAIRED,)
    return _repair_and_parse(data, url, content_type, zone, warnings, limit=limit)


def _is_plain(data: bytes) -> bool:
    """Whether a document can go to the parser unchanged: declared UTF-8, no type declaration."""
    return bool(_PLAIN_HEAD.match(data, 0, 10_000)) and declared_encoding(data) in UTF8_DECLARATIONS


def _repair_and_parse(
    data: bytes,
    url: str,
    content_type: str,
    zone: tzinfo,
    warnings: tuple[FeedWarning, ...],
    *,
    limit: str | None,
) -> RawFeed:
    """Read a document after repairing it; `limit` says where it was cut already, if it was."""
    text = decode(data[:MAX_BYTES], content_type)
    if _ONLY_PROLOG.fullmatch(text):
        raise CutOffError(NO_COMPLETE_ENTRY)
    root = _FEED_ROOT.search(text) or _CHANNEL.search(text)
    if root is None or (is_page(text[: root.start()]) and not _DECLARED_ROOT.match(text, root.start())):
        raise _not_a_feed(data, text, url)
    prolog, has_entries = text[: root.start()], _ENTRY.search(text, root.start()) is not None
    safe, own_limit = cut_to_limits(text[root.start() :].encode("utf-8", "replace"))
    limit = limit or own_limit
    # Each of these is as long as the document. What is no longer needed is let go before the next one is made.
    del text, root
    if not warnings and limit is None and "<!" not in prolog:
        # Only its encoding kept it from being parsed directly.
        feed = _parse_xml(safe, url, zone, recover=False)
        if feed is not None:
            return feed
    decoded = safe.decode("utf-8", "ignore")
    del safe
    if limit is None:
        mended, loss = repair_references(decoded, prolog)
        encoded = mended.encode("utf-8", "replace")
        del mended
        feed = _parse_xml(encoded, url, zone, recover=False, allow_prefixes=True)
        del encoded
        if feed is not None and feed.entries:
            warnings += (FeedWarning(text=loss, is_loss=True),) if loss else ()
            return replace(feed, warnings=(*warnings, *feed.warnings))
    repaired = repair_xml(decoded, prolog)
    del decoded
    is_cut_off, loss = repaired.is_cut_off and limit is None, repaired.warning
    drop_last = repaired.is_cut_off and repaired.ends_in_entry
    encoded = repaired.text.encode("utf-8", "replace")
    del repaired
    feed = _parse_xml(encoded, url, zone, recover=True, drop_last=drop_last)
    warnings += tuple(FeedWarning(text=text, is_loss=True) for text in (limit, loss) if text)
    if is_cut_off:
        if not (feed and feed.entries):
            raise CutOffError(NO_COMPLETE_ENTRY)
        warnings = (*(one for one in warnings if one != _REPAIRED), CUT_OFF)
    if feed is None or not feed.entries:
        said = " ".join(warning.text for warning in warnings)
        if has_entries:
            raise NeedsSlowParser(f"This feed is too broken to read. {said}")
        if feed is None or limit or loss:
            raise NotAFeedError(f"No entry of this feed could be read. {said}".strip())
    return replace(feed, warnings=(*warnings, *feed.warnings), is_cut_off=is_cut_off)


def _not_a_feed(data: bytes, text: str, url: str) -> NotAFeedError:
    message, feeds = describe_non_feed(data, text, url)
    return NotAFeedError(message, feeds)


def _parse_xml(
    data: bytes,
    url: str,
    zone: tzinfo,
    *,
    recover: bool,
    drop_last: bool = False,
    allow_prefixes: bool = False,
) -> RawFeed | None:
    """Read the feed of a document.

    `drop_last` leaves out the entry that it ends in. `allow_prefixes` makes no fault of undeclared prefixes, which lose
    nothing.
    """
    if has_excessive_namespaces(data):
        raise ParseError("This document declares more or longer namespaces than any feed does.")
    read = partial(
        _parse_in_this_thread,
        data,
        url,
        zone,
        recover=recover,
        drop_last=drop_last,
        allow_prefixes=allow_prefixes,
    )
    if not has_many_names(data):
        return read()
    # lxml keeps every element and attribute name until the thread ends, so a document with a million names
    # would stay in memory for good. A separate thread frees them when it ends.
    results: list[RawFeed | None] = []
    thread = threading.Thread(
        target=lambda: results.append(read()),
        name="feed-reader",
    )
    thread.start()
    thread.join()
    return results[0]


def _parse_in_this_thread(
    data: bytes, url: str, zone: tzinfo, *, recover: bool, drop_last: bool, allow_prefixes: bool
) -> RawFeed | None:
    try:
        root = etree.fromstring(data, _PARSERS.lenient if recover else _PARSERS.strict)
    except etree.XMLSyntaxError as error:
        # The strict parser stops at the first fault, so that a hostile document cannot fill the memory with them.
        faults: Any = error.error_log
        if not allow_prefixes or any(one.domain != etree.ErrorDomains.NAMESPACE for one in faults):
            return None
        root = etree.fromstring(data, _PARSERS.lenient)
    if root is not None and drop_last:
        drop_last_entry(root)
    return read_feed(root, url, zone) if root is not None else None


class _Parsers(threading.local):
    """One pair of parsers per thread: creating one takes a tenth of a small feed's time, and threads would queue
    for a shared one.
    """

    def __init__(self) -> None:
        self.strict, self.lenient = (
            etree.XMLParser(
                recover=recover,
                resolve_entities=False,
                no_network=True,
                load_dtd=False,
                huge_tree=False,
                collect_ids=False,
                remove_comments=True,
                remove_pis=True,
            )
            for recover in (False, True)
        )


_PARSERS = _Parsers()
