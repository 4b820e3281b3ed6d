"""How pictures of other sites come to a page, by the setting `INFORADAR_IMAGES` and what the reader chose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from starlette.requests import Request

from inforadar.store.database import Database
from inforadar.store.people.queries import load_people
from inforadar.views.sanitize import Images
from inforadar.views.settings import settings_of
from inforadar.web.cache.timed import TimedCache
from inforadar.web.http.identity import PERSON_SCOPE

PEOPLE_TTL_S = 2.0
_PEOPLE_KEY: Literal["people"] = "people"


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureMode:
    database: Database
    images: Literal["auto", "direct", "proxy", "click", "never"]
    address: Callable[[str], str]
    """The address under which we serve a picture."""
    _people: TimedCache[str, Literal["direct", "proxy"]] = field(
        default_factory=lambda: TimedCache(PEOPLE_TTL_S)
    )

    async def of(self, request: Request) -> Images:
        """How the pictures of this page come."""
        if settings_of(request.scope.get(PERSON_SCOPE)).pictures == "hide":
            return "never"
        images = self.images
        if images == "auto":
            images = await self._people.get(_PEOPLE_KEY, self._for_people)
        if images != "proxy":
            return images
        root = request.scope.get("root_path", "")
        return lambda url: f"{root}{self.address(url)}"

    async def _for_people(self) -> Literal["direct", "proxy"]:
        """Return how pictures come: with several people, no site shall see which of them reads what."""
        return "proxy" if len(await self.database.read(load_people)) > 1 else "direct"
