"""Repair broken feeds into well-formed XML, so that the fast parser can read them.

Most broken feeds are broken in a few ways: a raw `&`, undefined entities such as `&nbsp;`, control characters,
unescaped HTML, unclosed tags, text before the declaration. One pass over the tags repairs all of them: entities
become the characters they stand for, tags are balanced on a stack, and attributes are rewritten. Each pattern
consumes what it examines, so the pass is linear for any input. The document type is removed: its declared entities
are expanded here, up to a limit, and the parser never sees the rest.
"""

from __future__ import annotations

import re
from html.entities import html5
from typing import NamedTuple

from inforadar.texts import unescape_html

MAX_DEPTH = 200
"""The parser fails at 256."""

_MAX_EXPANSION_CHARS = 1_000_000
"""Limit on the text that all declared entities together may expand to."""

_DOCTYPE = re.compile(r"<!DOCTYPE[^\[>]{0,2000}(?:\[(.*?)\]\s*)?>", re.DOTALL | re.IGNORECASE)
_ENTITY = re.compile(r"<!ENTITY\s+([\w.-]+)\s+(?:\"([^\"]*)\"|'([^']*)')\s*>")
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]+")
_ILLEGAL_BYTES = bytes([*range(9), 0x0B, 0x0C, *range(0x0E, 0x20)])
_NONCHARACTER = re.compile(rb"\xef\xbf[\xbe\xbf]")
# As many characters as possible at a time: a lazy `.*?` would look for the end at each of them.
_IN_CDATA = r"[^\]]*+(?:\](?!\]>)[^\]]*+)*+"
_IN_COMMENT = r"[^-]*+(?:-(?!->)[^-]*+)*+"
_IN_INSTRUCTION = r"[^?]*+(?:\?(?!>)[^?]*+)*+"
_TOKEN = re.compile(
    rf"<!\[CDATA\[(?P<cdata>{_IN_CDATA})(?P<cdata_end>\]\]>|\Z)"
    rf"|<!--{_IN_COMMENT}(?:-->|\Z)"
    rf"|<\?{_IN_INSTRUCTION}(?:\?>|\Z)"
    r"|<(?P<end>/?)(?P<name>[A-Za-z_][\w.-]*+(?::[A-Za-z_][\w.-]*+)?+)"
    r"(?P<attributes>(?:[^<>\"'/]|\"[^\"<]*\"|'[^'<]*'|/(?!>))*+)(?P<empty>/?)>"
    r"|<(?P<end_odd>/?)(?P<name_odd>[A-Za-z_][\w.-]*+(?::[A-Za-z_][\w.-]*+)?+)(?P<attributes_odd>[^<>]*)>"
    r"|<![A-Za-z][^<>]*>"
    r"|<"
    r"|&(?!(?:amp|lt|gt|quot|apos);)(?:(?P<entity>\#[0-9]{1,8}|\#[xX][0-9a-fA-F]{1,7}|[A-Za-z][A-Za-z0-9]{0,40});)?"
)
_ATTRIBUTE = re.compile(
    r"(?<![\w.:-])([A-Za-z_][\w.-]*(?::[\w.-]+)?)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))"
)
_REFERENCE = re.compile(
    r"&(?!(?:amp|lt|gt|quot|apos);)(?:(\#[0-9]{1,8}|\#[xX][0-9a-fA-F]{1,7}|[A-Za-z][A-Za-z0-9]{0,40});)?"
)
_LONE_REFERENCE = re.compile(
    rf"<(?:!\[CDATA\[{_IN_CDATA}(?:\]\]>|\Z)|!--{_IN_COMMENT}(?:-->|\Z)|\?{_IN_INSTRUCTION}(?:\?>|\Z))|"
    + _REFERENCE.pattern
)
"""A reference that XML does not know; before it whatever has none, to pass over."""

_ROOT_END = re.compile(r"</(?:rss|(?:[\w.-]{1,20}:)?(?:feed|rdf))\s*>", re.IGNORECASE)
_TAIL_CHARS = 200
_ENTRIES = frozenset({"item", "entry"})
_ONE_LINE_FIELDS = frozenset(
    {
        "title",
        "link",
        "guid",
        "id",
        "pubdate",
        "published",
        "updated",
        "category",
        "dc:date",
        "dc:creator",
        "comments",
    }
)
"""Fields that hold a line of text: another field's tag inside one means that its end tag is missing."""

_HTML_FIELDS = frozenset({"description", "summary", "content", "content:encoded"})
"""Fields that may hold HTML: only a tag that is not HTML ends them."""

_NON_HTML_TAGS = frozenset(
    {"guid", "pubdate", "published", "updated", "dc:date", "dc:creator", "content:encoded"}
)


class RepairedXml(NamedTuple):
    """A document after its repair."""

    text: str
    warning: str | None
    """Says what had to be left out, if anything."""
    is_cut_off: bool
    """The document ends before its root is closed."""
    ends_in_entry: bool
    """Its last entry is not closed."""


def repair_references(text: str, prolog: str = "") -> tuple[str, str | None]:
    """Repair what is wrong between tags alone, and return a warning if something had to be left out.

    Raw `&`, unknown entities, control characters and text after the end: most broken feeds have no other fault. Their
    tags need no balancing, which takes several times as long.
    """
    text = _without_illegal_characters(text)
    end = text.rfind("<")
    if text.startswith("</", end) and (end := text.find(">", end)) >= 0:
        text = text[: end + 1]
    repair = _Repair(_entities_of(prolog))
    # Most documents have nothing to pass over.
    pattern = _LONE_REFERENCE if "<!" in text or "<?" in text else _REFERENCE
    return pattern.sub(repair.lone_reference, text), repair.warning


def repair_xml(text: str, prolog: str = "") -> RepairedXml:
    """Make a document well-formed, from its root on.

    `prolog` is the text before the root; the entities it declares are expanded.
    """
    repair = _Repair(_entities_of(prolog))
    repaired = _TOKEN.sub(repair.token, _without_illegal_characters(text))
    return RepairedXml(
        repaired + repair.closing(),
        repair.warning,
        # The root's end may be there and not count, as in a comment that is never closed.
        is_cut_off=not repair.is_closed and not _ROOT_END.search(text, max(0, len(text) - _TAIL_CHARS)),
        ends_in_entry=any(_local(name) in _ENTRIES for name in repair.stack),
    )


def _without_illegal_characters(text: str) -> str:
    """Remove the characters that XML forbids: from bytes, which takes a tenth of the time."""
    encoded = text.encode("utf-8", "ignore").translate(None, _ILLEGAL_BYTES)
    return _NONCHARACTER.sub(b"", encoded).decode()


def _local(name: str) -> str:
    return name.rpartition(":")[2].lower()


def _entities_of(prolog: str) -> dict[str, str]:
    """The entities that the document type declares."""
    start = prolog.upper().find("<!DOCTYPE")
    doctype = _DOCTYPE.match(prolog, start) if start >= 0 else None
    return _declared_entities(doctype[1] or "") if doctype else {}


def _declared_entities(subset: str) -> dict[str, str]:
    entities: dict[str, str] = {}
    for match in _ENTITY.finditer(subset):
        # Only plain text: with entities built from entities, one line of text can fill the memory.
        value = unescape_html(match[2] or match[3] or "")
        if (
            len(value) <= 10_000
            and len(entities) < 1_000
            and "&" not in (match[2] or match[3] or "").replace("&#", "")
        ):
            entities.setdefault(match[1], value)
    return entities


class _Repair:
    """The state of one pass: open tags, expanded entities, and the last warning."""

    def __init__(self, entities: dict[str, str]) -> None:
        self.entities = entities
        self.stack: list[str] = []
        self.remaining_expansion = _MAX_EXPANSION_CHARS
        self.warning: str | None = None
        self.is_closed = False
        """Whether the root, or the channel that holds everything, was closed after the last entry."""

    def token(self, match: re.Match[str]) -> str:
        if match["name"] is not None:
            return self._tag(
                match["name"], match["attributes"], is_end=bool(match["end"]), is_empty=bool(match["empty"])
            )
        if match["name_odd"] is not None:
            return self._tag(
                match["name_odd"], match["attributes_odd"], is_end=bool(match["end_odd"]), is_empty=False
            )
        if match["cdata"] is not None:
            if match["cdata_end"]:
                return match[0]
            # The section never ends, so its text is read as the rest of the document. Each further opening becomes a
            # space, so that the text around it cannot form a new one.
            return _TOKEN.sub(self.token, match["cdata"].replace("<![CDATA[", " "))
        if match[0][0] == "&":
            return self._reference(match["entity"])
        return "&lt;" if match[0] == "<" else ""

    def lone_reference(self, match: re.Match[str]) -> str:
        if match[0][0] == "<":
            return match[0]
        # It may stand in an attribute.
        return self._reference(match[1]).replace('"', "&quot;").replace("'", "&apos;")

    def closing(self) -> str:
        return "".join(f"</{name}>" for name in reversed(self.stack))

    def _tag(self, name: str, attributes: str, *, is_end: bool, is_empty: bool) -> str:
        if is_end:
            return self._end(name)
        if len(self.stack) >= MAX_DEPTH:
            self.warning = (
                f"Elements are nested more than {MAX_DEPTH} levels deep; tags below that were removed."
            )
            return ""
        if _local(name) in _ENTRIES:
            self.is_closed = False
        opened = f"{self._close_before(name.lower())}<{name}{self._attributes(attributes)}"
        if is_empty:
            return opened + "/>"
        self.stack.append(name)
        return opened + ">"

    def _end(self, name: str) -> str:
        if self.stack:
            root, closed = _local(self.stack[0]), _local(name)
            # Nothing but its own end follows the channel of RSS 2.0. In RSS 1.0 the items follow the channel.
            self.is_closed |= closed == root or (root == "rss" and closed == "channel")
        if len(self.stack) > 1 and self.stack[-1] == name:
            self.stack.pop()
            return f"</{name}>"
        # The root stays open to the end: anything after its end tag still belongs to the feed.
        if name not in self.stack[1:]:
            return ""
        return self._close(len(self.stack) - 1 - self.stack[::-1].index(name))

    def _close(self, depth: int) -> str:
        closed = "".join(f"</{name}>" for name in reversed(self.stack[depth:]))
        del self.stack[depth:]
        return closed

    def _close_before(self, name: str) -> str:
        """The end tags that are missing before an element with this name."""
        if name in _ENTRIES:
            for depth, open_name in enumerate(self.stack):
                if open_name.lower() in _ENTRIES:
                    # Extensions may nest entries; the formats themselves do not.
                    is_extension = any(
                        ":" in inner and inner not in _HTML_FIELDS for inner in self.stack[depth:]
                    )
                    return "" if is_extension else self._close(depth)
        elif self.stack:
            inner = self.stack[-1].lower()
            is_next_field = inner in _ONE_LINE_FIELDS and name in _ONE_LINE_FIELDS | _HTML_FIELDS
            if is_next_field or (inner in _HTML_FIELDS and name in _NON_HTML_TAGS):
                return self._close(len(self.stack) - 1)
        return ""

    def _attributes(self, text: str) -> str:
        if "=" not in text:
            return ""
        found: dict[str, str] = {}
        for name, double, single, bare in _ATTRIBUTE.findall(text):
            value = double or single or bare
            if "&" in value:
                value = _REFERENCE.sub(lambda match: self._reference(match[1]), value)
            found.setdefault(name, value.replace("<", "&lt;").replace('"', "&quot;"))
        return "".join(f' {name}="{value}"' for name, value in found.items())

    def _reference(self, name: str | None) -> str:
        if name is None:
            return "&amp;"
        if name.startswith("#"):
            # Numbers from 128 to 159 mean Windows-1252 characters; those that XML forbids are dropped.
            value = _ILLEGAL.sub("", unescape_html(f"&{name};")).replace("\ufffd", "")
        elif name in self.entities:
            value = self.entities[name]
            self.remaining_expansion -= len(value)
            if self.remaining_expansion < 0:
                self.warning = (
                    "Its entities expand to far more text than the document contains; some were left out."
                )
                return ""
        else:
            value = html5.get(f"{name};", "")
            if not value:
                return f"&amp;{name};"
        return value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
