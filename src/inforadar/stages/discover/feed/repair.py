"""Makes well-formed XML of what was meant to be, so that the fast parser can read it.

Most broken feeds are broken in a few ways: a raw `&`, `&nbsp;` and its kin without a definition, control
signs, HTML that was not escaped, tags that are not closed, text before the declaration. One pass over the
tags mends all of them: entities become the signs that they stand for, tags are balanced on a stack, and
attributes are written anew. Each pattern consumes what it looks at, so the pass is linear whatever it meets.
The document type is taken out: declared entities are put in by hand, to a limit, and no parser sees the rest.
"""

from __future__ import annotations

import re
from html.entities import html5

from inforadar.texts import unescaped

MAX_DEPTH = 200
"""The parser gives up at 256."""

_EXPANSION = 1_000_000
"""So many characters may come from declared entities in all."""

_DOCTYPE = re.compile(r"<!DOCTYPE[^\[>]{0,2000}(?:\[(.*?)\]\s*)?>", re.DOTALL | re.IGNORECASE)
_ENTITY = re.compile(r"<!ENTITY\s+([\w.-]+)\s+(?:\"([^\"]*)\"|'([^']*)')\s*>")
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]+")
_TOKEN = re.compile(
    r"<!\[CDATA\[(?P<cdata>.*?)(?P<cdata_end>\]\]>|\Z)"
    r"|<!--.*?(?:-->|\Z)"
    r"|<\?.*?(?:\?>|\Z)"
    r"|<(?P<end>/?)(?P<name>[A-Za-z_][\w.-]*+(?::[A-Za-z_][\w.-]*+)?+)"
    r"(?P<attributes>(?:[^<>\"'/]|\"[^\"<]*\"|'[^'<]*'|/(?!>))*+)(?P<empty>/?)>"
    r"|<(?P<end_odd>/?)(?P<name_odd>[A-Za-z_][\w.-]*+(?::[A-Za-z_][\w.-]*+)?+)(?P<attributes_odd>[^<>]*)>"
    r"|<![A-Za-z][^<>]*>"
    r"|<"
    r"|&(?!(?:amp|lt|gt|quot|apos);)(?:(?P<entity>\#[0-9]{1,8}|\#[xX][0-9a-fA-F]{1,7}|[A-Za-z][A-Za-z0-9]{0,40});)?",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(
    r"(?<![\w.:-])([A-Za-z_][\w.-]*(?::[\w.-]+)?)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))"
)
_REFERENCE = re.compile(
    r"&(?!(?:amp|lt|gt|quot|apos);)(?:(\#[0-9]{1,8}|\#[xX][0-9a-fA-F]{1,7}|[A-Za-z][A-Za-z0-9]{0,40});)?"
)
_ENTRIES = frozenset({"item", "entry"})
_SHORT = frozenset(
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
"""Fields that hold a line of text: another field's tag inside one means that its end is missing."""

_LONG = frozenset({"description", "summary", "content", "content:encoded"})
"""Fields that may hold HTML: only a tag that HTML does not have ends them."""

_NOT_HTML = frozenset({"guid", "pubdate", "published", "updated", "dc:date", "dc:creator", "content:encoded"})


def repaired(text: str, prolog: str = "") -> tuple[str, str | None]:
    """A document from its root on, made well-formed, and a sentence if some of it had to be left out.

    `prolog` is what stands before the root; the entities that it declares are put in.
    """
    start = prolog.upper().find("<!DOCTYPE")
    doctype = _DOCTYPE.match(prolog, start) if start >= 0 else None
    repair = _Repair(_declared(doctype[1] or "") if doctype else {})
    mended = _TOKEN.sub(repair.token, _ILLEGAL.sub("", text))
    return mended + repair.closing(), repair.warning


def _declared(subset: str) -> dict[str, str]:
    entities: dict[str, str] = {}
    for match in _ENTITY.finditer(subset):
        # Only what stands for itself: entities made of entities are how one line of text fills the memory.
        value = unescaped(match[2] or match[3] or "")
        if (
            len(value) <= 10_000
            and len(entities) < 1_000
            and "&" not in (match[2] or match[3] or "").replace("&#", "")
        ):
            entities.setdefault(match[1], value)
    return entities


class _Repair:
    def __init__(self, entities: dict[str, str]) -> None:
        self.entities = entities
        self.stack: list[str] = []
        self.left = _EXPANSION
        self.warning: str | None = None

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
            # It never ends: what follows was meant to be read as the rest of the document.
            # A space in place of each further beginning, so that none is made of the pieces around it.
            return _TOKEN.sub(self.token, match["cdata"].replace("<![CDATA[", " "))
        if match[0][0] == "&":
            return self._reference(match["entity"])
        return "&lt;" if match[0] == "<" else ""

    def closing(self) -> str:
        return "".join(f"</{name}>" for name in reversed(self.stack))

    def _tag(self, name: str, attributes: str, *, is_end: bool, is_empty: bool) -> str:
        if is_end:
            return self._end(name)
        if len(self.stack) >= MAX_DEPTH:
            self.warning = f"Elements are nested more than {MAX_DEPTH} deep; what lies deeper lost its tags."
            return ""
        opened = f"{self._ended_by(name.lower())}<{name}{self._attributes(attributes)}"
        if is_empty:
            return opened + "/>"
        self.stack.append(name)
        return opened + ">"

    def _end(self, name: str) -> str:
        if len(self.stack) > 1 and self.stack[-1] == name:
            self.stack.pop()
            return f"</{name}>"
        # The root stays open to the last: whatever follows its end still belongs to the feed.
        if name not in self.stack[1:]:
            return ""
        return self._close(len(self.stack) - 1 - self.stack[::-1].index(name))

    def _close(self, depth: int) -> str:
        closed = "".join(f"</{name}>" for name in reversed(self.stack[depth:]))
        del self.stack[depth:]
        return closed

    def _ended_by(self, name: str) -> str:
        """The end tags that were forgotten before an element of this name."""
        if name in _ENTRIES:
            for depth, open_name in enumerate(self.stack):
                if open_name.lower() in _ENTRIES:
                    # Extensions may keep entries inside entries; the formats themselves may not.
                    is_extension = any(":" in inner and inner not in _LONG for inner in self.stack[depth:])
                    return "" if is_extension else self._close(depth)
        elif self.stack:
            inner = self.stack[-1].lower()
            if (inner in _SHORT and name in _SHORT | _LONG) or (inner in _LONG and name in _NOT_HTML):
                return self._close(len(self.stack) - 1)
        return ""

    def _attributes(self, text: str) -> str:
        if "=" not in text:
            return ""
        found: dict[str, str] = {}
        for name, double, single, bare in _ATTRIBUTE.findall(text):
            value = _REFERENCE.sub(lambda match: self._reference(match[1]), double or single or bare)
            found.setdefault(name, value.replace("<", "&lt;").replace('"', "&quot;"))
        return "".join(f' {name}="{value}"' for name, value in found.items())

    def _reference(self, name: str | None) -> str:
        if name is None:
            return "&amp;"
        if name.startswith("#"):
            # Numbers from 128 to 159 mean Windows' signs; those that XML forbids mean nothing.
            value = _ILLEGAL.sub("", unescaped(f"&{name};")).replace("\ufffd", "")
        elif name in self.entities:
            value = self.entities[name]
            self.left -= len(value)
            if self.left < 0:
                self.warning = (
                    "Its entities stand for far more text than the document has; some were left out."
                )
                return ""
        else:
            value = html5.get(f"{name};", "")
            if not value:
                return f"&amp;{name};"
        return value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
