"""Read sitemaps and their indexes from streamed XML, at nearly the speed of expat itself.

Elements are recognized by their local name and their parent, never by namespace: real sitemaps declare none, wrong
ones or their own prefixes, and `loc` inside `image` is a picture under any prefix.

Some code looks odd because it runs ten times per URL. Text is collected by `list.append` itself, without a Python
frame; names are looked up in the dictionary of the enclosing element; and entries are made by `tuple.__new__`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, tzinfo
from xml.parsers import expat

from inforadar.model.sitemap import SitemapEntry, SitemapForm, SitemapRef
from inforadar.stages.discover.dates.absolute import parse_date
from inforadar.stages.discover.feed.text import title_text
from inforadar.stages.discover.sitemap.urls import UrlReader

Row = SitemapEntry | SitemapRef

ROOTS = {"urlset": SitemapForm.URLSET, "sitemapindex": SitemapForm.INDEX}
MAX_IMAGES = 100
MAX_ALTERNATES = 200
_MAX_CACHED_NAMES = 500
"""Element names that are cached; a document with a million names must not stay in memory."""

_LEAVES = {
    "": {"loc": "loc", "lastmod": "lastmod"},
    "news": {
        "title": "title",
        "publication_date": "published",
        "language": "language",
        "name": "publication",
        "keywords": "keywords",
    },
    "image": {"loc": "image"},
    "other": {},
}
"""The elements that are read, by their parent; nothing is read from videos, app links and the like."""

_INNER = {"news": "news", "image": "image", "video": "other", "pagemap": "other"}
_ENTRIES = frozenset({"url", "sitemap"})


class BrokenXmlError(Exception):
    """The document is not well-formed; `line` is where the parser noticed."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


class _Names(dict[str, str]):
    """Cache of local names by qualified name: `image:loc` is `loc`."""

    def __missing__(self, name: str) -> str:
        local = name.rpartition(":")[2].lower()
        if len(self) < _MAX_CACHED_NAMES:
            self[name] = local
        return local


class XmlSitemap:
    """Reads one document. `read` yields its rows; `form` is known once the root has been read."""

    def __init__(self, url: str, encoding: str | None = None, zone: tzinfo = UTC) -> None:
        """`encoding` overrides the document's declaration; `zone` applies to dates without a time zone."""
        self._encoding = encoding
        self.zone = zone
        self.form: SitemapForm | None = None
        self.root: str | None = None
        self.without_url = 0
        """Number of entries without a usable URL."""
        self.urls = UrlReader(url)

    def read(self, pieces: Iterable[bytes]) -> Iterator[Row]:
        """Yield rows in document order; raises `BrokenXmlError` after the rows before the fault."""
        rows: list[Row] = []
        parser = self._parser(rows.append)
        try:
            for piece in pieces:
                parser.Parse(piece, False)
                if rows:
                    yield from rows
                    rows.clear()
            parser.Parse(b"", True)
        except expat.ExpatError as fault:
            yield from rows
            raise BrokenXmlError(expat.ErrorString(fault.code), fault.lineno) from None
        except (LookupError, ValueError) as fault:  # an encoding unknown to Python, or not a text encoding
            raise BrokenXmlError(str(fault), 1) from None
        yield from rows

    def _parser(self, emit: Callable[[Row], None]) -> expat.XMLParserType:  # noqa: PLR0915 - closures: attribute access is slower
        parser = expat.ParserCreate(self._encoding)
        parser.buffer_text = True
        parser.ordered_attributes = True
        names = _Names()
        parts: list[str] = []
        values: dict[str, str] = {}
        images: list[str] = []
        alternates: list[tuple[str, str]] = []
        leaves = outer = _LEAVES[""]
        inner = ""
        clear = parts.clear

        def start(name: str, attributes: list[str]) -> None:
            nonlocal leaves, inner
            clear()
            local = names[name]
            if local in outer:
                return
            if self.root is None:
                self.root = local
                self.form = ROOTS.get(local)
            elif local in _INNER and not inner:
                inner = local
                leaves = _LEAVES[_INNER[local]]
            elif local == "link" and attributes:
                found = dict(zip(attributes[::2], attributes[1::2], strict=True))
                if "hreflang" in found and "href" in found and len(alternates) < MAX_ALTERNATES:
                    alternates.append((found["hreflang"], found["href"]))

        def end(name: str) -> None:
            nonlocal leaves, inner
            local = names[name]
            if local in leaves:
                key = leaves[local]
                if key == "image":
                    if parts and len(images) < MAX_IMAGES:
                        images.append("".join(parts))
                elif parts and key not in values:
                    values[key] = parts[0] if len(parts) == 1 else "".join(parts)
            elif local in _ENTRIES and not inner:
                row = (
                    self.entry(values, images, alternates)
                    if local == "url"
                    else self.ref(values.get("loc"), self.date(values.get("lastmod")))
                )
                if row is None:
                    self.without_url += 1
                else:
                    emit(row)
                values.clear()
                images.clear()
                alternates.clear()
            elif local == inner:
                inner = ""
                leaves = outer
            clear()

        def refuse(*_: object) -> None:
            raise BrokenXmlError("it declares entities", parser.CurrentLineNumber)

        parser.StartElementHandler = start
        parser.EndElementHandler = end
        parser.CharacterDataHandler = parts.append
        parser.EntityDeclHandler = refuse
        return parser

    def entry(
        self, values: dict[str, str], images: list[str], alternates: list[tuple[str, str]]
    ) -> SitemapEntry | None:
        """Build an entry from its texts; None without a usable URL."""
        loc = values.get("loc")
        url = self.urls.page(loc) if loc else None
        if url is None:
            return None
        lastmod = values.get("lastmod")
        date = self.date(lastmod)
        if len(values) == (1 if lastmod is None else 2) and not images and not alternates:
            return _new(SitemapEntry, (url, date, None, None, None, None, (), (), ()))
        return SitemapEntry(
            url,
            date,
            title_text(values.get("title")),
            self.date(values.get("published")),
            _language(values.get("language")),
            title_text(values.get("publication")),
            _tags(values.get("keywords")),
            tuple(filter(None, map(self.urls.page, images))),
            tuple(
                (language.strip(), address)
                for language, href in alternates
                if (address := self.urls.page(href)) is not None
            ),
        )

    def ref(self, loc: str | None, lastmod: datetime | None) -> SitemapRef | None:
        """Build a reference to another sitemap; None without a usable URL."""
        url = self.urls.sitemap(loc) if loc else None
        return None if url is None else SitemapRef(url, lastmod)

    def date(self, text: str | None) -> datetime | None:
        return parse_date(text, self.zone) if text else None


_new = tuple.__new__


def _language(text: str | None) -> str | None:
    language = text.strip() if text else ""
    return language if 0 < len(language) <= 35 else None


def _tags(keywords: str | None) -> tuple[str, ...]:
    if not keywords:
        return ()
    tags = (title_text(word) for word in keywords.split(",", 50)[:50])
    return tuple(dict.fromkeys(tag for tag in tags if tag))
