"""Atom 1.0 (RFC 4287), valid by the W3C feed validator's rules without error or warning.

Ids are tag URIs of the item's hash, so they survive a move of the server. Text that a reader could take for
markup is declared as HTML and escaped: Atom, unlike RSS, lets a document declare which it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from uuid import NAMESPACE_URL, uuid5

from inforadar.stages.publish.addresses import web_address, web_address_or_none
from inforadar.stages.publish.dates import is_plausible, rfc3339, rfc3339_unique
from inforadar.stages.publish.deframe import NAMESPACE, render_extension
from inforadar.stages.publish.entry import ChannelInfo, Entry
from inforadar.stages.publish.files import PublishedFile, published_files
from inforadar.stages.publish.languages import language_tag, other_language
from inforadar.stages.publish.rss import render_media
from inforadar.stages.publish.shape import MAX_DOCUMENT_BYTES, render_within
from inforadar.stages.publish.text import (
    clean_markup,
    defuse_markup,
    escape,
    escape_attribute,
    escape_html_text,
    looks_like_markup,
    one_line,
)
from inforadar.stages.publish.visible_text import visible_text

MEDIA_TYPE = "application/atom+xml"

_ITEM_ID = "tag:inforadar.dev,2026:item:"


def render_atom(channel: ChannelInfo, entries: Iterable[Entry], *, embedded: bool = False) -> str:
    """Render a channel as Atom."""
    head, end = _render_head(channel), "</feed>\n"
    room = MAX_DOCUMENT_BYTES - len(head.encode()) - len(end)
    parts = render_within(entries, lambda entry: _render_entry(channel, entry, embedded=embedded), room)
    return "".join([head, *parts, end])


def _render_head(channel: ChannelInfo) -> str:
    language = language_tag(channel.language)
    lang = f' xml:lang="{language}"' if language else ""
    title = one_line(channel.title) or "Info Radar"
    self_url = web_address(channel.self_url)
    feed_id = channel.id or uuid5(NAMESPACE_URL, self_url)
    parts = [
        '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom"'
        f' xmlns:media="http://search.yahoo.com/mrss/" xmlns:deframe="{NAMESPACE}"{lang}>\n',
        f"<id>urn:uuid:{feed_id}</id>\n",
        _text("title", title),
        f'<link href="{escape(self_url)}" rel="self" type="{MEDIA_TYPE}"/>\n',
        f'<link href="{escape(web_address(channel.link))}" rel="alternate" type="text/html"/>\n',
        f"<updated>{rfc3339(channel.built_at)}</updated>\n",
        # Entries without an author inherit this one; Atom requires one of the two.
        f"<author><name>{escape(defuse_markup(title))}</name></author>\n",
    ]
    if subtitle := one_line(channel.description):
        parts.append(_text("subtitle", subtitle))
    if generator := one_line(channel.generator):
        parts.append(f"<generator>{escape(defuse_markup(generator))}</generator>\n")
    if (icon := web_address_or_none(channel.icon)) is not None:
        parts.append(f"<icon>{escape(icon)}</icon>\n")
    return "".join(parts)


def _render_entry(channel: ChannelInfo, entry: Entry, *, embedded: bool) -> str:
    shown = visible_text(entry, embedded=embedded)
    language = other_language(entry.language, channel.language)
    lang = f' xml:lang="{language}"' if language else ""
    known = is_plausible(entry.published_at, channel.built_at)
    published_at = entry.published_at if known else channel.built_at
    updated_at = entry.updated_at
    if updated_at is None or not is_plausible(updated_at, channel.built_at):
        updated_at = published_at
    parts = [
        f"<entry{lang}>\n<id>{_ITEM_ID}{escape(entry.hash)}</id>\n",
        _text("title", shown.title),
        f'<link href="{escape(web_address(entry.url))}" rel="alternate" type="text/html"/>\n',
        f"<updated>{rfc3339_unique(updated_at, entry.hash)}</updated>\n",
    ]
    if known:
        parts.append(f"<published>{rfc3339(entry.published_at)}</published>\n")
    authors = dict.fromkeys(map(one_line, entry.all_authors))
    parts.extend(
        [f"<author><name>{escape(defuse_markup(author))}</name></author>\n" for author in authors if author]
    )
    tags = dict.fromkeys(map(one_line, entry.tags))
    parts.extend([f'<category term="{escape_attribute(defuse_markup(tag))}"/>\n' for tag in tags if tag])
    if (comments := web_address_or_none(entry.comments_url)) is not None:
        parts.append(f'<link href="{escape(comments)}" rel="replies" type="text/html"/>\n')
    files = published_files(entry.enclosures)
    parts.extend(map(_enclosure, files))
    if shown.description_html is not None:
        parts.append(f'<summary type="html">{escape(shown.description_html)}</summary>\n')
    else:
        parts.append(_text("summary", shown.description))
    if shown.content_html is not None:
        parts.append(f'<content type="html">{escape(shown.content_html)}</content>\n')
    # Atom's own link has no place for a duration.
    parts.extend([render_media(file) for file in files if file.duration_s is not None])
    if (image := web_address_or_none(entry.image)) is not None and image not in {file.url for file in files}:
        element = "media:thumbnail" if files else "media:content"
        medium = "" if files else ' medium="image"'
        parts.append(f'<{element} url="{escape(image)}"{medium}/>\n')
    parts.append(render_extension(entry))
    parts.append("</entry>\n")
    return clean_markup("".join(parts))


def _enclosure(file: PublishedFile) -> str:
    length = "" if file.length is None else f' length="{file.length}"'
    title = f' title="{escape_attribute(file.title)}"' if file.title else ""
    return f'<link href="{escape(file.url)}" rel="enclosure" type="{file.type}"{length}{title}/>\n'


def _text(name: str, text: str) -> str:
    if looks_like_markup(text):
        return f'<{name} type="html">{escape_html_text(text)}</{name}>\n'
    return f"<{name}>{escape(text)}</{name}>\n"
