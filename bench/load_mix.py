"""The mix of reads of `bench.load`: feeds, lists, articles and the reader API, as many readers ask for them."""

from __future__ import annotations

import asyncio
import os
import random
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote
from uuid import UUID

from sqlalchemy import text

from bench.api_load import request
from inforadar.actions.people.tokens import make_app_password
from inforadar.app.store import open_store
from inforadar.config import load_settings
from inforadar.model.person import FIRST_PERSON
from inforadar.store.people.queries import load_person
from inforadar.web.greader.auth import log_in

SHARES = {"feed": 25, "feed 304": 20, "items": 15, "page": 12, "article": 13, "reader": 10, "lookup": 5}
"""How many of a hundred requests are of each kind."""
_READER = "/reader/api/0"
_READING_LIST = f"{_READER}/stream/contents/user/-/state/com.google/reading-list?n=20"


@dataclass(slots=True)
class Asked:
    """A request, and what it was answered with at first."""

    kind: str
    data: bytes
    body: bytes = b""


async def make_mix(environment: dict[str, str], number: int) -> list[Asked]:
    """Choose requests over what is stored, ask each once, and note the answers."""
    settings = load_settings(environ=os.environ | environment)
    async with open_store(settings) as database:
        rows = await database.read(
            lambda c: c.execute(
                text(
                    "SELECT i.id, i.url, f.url, f.source FROM items i JOIN feeds f ON f.id = i.feed_id LIMIT 20000"
                )
            ).all()
        )
        password, _ = await make_app_password(database, FIRST_PERSON, "bench")
        caller = await log_in(database, (await database.read(load_person, FIRST_PERSON)).name, password)
    assert caller is not None
    dice = random.Random(1)
    login = {"Authorization": f"GoogleLogin auth={caller.auth}"}

    def one(kind: str) -> bytes:
        item, url, feed, source = dice.choice(rows)
        match kind:
            case "feed" | "feed 304":
                return request(f"/rss?url={quote(feed, safe='')}", Accept_Encoding="gzip")
            case "items":
                return request(f"/api/items?limit=50&source={quote(source)}", Accept_Encoding="gzip")
            case "page":
                return request(
                    f"/?source={quote(source)}" if dice.random() < 0.5 else "/", Accept_Encoding="gzip"
                )
            case "article":
                return request(f"/item/{UUID(str(item))}", Accept_Encoding="gzip")
            case "reader":
                path = dice.choice((_READING_LIST, f"{_READER}/unread-count", f"{_READER}/subscription/list"))
                return request(path, **login)
            case _:
                return request(f"/api/item?url={quote(url, safe='')}")

    kinds = dice.choices(list(SHARES), weights=list(SHARES.values()), k=number)
    mix = [Asked(kind, one(kind)) for kind in kinds]
    return [await _answered(settings.web.port, asked) for asked in mix]


async def _answered(port: int, asked: Asked) -> Asked:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(asked.data.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
    head, _, asked.body = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    if not head.startswith(b"HTTP/1.1 200 "):
        raise RuntimeError(f"{asked.data[:100]!r} was answered {head[:100]!r}")
    if asked.kind == "feed 304":
        etag = next(line for line in head.split(b"\r\n") if line.lower().startswith(b"etag: ")).split(
            b" ", 1
        )[1]
        asked.data = asked.data.replace(b"\r\n\r\n", b"\r\nIf-None-Match: " + etag + b"\r\n\r\n")
        asked.body = b""
    return asked


class FixedBytes:
    """The same answers as files, for a bare server."""

    def __init__(self, folder: Path, port: int, mix: list[Asked]) -> None:
        self.folder = folder
        self.port = port
        folder.mkdir()
        for number, asked in enumerate(mix):
            (folder / f"{number}.bin").write_bytes(asked.body)
        self.requests = [request(f"/{number}.bin") for number in range(len(mix))]
