"""Bodies of requests: bounded, and what does not fit is said in a sentence."""

from __future__ import annotations

from typing import TypeVar

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request

from inforadar.errors import UsageError

MAX_JSON = 256 * 1024

T = TypeVar("T")


async def read_body(request: Request, most: int) -> bytes:
    """The whole body; refused as soon as it is more than that."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise HTTPException(413, f"That is more than {most // 1024} KB.")
        parts.append(part)
    return b"".join(parts)


async def read_json(request: Request, form: type[T]) -> T:
    """The body as an object of that form, and nothing beside it."""
    body = await read_body(request, MAX_JSON)
    try:
        return msgspec.json.decode(body, type=form)
    except msgspec.ValidationError as fault:
        raise UsageError(f"The body does not fit: {fault}.") from None
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise UsageError("The body is no JSON.") from None
