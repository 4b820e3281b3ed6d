"""The input of the renderers: one channel and its entries, already selected and in order.

An entry is not the stored `Item`, because a feed combines three things: the item as listed, the article's text
and the analysis. The pipeline puts them together; nothing is looked up here.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from inforadar.model.analysis import Analysis
from inforadar.model.ids import UrlHash
from inforadar.model.item import Metadata
from inforadar.model.quick_init import quick_init


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelInfo:
    """The head of a feed document. Texts are plain text, addresses http or https."""

    title: str
    link: str
    """The site's page for people."""
    description: str
    self_url: str
    """The address of this document itself, including its format."""
    built_at: datetime
    """Aware. Becomes `lastBuildDate`; the same as `cached_feeds.updated_at`."""
    language: str | None = None
    generator: str = "Info Radar"
    icon: str | None = None
    id: UUID | None = None
    """The feed's id, which keeps the Atom id stable when the server moves. Combined feeds have none."""


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Entry(Metadata):
    """One item as it is published. Texts are plain text unless their name says HTML; all may be hostile.

    Title and snippet are those of the source; the neutral ones are in the analysis.
    """

    url: str
    """The address people follow: absolute, normalized, with the fragment that the source gave it."""
    hash: UrlHash
    """Of the item's URL: the entry's identity in every format, embedded or not."""
    published_at: datetime
    updated_at: datetime | None = None
    """When the source last changed the entry."""
    content_html: str | None = None
    """Already sanitized, its addresses absolute: it is passed on as it is."""
    text_digest: str | None = None
    """Of what `content_html` was rendered from. RSS keeps it, so that the next build need not render it again."""
    text: str | None = None
    """The clean text, paragraphs separated by a blank line; used where there is no `content_html`."""
    analysis: Analysis | None = None
    source: str = ""
    topic: str = ""
    has_original_title: bool = False
    """Show the source's title, not the neutral one."""
    has_description: bool = True
    """False: title and link only."""
