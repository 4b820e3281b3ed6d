"""What all language models have in common: the prompt, the fence, one more chance after a bad answer, the bill.

A vendor's module says only how one question goes over the wire and what its endings mean. How an answer is held to the
schema is found out by asking: what an endpoint refuses is left out from then on.

    article | fence | ask (schema, else JSON mode, else plain) | parse, validate | … complain, ask again | Analyzed
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import ClassVar

from inforadar.model.analysis import Analysis, Subject
from inforadar.stages.analyze.answer import parse_answer
from inforadar.stages.analyze.base import AnalysisFailed, Analyzed, FailureKind, clean_line
from inforadar.stages.analyze.fence import estimate_tokens, new_boundary, render_article
from inforadar.stages.analyze.limiter import RateLimiter
from inforadar.stages.analyze.prompt import Prompt

ASKS = 3
"""The first answer, and two corrections."""
USUAL_ANSWER_TOKENS = 1_000
SHOWN_BACK = 8_000
"""Characters of a bad answer that are shown to the model with the complaint."""
MAX_PROBLEMS = 10


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


@dataclass(slots=True)
class _Bill:
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0


class ModelAnalyzer(ABC):
    """Deframes by asking a language model. Subclasses speak one vendor's protocol."""

    name: ClassVar[str]
    formats: ClassVar[tuple[AnswerFormat, ...]] = tuple(AnswerFormat)

    def __init__(self, *, model: str, prompt: Prompt, access: Access, limiter: RateLimiter) -> None:
        self.model = model
        self.prompt_version = prompt.version
        self.access = access
        self._prompt = prompt
        self._limiter = limiter
        self._format = self.formats[0]

    @abstractmethod
    async def ask(
        self, system: str, turns: Sequence[Turn], answer_format: AnswerFormat
    ) -> Reply | Unanswered:
        """One request. Its own time limit stands around it."""

    @abstractmethod
    async def close(self) -> None:
        """Gives back the connections."""

    async def analyze(self, subject: Subject) -> Analyzed | AnalysisFailed:
        bill = _Bill()
        boundary = new_boundary()
        article = Turn(
            role=Role.USER, text=render_article(subject, boundary, max_tokens=self.access.input_tokens)
        )
        turns: tuple[Turn, ...] = (article,)
        problems: tuple[str, ...] = ()
        for _ in range(ASKS):
            reply = await self._request(turns, bill)
            if isinstance(reply, Unanswered):
                return self._failed(reply.kind, reply.message, bill, reply.retry_after_s)
            if reply.ending is Ending.REFUSED:
                said = clean_line(reply.text, 200)
                told = f"{self.model} refused this article{': ' + said if said else '.'}"
                return self._failed(FailureKind.REFUSED, told, bill)
            if reply.ending is Ending.TRUNCATED:
                limit = self.access.output_tokens
                told = (
                    f"{self.model} did not finish within {limit} tokens. AI_OUTPUT_TOKENS raises the limit."
                )
                return self._failed(FailureKind.TRUNCATED, told, bill)
            answer = parse_answer(
                reply.text, subject, boundary=boundary, model=self.model, prompt_version=self.prompt_version
            )
            if isinstance(answer, Analysis):
                return Analyzed(
                    analysis=answer,
                    calls=bill.calls,
                    tokens_in=bill.tokens_in,
                    tokens_out=bill.tokens_out,
                    cost=self._cost(bill),
                )
            problems = tuple(clean_line(problem, 300) for problem in answer[:MAX_PROBLEMS])
            # Only the last answer is shown back: all of them would be paid for again with each request.
            turns = (
                article,
                Turn(role=Role.ASSISTANT, text=reply.text[:SHOWN_BACK].strip() or "(nothing)"),
                Turn(role=Role.USER, text=_complaint(problems)),
            )
        told = f"{self.model} answered {ASKS} times with something else than an analysis. {problems[0]}"
        return self._failed(FailureKind.INVALID, told, bill)

    async def _request(self, turns: Sequence[Turn], bill: _Bill) -> Reply | Unanswered:
        """Asks in the firmest format that the endpoint is not known to refuse."""
        reply: Reply | Unanswered | None = None
        for answer_format in self.formats[self.formats.index(self._format) :]:
            reply = await self._paced(turns, answer_format, bill)
            if isinstance(reply, Reply):
                self._format = answer_format
                return reply
            if reply.kind is not FailureKind.BAD_REQUEST:
                return reply
        # Not even plain text was accepted, so it was not the format.
        assert reply is not None
        return reply

    async def _paced(
        self, turns: Sequence[Turn], answer_format: AnswerFormat, bill: _Bill
    ) -> Reply | Unanswered:
        tokens = estimate_tokens(self._prompt.text) + sum(estimate_tokens(turn.text) for turn in turns)
        admission = await self._limiter.admit(tokens + USUAL_ANSWER_TOKENS)
        try:
            # The libraries' own timeouts are for each read: an answer that drips would never end.
            async with asyncio.timeout(self.access.timeout_s):
                reply = await self.ask(self._prompt.text, turns, answer_format)
        except TimeoutError:
            waited = f"{self.model} did not answer within {self.access.timeout_s:g} seconds."
            return Unanswered(kind=FailureKind.TIMEOUT, message=waited)
        if isinstance(reply, Reply):
            bill.calls += 1
            bill.tokens_in += reply.tokens_in
            bill.tokens_out += reply.tokens_out
            self._limiter.settle(admission, reply.tokens_in + reply.tokens_out or admission.tokens)
        return reply

    def _cost(self, bill: _Bill) -> float:
        return (bill.tokens_in * self.access.price_in + bill.tokens_out * self.access.price_out) / 1_000_000

    def _failed(
        self, kind: FailureKind, message: str, bill: _Bill, retry_after_s: float | None = None
    ) -> AnalysisFailed:
        return AnalysisFailed(
            kind=kind,
            message=message,
            retry_after_s=retry_after_s,
            calls=bill.calls,
            tokens_in=bill.tokens_in,
            tokens_out=bill.tokens_out,
            cost=self._cost(bill),
        )


def _complaint(problems: Sequence[str]) -> str:
    listed = "\n".join(f"- {problem}" for problem in problems)
    return f"This answer cannot be used:\n{listed}\nSend the whole JSON object again, corrected, and nothing else."


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
    wait_s = parse_retry_after(headers, now or datetime.now(UTC))
    message = f"{who} answered {status}: {clean_line(said, 300) or 'nothing else'}"
    return Unanswered(kind=kind, message=message, retry_after_s=wait_s)


def unreachable(who: str, fault: Exception) -> Unanswered:
    """No connection, or a body that no client of this protocol can read."""
    why = clean_line(str(fault), 300) or type(fault).__name__
    return Unanswered(kind=FailureKind.OUTAGE, message=f"{who} cannot be reached: {why}")


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
