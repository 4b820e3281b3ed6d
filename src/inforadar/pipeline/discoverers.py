"""The discoverers, by the kind of feed that each collects."""

from __future__ import annotations

from collections.abc import Mapping

from inforadar.model.feed import FeedKind
from inforadar.pipeline.collect import FeedDiscoverer
from inforadar.pipeline.jobs import Discoverer
from inforadar.pipeline.pages import PagesDiscoverer

DISCOVERERS: Mapping[FeedKind, type[Discoverer]] = {
    FeedKind.FEED: FeedDiscoverer,
    FeedKind.PAGES: PagesDiscoverer,
}
