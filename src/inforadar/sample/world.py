"""The sample world: what its web server answers at a given time.

A pure function of (epoch, now, request): nothing is stored and no clock is read, so the recorded past of the sample,
the live server and the tests all see the same world. Nothing changes between two events, so conditional requests get
304 and a second fetch finds no difference.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime
from urllib.parse import parse_qs

from inforadar.sample import pages, syndication
from inforadar.sample.bulletins import bulletins_until, find_bulletin
from inforadar.sample.outlets import OUTLETS, Form, Outlet
from inforadar.sample.pictures import render_picture
from inforadar.sample.stories import Edition, Story, counter_step, edition_at, load_stories

DEFAULT_PORT = 8417
FEED_ITEMS = 25
PAGE_ITEMS = 10
FOUNDED_OFFSET = timedelta(days=-30)
"""When the outlets went online, relative to the epoch: the date of documents that never changed."""

_HTML = "text/html; charset=utf-8"
_TEXT = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleResponse:
    """An HTTP response of the sample world."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class _Document:
    content_type: str
    body: bytes
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class World:
    """The sample world added at `epoch`; `base_url` is where it is served, without a trailing slash."""

    epoch: datetime
    base_url: str = f"http://127.0.0.1:{DEFAULT_PORT}"
    stories: tuple[Story, ...] = field(default_factory=load_stories, repr=False)

    def __post_init__(self) -> None:
        if self.epoch.tzinfo is None:
            raise ValueError("the epoch of the sample world needs a time zone")
        # HTTP dates have whole seconds; with a whole epoch nothing else needs rounding.
        object.__setattr__(self, "epoch", self.epoch.astimezone(UTC).replace(microsecond=0))

    def editions(self, outlet: str, now: datetime) -> list[Edition]:
        """Return everything an outlet lists at `now`, newest first."""
        stories = self._stories(outlet, now)
        found = [edition for story in stories if (edition := edition_at(story, self.epoch, now))]
        return sorted(found, key=lambda edition: (edition.published_at, edition.slug), reverse=True)

    def changed_urls(self, now: datetime) -> list[str]:
        """Return the pages that were changed after publication."""
        editions = (edition for key in OUTLETS for edition in self.editions(key, now))
        return [f"{self.base_url}{edition.path}" for edition in editions if edition.was_changed]

    def respond(self, target: str, now: datetime, headers: Mapping[str, str]) -> SampleResponse:
        """Answer a GET request for a path with an optional query."""
        path, _, query = target.partition("?")
        if path.startswith("/") and path[1:] in OUTLETS:
            return SampleResponse(status=301, headers={"Location": f"{self.base_url}{path}/"}, body=b"")
        document = self._document(path, query, now)
        if document is None:
            text = b"This page does not exist in the sample world.\n"
            return SampleResponse(status=404, headers={"Content-Type": _TEXT}, body=text)
        etag = f'"{hashlib.sha256(document.body).hexdigest()[:20]}"'
        validators = {"ETag": etag, "Last-Modified": format_datetime(document.changed_at, usegmt=True)}
        if _is_current(headers, etag, document.changed_at):
            return SampleResponse(status=304, headers=validators, body=b"")
        response_headers = {"Content-Type": document.content_type, **validators}
        return SampleResponse(status=200, headers=response_headers, body=document.body)

    def changed_at(self, outlet: Outlet, now: datetime) -> datetime:
        """Return when anything that this outlet shows last changed."""
        moments = list(self._event_times(outlet.key, now))
        if outlet.counts:
            moments.append(counter_step(now, self.epoch))
        return max((moment for moment in moments if moment <= now), default=self.epoch + FOUNDED_OFFSET)

    def _stories(self, outlet: str, now: datetime) -> Iterator[Story]:
        for story in (*self.stories, *bulletins_until(now, self.epoch)):
            if story.outlet == outlet:
                yield story

    def _event_times(self, outlet: str, now: datetime) -> Iterator[datetime]:
        for story in self._stories(outlet, now):
            yield self.epoch + story.published
            for change in story.changes:
                yield self.epoch + change.at

    def _document(self, path: str, query: str, now: datetime) -> _Document | None:
        match path.split("/")[1:]:
            case [""]:
                latest = {key: self.editions(key, now)[:4] for key in OUTLETS}
                body = pages.render_home(latest, self.base_url)
                changed_at = max(self.changed_at(outlet, now) for outlet in OUTLETS.values())
                return _Document(content_type=_HTML, body=body, changed_at=changed_at)
            case ["robots.txt"]:
                maps = [outlet for outlet in OUTLETS.values() if outlet.form is Form.SITEMAP]
                body = syndication.render_robots([self.base_url + outlet.document_path for outlet in maps])
                return _Document(content_type=_TEXT, body=body, changed_at=self.epoch + FOUNDED_OFFSET)
            case ["images", name] if name.endswith(".svg"):
                return self._picture(name.removesuffix(".svg"), now)
            case [key, name] if key in OUTLETS:
                return self._outlet_document(OUTLETS[key], name, query, now)
        return None

    def _outlet_document(self, outlet: Outlet, name: str, query: str, now: datetime) -> _Document | None:
        editions, changed_at = self.editions(outlet.key, now), self.changed_at(outlet, now)
        content_type = _HTML
        if name == "":
            body: bytes | None = pages.render_front(outlet, editions, self.base_url)
        elif name == outlet.document:
            content_type = f"{outlet.form}; charset=utf-8"
            body = self._news_document(outlet, editions, changed_at, query)
        else:
            edition = self._edition(outlet.key, name, now)
            body = pages.render_article(outlet, edition, editions, self.base_url) if edition else None
        if body is None:
            return None
        return _Document(content_type=content_type, body=body, changed_at=changed_at)

    def _news_document(
        self, outlet: Outlet, editions: list[Edition], changed_at: datetime, query: str
    ) -> bytes | None:
        newest = editions[:FEED_ITEMS]
        match outlet.form:
            case Form.RSS:
                return syndication.render_rss(outlet, newest, changed_at, self.base_url)
            case Form.ATOM:
                return syndication.render_atom(outlet, newest, changed_at, self.base_url)
            case Form.JSON_FEED:
                return syndication.render_json_feed(outlet, newest, self.base_url)
            case Form.SITEMAP:
                return syndication.render_sitemap(outlet, editions, self.base_url)
            case Form.LISTING:
                return _listing_page(outlet, editions, query, self.base_url)

    def _edition(self, outlet: str, slug: str, now: datetime) -> Edition | None:
        written = (story for story in self.stories if (story.outlet, story.slug) == (outlet, slug))
        story = next(written, None) or find_bulletin(outlet, slug, self.epoch)
        return edition_at(story, self.epoch, now) if story else None

    def _picture(self, slug: str, now: datetime) -> _Document | None:
        for outlet in OUTLETS:
            if edition := self._edition(outlet, slug, now):
                body = render_picture(slug)
                return _Document(content_type="image/svg+xml", body=body, changed_at=edition.published_at)
        return None


def _listing_page(outlet: Outlet, editions: list[Edition], query: str, base: str) -> bytes | None:
    requested = parse_qs(query).get("page", ["1"])[0]
    count = max(1, -(-len(editions) // PAGE_ITEMS))
    if not (
        requested.isascii() and requested.isdigit() and len(requested) < 7 and 1 <= int(requested) <= count
    ):
        return None
    page = int(requested)
    shown = editions[(page - 1) * PAGE_ITEMS : page * PAGE_ITEMS]
    return pages.render_listing(outlet, shown, base, page=page, pages=count, most_read=editions)


def _is_current(headers: Mapping[str, str], etag: str, changed_at: datetime) -> bool:
    conditions = {name.lower(): value for name, value in headers.items()}
    if (known := conditions.get("if-none-match")) is not None:
        return known.strip() == "*" or etag in {tag.strip().removeprefix("W/") for tag in known.split(",")}
    if (since := conditions.get("if-modified-since")) is not None:
        try:
            moment = parsedate_to_datetime(since)
        except (ValueError, OverflowError):
            return False
        return moment.tzinfo is not None and changed_at <= moment
    return False
