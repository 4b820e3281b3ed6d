"""`/feeds/changes`: significant changes of articles as a feed, one entry a revision."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from markupsafe import Markup
from starlette.requests import Request
from starlette.routing import Route

from inforadar.model.revision import ChangedPassage
from inforadar.stages.publish.entry import ChannelInfo, Entry
from inforadar.stages.publish.formats import FORMATS, RSS, Format
from inforadar.stages.publish.text import one_line
from inforadar.store.database import Database
from inforadar.store.revisions.queries import ListedRevision, load_significant
from inforadar.urls import url_hash
from inforadar.views.revisions import kinds_text, noted_text, score_change, summary_text
from inforadar.web.feeds.response import Prepared
from inforadar.web.feeds.rss_query import parse_format
from inforadar.web.http import parameters
from inforadar.web.http.readers import TEXT_SCOPE, TextAccess

MAX_ENTRIES = 50
MAX_PASSAGES = 6
_PARAMETERS = ("topic", "source", "format")
_EMPTY_BUILT_AT = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeFeedRoutes:
    database: Database
    public_url: str

    def routes(self) -> list[Route]:
        endings = ["", *(f".{name}" for name in FORMATS)]
        return [Route(f"/feeds/changes{ending}", self.changes) for ending in endings]

    async def changes(self, request: Request) -> Prepared:
        given = request.query_params
        found = await self.database.read(
            load_significant,
            limit=MAX_ENTRIES,
            topic=parameters.text(given, "topic"),
            source=parameters.text(given, "source"),
        )
        may_read = request.scope[TEXT_SCOPE] is TextAccess.ALL
        built_at = max((one.stored.at.replace(microsecond=0) for one in found), default=_EMPTY_BUILT_AT)
        channel = ChannelInfo(
            title="Changes · Info Radar",
            link=self.public_url + "/",
            description="What outlets changed after publication",
            self_url=self.public_url + parameters.own_address(request, _PARAMETERS),
            built_at=built_at,
        )
        format_ = _format(request)
        document = format_.render(channel, [self._entry(one, may_read=may_read) for one in found])
        return Prepared(document.encode(), format_.content_type, built_at, dated=False)

    def _entry(self, listed: ListedRevision, *, may_read: bool) -> Entry:
        stored = listed.stored
        versions = f"old={stored.old_version}&new={stored.new_version}"
        url = f"{self.public_url}/item/{listed.item_id}/history?{versions}"
        return Entry(
            url=url,
            hash=url_hash(url),
            title=f"{one_line(listed.source)} changed: {one_line(listed.title)} ({kinds_text(stored)})",
            snippet=summary_text(stored),
            published_at=stored.at,
            updated_at=stored.at,
            content_html=_content(listed, may_read=may_read),
            tags=tuple(sorted(kind.value for kind in stored.revision.kinds)),
        )


def _content(listed: ListedRevision, *, may_read: bool) -> str:
    stored = listed.stored
    parts = [Markup("<p>{}, {}.</p>").format(kinds_text(stored), noted_text(stored))]
    if score := score_change(stored):
        parts.append(Markup("<p>Score of the wording: {}</p>").format(score))
    if "title" in stored.revision.fields:
        old, new = stored.revision.fields["title"]
        parts.append(Markup("<p>Headline: <del>{}</del> <ins>{}</ins></p>").format(old, new))
    if may_read:
        parts += [_passage(one) for one in stored.revision.passages[:MAX_PASSAGES]]
        if stored.revision.note:
            parts.append(Markup("<p>The outlet's note: <q>{}</q></p>").format(stored.revision.note))
    parts.append(Markup('<p><a href="{}">{}</a></p>').format(listed.link, listed.title or listed.link))
    return str(Markup("").join(parts))


def _passage(passage: ChangedPassage) -> Markup:
    old = Markup("<p><del>{}</del></p>").format(passage.old) if passage.old else Markup()
    new = Markup("<p><ins>{}</ins></p>").format(passage.new) if passage.new else Markup()
    return old + new


def _format(request: Request) -> Format:
    for name, format_ in FORMATS.items():
        if request.url.path.endswith(f"/changes.{name}"):
            return format_
    given = request.query_params.get("format")
    return parse_format(given) if given else RSS
