"""The three vendors' analyzers against a real endpoint on loopback: good answers, bad ones, and every fault."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from inforadar.model.analysis import Reasoning, Subject
from inforadar.stages.analyze import analyzer_class
from inforadar.stages.analyze.base import AnalysisFailed, Analyzed, FailureKind, Usage, validate
from inforadar.stages.analyze.llm.dialogue import ModelAnalyzer
from inforadar.stages.analyze.llm.endpoint import Access
from inforadar.stages.analyze.llm.limiter import RateLimiter
from inforadar.stages.analyze.llm.prompt import load_prompt
from tests.support.llm_server import Answer, Call, LlmServer, answer_text, good_answer

VENDORS = ("openai", "anthropic", "gemini")
PROMPT = load_prompt("deframe")
SUBJECT = Subject(
    url="https://news.example/secret-token",
    title="Министр РАЗНЁС план 🚀 محدث",
    description="<b>Shock</b>",
    text="The minister slams the plan. 计划耗资三百万。",
    language="ru",
)


@pytest.fixture
async def server() -> AsyncIterator[LlmServer]:
    async with LlmServer() as running:
        yield running


@pytest.fixture(params=VENDORS)
def vendor(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@asynccontextmanager
async def analyzer(server: LlmServer, vendor: str, **access: Any) -> AsyncIterator[ModelAnalyzer]:
    made = analyzer_class(vendor)(
        model="tiny-1",
        prompt=PROMPT,
        access=Access(**{"api_key": "key-123", "base_url": server.base_url(vendor)} | access),
        limiter=RateLimiter(),
    )
    try:
        yield made
    finally:
        await made.close()


async def analyze(server: LlmServer, vendor: str, **access: Any) -> Analyzed | AnalysisFailed:
    async with analyzer(server, vendor, **access) as asked:
        return await asked.analyze(SUBJECT)


async def failure(server: LlmServer, vendor: str, **access: Any) -> AnalysisFailed:
    result = await analyze(server, vendor, **access)
    assert isinstance(result, AnalysisFailed)
    return result


TUNED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "openai": (
        {"temperature": 0.0, "reasoning_effort": "none", "chat_template_kwargs": {"enable_thinking": False}},
        {"temperature": 0.5, "reasoning_effort": "high", "chat_template_kwargs": {"enable_thinking": True}},
    ),
    "anthropic": (
        {"temperature": 0.0, "thinking": {"type": "disabled"}},
        {"thinking": {"type": "enabled", "budget_tokens": 4000}},
    ),
    "gemini": (
        {"temperature": 0.0, "thinkingConfig": {"thinking_level": "MINIMAL"}},
        {"temperature": 0.5, "thinkingConfig": {"thinking_level": "HIGH"}},
    ),
}
"""By vendor: what the defaults send, and what a temperature of 0.5 with high reasoning sends."""


def tuning_of(call: Call) -> dict[str, Any]:
    body = call.body["generationConfig"] if call.vendor == "gemini" else call.body
    names = ("temperature", "reasoning_effort", "chat_template_kwargs", "thinking", "thinkingConfig")
    return {name: body[name] for name in names if name in body}


async def test_temperature_and_reasoning_are_sent(server: LlmServer, vendor: str) -> None:
    await analyze(server, vendor)
    await analyze(server, vendor, temperature=0.5, reasoning=Reasoning.HIGH)
    await analyze(server, vendor, temperature=None, reasoning=Reasoning.DEFAULT)
    assert [tuning_of(call) for call in server.calls] == [*TUNED[vendor], {}]


async def test_a_parameter_that_is_refused_by_name_is_left_out_from_then_on(
    server: LlmServer, vendor: str
) -> None:
    def strict(call: Call) -> Answer:
        if "temperature" in tuning_of(call):
            return Answer(status=400, error="Unsupported value: 'temperature' does not support 0 here")
        return Answer(text=answer_text())

    server.respond(strict)
    async with analyzer(server, vendor) as asked:
        assert isinstance(await asked.analyze(SUBJECT), Analyzed)
        assert isinstance(await asked.analyze(SUBJECT), Analyzed)
    assert ["temperature" in tuning_of(call) for call in server.calls] == [True, False, False]
    assert {call.answer_format for call in server.calls} == {"schema"}, "the format was not the reason"


async def test_an_endpoint_that_refuses_without_saying_why_gets_none_of_them(
    server: LlmServer, vendor: str
) -> None:
    server.respond(
        lambda call: (
            Answer(status=400, error="invalid request") if tuning_of(call) else Answer(text=answer_text())
        )
    )
    assert isinstance(await analyze(server, vendor), Analyzed)
    assert tuning_of(server.calls[-1]) == {}


async def test_an_answer_becomes_an_analysis_with_its_bill(server: LlmServer, vendor: str) -> None:
    result = await analyze(server, vendor, price_in=10.0, price_out=20.0)
    assert isinstance(result, Analyzed)
    assert validate(result.analysis) == ()
    assert (result.analysis.title, result.analysis.model) == ("Minister criticises plan", "tiny-1")
    assert result.analysis.prompt_version == PROMPT.version
    assert (result.usage.calls, result.usage.tokens_in, result.usage.tokens_out) == (1, 100, 50)
    assert result.usage.cost == pytest.approx(0.002)


async def test_the_model_is_asked_with_key_prompt_and_schema(server: LlmServer, vendor: str) -> None:
    await analyze(server, vendor)
    (call,) = server.calls
    assert (call.vendor, call.model, call.key) == (vendor, "tiny-1", "key-123")
    assert call.system == PROMPT.text
    assert call.answer_format == "schema"
    assert call.schema is not None
    assert call.schema["additionalProperties"] is False
    assert set(call.schema["required"]) == set(good_answer())


async def test_the_article_is_fenced_and_its_address_stays_here(server: LlmServer, vendor: str) -> None:
    await analyze(server, vendor)
    await analyze(server, vendor)
    first, second = (call.article for call in server.calls)
    assert first != second
    lines = first.splitlines()
    assert lines[1].endswith("article begins -----")
    assert lines[3].endswith("article ends -----")
    assert json.loads(lines[2]) == {
        "title": SUBJECT.title,
        "description": "Shock",
        "text": SUBJECT.text,
        "language": "ru",
    }
    assert "secret-token" not in first


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        (answer_text(mood="angry"), "unknown field `mood`"),
        (answer_text(scores={}), "scores lacks framing, clickbait"),
        (answer_text(facts="one"), "Expected `array`"),
        (answer_text(title=""), "title is empty."),
        (answer_text(title_reason="x" * 301), "title_reason has 301 characters"),
        (answer_text(language="Klingon!"), "BCP 47"),
        (answer_text(category="gossip"), "category must be one of"),
        (answer_text().replace("0.25", "1.5"), "it must be a number from 0 to 1"),
        (answer_text().replace("0.25", "-0.1"), "it must be a number from 0 to 1"),
        (answer_text().replace("0.25", '"high"'), "Expected `float`"),
        (answer_text().replace("0.25", "NaN"), "not the JSON object"),
        ("I would rather write a poem.", "not the JSON object"),
        ("", "not the JSON object"),
        ('{"title": ' * 5000, "not the JSON object"),
        ("[" * 90_000, "not the JSON object"),
        ("x" * 200_000, "200000 characters"),
    ],
)
async def test_a_bad_answer_is_sent_back_with_what_is_wrong(
    server: LlmServer, bad: str, complaint: str
) -> None:
    server.respond(Answer(text=bad), Answer(text=answer_text()))
    result = await analyze(server, "openai")
    assert isinstance(result, Analyzed)
    assert (result.usage.calls, result.usage.tokens_in) == (2, 200)
    roles = [role for role, _ in server.calls[1].turns]
    assert roles == ["user", "assistant", "user"]
    assert server.calls[1].turns[0] == server.calls[0].turns[0]
    assert complaint in server.calls[1].turns[2][1]


async def test_after_three_bad_answers_it_is_given_up_and_what_was_spent_counts(
    server: LlmServer, vendor: str
) -> None:
    server.respond(Answer(text="no"))
    failed = await failure(server, vendor, price_in=1.0)
    assert failed.kind is FailureKind.INVALID
    assert "tiny-1 gave no valid analysis in 3 attempts" in failed.message
    assert (len(server.calls), failed.usage.calls, failed.usage.tokens_in) == (3, 3, 300)
    assert failed.usage.cost == pytest.approx(0.0003)


@pytest.mark.parametrize("wrapped", ["```json\n{}\n```", "Sure! Here it is:\n{}\nAnything else?"])
async def test_an_answer_wrapped_in_chatter_is_read(server: LlmServer, wrapped: str) -> None:
    server.respond(Answer(text=wrapped.replace("{}", answer_text())))
    assert isinstance(await analyze(server, "openai"), Analyzed)


async def test_words_that_are_not_in_the_article_mark_nothing(server: LlmServer) -> None:
    scores = good_answer()["scores"] | {
        "clickbait": {"value": 0.5, "reason": "r", "words": ["slams", "evil", "slams", "РАЗНЁС"]}
    }
    server.respond(Answer(text=answer_text(scores=scores)))
    result = await analyze(server, "openai")
    assert isinstance(result, Analyzed)
    assert result.analysis.clickbait.words == ("slams", "РАЗНЁС")


def supports(*formats: str) -> Callable[[Call], Answer]:
    def script(call: Call) -> Answer:
        if call.answer_format in formats:
            return Answer(text=answer_text())
        return Answer(status=400, error="response_format is not supported")

    return script


@pytest.mark.parametrize(
    ("vendor", "supported", "asked"),
    [
        ("openai", ("object", "text"), ["schema", "object", "object"]),
        ("openai", ("text",), ["schema", "object", "text", "text"]),
        ("gemini", ("object", "text"), ["schema", "object", "object"]),
        ("anthropic", ("text",), ["schema", "text", "text"]),
    ],
)
async def test_what_an_endpoint_refuses_is_left_out_from_then_on(
    server: LlmServer, vendor: str, supported: tuple[str, ...], asked: list[str]
) -> None:
    server.respond(supports(*supported))
    async with analyzer(server, vendor) as asking:
        for _ in range(2):
            assert isinstance(await asking.analyze(SUBJECT), Analyzed)
    assert [call.answer_format for call in server.calls] == asked


@pytest.mark.parametrize(
    ("base_url", "known", "said"),
    [
        (
            True,
            "max_completion_tokens",
            "'max_tokens' is not supported. Use 'max_completion_tokens' instead.",
        ),
        (False, "max_tokens", "Unrecognized request argument supplied: max_completion_tokens"),
    ],
    ids=["new", "old"],
)
async def test_the_name_of_the_limit_is_the_one_that_the_endpoint_knows(
    server: LlmServer, monkeypatch: pytest.MonkeyPatch, base_url: bool, known: str, said: str
) -> None:
    server.respond(
        lambda call: Answer(text=answer_text()) if known in call.body else Answer(status=400, error=said)
    )
    if not base_url:
        monkeypatch.setattr("inforadar.stages.analyze.llm.openai.OWN_URL", server.base_url("openai"))
    async with analyzer(server, "openai", **({} if base_url else {"base_url": ""})) as asked:
        for _ in range(2):
            assert isinstance(await asked.analyze(SUBJECT), Analyzed)
    assert [known in call.body for call in server.calls] == [False, True, True]
    assert {call.answer_format for call in server.calls} == {"schema"}


async def test_a_request_that_no_format_saves_is_not_blamed_on_the_format(
    server: LlmServer, vendor: str
) -> None:
    server.respond(Answer(status=400, error="the prompt is too long"))
    async with analyzer(server, vendor) as asking:
        failed = await asking.analyze(SUBJECT)
        assert isinstance(failed, AnalysisFailed)
        assert failed.kind is FailureKind.BAD_REQUEST
        assert "the prompt is too long" in failed.message
        server.calls.clear()
        server.respond(Answer(text=answer_text()))
        assert isinstance(await asking.analyze(SUBJECT), Analyzed)
    assert server.calls[0].answer_format == "schema"


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Answer(status=500), FailureKind.OUTAGE),
        (Answer(status=503), FailureKind.OUTAGE),
        (Answer(status=529), FailureKind.OUTAGE),
        (Answer(status=504), FailureKind.TIMEOUT),
        (Answer(status=429), FailureKind.RATE_LIMITED),
        (Answer(status=401), FailureKind.REJECTED),
        (Answer(status=403), FailureKind.REJECTED),
        (Answer(status=404), FailureKind.REJECTED),
        (Answer(status=400, error="API key not valid."), FailureKind.REJECTED),
        (Answer(status=429, error="insufficient_quota: pay first"), FailureKind.REJECTED),
    ],
)
async def test_each_status_has_its_meaning(
    server: LlmServer, vendor: str, answer: Answer, kind: FailureKind
) -> None:
    server.respond(answer)
    failed = await failure(server, vendor)
    assert failed.kind is kind
    # A gateway that gave up has asked the model.
    assert (failed.usage.calls, len(server.calls)) == (int(answer.status == 504), 1)
    assert str(answer.status) in failed.message


async def test_retry_after_is_read_in_seconds_and_as_a_date(server: LlmServer, vendor: str) -> None:
    server.respond(Answer(status=429, headers={"Retry-After": "12"}))
    assert (await failure(server, vendor)).retry_after_s == 12.0
    at = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    server.respond(Answer(status=429, headers={"Retry-After": at}))
    waited = (await failure(server, vendor)).retry_after_s
    assert waited is not None
    assert 60 < waited <= 91


async def test_gemini_says_in_the_body_how_long_to_wait(server: LlmServer) -> None:
    info = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}
    server.respond(Answer(status=429, error_details=(info,)))
    assert (await failure(server, "gemini")).retry_after_s == 34.5


async def test_a_refusal_is_a_refusal(server: LlmServer, vendor: str) -> None:
    server.respond(Answer(text="I cannot help with that.", ending="refused"))
    failed = await failure(server, vendor)
    assert failed.kind is FailureKind.REFUSED
    assert (failed.usage.calls, failed.usage.tokens_in, len(server.calls)) == (1, 100, 1)


async def test_a_truncated_answer_names_the_setting(server: LlmServer, vendor: str) -> None:
    server.respond(Answer(text=answer_text()[:200], ending="truncated"))
    failed = await failure(server, vendor, output_tokens=700)
    assert failed.kind is FailureKind.TRUNCATED
    assert "700 tokens" in failed.message
    assert "AI_OUTPUT_TOKENS" in failed.message


@pytest.mark.parametrize("answer", [Answer(never=True), Answer(drips=True)], ids=["silent", "dripping"])
async def test_an_endpoint_that_does_not_answer_in_time_is_left(
    server: LlmServer, vendor: str, answer: Answer
) -> None:
    server.respond(answer)
    failed = await failure(server, vendor, timeout_s=0.5)
    assert failed.kind is FailureKind.TIMEOUT
    assert "0.5 seconds" in failed.message


async def test_an_endpoint_that_is_not_there_is_an_outage(server: LlmServer, vendor: str) -> None:
    await server.stop()
    failed = await failure(server, vendor)
    assert failed.kind is FailureKind.OUTAGE
    assert "tiny-1 could not be reached" in failed.message


@pytest.mark.parametrize(
    "answer", [Answer(never=True), Answer(breaks=True), Answer(status=504)], ids=["silent", "broken", "504"]
)
async def test_a_question_that_got_through_is_booked_at_the_most_it_may_cost(
    server: LlmServer, vendor: str, answer: Answer
) -> None:
    server.respond(answer)
    failed = await failure(server, vendor, timeout_s=0.5, output_tokens=1000, price_out=100.0)
    assert len(server.calls) == 1
    assert (failed.usage.calls, failed.usage.tokens_out) == (1, 1000)
    assert failed.usage.cost == pytest.approx(0.1)


@pytest.mark.parametrize("status", [400, 401, 408, 429, 500, 503])
async def test_what_an_endpoint_declines_costs_nothing(server: LlmServer, vendor: str, status: int) -> None:
    server.respond(Answer(status=status))
    assert (await failure(server, vendor, price_in=10.0, price_out=100.0)).usage == Usage()


async def test_an_endpoint_that_is_not_there_costs_nothing(server: LlmServer, vendor: str) -> None:
    await server.stop()
    assert (await failure(server, vendor, price_in=10.0, price_out=100.0)).usage == Usage()


@pytest.mark.parametrize(
    "raw", [b"<html>gateway</html>", b"{}", b"null", b'{"choices": []}', b'{"error": "x"}']
)
async def test_a_body_of_another_kind_is_no_crash(server: LlmServer, vendor: str, raw: bytes) -> None:
    server.respond(Answer(raw=raw))
    failed = await failure(server, vendor)
    assert failed.kind in {FailureKind.OUTAGE, FailureKind.REFUSED, FailureKind.INVALID}


async def test_a_key_never_stands_in_a_message(server: LlmServer, vendor: str) -> None:
    for answer in (Answer(status=401), Answer(status=500), Answer(text="no")):
        server.respond(answer)
        assert "key-123" not in repr(await failure(server, vendor))


async def test_keys_of_the_libraries_own_variables_are_not_used(
    server: LlmServer, vendor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(name, "stolen")
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/")
    made = analyzer_class(vendor)(
        model="m",
        prompt=PROMPT,
        access=Access(api_key="", base_url=server.base_url(vendor)),
        limiter=RateLimiter(),
    )
    await made.analyze(SUBJECT)
    await made.close()
    assert [call.key for call in server.calls] == ["none"]
