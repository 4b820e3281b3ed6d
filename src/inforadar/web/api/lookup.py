"""`/api/item` and `/api/site`: lookups by a browser extension while its user reads (C8)."""

from __future__ import annotations

from dataclasses import dataclass, field

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from inforadar.errors import InvalidUrlError, NotFoundError
from inforadar.stages.publish.mix import mix
from inforadar.store.database import Database
from inforadar.store.items.lookup import load_item_by_url, load_items, load_site_candidates
from inforadar.urls import canonical_form, hostname
from inforadar.views.json import item_document
from inforadar.web.api.answers import json_answer, json_document, json_fault
from inforadar.web.cache.timed import TimedCache
from inforadar.web.feeds.response import Prepared
from inforadar.web.http import parameters

SITE_TTL_S = 1.0
"""How long a site's mix is cached."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupRoutes:
    database: Database
    _sites: TimedCache[tuple[bytes, int], Prepared] = field(default_factory=lambda: TimedCache(SITE_TTL_S))

    def routes(self) -> list[Route]:
        return [Route("/api/item", self.item), Route("/api/site", self.site)]

    async def item(self, request: Request) -> Response:
        """Look up the item with this URL."""
        given = request.query_params
        url, max_score = parameters.item_url(given), parameters.max_score(given)
        found = await self.database.read(load_item_by_url, url, max_score)
        if found is None:
            less = "" if max_score is None else f" with a score of at most {max_score:g}"
            return json_fault(404, f"There is no item {url} here{less}.")
        return json_answer(item_document(found))

    async def site(self, request: Request) -> Prepared:
        """List the newest items of a site, mixed evenly from its feeds."""
        key = (request.scope["query_string"], self.database.writes)
        return await self._sites.get(key, lambda: self._site(request.query_params))

    async def _site(self, given: QueryParams) -> Prepared:
        root = parameters.required(given, "root", "example.com")
        limit, max_score = parameters.limit(given), parameters.max_score(given)
        candidates = await self.database.read(load_site_candidates, _spellings(root), limit, max_score)
        if candidates is None:
            raise NotFoundError(f"There is no feed of {root} here.")
        chosen = mix(candidates, limit, lambda one: one.url, lambda one: one.published_at)
        items = await self.database.read(load_items, [one.id for one in chosen])
        # An item whose feed was disabled in the meantime is left out.
        documents = [item_document(items[one.id]) for one in chosen if one.id in items]
        return json_document({"root": root, "count": len(documents), "items": documents})


def _spellings(root: str) -> tuple[str, ...]:
    """Return the root domain as given, because an operator may use any name, and as a hostname."""
    lower = root.lower().rstrip(".")
    try:
        return tuple(dict.fromkeys((root, lower, hostname(canonical_form(f"http://{lower}/")))))
    except InvalidUrlError:
        return tuple(dict.fromkeys((root, lower)))
