"""Finds the title, author, site name and canonical URL of an article.

Machine-readable statements are often written for search engines: with the site name added, in other words, or
with the author's profile URL as a name. So they are checked against what the reader sees.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from inforadar.errors import InvalidUrlError
from inforadar.stages.canonical.content.cleaning import fold
from inforadar.stages.canonical.document.dom import Node, Tree
from inforadar.stages.canonical.metadata.head import Head, is_a, one_line
from inforadar.urls import canonical_form

_SEPARATOR = re.compile(r"\s+[|–—•·»«:-]\s+|\s*[|｜_]\s*|\s+::\s+|\s+-{2}\s+")
_BAR = re.compile(r"\s+[|｜]\s+")
_NOT_LETTERS = re.compile(r"\W+")
MAX_TITLE_CHARACTERS = 300
MIN_TITLE_OVERLAP = 0.2
"""A headline that shares this much of its words with a stated title is the title, as worded for readers."""
MAX_LABEL_WORDS = 3
MIN_HEADLINE_SPACES = 4

_BY = re.compile(r"^(?:written |posted |reviewed )?(?:by|von|par|por|автор)\s*:?\s+", re.IGNORECASE)
_NOT_A_NAME = re.compile(
    r"https?:|www\.|@|\d{4}|\bmins? read\b|\bsays:|view all|written by|insights from"
    r"|^(?:admin|editor|staff|guest|author|unknown|none|null)$",
    re.IGNORECASE,
)
_AUTHOR_NAME = re.compile(r"(?:^|[\s_-])(?:author|byline|writer)(?:[_-]*name)?(?:$|[\s_-])", re.IGNORECASE)
MAX_AUTHORS = 10
_NOT_PEOPLE = ("Organization", "NewsMediaOrganization", "Corporation", "WebSite", "Brand")


def headlines(tree: Tree) -> list[str]:
    """Return the texts of all `<h1>`, in page order."""
    found = (node.text for node in tree.nodes if node.tag == "h1")
    return [text for text in found if 0 < len(text) <= MAX_TITLE_CHARACTERS]


def stated_titles(head: Head, host: str) -> list[str]:
    """Return the titles that the page states for machines, without the site name."""
    headline = head.article.get("headline")
    stated = [
        one_line(headline) if isinstance(headline, str) else "",
        head.first("og:title"),
        head.first("twitter:title"),
        head.title,
    ]
    names = {_letters_only(site_name(head) or "")} | {
        _letters_only(part) for part in host.split(".") if len(part) > 3
    }
    names.discard("")
    return [_without_site(title, names) for title in stated if title]


def find_title(head: Head, visible: list[str], host: str) -> str | None:
    """Return the visible headline if a stated title confirms it, else a stated title."""
    stated = stated_titles(head, host)
    visible = [_BAR.split(headline)[0] for headline in visible]
    folded = {fold(title): title for title in reversed(stated)}
    for headline in visible:
        if len(headline) > 3 and fold(headline) in folded:
            return headline
    return (
        _news_title(head)
        or _contained_headline(head, visible)
        or _labelled_title(visible, folded)
        or _similar_headline(visible, stated[:-1] or stated)
        or next(iter(stated + visible), None)
    )


def _news_title(head: Head) -> str | None:
    """Return the title of a news article that is stated twice in the same words."""
    stated = head.first("og:title")
    headline = head.article.get("headline")
    if stated and isinstance(headline, str) and is_a(head.article, ("NewsArticle",)):
        return stated if fold(stated) == fold(headline) else None
    return None


def _contained_headline(head: Head, visible: list[str]) -> str | None:
    """Return the headline that is part of a stated title, if it is long enough not to be a label."""
    shared = [title for title in (head.first("og:title"), head.first("twitter:title")) if title]
    whole = [fold(title) for title in shared or [head.title]]
    site = _letters_only(site_name(head) or "")
    for headline in visible:
        words = fold(headline)
        # At least three words, or about as much in a script without spaces.
        if (
            (words.count(" ") > 1 or (not words.isascii() and len(words) > 5))
            and _letters_only(headline) != site
            and any(words in title for title in whole)
        ):
            return headline
    return None


def _labelled_title(visible: list[str], folded: dict[str, str]) -> str | None:
    """Return the stated title that ends a headline, after a label or a date: "Blog: The pier"."""
    for headline in visible:
        words = fold(headline)
        for title, worded in folded.items():
            label = words.removesuffix(title)
            if title.count(" ") > 1 and label != words and label.count(" ") <= MAX_LABEL_WORDS:
                return worded
    return None


def _similar_headline(visible: list[str], stated: list[str]) -> str | None:
    pairs = [(_word_overlap(headline, title), headline) for headline in visible for title in stated]
    best = max(pairs, key=lambda pair: pair[0], default=(0.0, "".join(visible[:1])))
    if best[0] >= MIN_TITLE_OVERLAP:
        return best[1]
    # The only headline of the page, and long enough not to be a label.
    return best[1] if len(visible) == 1 and best[1].count(" ") >= MIN_HEADLINE_SPACES else None


def _without_site(title: str, names: set[str]) -> str:
    """Cut the site's name off either end of a title, and anything after a bar."""
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
    text = _letters_only(text)
    return bool(text) and any(
        text == name or (len(name) > 3 and (text in name or name in text)) for name in names
    )


def _letters_only(text: str) -> str:
    return _NOT_LETTERS.sub("", text.casefold())


def _word_overlap(one: str, other: str) -> float:
    a, b = set(fold(one).split()), set(fold(other).split())
    return len(a & b) / max(1, len(a | b))


def find_author(head: Head, tree: Tree) -> str | None:
    """Return all authors, separated by commas. The publisher is not one."""
    publisher = _letters_only(site_name(head) or "")
    for found in _stated_authors(head):
        names = [name for name in found if _letters_only(name) != publisher or _is_person(head, name)]
        if names:
            return ", ".join(names)
    return _visible_author(tree, publisher)


def _is_person(head: Head, name: str) -> bool:
    """Does the page say that this is a person? Blogs are named after their authors."""
    author = head.article.get("author")
    people = author if isinstance(author, list) else [author]
    return (
        any(
            isinstance(person, dict) and person.get("@type") == "Person" and person.get("name") == name
            for person in (*people, *head.objects)
        )
        and " " in name
    )


def _stated_authors(head: Head) -> Iterator[list[str]]:
    for source in (head.article, *head.objects):
        yield _names(source.get("author") or source.get("creator"), head.objects, people=True)
    for key in (
        "author",
        "article:author",
        "byl",
        "dc.creator",
        "parsely-author",
        "sailthru.author",
        "citation_author",
    ):
        yield _names(head.meta.get(key), ())


def _visible_author(tree: Tree, publisher: str) -> str | None:
    short = [node for node in tree.nodes if 3 < node.text_length < 80 and node.attrs]
    for marked in (_is_marked_author, _is_named_author):
        for node in short:
            if marked(node):
                names = [name for name in _names(node.text, ()) if _letters_only(name) != publisher]
                if names:
                    return ", ".join(names)
    return None


def _is_marked_author(node: Node) -> bool:
    return node.get("itemprop") == "author" or "author" in node.get("rel").split()


def _is_named_author(node: Node) -> bool:
    name = node.get("class")
    return bool(name) and _AUTHOR_NAME.search(name) is not None


def _names(value: Any, objects: Any, *, people: bool = False) -> list[str]:
    """Read names from a JSON-LD person, organization or reference, a list of them, or plain text."""
    if isinstance(value, list):
        found = [name for entry in value[:MAX_AUTHORS] for name in _names(entry, objects, people=people)]
        return list(dict.fromkeys(found))
    if isinstance(value, dict):
        if "name" not in value and "@id" in value:
            same = (entry for entry in objects if entry.get("@id") == value["@id"] and "name" in entry)
            value = next(same, value)
        if people and value.get("@type") in _NOT_PEOPLE:
            return []
        return _names(value.get("name"), ())
    if not isinstance(value, str):
        return []
    name = _BY.sub("", one_line(value)).strip(" ,;|·•-")
    return [name] if 1 < len(name) <= 100 and not _NOT_A_NAME.search(name) else []


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


def find_canonical_url(head: Head, base: str) -> str | None:
    """Return the canonical URL. Ignore one that names the front page: a mistake in the site's template."""
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
