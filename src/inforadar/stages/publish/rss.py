"""RSS 2.0, valid by the W3C feed validator's rules without error or warning.

Where the rules leave a choice:

* `guid` is the item's hash, not a permalink: it depends only on the URL, so it is the same in every build,
  embedded or not, and in every feed that lists the item.
* Authors go into `dc:creator`, because RSS requires an e-mail address in `author`.
* Images go into `media:content`, because `enclosure` requires a length that we do not know.
* A date that cannot be true is left out; the item stays.
* `description` is always there, and before `content:encoded`.

Documents are joined from strings: building a tree takes three times as long (`bench/publish.py`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from inforadar.stages.publish.addresses import web_address, web_address_or_none
from inforadar.stages.publish.dates import is_plausible, rfc822
from inforadar.stages.publish.deframe import NAMESPACE, render_extension
from inforadar.stages.publish.entry import ChannelInfo, Entry
from inforadar.stages.publish.languages import language_tag
from inforadar.stages.publish.text import clean_markup, defuse_markup, escape, escape_html_text, one_line
from inforadar.stages.publish.visible_text import visible_text

MEDIA_TYPE = "application/rss+xml"

_ROOT = (
    '<?xml version="1.0" encoding="utf-8"?>\n'
    '<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"'
    ' xmlns:content="http://purl.org/rss/1.0/modules/content/"'
    ' xmlns:dc="http://purl.org/dc/elements/1.1/"'
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
    items = [_render_item(channel, entry, embedded=embedded) for entry in entries]
    items.append(_CLOSING_TAGS)
    return RssDocument(header=_render_head(channel), body="".join(items))


def render_rss_text(channel: ChannelInfo, entries: Iterable[Entry], *, embedded: bool = False) -> str:
    """Render the whole document as one string, like the other formats."""
    return render_rss(channel, entries, embedded=embedded).whole


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
        parts.append(f"<content:encoded>{escape(shown.content_html)}</content:encoded>\n")
    if is_plausible(entry.published_at, channel.built_at):
        parts.append(f"<pubDate>{rfc822(entry.published_at)}</pubDate>\n")
    if author := _text(entry.author):
        parts.append(f"<dc:creator>{author}</dc:creator>\n")
    if (language := language_tag(entry.language)) and language != language_tag(channel.language):
        parts.append(f"<dc:language>{language}</dc:language>\n")
    tags = dict.fromkeys(map(_text, entry.tags))
    parts.extend([f"<category>{tag}</category>\n" for tag in tags if tag])
    if (image := web_address_or_none(entry.image)) is not None:
        parts.append(f'<media:content url="{escape(image)}" medium="image"/>\n')
    parts.append(render_extension(entry))
    parts.append("</item>\n")
    return clean_markup("".join(parts))


@lru_cache(maxsize=1024)
def _text(text: str | None) -> str:
    """Escape a label that some readers take for HTML. Cached, because authors and tags repeat."""
    return escape(defuse_markup(one_line(text))) if text else ""
