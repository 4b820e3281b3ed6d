"""Atom 1.0."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from lxml import etree

from tests.support.feed_rules.values import (
    ATOM,
    ATOM_LINK,
    MEDIA,
    MEDIA_CONTENT,
    MIME,
    XML,
    address,
    children,
    language,
    media,
    parse,
    plain,
    rfc3339,
    safe_html,
    text,
    text_of,
    uri,
)

_FEED_ONCE = {
    f"{ATOM}{name}" for name in ("id", "title", "updated", "subtitle", "generator", "icon", "logo", "rights")
}
_FEED_MANY = {f"{ATOM}{name}" for name in ("link", "author", "contributor", "category", "entry")}
_ENTRY_ONCE = {
    f"{ATOM}{name}" for name in ("id", "title", "updated", "published", "summary", "content", "rights")
}
_ENTRY_MANY = {
    f"{MEDIA}content",
    f"{MEDIA}thumbnail",
    *(f"{ATOM}{name}" for name in ("link", "author", "contributor", "category")),
}
_ATOM_ATTRIBUTES = {
    **{f"{ATOM}{name}": {"type"} for name in ("title", "subtitle", "summary", "rights")},
    f"{ATOM}content": {"type", "src"},
    f"{ATOM}link": ATOM_LINK,
    f"{ATOM}category": {"term", "scheme", "label"},
    f"{ATOM}generator": {"uri", "version"},
    f"{ATOM}entry": {f"{XML}lang"},
    f"{MEDIA}content": MEDIA_CONTENT,
    f"{MEDIA}thumbnail": {"url"},
}


def atom_problems(document: str, now: datetime) -> list[str]:
    root, problems = parse(document)
    if root is None:
        return problems
    if root.tag != f"{ATOM}feed" or set(root.attrib) - {f"{XML}lang"}:
        return [*problems, "is not an Atom feed"]
    problems += children(root, _FEED_ONCE, _FEED_MANY, _ATOM_ATTRIBUTES)
    problems += _atom_common(root, now)
    names = [child.tag for child in root]
    entries = root.findall(f"{ATOM}entry")
    if entries and set(names[names.index(f"{ATOM}entry") :]) != {f"{ATOM}entry"}:
        problems.append("metadata after the first entry")
    selves = [link for link in root.findall(f"{ATOM}link") if link.get("rel") == "self"]
    if len(selves) != 1 or selves[0].get("type") != "application/atom+xml":
        problems.append("feed has no link with rel self and the type of Atom")
    for name in ("generator", "icon"):
        if f"{ATOM}{name}" in names and not text_of(root, f"{ATOM}{name}"):
            problems.append(f"{name} is blank")
    if icon := text_of(root, f"{ATOM}icon"):
        problems += address("icon", icon)
    for name in ("id", "updated"):
        values = Counter(text_of(entry, f"{ATOM}{name}") for entry in entries)
        problems += [
            f"two entries share the {name} {value!r}" for value, count in values.items() if count > 1
        ]
    for entry in entries:
        problems += children(entry, _ENTRY_ONCE, _ENTRY_MANY, _ATOM_ATTRIBUTES)
        problems += _atom_common(entry, now)
        problems += media(entry)
        if entry.find(f"{ATOM}author") is None and root.find(f"{ATOM}author") is None:
            problems.append("entry has no author, nor has the feed")
        if entry.find(f"{ATOM}content") is None and entry.find(f"{ATOM}summary") is None:
            problems.append("entry has no textual content")
        if not any(link.get("rel", "alternate") == "alternate" for link in entry.findall(f"{ATOM}link")):
            problems.append("entry has no alternate link")
        if entry.find(f"{ATOM}published") is not None:
            problems += rfc3339("published", text_of(entry, f"{ATOM}published"), now)
    return problems


def _atom_common(element: etree._Element, now: datetime) -> list[str]:
    problems = uri("id", text_of(element, f"{ATOM}id"))
    problems += rfc3339("updated", text_of(element, f"{ATOM}updated"), now)
    if not text_of(element, f"{ATOM}title"):
        problems.append(f"{element.tag} has no title")
    if (lang := element.get(f"{XML}lang")) is not None:
        problems += language("xml:lang", lang)
    for name in ("title", "subtitle", "summary", "content"):
        for construct in element.findall(f"{ATOM}{name}"):
            kind = construct.get("type", "text")
            if len(construct) or kind not in ("text", "html"):
                problems.append(f"{name} is neither text nor escaped HTML")
            problems += (safe_html if kind == "html" else plain)(name, text(construct))
    for person in element.findall(f"{ATOM}author"):
        name = text_of(person, f"{ATOM}name")
        problems += plain("author name", name) if name else ["author has no name"]
    for category in element.findall(f"{ATOM}category"):
        problems += (
            plain("category", category.get("term", "")) if category.get("term") else ["category is blank"]
        )
    links: Counter[tuple[str | None, ...]] = Counter()
    for link in element.findall(f"{ATOM}link"):
        problems += address("link", link.get("href", ""))
        if not MIME.fullmatch(link.get("type", "text/html")) or len(link) or link.text:
            problems.append("link has no valid type or is not empty")
        if link.get("rel") != "enclosure":
            links[link.get("rel", "alternate"), link.get("type"), link.get("hreflang")] += 1
        elif not link.get("length", "0").isdigit():
            problems.append("the length of an enclosure is no number")
    return problems + [f"two links {link}" for link, count in links.items() if count > 1]
