"""One polite GET: the `Request`, and its result `Fetched | NotModified | Failed`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class Outcome(StrEnum):
    """How the last fetch of a feed ended, as stored in the database."""

    SUCCESS = "success"
    TEMPORARY_ERROR = "temporary_error"
    PERMANENT_ERROR = "permanent_error"
    UNAUTHORIZED = "unauthorized"


class FailureReason(StrEnum):
    """Why a fetch failed, in more detail than the outcome: pages and statistics group by it."""

    STATUS = "status"
    TIMEOUT = "timeout"
    DNS = "dns"
    REFUSED = "refused"
    TLS = "tls"
    BROKEN = "broken"
    """The connection was reset, or the body ended early or could not be decoded."""
    TOO_LARGE = "too_large"
    REDIRECTS = "redirects"
    GUARD = "guard"
    ROBOTS = "robots"
    URL = "url"
    TURN = "turn"
    """No request was made: the turn of the host, or of the redirect's target, is too far away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Validators:
    """The validators of a conditional request, exactly as the server sent them, bound to the URL that sent them."""

    etag: str | None = None
    last_modified: str | None = None
    url: str | None = None

    def __bool__(self) -> bool:
        return bool(self.etag or self.last_modified)


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted:
    """The answer to a POST, whatever its status."""

    status: int
    retry_after_s: float | None = None
    location: str | None = None
    """Where a redirect leads."""

    @property
    def is_success(self) -> bool:
        return 200 <= self.status < 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One GET. A limit of None means the engine's default."""

    url: str
    validators: Validators = Validators()
    accept: str = "*/*"
    max_bytes: int | None = None
    timeout_s: float | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    """Credentials and other headers, sent only to the origin of `url` and never logged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """A complete, decoded response."""

    url: str
    final_url: str
    status: int
    headers: Mapping[str, str]
    """Response headers, names in lower case."""
    body: bytes
    fetched_at: datetime
    moved_to: str | None = None
    """The permanent new URL: set only if every redirect was a 301 or 308."""
    validators: Validators = Validators()

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class NotModified:
    """A 304: the stored copy is still current."""

    url: str
    final_url: str
    headers: Mapping[str, str]
    fetched_at: datetime
    validators: Validators = Validators()
    """The validators of the 304, if it had any; if empty, keep the old ones."""
    moved_to: str | None = None
    """The permanent new URL, as in `Fetched`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """No usable body. `message` is a sentence for a person."""

    url: str
    outcome: Outcome
    reason: FailureReason
    message: str
    fetched_at: datetime
    status: int | None = None
    retry_after_s: float | None = None
    """Minimum seconds to wait, because the server asked for it (429, 503) or until its host's turn."""

    @property
    def is_gone(self) -> bool:
        return self.status == 410

    @property
    def is_rate_limited(self) -> bool:
        return self.status == 429


FetchResult = Fetched | NotModified | Failed
Fetch = Callable[[Request], Awaitable[FetchResult]]
"""The engine's `fetch` as stages use it."""
