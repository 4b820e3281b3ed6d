"""Request bodies: bounded in size, and rejected with a sentence if they are invalid."""

from __future__ import annotations

from typing import TypeVar

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request

from inforadar.errors import UsageError

MAX_JSON_BYTES = 256 * 1024

T = TypeVar("T")


async def read_body(request: Request, max_bytes: int) -> bytes:
    """Read the whole body; reject it as soon as it is larger than `max_bytes`."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > max_bytes:
            raise HTTPException(413, f"The body is larger than {max_bytes // 1024} KB.")
        parts.append(part)
    return b"".join(parts)


async def read_json(request: Request, type_: type[T]) -> T:
    """Decode the body as JSON of this type; unknown fields are rejected if the type forbids them."""
    body = await read_body(request, MAX_JSON_BYTES)
    try:
        return msgspec.json.decode(body, type=type_)
    except msgspec.ValidationError as fault:
        raise UsageError(f"Invalid body: {fault}.") from None
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise UsageError("The body is not valid JSON.") from None
