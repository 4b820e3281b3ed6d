"""`/api/item` and `/api/site`: lookups by a browser extension while its user reads (C8)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

import msgspec
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from inforadar.errors import InvalidUrlError, NotFoundError
from inforadar.stages.publish.mix import mix
from inforadar.store.database import Database
from inforadar.store.items.lookup import (
    load_item_by_url,
    load_items,
    load_items_by_forms,
    load_site_candidates,
)
from inforadar.store.stories.queries import load_story_chips
from inforadar.urls import canonical_form, hostname, normalized_or_none, page_forms, root_domain
from inforadar.views.json import item_document
from inforadar.web.api.answers import json_answer, json_document, json_fault
from inforadar.web.cache.timed import TimedCache
from inforadar.web.feeds.response import Prepared
from inforadar.web.http import parameters
from inforadar.web.http.bodies import read_json

SITE_TTL_S = 1.0
"""How long a site's mix is cached."""
MAX_SITE_BYTES = 8 * 2**20
MAX_PAGES = 200
"""Maximum number of pages in one lookup: the links of a front page."""


class Pages(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """`{"urls": ["https://…"]}`."""

    urls: Annotated[list[str], msgspec.Meta(max_length=MAX_PAGES)]


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupRoutes:
    database: Database
    _sites: TimedCache[tuple[bytes, int], Prepared] = field(
        default_factory=lambda: TimedCache(
            SITE_TTL_S, max_bytes=MAX_SITE_BYTES, weigh=lambda document: document.weight
        )
    )

    def routes(self) -> list[Route]:
        return [
            Route("/api/item", self.item),
            Route("/api/items/lookup", self.pages, methods=["POST"]),
            Route("/api/site", self.site),
        ]

    async def item(self, request: Request) -> Response:
        """Look up the item with this URL."""
        given = request.query_params
        url, max_score = parameters.item_url(given), parameters.max_score(given)
        found = await self.database.read(load_item_by_url, url, max_score)
        if found is None:
            less = "" if max_score is None else f" with a score of at most {max_score:g}"
            return json_fault(404, f"There is no item {url} here{less}.")
        return json_answer(item_document(found))

    async def pages(self, request: Request) -> Response:
        """Look up many pages at once, each by the forms in which sites serve it; what is not known is left out."""
        asked = await read_json(request, Pages)
        urls = {url: normalized_or_none(url) for url in asked.urls}
        forms = {url: page_forms(normal) for url, normal in urls.items() if normal}
        found = await self.database.read(load_items_by_forms, forms)
        chips = await self.database.read(load_story_chips, [item.id for item in found.values()])
        documents = {
            url: item_document(item)
            | {
                "story": {"id": str(chips[item.id].story_id), "sources": chips[item.id].sources}
                if item.id in chips
                else None
            }
            for url, item in found.items()
        }
        return json_answer({"items": documents})

    async def site(self, request: Request) -> Prepared:
        """List the newest items of a site, mixed evenly from its feeds."""
        key = (request.scope["query_string"], self.database.writes)
        return await self._sites.get(key, lambda: self._site(request.query_params))

    async def _site(self, given: QueryParams) -> Prepared:
        root = parameters.required(given, "root", "example.com")
        limit, max_score = parameters.limit(given), parameters.max_score(given)
        for spelled in (_spellings(root), _domain_of_host(root)):
            candidates = await self.database.read(load_site_candidates, spelled, limit, max_score)
            if candidates is not None:
                break
        else:
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


def _domain_of_host(root: str) -> tuple[str, ...]:
    """Return the root domain of a host of the site, as browsers know it: `example.co.uk` for `www.example.co.uk`."""
    try:
        return (root_domain(canonical_form(f"http://{root}/")),)
    except InvalidUrlError:
        return ()
