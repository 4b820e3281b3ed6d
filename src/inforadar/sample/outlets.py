"""The outlets of the sample world: their names, document forms and time zones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta, timezone
from enum import StrEnum


class Form(StrEnum):
    """The form in which an outlet publishes its news to programs; the value is the content type."""

    RSS = "application/rss+xml"
    ATOM = "application/atom+xml"
    JSON_FEED = "application/feed+json"
    SITEMAP = "application/xml"
    LISTING = "text/html"

    @property
    def is_feed(self) -> bool:
        return self not in {Form.SITEMAP, Form.LISTING}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlet:
    """A publisher in the sample world."""

    key: str
    """The first path segment of its URLs."""
    name: str
    tagline: str
    topic: str
    zone: timezone
    accent: str
    """The colour of its pages."""
    sections: tuple[str, ...]
    form: Form
    document: str
    """The name of its feed, sitemap or listing in URLs."""
    counts: bool = False
    """Whether its documents show counters, and so change at every counter step."""
    cookie_notice: str = "We use cookies to remember your settings. You can change your choice at any time."
    selectors: Mapping[str, str] = field(default_factory=dict)
    """For a paged listing: the selectors of its fields."""

    @property
    def document_path(self) -> str:
        return f"/{self.key}/{self.document}"


def _zone(hours: int) -> timezone:
    return timezone(timedelta(hours=hours))


OUTLETS: Mapping[str, Outlet] = {
    outlet.key: outlet
    for outlet in (
        Outlet(
            key="harbour-post",
            name="Harbour Post",
            tagline="The daily of Saltmere and the coast",
            topic="city",
            zone=_zone(1),
            accent="#1f5673",
            sections=("Port", "Council", "Transport", "Weather", "Culture"),
            form=Form.RSS,
            document="feed.xml",
            counts=True,
        ),
        Outlet(
            key="northern-wire",
            name="Northern Wire",
            tagline="Dispatches from the Lowmark to the Ansk islands, in five languages",
            topic="world",
            zone=_zone(0),
            accent="#5b3b63",
            sections=("Wire", "Science", "Economy", "Archive"),
            form=Form.ATOM,
            document="atom.xml",
        ),
        Outlet(
            key="lumen",
            name="Lumen",
            tagline="The future, but louder",
            topic="technology",
            zone=_zone(-5),
            accent="#b3261e",
            sections=("Trending", "Mind-blowing", "Gadgets", "Space", "Video"),
            form=Form.JSON_FEED,
            document="feed.json",
            cookie_notice="Lumen and its 214 partners value your privacy. Accept all to keep reading.",
        ),
        Outlet(
            key="orchard",
            name="The Orchard",
            tagline="Food, gardens and well-being",
            topic="living",
            zone=_zone(2),
            accent="#4c6b22",
            sections=("Kitchen", "Garden", "Health", "Recipes"),
            form=Form.SITEMAP,
            document="sitemap.xml",
        ),
        Outlet(
            key="agora",
            name="Agora",
            tagline="What people build, measure and argue about",
            topic="technology",
            zone=_zone(3),
            accent="#8a5a00",
            sections=("Latest", "Ask", "Show", "Meta"),
            form=Form.LISTING,
            document="latest",
            counts=True,
            selectors={
                "item": "article.post",
                "link": "h2 a",
                "title": "h2 a",
                "date": "time",
                "author": ".author",
                "snippet": ".snippet",
                "views": ".views",
                "comments": ".comments",
                "rating": ".rating",
                "bookmarks": ".bookmarks",
                "tags": ".tags a",
                "next": "a[rel=next]",
            },
        ),
    )
}
