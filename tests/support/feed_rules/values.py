"""Rules for single values, and rules that all XML formats share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from html.parser import HTMLParser

from lxml import etree

from inforadar.stages.publish.languages import language_tag

ATOM = "{http://www.w3.org/2005/Atom}"
CONTENT = "{http://purl.org/rss/1.0/modules/content/}"
DC = "{http://purl.org/dc/elements/1.1/}"
ITUNES = "{http://www.itunes.com/dtds/podcast-1.0.dtd}"
MEDIA = "{http://search.yahoo.com/mrss/}"
XML = "{http://www.w3.org/XML/1998/namespace}"

_PREFIXES = {"atom": ATOM, "content": CONTENT, "dc": DC, "itunes": ITUNES, "media": MEDIA}

_URI = re.compile(r"[a-zA-Z][0-9a-zA-Z+\-.]*:(//)?([0-9a-zA-Z;/?:@&=+$.\-_!~*'(),#\[\]]|%[0-9A-Fa-f]{2})+")
_WEB = re.compile(r"https?://[^/?#]+([/?#].*)?", re.DOTALL)
_TAG_URI = re.compile(
    r"tag:([a-z0-9._-]+@)?[a-z0-9.-]+,\d{4}(-\d\d(-\d\d)?)?:[0-9a-zA-Z;/?:@&=+$._!~*'()%,#-]*"
)
_URN = re.compile(r"urn:[a-z0-9][a-z0-9-]{1,31}:[0-9a-zA-Z()+,.:=@;$_!*'%-]+", re.IGNORECASE)
_DAYS = ("Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat")
_RFC822 = re.compile(r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d (GMT|[+-]\d{4})")
_RFC3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
_LIKE_HTML = re.compile(r"</?[A-Za-z][A-Za-z0-9]*[^<]*>|<!--|&(#\d+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);")
MIME = re.compile(r"[^\s()<>,;:\\\"/\[\]?=]+/[^\s()<>,;:\\\"/\[\]?=]+")

_HTML_TAGS = frozenset(
    {
        "a", "abbr", "acronym", "address", "area", "article", "aside", "b", "big", "blockquote", "br",
        "caption", "center", "cite", "code", "col", "colgroup", "dd", "del", "details", "dfn", "dir",
        "div", "dl", "dt", "em", "figcaption", "figure", "footer", "h1", "h2", "h3", "h4", "h5", "h6",
        "header", "hr", "i", "img", "ins", "kbd", "li", "map", "mark", "nav", "ol", "p", "pre", "q",
        "s", "samp", "section", "small", "source", "span", "strike", "strong", "sub", "sup", "table",
        "tbody", "td", "tfoot", "th", "thead", "time", "tr", "tt", "u", "ul", "var", "audio", "video",
        "wbr",
    }
)  # fmt: skip
_HTML_ATTRIBUTES = frozenset(
    {
        "abbr", "align", "alt", "axis", "border", "cellpadding", "cellspacing", "cite", "class",
        "clear", "color", "cols", "colspan", "controls", "coords", "datetime", "dir", "headers",
        "height", "href", "hreflang", "hspace", "id", "ismap", "lang", "loop", "media", "name",
        "nohref", "noshade", "nowrap", "rel", "rev", "rows", "rowspan", "rules", "scope", "shape",
        "size", "span", "src", "start", "summary", "tabindex", "target", "title", "type", "usemap",
        "valign", "value", "vspace", "width",
    }
)  # fmt: skip


class _Html(HTMLParser):
    def __init__(self, where: str) -> None:
        super().__init__(convert_charrefs=True)
        self.where = where
        self.problems: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _HTML_TAGS:
            self.problems.append(f"{self.where}: the element <{tag}> is a risk or no HTML")
        for name, value in attrs:
            if name not in _HTML_ATTRIBUTES:
                self.problems.append(f"{self.where}: the attribute {name} is a risk or no HTML")
            if name in ("href", "src", "cite") and not re.match(r"(https?://|mailto:)", value or ""):
                self.problems.append(f"{self.where}: {name}={value!r} is relative or no web address")

    def handle_comment(self, data: str) -> None:
        self.problems.append(f"{self.where}: comment {data!r}")

    def handle_decl(self, decl: str) -> None:
        self.problems.append(f"{self.where}: declaration {decl!r}")

    def unknown_decl(self, data: str) -> None:
        self.problems.append(f"{self.where}: declaration {data!r}")

    def handle_pi(self, data: str) -> None:
        self.problems.append(f"{self.where}: instruction {data!r}")


def safe_html(where: str, value: str) -> list[str]:
    parser = _Html(where)
    parser.feed(value)
    parser.close()
    return parser.problems


def plain(where: str, value: str) -> list[str]:
    found = _LIKE_HTML.search(value)
    return [f"{where} contains HTML: {found[0]!r}"] if found else []


def address(where: str, value: str) -> list[str]:
    if not _WEB.fullmatch(value) or not _URI.fullmatch(value):
        return [f"{where} is not a full and valid web address: {value!r}"]
    return []


def uri(where: str, value: str) -> list[str]:
    form = _TAG_URI if value.startswith("tag:") else _URN if value.startswith("urn:") else _URI
    return [] if form.fullmatch(value) else [f"{where} is not a valid URI: {value!r}"]


def _plausible(where: str, value: datetime, now: datetime) -> list[str]:
    if value.year < 1970 or value > now + timedelta(days=1):
        return [f"{where} is implausible: {value}"]
    return []


def rfc822(where: str, value: str, now: datetime) -> list[str]:
    if not _RFC822.fullmatch(value):
        return [f"{where} is not an RFC 822 date: {value!r}"]
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return [f"{where} is not a date: {value!r}"]
    if value[:3] != _DAYS[moment.isoweekday() % 7]:
        return [f"{where} names the wrong day of the week: {value!r}"]
    return _plausible(where, moment, now)


def rfc3339(where: str, value: str, now: datetime) -> list[str]:
    if not _RFC3339.fullmatch(value):
        return [f"{where} is not an RFC 3339 date: {value!r}"]
    try:
        return _plausible(where, datetime.fromisoformat(value), now)
    except ValueError:
        return [f"{where} is not a date: {value!r}"]


def language(where: str, value: str) -> list[str]:
    return [] if language_tag(value) == value else [f"{where} is not a language code: {value!r}"]


def parse(document: str) -> tuple[etree._Element | None, list[str]]:
    try:
        root = etree.fromstring(document.encode(), etree.XMLParser(resolve_entities=False, huge_tree=True))
    except (etree.XMLSyntaxError, UnicodeEncodeError) as error:
        return None, [f"not well-formed: {error}"]
    problems = []
    if root.getroottree().docinfo.doctype:
        problems.append("has a document type")
    if root.getroottree().docinfo.encoding.lower() != "utf-8":
        problems.append("is not declared as UTF-8")
    for prefix, uri in root.nsmap.items():
        if prefix in _PREFIXES and _PREFIXES[prefix] != f"{{{uri}}}":
            problems.append(f"the prefix {prefix} is reserved")
        if prefix and f"{{{uri}}}" in _PREFIXES.values() and _PREFIXES.get(prefix) != f"{{{uri}}}":
            problems.append(f"{uri} has another customary prefix than {prefix}")
    for value in root.xpath("//text() | //@*"):
        if re.search("[\x80-\x9f]", value):
            problems += [f"bad characters in {value[:40]!r}"]
    return root, problems


def text(element: etree._Element) -> str:
    return (element.text or "").strip()


def children(
    element: etree._Element, allowed: set[str], repeatable: set[str], attributes: dict[str, set[str]]
) -> list[str]:
    """Check names, cardinality, attributes and stray text of the children; other namespaces are unrestricted."""
    problems = []
    known = ("", *(namespace for namespace in _PREFIXES.values()))
    for name, count in Counter(child.tag for child in element).items():
        namespace = name[: name.index("}") + 1] if "}" in name else ""
        if namespace in known and name not in allowed | repeatable:
            problems.append(f"{element.tag} contains the undefined {name}")
        if count > 1 and name in allowed:
            problems.append(f"{element.tag} contains more than one {name}")
    for child in element:
        if child.tag in allowed | repeatable:
            unexpected = set(child.attrib) - attributes.get(child.tag, set())
            problems += [f"{child.tag} has the unexpected attribute {name}" for name in unexpected]
        if (child.tail or "").strip():
            problems.append(f"stray text in {element.tag}")
    if len(element) and (element.text or "").strip():
        problems.append(f"stray text in {element.tag}")
    return problems


def media(element: etree._Element) -> Iterator[str]:
    for content in element.findall(f"{MEDIA}content"):
        yield from address("media:content url", content.get("url", ""))
        if content.get("medium", "image") not in ("image", "audio", "video", "document", "executable"):
            yield f"media:content has an unknown medium {content.get('medium')!r}"


ATOM_LINK = {"href", "rel", "type", "hreflang", "title", "length"}
MEDIA_CONTENT = {"url", "type", "medium", "fileSize", "width", "height", "isDefault", "lang", "duration"}


def text_of(element: etree._Element, name: str) -> str:
    child = element.find(name)
    return "" if child is None else text(child)
