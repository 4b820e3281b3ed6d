"""A person using the page without scripts: loads pages and submits their forms."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import unescape

import aiohttp

from inforadar.config import Settings
from inforadar.web.http.admin_token import load_admin_token
from inforadar.web.http.sessions import COOKIE

LIKE_A_BROWSER = {"Accept": "text/html,application/xhtml+xml", "Accept-Encoding": "identity"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    status: int
    text: str
    location: str
    """The address of the redirect, with the message in it."""

    @property
    def words(self) -> str:
        """Roughly the text that a reader sees."""
        return unescape(re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", self.text)))


@dataclass(slots=True)
class Person:
    web: aiohttp.ClientSession
    settings: Settings
    headers: dict[str, str] = field(default_factory=lambda: dict(LIKE_A_BROWSER))
    csrf: str = ""

    async def log_in(self) -> None:
        token = load_admin_token(self.settings.home)
        async with self.web.post("/login", data={"token": token}, allow_redirects=False) as response:
            cookie = f"{COOKIE}={response.cookies[COOKIE].value}"
        self.headers |= {"Cookie": cookie, "Origin": self.settings.web.base_url}
        found = re.search('name="csrf" content="([0-9a-f]+)"', (await self.get("/feeds")).text)
        assert found
        self.csrf = found[1]

    async def get(self, path: str) -> Answer:
        async with self.web.get(path, headers=self.headers, allow_redirects=False) as response:
            return await _answer(response)

    async def post(self, path: str, **fields: str | Sequence[str]) -> Answer:
        """Submit a form with the page's own token; return the resulting page."""
        pairs = [("csrf", self.csrf)]
        for name, value in fields.items():
            pairs += [(name, one) for one in ([value] if isinstance(value, str) else value)]
        return await self.send(path, aiohttp.FormData(pairs))

    async def upload(self, path: str, **files: bytes) -> Answer:
        form = aiohttp.FormData(default_to_multipart=True)
        form.add_field("csrf", self.csrf)
        for name, data in files.items():
            form.add_field(name, data, filename=f"{name}.opml", content_type="text/x-opml")
        return await self.send(path, form)

    async def send(self, path: str, data: object) -> Answer:
        async with self.web.post(path, data=data, headers=self.headers, allow_redirects=False) as response:
            return await _answer(response)

    async def follow(self, answer: Answer) -> Answer:
        assert answer.status == 303, answer.text
        return await self.get(answer.location)


async def _answer(response: aiohttp.ClientResponse) -> Answer:
    return Answer(
        status=response.status,
        text=await response.text(),
        location=response.headers.get("Location", ""),
    )
