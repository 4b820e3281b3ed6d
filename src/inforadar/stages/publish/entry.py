"""What the renderers are given: one channel and its entries, already chosen and in order.

Not the stored `Item`, because a feed mixes what lies in three places: the item as listed, the article's
text, the analysis. The pipeline brings them together; here nothing is looked up.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from inforadar.model.analysis import Analysis
from inforadar.model.ids import UrlHash
from inforadar.model.item import Metadata


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelInfo:
    """The head of a feed. Texts are plain text, addresses http or https."""

    title: str
    link: str
    """The site, for people."""
    description: str
    self_url: str
    """Where this very document is served, format and all."""
    built_at: datetime
    """Aware; becomes `lastBuildDate`, and is `cached_feeds.updated_at`."""
    language: str | None = None
    generator: str = "Info Radar"
    icon: str | None = None
    id: UUID | None = None
    """The feed's own id: keeps the Atom id when the server moves. Combined feeds have none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry(Metadata):
    """One item as it is published. Texts are plain text unless their name says HTML; all may be hostile.

    Title and snippet are those of the source; the neutral ones are in the analysis.
    """

    url: str
    """Absolute, normalized."""
    hash: UrlHash
    """Of the normalized URL: the entry's identity in every format, embedded or not."""
    published_at: datetime
    updated_at: datetime | None = None
    content_html: str | None = None
    """Already sanitized, its addresses absolute: it is passed on as it is."""
    text: str | None = None
    """The clean text, paragraphs separated by a blank line; used where there is no `content_html`."""
    analysis: Analysis | None = None
    source: str = ""
    topic: str = ""
