"""From the bytes of a document to a feed, by the cheapest way that works.

Well-formed XML, which nearly all feeds are, goes straight to the parser. What that refuses is decoded by
evidence, mended and parsed again. JSON has a reader of its own. Documents with a type declaration are always
mended first, so that the parser sees none: neither a bomb of entities nor a file to be read from outside.
"""

from __future__ import annotations

import re
import threading
from dataclasses import replace
from datetime import UTC, tzinfo

from lxml import etree

from inforadar.errors import ParseError
from inforadar.stages.discover.feed.encoding import UTF8, declared_encoding, decode
from inforadar.stages.discover.feed.json import read_json
from inforadar.stages.discover.feed.limits import MAX_BYTES, has_many_names, has_odd_namespaces, within_limits
from inforadar.stages.discover.feed.raw import RawFeed
from inforadar.stages.discover.feed.repair import repaired
from inforadar.stages.discover.feed.sniff import describe, is_page
from inforadar.stages.discover.feed.xml import read_feed

_PLAIN_HEAD = re.compile(rb"(?:[^<]++|<!--.*?-->|<\?.*?\?>)*+<[A-Za-z_]", re.DOTALL)
"""All that may stand before the root, comments as a whole: a tag that one holds is not where the head ends."""

_FEED_ROOT = re.compile(r"<(?:[\w.-]+:)?(?:rss|feed|rdf)(?=[\s>])", re.IGNORECASE)
_DECLARED_ROOT = re.compile(r"<[\w.:-]+\s[^<>]*(?:xmlns|version)\s*=", re.IGNORECASE)
"""A page may hold a whole feed; what merely shares its root's name is a page."""

_CHANNEL = re.compile(r"<channel(?=[\s>])", re.IGNORECASE)
_ENTRY = re.compile(r"<(?:[\w.-]+:)?(?:item|entry)[\s>]", re.IGNORECASE)
_MENDED = "The document is not well-formed; it was mended before it was read."


class NotAFeedError(ParseError):
    """A document that is something else; `feeds` are those that it names, if it is a page."""

    def __init__(self, message: str, feeds: tuple[str, ...] = ()) -> None:
        super().__init__(message, feeds)
        self.feeds = feeds

    def __str__(self) -> str:
        return str(self.args[0])


class NeedsSlowParser(ParseError):  # noqa: N818 - it asks for something; it is no error yet
    """It has entries, but so broken that only the tolerant parser may read them, in a process of its own."""


def parse_document(data: bytes, url: str, content_type: str = "", zone: tzinfo = UTC) -> RawFeed:
    """The feed in a document, with every entry; pure, and bounded in time and memory whatever the bytes."""
    if data[:64].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{":
        return read_json(data, url, zone)
    data = data.lstrip(b" \t\r\n")
    warnings: tuple[str, ...] = ()
    if _is_plain(data) and within_limits(data)[1] is None:
        feed = _parsed(data, url, zone, recover=False)
        if feed is not None:
            return feed
        warnings = (_MENDED,)
    return _read_mended(data, url, content_type, zone, warnings)


def _is_plain(data: bytes) -> bool:
    """Whether a document may go to the parser as it is: UTF-8 by its own account, no type declaration."""
    return bool(_PLAIN_HEAD.match(data, 0, 10_000)) and declared_encoding(data) in UTF8


def _read_mended(
    data: bytes, url: str, content_type: str, zone: tzinfo, warnings: tuple[str, ...]
) -> RawFeed:
    text = decode(data[:MAX_BYTES], content_type)
    root = _FEED_ROOT.search(text) or _CHANNEL.search(text)
    if root is None or (is_page(text[: root.start()]) and not _DECLARED_ROOT.match(text, root.start())):
        raise _not_a_feed(data, text, url)
    prolog = text[: root.start()]
    safe, limit = within_limits(text[root.start() :].encode("utf-8", "replace"))
    if not warnings and limit is None and "<!" not in prolog:
        # Only its encoding kept it from the fast way.
        feed = _parsed(safe, url, zone, recover=False)
        if feed is not None:
            return feed
    mended, loss = repaired(safe.decode("utf-8", "ignore"), prolog)
    feed = _parsed(mended.encode("utf-8", "replace"), url, zone, recover=True)
    warnings += tuple(warning for warning in (limit, loss) if warning)
    if feed is None or not feed.entries:
        if _ENTRY.search(text, root.start()):
            raise NeedsSlowParser(f"This feed is too broken to be read. {' '.join(warnings)}")
        if feed is None or limit or loss:
            raise NotAFeedError(f"This feed has no entry that could be read. {' '.join(warnings)}".strip())
    return replace(feed, warnings=(*warnings, *feed.warnings))


def _not_a_feed(data: bytes, text: str, url: str) -> NotAFeedError:
    message, feeds = describe(data, text, url)
    return NotAFeedError(message, feeds)


def _parsed(data: bytes, url: str, zone: tzinfo, *, recover: bool) -> RawFeed | None:
    if has_odd_namespaces(data):
        raise ParseError("This document declares more namespaces than any feed, or longer ones.")
    if not has_many_names(data):
        return _read(data, url, zone, recover)
    # lxml keeps every name of element or attribute for as long as the thread lives, so a document of a
    # million names would stay in memory for good. In a thread of its own they go when it goes.
    results: list[RawFeed | None] = []
    thread = threading.Thread(
        target=lambda: results.append(_read(data, url, zone, recover)), name="feed-reader"
    )
    thread.start()
    thread.join()
    return results[0]


def _read(data: bytes, url: str, zone: tzinfo, recover: bool) -> RawFeed | None:
    try:
        root = etree.fromstring(data, _PARSERS.lenient if recover else _PARSERS.strict)
    except etree.XMLSyntaxError:
        return None
    return read_feed(root, url, zone) if root is not None else None


class _Parsers(threading.local):
    """A pair for each thread: making one takes a tenth of a small feed's time, sharing one is a queue."""

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
