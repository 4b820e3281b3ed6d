"""A client of the Google Reader API, and a collection for it to read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import msgspec

from inforadar.actions.people.accounts import add_person
from inforadar.actions.people.tokens import make_app_password
from inforadar.clock import utc_now
from inforadar.model.person import FIRST_PERSON, Role
from inforadar.store.database import Database

STATE = "user/-/state/com.google/"
READ, STARRED, ALL = f"{STATE}read", f"{STATE}starred", f"{STATE}reading-list"
Pairs = Sequence[tuple[str, str]]


@dataclass(slots=True)
class ReaderApp:
    web: aiohttp.ClientSession
    prefix: str = "/api/greader.php"
    headers: dict[str, str] = field(default_factory=dict)
    status: int = 0
    answer_headers: Mapping[str, str] = field(default_factory=dict)

    async def log_in(self, name: str, password: str) -> bool:
        text = await self._ask("POST", "/accounts/ClientLogin", data={"Email": name, "Passwd": password})
        auth = dict(line.split("=", 1) for line in text.splitlines() if "=" in line).get("Auth", "")
        self.headers = {"Authorization": f"GoogleLogin auth={auth}"} if auth else {}
        return self.status == 200

    async def get(self, path: str, params: Pairs = (), **headers: str) -> Any:
        text = await self._ask("GET", f"/reader/api/0/{path}", params=params, headers=headers)
        return msgspec.json.decode(text) if text.startswith(("{", "[")) else text

    async def post(self, path: str, data: Pairs = (), params: Pairs = ()) -> Any:
        body = aiohttp.FormData(list(data)) if data else b""
        text = await self._ask("POST", f"/reader/api/0/{path}", params=params, data=body)
        return msgspec.json.decode(text) if text.startswith(("{", "[")) else text

    async def ids(self, **params: str) -> list[int]:
        found = await self.get("stream/items/ids", [("output", "json"), ("n", "1000"), *params.items()])
        return [int(one["id"]) for one in found["itemRefs"]]

    async def _ask(self, method: str, path: str, **request: Any) -> str:
        headers = {"Accept-Encoding": "identity", **self.headers, **request.pop("headers", {})}
        async with self.web.request(method, self.prefix + path, headers=headers, **request) as response:
            self.status, self.answer_headers = response.status, response.headers
            return await response.text()


async def admin_app(
    web: aiohttp.ClientSession, database: Database, prefix: str = "/api/greader.php"
) -> ReaderApp:
    """An app of the first admin."""
    password, _ = await make_app_password(database, FIRST_PERSON, "a test")
    app = ReaderApp(web, prefix)
    assert await app.log_in("admin", password)
    return app


async def reader_app(web: aiohttp.ClientSession, database: Database, name: str = "Ida") -> ReaderApp:
    """An app of another person, who is a reader."""
    person = await add_person(database, name, Role.READER, None, utc_now())
    password, _ = await make_app_password(database, person.id, "a test")
    app = ReaderApp(web)
    assert await app.log_in(name.upper(), password), "names are found without regard to case"
    return app
