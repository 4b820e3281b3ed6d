"""What all language models have in common: the prompt, the fence, one more chance after a bad answer, the bill.

A vendor's module says only how one question goes over the wire and what its endings mean. How an answer is held to the
schema is found out by asking: what an endpoint refuses is left out from then on.

    article | fence | money aside | ask (schema, else JSON mode, else plain) | parse, validate | … complain, ask again
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from inforadar.model.analysis import Analysis, Subject
from inforadar.stages.analyze.base import AnalysisFailed, Analyzed, FailureKind, Usage, clean_line
from inforadar.stages.analyze.llm.answer import parse_answer
from inforadar.stages.analyze.llm.endpoint import Access, AnswerFormat, Ending, Reply, Role, Turn, Unanswered
from inforadar.stages.analyze.llm.fence import estimate_tokens, new_boundary, render_article
from inforadar.stages.analyze.llm.limiter import RateLimiter
from inforadar.stages.analyze.llm.prompt import Prompt

ASKS = 3
"""The first answer, and two corrections."""
USUAL_ANSWER_TOKENS = 1_000
SHOWN_BACK = 8_000
"""Characters of a bad answer that are shown to the model with the complaint."""
MAX_PROBLEMS = 10


class Purse(Protocol):
    """Who pays. What a request may cost is set aside before it goes, so that those under way count as spent."""

    async def set_aside(self, cost: float) -> str | None:
        """`None`: it may go. Else the sentence that says why not."""

    async def settle(self, set_aside: float, usage: Usage) -> None:
        """What it really took, in place of what was set aside."""


@dataclass(slots=True)
class _Tab:
    """What one analysis has taken so far, and who pays for it."""

    purse: Purse | None
    usage: Usage = Usage()


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
        self.connect()

    @abstractmethod
    def connect(self) -> None:
        """Makes the library's client. It says everything itself, so that nothing comes from the library's own
        environment variables, and leaves trying again to us."""

    @abstractmethod
    async def ask(
        self, system: str, turns: Sequence[Turn], answer_format: AnswerFormat
    ) -> Reply | Unanswered:
        """One request. Its own time limit stands around it."""

    @abstractmethod
    async def close(self) -> None:
        """Gives back the connections."""

    async def analyze(self, subject: Subject, purse: Purse | None = None) -> Analyzed | AnalysisFailed:
        tab = _Tab(purse)
        boundary = new_boundary()
        article = Turn(
            role=Role.USER, text=render_article(subject, boundary, max_tokens=self.access.input_tokens)
        )
        turns: tuple[Turn, ...] = (article,)
        problems: tuple[str, ...] = ()
        for _ in range(ASKS):
            reply = await self._request(turns, tab)
            if isinstance(reply, Unanswered) or reply.ending is not Ending.COMPLETE:
                return self._unfinished(reply, tab.usage)
            answer = parse_answer(
                reply.text, subject, boundary=boundary, model=self.model, prompt_version=self.prompt_version
            )
            if isinstance(answer, Analysis):
                return Analyzed(analysis=answer, usage=tab.usage)
            problems = tuple(clean_line(problem, 300) for problem in answer[:MAX_PROBLEMS])
            # Only the last answer is shown back: all of them would be paid for again with each request.
            turns = (
                article,
                Turn(role=Role.ASSISTANT, text=reply.text[:SHOWN_BACK].strip() or "(nothing)"),
                Turn(role=Role.USER, text=_complaint(problems)),
            )
        told = f"{self.model} answered {ASKS} times with something else than an analysis. {problems[0]}"
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
        told = f"{self.model} did not finish within {limit} tokens. AI_OUTPUT_TOKENS raises the limit."
        return AnalysisFailed(kind=FailureKind.TRUNCATED, message=told, usage=usage)

    async def _request(self, turns: Sequence[Turn], tab: _Tab) -> Reply | Unanswered:
        """Asks in the firmest format that the endpoint is not known to refuse."""
        reply: Reply | Unanswered | None = None
        for answer_format in self.formats[self.formats.index(self._format) :]:
            reply = await self._paid(turns, answer_format, tab)
            if isinstance(reply, Reply):
                self._format = answer_format
                return reply
            if reply.kind is not FailureKind.BAD_REQUEST:
                return reply
        # Not even plain text was accepted, so it was not the format.
        assert reply is not None
        return reply

    async def _paid(
        self, turns: Sequence[Turn], answer_format: AnswerFormat, tab: _Tab
    ) -> Reply | Unanswered:
        """One request, its money set aside before it goes: enough for the longest answer that it allows.

        Once it has gone, it is booked at that much unless an answer says otherwise or a failure is known to be free:
        vendors bill the work of a model whose answer nobody waited for.
        """
        tokens = estimate_tokens(self._prompt.text) + sum(estimate_tokens(turn.text) for turn in turns)
        at_most = self._bill(tokens, self.access.output_tokens)
        if tab.purse and (refusal := await tab.purse.set_aside(at_most.cost)):
            return Unanswered(kind=FailureKind.BUDGET, message=refusal)
        usage = Usage()
        try:
            admission = await self._limiter.admit(tokens + USUAL_ANSWER_TOKENS)
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
                # Shielded: a stop in the middle must not leave it among those under way, nor out of the books.
                await asyncio.shield(tab.purse.settle(at_most.cost, usage))

    async def _timed(self, turns: Sequence[Turn], answer_format: AnswerFormat) -> Reply | Unanswered:
        try:
            # The libraries' own timeouts are for each read: an answer that drips would never end.
            async with asyncio.timeout(self.access.timeout_s):
                return await self.ask(self._prompt.text, turns, answer_format)
        except TimeoutError:
            waited = f"{self.model} did not answer within {self.access.timeout_s:g} seconds."
            return Unanswered(kind=FailureKind.TIMEOUT, message=waited, may_be_billed=True)

    def _usage(self, reply: Reply, estimated_in: int) -> Usage:
        # Some servers count nothing; an estimate keeps their users' budget, if they set prices at all.
        return self._bill(reply.tokens_in or estimated_in, reply.tokens_out or estimate_tokens(reply.text))

    def _bill(self, tokens_in: int, tokens_out: int) -> Usage:
        """Of one request."""
        cost = (tokens_in * self.access.price_in + tokens_out * self.access.price_out) / 1_000_000
        return Usage(calls=1, tokens_in=tokens_in, tokens_out=tokens_out, cost=cost)


def _complaint(problems: Sequence[str]) -> str:
    listed = "\n".join(f"- {problem}" for problem in problems)
    return f"This answer cannot be used:\n{listed}\nSend the whole JSON object again, corrected, and nothing else."
