"""Items as entries of published feeds: with their texts as clean HTML, and with the links that people follow.

Checking an article's HTML takes milliseconds, and a feed has fifty. So the documents that are built keep the
digest of each text's source, and what was rendered for one build is used again by the next (`rendered_texts`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping

from inforadar.model.item import Item, ItemText, ServedItem, metadata_of
from inforadar.short_cache import short_cache
from inforadar.stages.publish.entry import Entry
from inforadar.stages.publish.shape import MAX_DOCUMENT_BYTES
from inforadar.stages.publish.text import paragraphs_html
from inforadar.views.item import analysis_of
from inforadar.views.reading import TextOrigin, origin_of_text
from inforadar.views.sanitize import article_html, kept_html, listing_html

_RENDERER = b"2"
"""Change this with the way texts are rendered: then none of the stored ones is used again."""
_CONTENT = b"content"
RECENT_TEXTS = 256
"""For feeds that are not stored, such as those of a topic."""


def entry_of(
    item: Item | ServedItem, text: ItemText | None = None, known: Mapping[str, str] | None = None
) -> Entry:
    """Make an entry; with a text if one is given. `known` has texts that were rendered before, by their digests."""
    html, digest = _rendered(text, item.link or item.url, known or {}) if text else (None, None)
    return Entry(
        url=item.link or item.url,
        hash=item.hash,
        published_at=item.published_at,
        updated_at=item.revised_at,
        content_html=html,
        text_digest=digest,
        analysis=analysis_of(item),
        source=item.source,
        topic=item.topic,
        **metadata_of(item),
    )


def text_html(text: ItemText, base: str) -> str | None:
    """The text of an item as clean HTML; None if it has none. `base` is the item's page."""
    if (found := _source(text)) is None:
        return None
    kind, source = found
    return _RENDERERS[kind](source, base) or None


def entries_of(
    items: Iterable[tuple[Item | ServedItem, ItemText | None]], known: Mapping[str, str] | None = None
) -> list[Entry]:
    """Make the entries of a document, newest first. Texts that would not fit into it anyway are not rendered."""
    entries, size = [], 0
    for item, text in items:
        if text is not None:
            size += len(text.html or text.markdown or text.clean_text or text.content)
        entries.append(entry_of(item, text if size <= MAX_DOCUMENT_BYTES else None, known))
    return entries


def _rendered(text: ItemText, base: str, known: Mapping[str, str]) -> tuple[str | None, str | None]:
    """The text as HTML, and the digest of its source; None if there is no text."""
    if (found := _source(text)) is None:
        return None, None
    kind, source = found
    # Links in a feed's own content are relative to the entry's page.
    made_of = f"{base}\0{source}" if kind == _CONTENT else source
    digest = hashlib.blake2b(
        made_of.encode("utf-8", "replace"), digest_size=16, person=_RENDERER + kind
    ).hexdigest()
    html = known.get(digest)
    if html is None:
        html = _RENDERERS[kind](source, base)
    return (html, digest) if html else (None, None)


def _source(text: ItemText) -> tuple[bytes, str] | None:
    """The source of the rendered text, with its kind; None if there is no text."""
    origin = origin_of_text(text)
    if origin is None:
        return None
    if origin is TextOrigin.FEED:
        return _CONTENT, text.content
    if text.html.strip():
        return b"html", text.html
    if text.markdown.strip():
        return b"markdown", text.markdown
    return b"text", text.clean_text


@short_cache(RECENT_TEXTS, max_length=20_000)
def _from_markdown(markdown: str) -> str:
    return str(article_html(markdown, "plain"))


def _article(markdown: str, _base: str) -> str:
    return _from_markdown(markdown)


def _kept(html: str, _base: str) -> str:
    return str(kept_html(html, "plain"))


def _listing(html: str, base: str) -> str:
    return str(listing_html(html, "plain", base) or "")


def _paragraphs(text: str, _base: str) -> str:
    return paragraphs_html(text)


_RENDERERS: dict[bytes, Callable[[str, str], str]] = {
    b"html": _kept,
    b"markdown": _article,
    b"text": _paragraphs,
    _CONTENT: _listing,
}
