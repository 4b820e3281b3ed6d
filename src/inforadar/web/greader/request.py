"""Parameters of a request: clients put them in the query, in the body, or in both."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request

from inforadar.web.http.bodies import read_body

MAX_BODY_BYTES = 16 * 2**20
MAX_FIELDS = 250_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_S = 2**33


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    pairs: tuple[tuple[str, str], ...]

    def text(self, *names: str) -> str:
        """Return the first value that is not blank, of the first name that has one."""
        for name in names:
            for key, value in self.pairs:
                if key == name and value.strip():
                    return value.strip()
        return ""

    def all(self, name: str) -> list[str]:
        """Return the distinct values of a repeated parameter; `null` is what a client sends for none."""
        given = (value.strip() for key, value in self.pairs if key == name)
        return list(dict.fromkeys(value for value in given if value and value != "null"))

    def number(self, name: str, default: int, most: int) -> int:
        text = self.text(name)
        if not text:
            return default
        if not (text.isascii() and text.isdigit() and len(text) <= 19):
            raise HTTPException(400, f"{name} must be a whole number.")
        return min(int(text), most)

    def seconds(self, name: str) -> datetime | None:
        """Read a time in seconds."""
        number = self.number(name, 0, _LAST_S)
        return _EPOCH + timedelta(seconds=number) if number else None

    def moment(self, name: str) -> datetime | None:
        """Read a time in seconds, milliseconds, microseconds or nanoseconds, told apart by its size."""
        number = float(self.number(name, 0, 10**19))
        if not number:
            return None
        while number > _LAST_S:
            number /= 1000
        return _EPOCH + timedelta(seconds=number)


async def read_parameters(request: Request, body: bytes | None = None) -> Parameters:
    """Read the parameters of query and body."""
    given = body if body is not None else await read_body(request, MAX_BODY_BYTES)
    query = request.scope["query_string"]
    is_form = request.headers.get("content-type", "").split(";")[0].strip().lower() in {
        "",
        "application/x-www-form-urlencoded",
    }
    try:
        pairs = [
            pair
            for part in ((query, given) if is_form else (query,))
            for pair in parse_qsl(
                part.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=MAX_FIELDS
            )
        ]
    except ValueError:
        raise HTTPException(400, "The request has too many parameters.") from None
    return Parameters(pairs=tuple(pairs))
