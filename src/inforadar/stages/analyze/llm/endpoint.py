"""What goes over the wire to a language model, whoever its vendor is: turns out, a reply or the lack of one back.

The vendors' modules translate between this and their libraries; the dialogue knows nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum

from inforadar.clock import utc_now
from inforadar.stages.analyze.base import FailureKind, clean_line


class AnswerFormat(StrEnum):
    """How firmly an endpoint can be told what to answer, the firmest first."""

    SCHEMA = "schema"
    OBJECT = "object"
    TEXT = "text"


class Role(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    role: Role
    text: str


class Ending(StrEnum):
    COMPLETE = "complete"
    TRUNCATED = "truncated"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the model said."""

    text: str
    ending: Ending = Ending.COMPLETE
    tokens_in: int = 0
    tokens_out: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Unanswered:
    """The endpoint gave no answer of a model."""

    kind: FailureKind
    message: str
    retry_after_s: float | None = None
    may_be_billed: bool = False
    """The question got through, as far as anybody knows: a model may have worked on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """How an endpoint is reached, and what may be asked of it."""

    api_key: str
    base_url: str = ""
    """'': the vendor's own."""
    timeout_s: float = 60.0
    input_tokens: int = 6_000
    """The article is cut there."""
    output_tokens: int = 8_000
    price_in: float = 0.0
    """US dollars a million tokens."""
    price_out: float = 0.0


_GAVE_UP_WAITING = frozenset({504, 524})
"""Said by a gateway, the second by Cloudflare's: the model behind it was asked, and may go on."""


def unanswered(
    who: str, status: int, said: str, headers: Mapping[str, str], now: datetime | None = None
) -> Unanswered:
    """What an HTTP status of an endpoint means."""
    # Google says 400 to a wrong key.
    if status in {401, 402, 403, 404} or (status == 400 and "api key not valid" in said.lower()):
        kind = FailureKind.REJECTED
    elif status == 429:
        # Vendors say "too fast" and "no money left" by the same number.
        kind = FailureKind.REJECTED if "insufficient_quota" in said else FailureKind.RATE_LIMITED
    elif status in {408, 504}:
        kind = FailureKind.TIMEOUT
    elif status >= 500:
        kind = FailureKind.OUTAGE
    else:
        kind = FailureKind.BAD_REQUEST
    wait_s = parse_retry_after(headers, now or utc_now())
    message = f"{who} answered {status}: {clean_line(said, 300) or 'nothing else'}"
    return Unanswered(
        kind=kind, message=message, retry_after_s=wait_s, may_be_billed=status in _GAVE_UP_WAITING
    )


def parse_retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds or a date; OpenAI also says milliseconds."""
    try:
        if milliseconds := headers.get("retry-after-ms"):
            return max(float(milliseconds) / 1000, 0.0)
        value = headers.get("retry-after", "").strip()
        if value.replace(".", "", 1).isdecimal():
            return float(value)
        when = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    return max((when - now).total_seconds(), 0.0) if when.tzinfo else None
