"""The query of the feeds page, and links to other queries. Pure.

/feeds?state=suspended&source=Habr&q=python&before=ID
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from urllib.parse import urlencode

from starlette.datastructures import QueryParams

from inforadar.errors import UsageError
from inforadar.model.ids import FeedId
from inforadar.store.feeds.pages import FeedFilter
from inforadar.views.feed_health import HealthState
from inforadar.web.http import parameters


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedQuery:
    state: str | None = None
    source: str | None = None
    words: str | None = None
    before: FeedId | None = None

    @property
    def filter(self) -> FeedFilter:
        return FeedFilter(state=self.state, source=self.source, text=self.words)

    @property
    def is_filtered(self) -> bool:
        return self.filter != FeedFilter()

    @property
    def text(self) -> str:
        given = (("state", self.state), ("source", self.source), ("q", self.words), ("before", self.before))
        return urlencode([(name, str(value)) for name, value in given if value])

    @property
    def href(self) -> str:
        return f"/feeds?{query}" if (query := self.text) else "/feeds"

    @property
    def states(self) -> list[tuple[str, str, bool]]:
        """(label, URL, whether it is the current one) for each state."""
        first = replace(self, before=None)
        return [
            (state or "all", replace(first, state=state).href, self.state == state)
            for state in (None, *(state.value for state in HealthState))
        ]

    @property
    def all_sources(self) -> str:
        return replace(self, source=None, before=None).href

    def of_source(self, source: str) -> str:
        return replace(self, source=source, before=None).href


def parse_feed_query(given: QueryParams) -> FeedQuery:
    state, before = parameters.text(given, "state"), parameters.uuid(given, "before")
    if state is not None and state not in set(HealthState):
        raise UsageError(f"state must be one of {', '.join(HealthState)}.")
    return FeedQuery(
        state=state,
        source=parameters.text(given, "source"),
        words=parameters.text(given, "q"),
        before=FeedId(before) if before else None,
    )
