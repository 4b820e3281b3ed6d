"""RSS 2.0, valid by the W3C feed validator's rules without error or warning.

Where the rules leave a choice:

* `guid` is the item's hash, not a permalink: it depends only on the URL, so it is the same in every build,
  embedded or not, and in every feed that lists the item.
* Authors go into `dc:creator`, because RSS requires an e-mail address in `author`.
* The first file is the `enclosure`, because many readers look at one only; the others go into `media:content`.
* An image goes into `media:content`, or into `media:thumbnail` if there are files, which it must not look like.
* A date that cannot be true is left out; the item stays.
* `description` is always there, and before `content:encoded`.

Documents are joined from strings: building a tree takes three times as long (`bench/publish.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from inforadar.short_cache import short_cache
from inforadar.stages.publish.addresses import web_address, web_address_or_none
from inforadar.stages.publish.dates import is_plausible, rfc822, rfc3339
from inforadar.stages.publish.deframe import NAMESPACE, render_extension
from inforadar.stages.publish.entry import ChannelInfo, Entry
from inforadar.stages.publish.files import PublishedFile, published_files
from inforadar.stages.publish.languages import language_tag, other_language
from inforadar.stages.publish.shape import MAX_DOCUMENT_BYTES, render_within
from inforadar.stages.publish.text import (
    clean_markup,
    defuse_markup,
    escape,
    escape_html_text,
    one_line,
)
from inforadar.stages.publish.visible_text import visible_text

MEDIA_TYPE = "application/rss+xml"

_ROOT = (
    '<?xml version="1.0" encoding="utf-8"?>\n'
    '<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"'
    ' xmlns:content="http://purl.org/rss/1.0/modules/content/"'
    ' xmlns:dc="http://purl.org/dc/elements/1.1/"'
    ' xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"'
    ' xmlns:media="http://search.yahoo.com/mrss/"'
    f' xmlns:deframe="{NAMESPACE}">\n<channel>\n'
)
_CLOSING_TAGS = "</channel>\n</rss>\n"
_IMAGE_SUFFIXES = (".png", ".gif", ".jpg", ".jpeg")
"""The file types that RSS allows for a channel's image."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RssDocument:
    """A document in two parts, as stored in `cached_feeds`."""

    header: str
    """Everything up to the first item: `cached_feeds.xml_header`."""
    body: str
    """The items and the closing tags."""

    @property
    def whole(self) -> str:
        """`cached_feeds.xml_content`."""
        return self.header + self.body


def render_rss(channel: ChannelInfo, entries: Iterable[Entry], *, embedded: bool = False) -> RssDocument:
    """Render a channel as RSS; the same arguments give the same bytes.

    To see if a feed has changed since it was built, render it with the old `built_at` and compare.
    """
    header = _render_head(channel)
    room = MAX_DOCUMENT_BYTES - len(header.encode()) - len(_CLOSING_TAGS)
    items = render_within(entries, lambda entry: _render_item(channel, entry, embedded=embedded), room)
    items.append(_CLOSING_TAGS)
    return RssDocument(header=header, body="".join(items))


def render_rss_text(channel: ChannelInfo, entries: Iterable[Entry], *, embedded: bool = False) -> str:
    """Render the whole document as one string, like the other formats."""
    return render_rss(channel, entries, embedded=embedded).whole


def without_content(document: str) -> str:
    """Take the texts out of a finished document; the summaries stay."""
    return _CONTENT.sub("", document)


def rendered_texts(document: str) -> dict[str, str]:
    """The texts of a finished document by their digests."""
    return {digest: _unescape(content) for digest, content in _CONTENT.findall(document) if digest}


_CONTENT = re.compile(
    r'(?:<deframe:text digest="([0-9a-f]+)"/>)?<content:encoded>([^<]*)</content:encoded>\n'
)
"""Texts are escaped, so the next "<" is the end tag."""


def _unescape(text: str) -> str:
    return text.replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&")


def self_link_start(address: str) -> str:
    """Return the start of the header's self link, to recognize stored documents whose address starts like this."""
    return f'<atom:link href="{escape(web_address(address))}'


def _render_head(channel: ChannelInfo) -> str:
    title = _text(channel.title) or "Info Radar"
    link = escape(web_address(channel.link))
    parts = [
        _ROOT,
        f"<title>{title}</title>\n<link>{link}</link>\n",
        f"<description>{_text(channel.description) or title}</description>\n",
        f'{self_link_start(channel.self_url)}" rel="self" type="{MEDIA_TYPE}"/>\n',
    ]
    if language := language_tag(channel.language):
        parts.append(f"<language>{language}</language>\n")
    parts.append(f"<lastBuildDate>{rfc822(channel.built_at)}</lastBuildDate>\n")
    if generator := _text(channel.generator):
        parts.append(f"<generator>{generator}</generator>\n")
    icon = web_address_or_none(channel.icon)
    if icon is not None and icon.lower().endswith(_IMAGE_SUFFIXES):
        parts.append(f"<image><url>{escape(icon)}</url><title>{title}</title><link>{link}</link></image>\n")
    return "".join(parts)


def _render_item(channel: ChannelInfo, entry: Entry, *, embedded: bool) -> str:
    shown = visible_text(entry, embedded=embedded)
    html = shown.description_html
    description = escape_html_text(shown.description) if html is None else escape(html)
    parts = [
        f"<item>\n<title>{escape(defuse_markup(shown.title))}</title>\n",
        f"<link>{escape(web_address(entry.url))}</link>\n",
        f'<guid isPermaLink="false">{escape(entry.hash)}</guid>\n',
        f"<description>{description}</description>\n",
    ]
    if shown.content_html is not None:
        if entry.text_digest and shown.content_html is entry.content_html:
            parts.append(f'<deframe:text digest="{entry.text_digest}"/>')
        parts.append(f"<content:encoded>{escape(shown.content_html)}</content:encoded>\n")
    if is_plausible(entry.published_at, channel.built_at):
        parts.append(f"<pubDate>{rfc822(entry.published_at)}</pubDate>\n")
    if entry.updated_at is not None and is_plausible(entry.updated_at, channel.built_at):
        parts.append(f"<atom:updated>{rfc3339(entry.updated_at)}</atom:updated>\n")
    authors = dict.fromkeys(map(_text, entry.all_authors))
    parts.extend([f"<dc:creator>{author}</dc:creator>\n" for author in authors if author])
    if language := other_language(entry.language, channel.language):
        parts.append(f"<dc:language>{language}</dc:language>\n")
    tags = dict.fromkeys(map(_text, entry.tags))
    parts.extend([f"<category>{tag}</category>\n" for tag in tags if tag])
    if (comments := web_address_or_none(entry.comments_url)) is not None:
        parts.append(f"<comments>{escape(comments)}</comments>\n")
    files = published_files(entry.enclosures)
    if files:
        parts.append(_render_files(files))
    if (image := web_address_or_none(entry.image)) is not None and image not in {file.url for file in files}:
        element = "media:thumbnail" if files else "media:content"
        medium = "" if files else ' medium="image"'
        parts.append(f'<{element} url="{escape(image)}"{medium}/>\n')
    parts.append(render_extension(entry))
    parts.append("</item>\n")
    return clean_markup("".join(parts))


def _render_files(files: list[PublishedFile]) -> str:
    first, *others = files
    # RSS requires a length; 0 is the usual word for an unknown one.
    parts = [f'<enclosure url="{escape(first.url)}" length="{first.length or 0}" type="{first.type}"/>\n']
    if first.duration_s is not None:
        parts.append(f"<itunes:duration>{first.duration_s}</itunes:duration>\n")
    parts.extend([render_media(file) for file in others])
    return "".join(parts)


def render_media(file: PublishedFile) -> str:
    """Render a file as Media RSS, which Atom documents use too."""
    size = "" if file.length is None else f' fileSize="{file.length}"'
    duration = "" if file.duration_s is None else f' duration="{file.duration_s}"'
    attributes = f'url="{escape(file.url)}" type="{file.type}" medium="{file.medium}"{size}{duration}'
    if not file.title:
        return f"<media:content {attributes}/>\n"
    title = f'<media:title type="plain">{escape(defuse_markup(file.title))}</media:title>'
    return f"<media:content {attributes}>{title}</media:content>\n"


@short_cache(1024, max_length=500)
def _text(text: str | None) -> str:
    """Escape a label that some readers take for HTML. Cached, because authors and tags repeat."""
    return escape(defuse_markup(one_line(text))) if text else ""
