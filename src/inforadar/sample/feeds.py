"""The sample's feeds as the product subscribes to them, and the past it starts from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from inforadar.model.feed import FeedKind
from inforadar.sample.outlets import OUTLETS, Form


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleFeed:
    """One subscription to an outlet of the sample world."""

    path: str
    kind: FeedKind
    source: str
    topic: str
    title: str
    selectors: Mapping[str, str] = field(default_factory=dict)
    """For kind `pages`: the CSS selector of each field, of the item and of the link to the next page."""


_KINDS = {
    Form.RSS: FeedKind.FEED,
    Form.ATOM: FeedKind.FEED,
    Form.JSON_FEED: FeedKind.FEED,
    Form.SITEMAP: FeedKind.SITEMAP,
    Form.LISTING: FeedKind.PAGES,
}

SAMPLE_FEEDS = tuple(
    SampleFeed(
        path=outlet.document_path,
        kind=_KINDS[outlet.form],
        source=outlet.name,
        topic=outlet.topic,
        title=f"{outlet.name}: {outlet.tagline}",
        selectors=outlet.selectors,
    )
    for outlet in OUTLETS.values()
)


def past_moments(epoch: datetime) -> tuple[datetime, datetime]:
    """When the two recorded runs took place.

    The stories are dated around these: the first finds most of them, the second a handful of new ones and
    several corrected, extended and more read.
    """
    return epoch - timedelta(hours=26), epoch - timedelta(hours=3)
