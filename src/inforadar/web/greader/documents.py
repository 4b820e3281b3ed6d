"""Items as clients read them: JSON and Atom. Titles are plain text, escaped, and stay text in every client. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from inforadar.model.feed import Feed
from inforadar.model.item_number import added_us
from inforadar.model.person import Person
from inforadar.stages.publish.addresses import web_address_or_none
from inforadar.stages.publish.dates import rfc3339
from inforadar.stages.publish.text import one_line, paragraphs_html
from inforadar.store.people.shown_items import ShownItem
from inforadar.store.stories.tellings import Telling
from inforadar.views.item import read_analysis
from inforadar.views.published import text_html
from inforadar.web.greader.streams import LABEL, STATE

TAG = "tag:google.com,2005:reader/item/"
SCHEME = "http://www.google.com/reader/"


def long_id(number: int) -> str:
    return f"{TAG}{number:016x}"


def feed_title(feed: Feed) -> str:
    return one_line(feed.title or feed.source or feed.url)


def item_document(shown: ShownItem, person: Person) -> dict[str, Any]:
    """One item as JSON."""
    feed, added = shown.feed, added_us(shown.number)
    title, content = _title_and_content(shown, person)
    address = web_address_or_none(shown.link)
    published = int(shown.published_at.timestamp())
    document: dict[str, Any] = {
        "id": long_id(shown.number),
        "crawlTimeMsec": str(added // 1000),
        "timestampUsec": str(added),
        "published": published,
        "updated": int(shown.revised_at.timestamp()) if shown.revised_at else published,
        "title": escape(title, quote=False),
        "canonical": [{"href": address}] if address else [],
        "alternate": [{"href": address, "type": "text/html"}] if address else [],
        "categories": categories(shown),
        "origin": {
            "streamId": f"feed/{feed.id}",
            "title": escape(one_line(feed.name), quote=False),
            "htmlUrl": web_address_or_none(feed.site_url) or "",
        },
        "summary": {"content": content},
        "author": escape(", ".join(shown.authors), quote=False),
    }
    files = [
        {"href": url, "type": file.type or "", **({"length": file.length} if file.length else {})}
        for file in shown.enclosures
        if (url := web_address_or_none(file.url))
    ]
    if files:
        document["enclosure"] = files
    return document


def categories(shown: ShownItem) -> list[str]:
    """The states and labels of an item."""
    marks = shown.marks
    found = [f"{STATE}reading-list"]
    found.append(f"{STATE}read" if marks.read_at else f"{STATE}fresh")
    if marks.starred_at:
        found.append(f"{STATE}starred")
    return [*found, *(LABEL + name for name in dict.fromkeys((shown.feed.topic, *marks.labels)) if name)]


def _title_and_content(shown: ShownItem, person: Person) -> tuple[str, str]:
    title = one_line(shown.title or shown.url)
    content = text_html(shown.text, shown.link) or (paragraphs_html(shown.snippet) if shown.snippet else "")
    content += _others_html(shown.others)
    neutral = read_analysis(shown.analyzer_result, shown.url) if person.has_neutral_titles else None
    if neutral is not None and neutral.title and neutral.title != title:
        return one_line(neutral.title), f"<p><em>{escape(title)}</em></p>{content}"
    return title, content


def _others_html(others: Sequence[Telling]) -> str:
    """Links to the same event in other outlets."""
    links = [
        f"<li>{escape(one_line(one.outlet))}: <a href={_quoted(url)}>{escape(one_line(one.title))}</a></li>"
        for one in others
        if (url := web_address_or_none(one.url))
    ]
    return f"<hr><p>Also told by:</p><ul>{''.join(links)}</ul>" if links else ""


def render_atom(title: str, address: str, items: list[ShownItem], person: Person, updated: str) -> str:
    """A stream as Atom, as newsboat reads it."""
    parts = [
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<feed xmlns="http://www.w3.org/2005/Atom" xmlns:gr="http://www.google.com/schemas/reader/atom/">',
        f"<id>{_text(address)}</id><title>{_text(title)}</title><updated>{updated}</updated>",
    ]
    parts += [_atom_entry(shown, person) for shown in items]
    return "\n".join([*parts, "</feed>\n"])


def _atom_entry(shown: ShownItem, person: Person) -> str:
    title, content = _title_and_content(shown, person)
    number = shown.number
    address = web_address_or_none(shown.link)
    marks = "".join(
        f"<category term={_quoted(name)} scheme={_quoted(SCHEME)} label={_quoted(name.rpartition('/')[2])}/>"
        for name in categories(shown)
    )
    files = "".join(
        f'<link rel="enclosure" href={_quoted(url)} type={_quoted(file.type or "")}/>'
        for file in shown.enclosures
        if (url := web_address_or_none(file.url))
    )
    link = f'<link rel="alternate" type="text/html" href={_quoted(address)}/>' if address else ""
    authors = "".join(f"<author><name>{_text(name)}</name></author>" for name in shown.authors)
    return (
        f'<entry gr:crawl-timestamp-msec="{added_us(number) // 1000}"><id>{long_id(number)}</id>{marks}'
        f'<title type="text">{_text(title)}</title>{link}{files}'
        f"<published>{rfc3339(shown.published_at)}</published>"
        f"<updated>{rfc3339(shown.revised_at or shown.published_at)}</updated>{authors}"
        f'<content type="html">{_text(content)}</content></entry>'
    )


def _text(value: str) -> str:
    return escape(_clean(value), quote=False)


def _quoted(value: str) -> str:
    """Quote an attribute's value, whose line breaks and tabs XML would read as spaces."""
    return f'"{escape(_clean(value)).translate(_KEPT_SPACES)}"'


_KEPT_SPACES = str.maketrans({"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def _clean(value: str) -> str:
    """Without the characters that XML cannot hold."""
    return "".join(sign for sign in value if sign in "\t\n\r" or (sign >= " " and sign not in "\ufffe\uffff"))
