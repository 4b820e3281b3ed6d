"""`GET /rss?url=`: the feed as it was built, by its current URL or a former one (C7).

Plain ASGI, beside the router: readers poll this all day, and a framework's request and response objects would cost
more than the answer. Recently requested documents are kept in memory. The database is asked at most fifty times a
second for each feed whether they are still current, with one query for many feeds, so a build or a `feed disable` in
another process takes effect almost at once; a document is loaded only if it changed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from time import monotonic

import structlog
from starlette.types import Receive, Scope, Send

from inforadar.errors import StoreError, UsageError
from inforadar.model.feed_options import Content
from inforadar.model.ids import FeedId
from inforadar.pipeline.build import channel_of
from inforadar.stages.publish.formats import Format
from inforadar.stages.publish.rss import rendered_texts, without_content
from inforadar.stages.publish.shape import Titles, shaped
from inforadar.store.database import Database
from inforadar.store.published.cached_feeds import CachedFeed
from inforadar.store.published.served import (
    FeedContent,
    ServedFeed,
    load_document,
    load_feed_content,
    load_served_feeds,
)
from inforadar.views.published import entries_of
from inforadar.web.cache.batching import Batcher
from inforadar.web.cache.bounded import BoundedCache
from inforadar.web.cache.single_flight import SingleFlight
from inforadar.web.cache.timed import TimedCache
from inforadar.web.feeds.response import CORS, Prepared
from inforadar.web.feeds.rss_query import RssQuery, parse_rss_query
from inforadar.web.http.readers import TEXT_SCOPE, TextAccess
from inforadar.web.http.rsgi import Ready
from inforadar.web.http.security import HEADERS as SECURITY_HEADERS

PATH = "/rss"
FEED_TTL_S = 0.02
"""How long a feed's state is trusted, unless this process itself writes."""
MAX_FEEDS = 1_000
MAX_DOCUMENT_BYTES = 48 * 2**20

log = structlog.get_logger()

Key = tuple[FeedId, Format, bool, Content | None, Titles, TextAccess]


class RssEndpoint:
    """The ASGI application for `/rss`."""

    def __init__(self, database: Database, *, public_url: str, last_n: int) -> None:
        self._database = database
        self._public_url = public_url
        self._last_n = last_n
        self._feeds: TimedCache[tuple[str, int], ServedFeed] = TimedCache(FEED_TTL_S, max_entries=MAX_FEEDS)
        self._finding: Batcher[str, ServedFeed] = Batcher(self._load_feeds)
        # No TTL: a document is current as long as its date matches the feed's.
        self._documents: BoundedCache[Key, Prepared] = BoundedCache(
            MAX_DOCUMENT_BYTES, lambda document: document.weight
        )
        self._loading: SingleFlight[Key, Prepared | None] = SingleFlight()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] not in {"GET", "HEAD"}:
            await _refuse(scope, send, 405, "/rss supports only GET and HEAD.", (b"allow", b"GET, HEAD"))
            return
        try:
            query = parse_rss_query(scope["query_string"])
        except UsageError as fault:
            await _refuse(scope, send, 400, str(fault))
            return
        try:
            feed = await self._find(query.key)
            if refusal := _feed_refusal(feed, query.url):
                await _refuse(scope, send, *refusal)
                return
            assert feed is not None
            document = await self._document(feed, query, scope[TEXT_SCOPE])
        except StoreError as fault:
            log.error("rss.unavailable", url=query.url, error=str(fault))
            sentence = "The database does not answer. Try again in a minute."
            await _refuse(scope, send, 503, sentence, (b"retry-after", b"60"))
            return
        if document is None:
            await _refuse(scope, send, 404, _NOT_BUILT.format(query.url))
            return
        await document.send(scope, send)

    def ready(
        self,
        query_string: str,
        access: TextAccess,
        accepted: str | None,
        none_match: str | None,
        since: str | None,
    ) -> Ready | None:
        """Return the response if everything it needs is in memory and fresh."""
        try:
            query = parse_rss_query(query_string.encode("latin-1", "replace"))
        except UsageError:
            return None
        feed = self._feeds.peek((query.key, self._database.writes))
        if feed is None or query.max_score is not None or not feed.enabled or feed.deleted:
            return None
        document = self._documents.get(_key(feed, query, access))
        if document is None or document.modified_at != feed.updated_at:
            return None
        return document.ready(accepted, none_match, since)

    async def _find(self, key: str) -> ServedFeed | None:
        asked_at, cache_key = monotonic(), (key, self._database.writes)
        known = self._feeds.peek(cache_key)
        if known is not None:
            return known
        feed = await self._finding.get(key)
        if feed is not None:
            self._feeds.keep(cache_key, feed, asked_at=asked_at)
        return feed

    async def _load_feeds(self, keys: Sequence[str]) -> Mapping[str, ServedFeed]:
        return await self._database.read(load_served_feeds, keys)

    async def _document(self, feed: ServedFeed, query: RssQuery, access: TextAccess) -> Prepared | None:
        if query.max_score is not None:
            # Not cached: an analysis can add items to it without changing the feed's own document.
            return await self._render(feed.id, query, access)
        key = _key(feed, query, access)
        known = self._documents.get(key)
        if known is not None and known.modified_at == feed.updated_at:
            return known
        load = self._load if query.is_as_built else self._render
        document = await self._loading.ask(key, lambda: load(feed.id, query, access))
        if document is not None:
            self._documents.put(key, document)
        return document

    async def _load(self, feed_id: FeedId, query: RssQuery, access: TextAccess) -> Prepared | None:
        found = await self._database.read(load_document, feed_id)
        if found is None:
            return None
        updated_at, document = found
        if access is TextAccess.SUMMARY:
            document = without_content(document)
        return Prepared(document.encode(), query.format.content_type, updated_at, canonical=query.url)

    async def _render(self, feed_id: FeedId, query: RssQuery, access: TextAccess) -> Prepared | None:
        found = await self._database.read(
            load_feed_content,
            feed_id,
            self._last_n,
            max_score=query.max_score,
            choose=lambda own: access.limit(query.content, own),
        )
        if found.built is None:
            return None
        # In a thread, because rendering texts takes a moment and other requests must not wait.
        document = await asyncio.to_thread(self._rendered, found, found.built, query)
        return Prepared(
            document.encode(),
            query.format.content_type,
            found.built.updated_at,
            dated=query.max_score is None,
            canonical=query.url,
        )

    def _rendered(self, found: FeedContent, built: CachedFeed, query: RssQuery) -> str:
        address = self._public_url + query.address(found.feed.url)
        channel = replace(channel_of(found.feed, self._public_url, built.updated_at), self_url=address)
        known = rendered_texts(built.xml_content) if found.content is Content.FULL else {}
        entries = entries_of(((item, item.text) for item in found.items), known)
        shown = [shaped(entry, found.content, query.titles) for entry in entries]
        return query.format.render(channel, shown, embedded=query.embedded)


def _key(feed: ServedFeed, query: RssQuery, access: TextAccess) -> Key:
    return (feed.id, query.format, query.embedded, query.content, query.titles, access)


_NOT_BUILT = "{} has not been built yet. Fetch it with `inforadar feed sync`."


def _feed_refusal(feed: ServedFeed | None, url: str) -> tuple[int, str] | None:
    """Return status and sentence if the feed is not served."""
    if feed is None or feed.deleted:
        return 404, f"There is no feed {url} here. Add it with `inforadar feed add`."
    if not feed.enabled:
        return 403, f"{url} is disabled. Enable it with `inforadar feed enable`."
    return (404, _NOT_BUILT.format(url)) if feed.updated_at is None else None


async def _refuse(
    scope: Scope, send: Send, status: int, sentence: str, *headers: tuple[bytes, bytes]
) -> None:
    body = f"{sentence}\n".encode()
    described = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        *headers,
        *CORS,
        *SECURITY_HEADERS,
    ]
    await send({"type": "http.response.start", "status": status, "headers": described})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})
