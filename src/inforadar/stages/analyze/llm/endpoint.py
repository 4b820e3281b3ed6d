"""The exchange with a language model, whichever vendor it is from: turns out, a reply or a failure back.

The vendors' modules translate between these types and their libraries; the dialogue uses only these types.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum

from inforadar.clock import utc_now
from inforadar.model.analysis import Reasoning
from inforadar.stages.analyze.base import FailureKind, clean_line


class AnswerFormat(StrEnum):
    """How strictly an endpoint can enforce the form of an answer, the strictest first."""

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
    """A model's answer."""

    text: str
    ending: Ending = Ending.COMPLETE
    tokens_in: int = 0
    tokens_out: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Unanswered:
    """The endpoint returned no answer from a model."""

    kind: FailureKind
    message: str
    retry_after_s: float | None = None
    may_be_billed: bool = False
    """The request may have arrived, so a model may have worked on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """How to reach an endpoint, and the limits and prices that apply."""

    api_key: str
    base_url: str = ""
    """Empty: the vendor's own address."""
    timeout_s: float = 60.0
    input_tokens: int = 6_000
    """The article is cut to about this many tokens."""
    output_tokens: int = 8_000
    price_in: float = 0.0
    """US dollars per million tokens."""
    price_out: float = 0.0
    temperature: float | None = 0.0
    """None: the model's own default."""
    reasoning: Reasoning = Reasoning.OFF


_GATEWAY_TIMEOUTS = frozenset({504, 524})
"""Sent by a gateway (524 by Cloudflare): the model behind it was asked and may still be working."""


def unanswered(
    who: str, status: int, said: str, headers: Mapping[str, str], now: datetime | None = None
) -> Unanswered:
    """Translate an HTTP status of an endpoint into a failure."""
    # Google answers 400 to a wrong key.
    if status in {401, 402, 403, 404} or (status == 400 and "api key not valid" in said.lower()):
        kind = FailureKind.REJECTED
    elif status == 429:
        # Vendors use the same status for "too fast" and "no money left".
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
        kind=kind, message=message, retry_after_s=wait_s, may_be_billed=status in _GATEWAY_TIMEOUTS
    )


def parse_retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Read Retry-After, which is seconds or a date; OpenAI also sends milliseconds."""
    value = headers.get("retry-after", "")
    for written, unit_s in ((headers.get("retry-after-ms", ""), 0.001), (value, 1.0)):
        if (number := _number(written)) is not None:
            return max(number * unit_s, 0.0)
    try:
        when = parsedate_to_datetime(value.strip())
    except (ValueError, OverflowError):
        return None
    return max((when - now).total_seconds(), 0.0) if when.tzinfo else None


def _number(written: str) -> float | None:
    """A finite number; Python also reads "nan" and "infinity" as numbers."""
    try:
        number = float(written)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
