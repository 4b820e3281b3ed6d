"""The sample's feeds as the program subscribes to them, and the times of its recorded past."""

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
    """For kind `pages`: the CSS selectors of the item, its fields and the link to the next page."""


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


def past_run_times(epoch: datetime) -> tuple[datetime, datetime]:
    """Return the times of the two recorded runs.

    The stories are dated to fit: the first run finds most of them, the second a few new ones and several that were
    corrected, extended or read more often.
    """
    return epoch - timedelta(hours=26), epoch - timedelta(hours=3)
