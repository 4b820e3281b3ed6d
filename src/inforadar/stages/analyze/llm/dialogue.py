"""The dialogue with a language model, whichever vendor it is from: prompt, fence, corrections and cost.

A vendor's module only sends one request and translates how it ended. Which ways of enforcing the schema an endpoint
supports is found out by trying: a format that it refuses is not used again.

    article | fence | reserve cost | ask (schema, else JSON mode, else plain) | parse, validate | … complain, ask again
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from inforadar.model.analysis import Analysis, Subject
from inforadar.stages.analyze.base import AnalysisFailed, Analyzed, FailureKind, Usage, clean_line
from inforadar.stages.analyze.llm.answer import parse_answer
from inforadar.stages.analyze.llm.endpoint import Access, AnswerFormat, Ending, Reply, Role, Turn, Unanswered
from inforadar.stages.analyze.llm.fence import estimate_tokens, new_boundary, render_article
from inforadar.stages.analyze.llm.limiter import RateLimiter
from inforadar.stages.analyze.llm.prompt import Prompt
from inforadar.stages.analyze.llm.tuning import Tuning

MAX_ATTEMPTS = 3
"""The first answer and two corrections."""
TYPICAL_ANSWER_TOKENS = 1_000
MAX_QUOTED_CHARS = 8_000
"""How much of a bad answer is shown to the model again, together with the complaint."""
MAX_PROBLEMS = 10


class Purse(Protocol):
    """The budget. A request's maximum cost is reserved before it is sent, so that running requests count as spent."""

    async def set_aside(self, cost: float) -> str | None:
        """Reserve the cost of a request; return `None`, or a sentence that says why it may not be sent."""

    async def settle(self, set_aside: float, usage: Usage) -> None:
        """Replace a reserved amount with what the request really cost."""


@dataclass(slots=True)
class _Tab:
    """The cost of one analysis so far, and the budget it is paid from."""

    purse: Purse | None
    usage: Usage = Usage()


class ModelAnalyzer(ABC):
    """Analyzes by asking a language model. Subclasses speak one vendor's protocol."""

    name: ClassVar[str]
    formats: ClassVar[tuple[AnswerFormat, ...]] = tuple(AnswerFormat)

    def __init__(self, *, model: str, prompt: Prompt, access: Access, limiter: RateLimiter) -> None:
        self.model = model
        self.prompt_version = prompt.version
        self.access = access
        self._prompt = prompt
        self._limiter = limiter
        self._format = self.formats[0]
        self.tuning = Tuning(parameters=self.tuned())
        self.connect()

    @abstractmethod
    def connect(self) -> None:
        """Make the library's client.

        Pass every option, so that the library reads no environment variables of its own, and switch its retries off.
        """

    @abstractmethod
    def tuned(self) -> Mapping[str, Mapping[str, Any]]:
        """The arguments for temperature and reasoning, by the word that a complaint about them contains."""

    @abstractmethod
    async def ask(
        self, system: str, turns: Sequence[Turn], answer_format: AnswerFormat
    ) -> Reply | Unanswered:
        """Send one request. The caller limits its time."""

    @abstractmethod
    async def close(self) -> None:
        """Close the connections."""

    async def analyze(self, subject: Subject, purse: Purse | None = None) -> Analyzed | AnalysisFailed:
        """Ask the model until an answer is valid or the attempts are used up."""
        tab = _Tab(purse)
        boundary = new_boundary()
        article = Turn(
            role=Role.USER, text=render_article(subject, boundary, max_tokens=self.access.input_tokens)
        )
        turns: tuple[Turn, ...] = (article,)
        problems: tuple[str, ...] = ()
        for _ in range(MAX_ATTEMPTS):
            reply = await self._request(turns, tab)
            if isinstance(reply, Unanswered) or reply.ending is not Ending.COMPLETE:
                return self._unfinished(reply, tab.usage)
            answer = parse_answer(
                reply.text, subject, boundary=boundary, model=self.model, prompt_version=self.prompt_version
            )
            if isinstance(answer, Analysis):
                return Analyzed(analysis=answer, usage=tab.usage)
            problems = tuple(clean_line(problem, 300) for problem in answer[:MAX_PROBLEMS])
            # Only the last answer is sent again: all of them would be paid for with each request.
            turns = (
                article,
                Turn(role=Role.ASSISTANT, text=reply.text[:MAX_QUOTED_CHARS].strip() or "(nothing)"),
                Turn(role=Role.USER, text=_complaint(problems)),
            )
        told = f"{self.model} gave no valid analysis in {MAX_ATTEMPTS} attempts. {problems[0]}"
        return AnalysisFailed(kind=FailureKind.INVALID, message=told, usage=tab.usage)

    def _unfinished(self, reply: Reply | Unanswered, usage: Usage) -> AnalysisFailed:
        if isinstance(reply, Unanswered):
            return AnalysisFailed(
                kind=reply.kind, message=reply.message, retry_after_s=reply.retry_after_s, usage=usage
            )
        if reply.ending is Ending.REFUSED:
            said = clean_line(reply.text, 200)
            told = f"{self.model} refused this article{': ' + said if said else '.'}"
            return AnalysisFailed(kind=FailureKind.REFUSED, message=told, usage=usage)
        limit = self.access.output_tokens
        told = f"{self.model} did not finish within {limit} tokens. Raise AI_OUTPUT_TOKENS."
        return AnalysisFailed(kind=FailureKind.TRUNCATED, message=told, usage=usage)

    async def _request(self, turns: Sequence[Turn], tab: _Tab) -> Reply | Unanswered:
        """Ask in the strictest format that the endpoint is not known to refuse."""
        reply = await self._in_a_known_format(turns, tab)
        if (
            isinstance(reply, Unanswered)
            and reply.kind is FailureKind.BAD_REQUEST
            and self.tuning.leave_out_all()
        ):
            reply = await self._in_a_known_format(turns, tab)
        return reply

    async def _in_a_known_format(self, turns: Sequence[Turn], tab: _Tab) -> Reply | Unanswered:
        reply: Reply | Unanswered | None = None
        for answer_format in self.formats[self.formats.index(self._format) :]:
            reply = await self._paid(turns, answer_format, tab)
            while self.tuning.is_refused(reply):
                reply = await self._paid(turns, answer_format, tab)
            if isinstance(reply, Reply):
                self._format = answer_format
                return reply
            if reply.kind is not FailureKind.BAD_REQUEST:
                return reply
        # Plain text was refused too, so the format was not the reason.
        assert reply is not None
        return reply

    async def _paid(
        self, turns: Sequence[Turn], answer_format: AnswerFormat, tab: _Tab
    ) -> Reply | Unanswered:
        """Send one request, with the cost of the longest allowed answer reserved first.

        Once sent, it is booked at that cost, unless the answer says otherwise or the failure is known to be free:
        vendors bill a model's work even if nobody waited for the answer.
        """
        tokens = estimate_tokens(self._prompt.text) + sum(estimate_tokens(turn.text) for turn in turns)
        at_most = self._bill(tokens, self.access.output_tokens)
        if tab.purse and (refusal := await tab.purse.set_aside(at_most.cost)):
            return Unanswered(kind=FailureKind.BUDGET, message=refusal)
        usage = Usage()
        try:
            admission = await self._limiter.admit(tokens + TYPICAL_ANSWER_TOKENS)
            usage = at_most
            reply = await self._timed(turns, answer_format)
            if isinstance(reply, Reply):
                self._limiter.settle(admission, reply.tokens_in + reply.tokens_out or admission.tokens)
                usage = self._usage(reply, tokens)
            elif not reply.may_be_billed:
                usage = Usage()
            return reply
        finally:
            tab.usage += usage
            if tab.purse:
                # Shielded: a stop in the middle must not leave the amount reserved, or the cost unbooked.
                await asyncio.shield(tab.purse.settle(at_most.cost, usage))

    async def _timed(self, turns: Sequence[Turn], answer_format: AnswerFormat) -> Reply | Unanswered:
        try:
            # The libraries' timeouts apply to each read, so a dripping answer would never end.
            async with asyncio.timeout(self.access.timeout_s):
                return await self.ask(self._prompt.text, turns, answer_format)
        except TimeoutError:
            waited = f"{self.model} did not answer within {self.access.timeout_s:g} seconds."
            return Unanswered(kind=FailureKind.TIMEOUT, message=waited, may_be_billed=True)

    def _usage(self, reply: Reply, estimated_in: int) -> Usage:
        # Some servers report no token counts; an estimate still enforces the budget.
        return self._bill(reply.tokens_in or estimated_in, reply.tokens_out or estimate_tokens(reply.text))

    def _bill(self, tokens_in: int, tokens_out: int) -> Usage:
        """Compute the usage of one request."""
        cost = (tokens_in * self.access.price_in + tokens_out * self.access.price_out) / 1_000_000
        return Usage(calls=1, tokens_in=tokens_in, tokens_out=tokens_out, cost=cost)


def _complaint(problems: Sequence[str]) -> str:
    listed = "\n".join(f"- {problem}" for problem in problems)
    return f"This answer cannot be used:\n{listed}\nSend the whole JSON object again, corrected, and nothing else."
