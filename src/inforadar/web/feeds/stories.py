"""Feeds of stories, one entry a story, and the briefing: `/feeds/stories`, `/feeds/stories/topic/…`, `/feeds/brief`.

An entry keeps its identity as its story grows, and its date is when the story was last told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from markupsafe import escape
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from inforadar.app.stories import load_brief, load_shown_stories
from inforadar.errors import NotFoundError
from inforadar.model.ids import StoryId
from inforadar.stages.publish.entry import ChannelInfo, Entry
from inforadar.stages.publish.formats import FORMATS, RSS, Format
from inforadar.store.database import Database
from inforadar.store.items.item_filter import ItemFilter
from inforadar.store.items.pages_of_feeds import has_feeds
from inforadar.store.stories.queries import StoryFilter
from inforadar.translations import speaking
from inforadar.urls import url_hash
from inforadar.views.brief import Brief, brief_document, brief_markdown
from inforadar.views.stories import ShownStory, sources_text, spread_text
from inforadar.views.times import parse_span
from inforadar.web.api.answers import json_answer
from inforadar.web.feeds.response import Prepared
from inforadar.web.feeds.rss_query import parse_format
from inforadar.web.http import parameters
from inforadar.web.http.language import reader_language
from inforadar.web.http.readers import TEXT_SCOPE, TextAccess
from inforadar.web.http.routing import resource
from inforadar.web.pages.templating import Pages

MAX_ENTRIES = 50
MAX_HOURS = 24 * 31
_PARAMETERS = ("topic", "min_sources", "hours", "since", "top", "format")
_EMPTY_BUILT_AT = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryFeedRoutes:
    database: Database
    public_url: str
    pages: Pages
    now: Callable[[], datetime]

    def routes(self) -> list[Route]:
        endings = ["", *(f".{name}" for name in FORMATS)]
        return [
            *(Route(f"/feeds/stories{ending}", self.stories) for ending in endings),
            Route("/feeds/stories/topic/{name:path}", self.topic),
            *(Route(f"/feeds/brief{ending}", self.brief_feed) for ending in endings),
            resource("/brief", get=self.show_brief),
        ]

    async def stories(self, request: Request) -> Prepared:
        topic = parameters.text(request.query_params, "topic")
        title = f"Stories: {topic}" if topic else "Stories"
        return await self._feed(request, topic, title, self._format(request))

    async def topic(self, request: Request) -> Prepared:
        name = str(request.path_params["name"])
        format_ = self._format(request)
        stem, dot, ending = name.rpartition(".")
        if dot and stem and ending in FORMATS and not request.query_params.get("format"):
            name, format_ = stem, FORMATS[ending]
        if not await self.database.read(has_feeds, ItemFilter(topics=(name,))):
            raise NotFoundError(f"There is no feed with the topic {name!r} here.")
        return await self._feed(request, name, f"Stories: {name}", format_)

    def _format(self, request: Request) -> Format:
        path = request.url.path
        for name, format_ in FORMATS.items():
            if path.endswith((f"/stories.{name}", f"/brief.{name}")):
                return format_
        given = request.query_params.get("format")
        return parse_format(given) if given else RSS

    async def _feed(self, request: Request, topic: str | None, title: str, format_: Format) -> Prepared:
        least = parameters.number(request.query_params, "min_sources", 1, 1000, default=2)
        wanted = StoryFilter(min_sources=least, topic=topic, limit=MAX_ENTRIES)
        stories = await load_shown_stories(self.database, wanted)
        return self._render(request, title, "Events told by several sources", stories, format_=format_)

    async def brief_feed(self, request: Request) -> Prepared:
        brief = await self._brief(request)
        stories = [one.story for one in brief.stories]
        facts = {one.story.id: one.facts for one in brief.stories}
        return self._render(
            request,
            "Briefing",
            "The most-told stories of the day",
            stories,
            format_=self._format(request),
            facts=facts,
        )

    async def _brief(self, request: Request) -> Brief:
        given = request.query_params
        hours = parameters.number(given, "hours", 1, MAX_HOURS, default=24)
        since = parameters.text(given, "since")
        span = parse_span(since) if since else timedelta(hours=hours)
        top = parameters.number(given, "top", 1, 100, default=10)
        now = self.now()
        may_read = request.scope[TEXT_SCOPE] is TextAccess.ALL
        return await load_brief(self.database, now - span, top, now, with_text=may_read)

    async def show_brief(self, request: Request) -> Response:
        """The briefing as a page; `format=markdown` and `format=json` for programs."""
        match request.query_params.get("format"):
            case "json":
                return json_answer(brief_document(await self._brief(request)))
            case "markdown":
                text = brief_markdown(await self._brief(request))
                return Response(text, media_type="text/markdown; charset=utf-8")
            case _:
                with speaking(reader_language(request.scope)):
                    return self.pages.render(
                        request, "brief.html", brief=await self._brief(request), broken=0
                    )

    def _render(
        self,
        request: Request,
        title: str,
        description: str,
        stories: Sequence[ShownStory],
        *,
        format_: Format,
        facts: Mapping[StoryId, tuple[str, ...]] | None = None,
    ) -> Prepared:
        built_at = max(
            (story.updated_at.replace(microsecond=0) for story in stories), default=_EMPTY_BUILT_AT
        )
        channel = ChannelInfo(
            title=f"{title} · Info Radar",
            link=self.public_url + "/",
            description=description,
            self_url=self.public_url + parameters.own_address(request, _PARAMETERS),
            built_at=built_at,
        )
        entries = [self._entry(story, (facts or {}).get(story.id, ())) for story in stories]
        document = format_.render(channel, entries)
        return Prepared(document.encode(), format_.content_type, built_at, dated=False)

    def _entry(self, story: ShownStory, facts: Sequence[str]) -> Entry:
        url = f"{self.public_url}/stories/{story.id}"
        told = "".join(
            f'<li><a href="{escape(one.url)}">{escape(one.title)}</a> ({escape(one.outlet)})</li>'
            for one in story.members[:20]
        )
        listed = "".join(f"<li>{escape(fact)}</li>" for fact in facts)
        return Entry(
            url=url,
            hash=url_hash(url),
            title=story.headline,
            snippet=f"{sources_text(story)}. Scores {spread_text(story)}. {story.summary}"[:1000],
            published_at=story.began_at,
            updated_at=story.last_at,
            content_html=f"<p>{escape(sources_text(story))}</p><ul>{told}</ul>"
            + (f"<ul>{listed}</ul>" if facts else ""),
            tags=story.topics,
            language=story.languages[0] if story.languages else None,
        )
