"""Map element names, however their namespace is spelled, to short keys.

`{http://purl.org/dc/elements/1.1/}creator` and an undeclared `dc:creator` both become `dc:creator`. Elements of
RSS and Atom, in any of a dozen namespaces, become their bare name. The reader then compares short strings and
never deals with how a publisher spelled a namespace.
"""

from __future__ import annotations

_CORE = ""
_NAMESPACES = {
    # all versions of RSS
    "backend.userland.com/rss": _CORE,
    "backend.userland.com/rss2": _CORE,
    "backend.userland.com/rss091": _CORE,
    "blogs.law.harvard.edu/tech/rss": _CORE,
    "cyber.law.harvard.edu/rss": _CORE,
    "cyber.law.harvard.edu/rss/rss.html": _CORE,
    "my.netscape.com/rdf/simple/0.9": _CORE,
    "channel.netscape.com/rdf/simple/0.9": _CORE,
    "my.netscape.com/publish/formats/rss-0.91.dtd": _CORE,
    "purl.org/net/rss1.1": _CORE,
    "purl.org/rss/1.0": _CORE,
    "purl.org/rss/2.0": _CORE,
    # Atom
    "purl.org/atom": _CORE,
    "purl.org/atom/ns": _CORE,
    "www.w3.org/2005/atom": _CORE,
    # extensions of both
    "purl.org/dc": "dc",
    "purl.org/dc/elements/1.0": "dc",
    "purl.org/dc/elements/1.1": "dc",
    "purl.org/dc/terms": "dcterms",
    "purl.org/rss/1.0/modules/content": "content",
    "purl.org/rss/1.0/modules/slash": "slash",
    "purl.org/rss/1.0/modules/syndication": "sy",
    "purl.org/rss/modules/syndication": "sy",
    "purl.org/syndication/thread/1.0": "thr",
    "rssnamespace.org/feedburner/ext/1.0": "feedburner",
    "search.yahoo.com/mrss": "media",
    "www.itunes.com/dtds/podcast-1.0.dtd": "itunes",
    "www.w3.org/1999/02/22-rdf-syntax-ns": "rdf",
    "www.w3.org/1999/xhtml": "xhtml",
}
_PREFIXES = {prefix: prefix for prefix in _NAMESPACES.values()} | {
    "atom": _CORE, "atom10": _CORE, "atom03": _CORE, "a10": _CORE, "rss": _CORE, "rss1": _CORE,
}  # fmt: skip
"""The meaning of a prefix that the document does not declare."""

_MAX_CACHED_NAMES = 2000
"""Size of the cache: without a limit, a document with a million names would fill the memory."""

XML = "{http://www.w3.org/XML/1998/namespace}"
RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"


class ElementKeys(dict[str, str]):
    """Cache of short keys by lxml tag; an element in an unknown namespace is ``"?"``."""

    def __missing__(self, tag: str) -> str:
        key = _key(tag)
        if len(self) < _MAX_CACHED_NAMES:
            self[tag] = key
        return key


def _key(tag: str) -> str:
    if not isinstance(tag, str):  # a comment, an instruction or an entity
        return "?"
    if tag.startswith("{"):
        namespace, _, local = tag[1:].partition("}")
        bare = namespace.strip().lower().removeprefix("http://").removeprefix("https://").rstrip("/#")
        prefix = _NAMESPACES.get(bare)
    else:
        name, _, local = tag.rpartition(":")
        prefix = _PREFIXES.get(name.lower())
    if prefix is None:
        return "?"
    return f"{prefix}:{local.lower()}" if prefix else local.lower()


KEYS = ElementKeys()
"""The one cache, shared by all documents."""
