"""What one polite GET needs and how it can end: `Fetched | NotModified | Failed`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class Outcome(StrEnum):
    """How the last fetch of a feed ended, in the words that the database keeps."""

    SUCCESS = "success"
    TEMPORARY_ERROR = "temporary_error"
    PERMANENT_ERROR = "permanent_error"
    UNAUTHORIZED = "unauthorized"


class FailureReason(StrEnum):
    """Why a fetch failed, finer than the outcome: pages and statistics group by it."""

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
    """It was not asked: the turn of its host, or of the one that it was redirected to, is too far away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Validators:
    """What a server gave us to ask "has it changed?", byte for byte, bound to the URL that gave it."""

    etag: str | None = None
    last_modified: str | None = None
    url: str | None = None

    def __bool__(self) -> bool:
        return bool(self.etag or self.last_modified)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One GET. `None` for a limit means the engine's own."""

    url: str
    validators: Validators = Validators()
    accept: str = "*/*"
    max_bytes: int | None = None
    timeout_s: float | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    """Credentials and the like, sent only to the origin of `url`; never logged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """A body arrived, whole and decoded."""

    url: str
    final_url: str
    status: int
    headers: Mapping[str, str]
    """Response headers, names in lower case."""
    body: bytes
    fetched_at: datetime
    moved_to: str | None = None
    """Where the URL moved for good: set only if every hop was a 301 or 308."""
    validators: Validators = Validators()

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class NotModified:
    """304: what we have is still right."""

    url: str
    final_url: str
    headers: Mapping[str, str]
    fetched_at: datetime
    validators: Validators = Validators()
    """What the 304 carried, if it carried any; else empty: keep the old ones."""


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
    """How long to wait at least: because the server asked for it (429, 503), or until its host's turn."""

    @property
    def is_gone(self) -> bool:
        return self.status == 410

    @property
    def is_rate_limited(self) -> bool:
        return self.status == 429


FetchResult = Fetched | NotModified | Failed
Fetch = Callable[[Request], Awaitable[FetchResult]]
"""The engine as a stage sees it."""
