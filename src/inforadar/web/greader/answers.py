"""Answers of the Google Reader API: JSON, with an ETag where clients ask for it, and refusals as plain text."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

OK = PlainTextResponse("OK", headers={"Cache-Control": "no-store"})


def json_answer(document: Any, headers: dict[str, str] | None = None) -> Response:
    return Response(msgspec.json.encode(document), headers=headers, media_type="application/json")


def tagged_answer(request: Request, body: bytes) -> Response:
    """A JSON document with an ETag, and a 304 for a client that has it already."""
    etag = f'"{hashlib.blake2b(body, digest_size=12).hexdigest()}"'
    headers = {"ETag": etag}
    given = request.headers.get("if-none-match", "")
    if etag in [one.strip().removeprefix("W/") for one in given.split(",")]:
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type="application/json")


def refusal(status: int, text: str, headers: dict[str, str] | None = None) -> Response:
    kept = {"Cache-Control": "no-store", **(headers or {})}
    return PlainTextResponse(f"{text}\n", status, headers=kept)
