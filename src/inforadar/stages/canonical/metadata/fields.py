"""Title, author, site, language and address of an article.

What a page states for machines is often for search engines: site names glued on, other wording, the
author's profile address for a name. So statements and what the reader sees have to back each other.
"""

from __future__ import annotations

import re
from typing import Any

from inforadar.errors import InvalidUrlError
from inforadar.stages.canonical.content.cleaning import fold
from inforadar.stages.canonical.document.dom import Node, Tree
from inforadar.stages.canonical.metadata.head import Head, one_line
from inforadar.urls import canonical_form

_SEPARATOR = re.compile(r"\s+[|–—•·»«:-]\s+|\s*[|｜_]\s*|\s+::\s+|\s+-{2}\s+")
_NOT_LETTERS = re.compile(r"\W+")
MAX_TITLE = 300
SAME_STORY = 0.2
"""A headline that shares so much of its words with the stated title is the title, worded for readers."""

_BY = re.compile(r"^(?:written |posted |reviewed )?(?:by|von|par|por|автор)\s*:?\s+", re.IGNORECASE)
_NO_NAME = re.compile(
    r"https?:|www\.|@|\d{4}|^(?:admin|editor|staff|guest|author|unknown|none|null)$", re.IGNORECASE
)
_AUTHOR_NAME = re.compile(r"(?:^|[\s_-])(?:author|byline|writer)(?:[_-]*name)?(?:$|[\s_-])", re.IGNORECASE)
MAX_AUTHORS = 10


def headlines(tree: Tree) -> list[str]:
    """The texts of all `<h1>`, in the order of the page."""
    found = (node.text for node in tree.nodes if node.tag == "h1")
    return [text for text in found if 0 < len(text) <= MAX_TITLE]


def stated_titles(head: Head, host: str) -> list[str]:
    """The titles the page gives itself for machines, without the name of the site."""
    headline = head.article.get("headline")
    stated = [
        one_line(headline) if isinstance(headline, str) else "",
        head.first("og:title"),
        head.first("twitter:title"),
        head.title,
    ]
    names = {_squashed(site_name(head) or "")} | {
        _squashed(part) for part in host.split(".") if len(part) > 3
    }
    names.discard("")
    return [_without_site(title, names) for title in stated if title]


def find_title(head: Head, visible: list[str], host: str) -> str | None:
    """The visible headline where the page's own statements back it, else what they say."""
    stated = stated_titles(head, host)
    folded = {fold(title) for title in stated}
    for headline in visible:
        if len(headline) > 3 and fold(headline) in folded:
            return headline
    whole = [
        fold(title) for title in (head.first("og:title"), head.first("twitter:title"), head.title) if title
    ]
    site = _squashed(site_name(head) or "")
    for headline in visible:
        words = fold(headline)
        # Three words, or as much in a script without spaces.
        if (
            (words.count(" ") > 1 or (not words.isascii() and len(words) > 5))
            and _squashed(headline) != site
            and any(words in title for title in whole)
        ):
            return headline
    pairs = [(_likeness(headline, title), headline) for headline in visible for title in stated]
    best = max(pairs, key=lambda pair: pair[0], default=(0.0, ""))
    if best[0] >= SAME_STORY:
        return best[1]
    return next(iter(stated + visible), None)


def _without_site(title: str, names: set[str]) -> str:
    """Cut the site's name off either end, and what follows a bar."""
    while marks := list(_SEPARATOR.finditer(title)):
        first, last = title[: marks[0].start()], title[marks[-1].end() :]
        mark = marks[-1].group().strip()
        short = len(marks) == 1 and last.count(" ") < 4 and len(last) < 0.5 * len(first)
        if _is_site(last, names) or mark in ("|", "—") or (short and mark != ":"):
            title = title[: marks[-1].start()]
        elif _is_site(first, names):
            title = title[marks[0].end() :]
        else:
            break
    return title.strip()


def _is_site(text: str, names: set[str]) -> bool:
    text = _squashed(text)
    return bool(text) and any(
        text == name or (len(name) > 3 and (text in name or name in text)) for name in names
    )


def _squashed(text: str) -> str:
    return _NOT_LETTERS.sub("", text.casefold())


def _likeness(one: str, other: str) -> float:
    a, b = set(fold(one).split()), set(fold(other).split())
    return len(a & b) / max(1, len(a | b))


def find_author(head: Head, tree: Tree) -> str | None:
    """All authors, separated by commas."""
    for source in (head.article, *head.objects):
        names = _names(source.get("author") or source.get("creator"), head.objects)
        if names:
            return ", ".join(names)
    for key in (
        "author",
        "article:author",
        "byl",
        "dc.creator",
        "parsely-author",
        "sailthru.author",
        "citation_author",
    ):
        names = _names(head.meta.get(key), ())
        if names:
            return ", ".join(names)
    return _visible_author(tree)


def _visible_author(tree: Tree) -> str | None:
    short = [node for node in tree.nodes if 3 < node.text_length < 80 and node.attrs]
    for marked in (_is_marked_author, _is_called_author):
        for node in short:
            if marked(node):
                names = _names(node.text, ())
                if names:
                    return ", ".join(names)
    return None


def _is_marked_author(node: Node) -> bool:
    return node.get("itemprop") == "author" or "author" in node.get("rel").split()


def _is_called_author(node: Node) -> bool:
    name = node.get("class")
    return bool(name) and _AUTHOR_NAME.search(name) is not None


def _names(value: Any, objects: Any) -> list[str]:
    """Names from a JSON-LD person, organisation, reference, list of them, or plain text."""
    if isinstance(value, list):
        found = [name for entry in value[:MAX_AUTHORS] for name in _names(entry, objects)]
        return list(dict.fromkeys(found))
    if isinstance(value, dict):
        if "name" not in value and "@id" in value:
            same = (entry for entry in objects if entry.get("@id") == value["@id"] and "name" in entry)
            value = next(same, value)
        return _names(value.get("name"), ())
    if not isinstance(value, str):
        return []
    name = _BY.sub("", one_line(value)).strip(" ,;|·•-")
    return [name] if 1 < len(name) <= 100 and not _NO_NAME.search(name) else []


def site_name(head: Head) -> str | None:
    stated = head.first("og:site_name", "application-name", "al:android:app_name")
    if stated:
        return stated
    for found in (
        head.article.get("publisher"),
        *(entry for entry in head.objects if entry.get("@type") == "WebSite"),
    ):
        names = _names(found, head.objects)
        if names:
            return names[0]
    return None


def find_address(head: Head, base: str) -> str | None:
    """The canonical URL; one that names only the site's front page is a mistake of its template."""
    for href in (head.links.get("canonical"), head.meta.get("og:url")):
        if not href:
            continue
        try:
            address = canonical_form(href, base).partition("#")[0]
        except InvalidUrlError:
            continue
        if _is_front_page(address) and not _is_front_page(base):
            continue
        return address
    return None


def _is_front_page(address: str) -> bool:
    return not address.partition("//")[2].partition("/")[2]
