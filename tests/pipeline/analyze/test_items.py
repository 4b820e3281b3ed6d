"""The analyze stage over real databases and a real endpoint: lanes, outages, limits, money, the cache."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from inforadar.actions.analyze_again import analyze_again
from inforadar.app.analysis import open_analysis
from inforadar.config import Settings, load_settings
from inforadar.errors import ConfigError, StoreError
from inforadar.model.article import Extracted
from inforadar.model.feed import Feed
from inforadar.model.feed_options import parse_options
from inforadar.pipeline.analyze import items as analyses
from inforadar.pipeline.analyze.items import MAX_ATTEMPTS, AnalysisStage
from inforadar.stages.analyze.base import FailureKind
from inforadar.store.analyses.queries import AnalysisCounts, load_analysis_counts, load_spending
from inforadar.store.articles.claims import claim_articles
from inforadar.store.articles.save import ArticleEnding, save_article
from inforadar.store.database import Database
from inforadar.store.feeds.options import update_feed_options
from inforadar.store.schema.analyses import analysis_costs
from inforadar.store.schema.items import items
from inforadar.store.types import db_now
from tests.store.making import add_feed, collect, listed, rows
from tests.support.llm_server import Answer, Call, LlmServer, answer_text

KINDS = [kind.value for kind in FailureKind]


class Clock:
    def __init__(self) -> None:
        self.time = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.time

    def forward(self, **by: float) -> None:
        self.time += timedelta(**by)


@pytest.fixture
async def server() -> AsyncIterator[LlmServer]:
    async with LlmServer() as running:
        yield running


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def settings(tmp_path: Path, server: LlmServer) -> Settings:
    return load_settings(tmp_path, {}).replaced(
        ai={"type": "openai", "base_url": server.base_url("openai"), "model": "tiny-1", "concurrency": 1}
    )


@asynccontextmanager
async def stage(
    settings: Settings, database: Database, clock: Clock, **ai: Any
) -> AsyncIterator[AnalysisStage]:
    async with open_analysis(settings.replaced(ai=ai), database, now=clock) as opened:
        yield opened


async def queue(database: Database, *texts: str, **feed: Any) -> Feed:
    """A feed with an item for each text, its article there."""
    address = feed.pop("url", "https://example.com/feed")
    made = await add_feed(database, address, **feed)
    by_url = {f"{address}/{n}": text for n, text in enumerate(texts)}
    await collect(
        database,
        made,
        *(listed(url, title=f"On {text}") for url, text in by_url.items()),
    )
    for job in await database.write(claim_articles, 1000):
        result = Extracted(clean_text=by_url[job.url], markdown="")
        await database.write(save_article, ArticleEnding(job=job, at=datetime.now(UTC), result=result))
    return made


async def make_due(database: Database) -> None:
    """As if the wait were over for all that waits."""
    waiting = update(items).where(items.c.analyze_at.is_not(None)).values(analyze_at=db_now())
    await database.write(lambda c: c.execute(waiting))


async def counts(database: Database) -> AnalysisCounts:
    return await database.read(load_analysis_counts, KINDS)


def asked(server: LlmServer) -> list[str]:
    """The articles that the model was asked about."""
    return [call.article.split("On ")[1].split('"')[0] for call in server.calls]


async def test_an_item_is_analyzed_and_billed(
    server: LlmServer, database: Database, settings: Settings, clock: Clock
) -> None:
    feed = await queue(database, "harbour")
    async with stage(settings, database, clock, price_in=10.0, price_out=20.0) as running:
        assert await running.run_once() == {"analyzed": 1}
    (row,) = await rows(database, items)
    assert (row.analyzer_result["model"], row.score, row.analyzed_at) == ("tiny-1", 0.25, clock.time)
    (spent,) = await database.read(load_spending, clock.time.date())
    assert (spent.day, spent.model, spent.feed_id) == (clock.time.date(), "tiny-1", feed.id)
    assert (spent.calls, spent.tokens_in, spent.tokens_out, spent.feed_url) == (1, 100, 50, feed.url)
    assert spent.cost == pytest.approx(0.002)


async def test_the_same_text_costs_one_call_until_prompt_or_model_change(
    server: LlmServer, database: Database, settings: Settings, clock: Clock, tmp_path: Path
) -> None:
    await queue(database, "harbour")
    await queue(database, "harbour", url="https://example.com/other")
    async with stage(settings, database, clock) as running:
        assert await running.run_once() == {"analyzed": 1, "cached": 1}
        assert await analyze_again(running.database, running.analyzers) == 0
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "deframe.md").write_text("---\nversion: 2\n---\nBe brief.")
    async with stage(settings, database, clock) as running:
        assert await analyze_again(running.database, running.analyzers) == 2
        assert await running.run_once() == {"analyzed": 1, "cached": 1}
    assert [call.system == "Be brief." for call in server.calls] == [False, True]
    async with stage(settings, database, clock, model="large-1") as running:
        assert await analyze_again(running.database, running.analyzers) == 2
        assert await running.run_once() == {"analyzed": 1, "cached": 1}
    assert [(model, number) for model, _, number in (await counts(database)).results] == [("large-1", 2)]


async def test_the_same_text_in_many_feeds_at_once_costs_one_call(
    server: LlmServer, database: Database, settings: Settings, clock: Clock
) -> None:
    for number in range(4):
        await queue(database, "harbour", url=f"https://example.com/{number}")
    async with stage(settings, database, clock, concurrency=4) as running:
        assert await running.run_once() == {"analyzed": 1, "cached": 3}
    assert len(server.calls) == 1


async def test_what_fails_goes_to_the_retry_lane_behind_the_fresh_and_is_given_up_at_last(
    server: LlmServer, database: Database, settings: Settings, clock: Clock
) -> None:
    def script(call: Call) -> Answer:
        return Answer(text="no" if "On riddle" in call.article else answer_text())

    server.respond(script)
    await queue(database, "riddle")
    async with stage(settings, database, clock) as running:
        assert await running.run_once() == {"failed": 1}
        found = await counts(database)
        assert (found.fresh, found.retry, found.dead, found.failures) == (0, 1, 0, {"invalid": 1})
        await make_due(database)
        await queue(database, "harbour", url="https://example.com/other")
        server.calls.clear()
        assert await running.run_once() == {"analyzed": 1, "failed": 1}
        assert asked(server) == ["harbour", "riddle", "riddle", "riddle"]
        for attempt in range(3, MAX_ATTEMPTS + 1):
            await make_due(database)
            assert await running.run_once() == {"failed": 1}, attempt
        found = await counts(database)
        assert (found.fresh, found.retry, found.dead, found.failures) == (0, 0, 1, {"invalid": 1})
        await make_due(database)
        assert not await running.run_once()
        assert await analyze_again(running.database, running.analyzers) == 1
        assert (await counts(database)).fresh == 1


async def test_an_outage_pauses_the_analyzer_and_burns_no_attempts(
    server: LlmServer, database: Database, settings: Settings, clock: Clock
) -> None:
    await queue(database, *(f"number {n}" for n in range(10)))
    server.respond(Answer(status=503))
    async with stage(settings, database, clock) as running:
        assert await running.run_once() == {"waiting": 10}
        assert len(server.calls) == 3
        found = await counts(database)
        assert (found.fresh, found.retry, found.failures) == (10, 0, {"outage": 10})
        for _ in range(20):
            await make_due(database)
            clock.forward(seconds=3600)
            assert await running.run_once() == {"waiting": 10}
        assert len(server.calls) == 23
        server.respond(Answer(text=answer_text()))
        await make_due(database)
        assert await running.run_once() == {"waiting": 10}, "the pause is not over"
        clock.forward(seconds=3600)
        await make_due(database)
        assert await running.run_once() == {"analyzed": 10}
    assert {row.analyze_attempts for row in await rows(database, items)} == {0}


async def test_an_article_that_brings_the_endpoint_down_is_given_up_and_the_others_are_not(
    server: LlmServer, database: Database, settings: Settings, clock: Clock
) -> None:
    def script(call: Call) -> Answer:
        return Answer(status=500) if "On poison" in call.article else Answer(text=answer_text())

    server.respond(script)
    await queue(database, "poison")
    endings: Counter[str] = Counter()
    async with stage(settings, database, clock) as running:
        for number in range(MAX_ATTEMPTS + 2):
            await queue(database, f"good {number}", url=f"https://example.com/{number}")
            await make_due(database)
            clock.forward(hours=1)
            endings += await running.run_once()
    assert endings["analyzed"] == MAX_ATTEMPTS + 2
    assert endings["failed"] == MAX_ATTEMPTS
    assert (await counts(database)).dead == 1


async def test_a_rate_limit_is_waited_out_as_asked(
    server: LlmServer, database: Database, settings: Settings, clock: Clock
) -> None:
    await queue(database, "one", "two")
    server.respond(Answer(status=429, headers={"Retry-After": "120"}), Answer(text=answer_text()))
    async with stage(settings, database, clock) as running:
        assert await running.run_once() == {"waiting": 2}
        assert len(server.calls) == 1
        clock.forward(seconds=119)
        await make_due(database)
        assert await running.run_once() == {"waiting": 2}
        clock.forward(seconds=2)
        await make_due(database)
        assert await running.run_once() == {"analyzed": 2}


async def test_a_wrong_key_is_said_once_and_tried_again_later(
    server: LlmServer, database: Database, settings: Settings, clock: Clock
) -> None:
    await queue(database, "one", "two", "three")
    server.respond(Answer(status=401, error="no such key"))
    async with stage(settings, database, clock) as running:
        assert await running.run_once() == {"waiting": 3}
    assert len(server.calls) == 1
    assert (await counts(database)).failures == {"rejected": 3}
    assert all("no such key" in row.analyze_error for row in await rows(database, items))


PRICES = {"price_out": 100.0, "output_tokens": 1000}
"""A question may cost ten cents, and costs half a cent: the server counts 50 tokens."""


async def test_the_budget_of_the_day_stops_spending_until_the_next(
    server: LlmServer, database: Database, settings: Settings, clock: Clock
) -> None:
    await queue(database, "one", "two", "three", "four")
    async with stage(settings, database, clock, daily_budget=0.112, **PRICES) as running:
        assert await running.run_once() == {"analyzed": 3, "waiting": 1}
        await make_due(database)
        assert await running.run_once() == {"waiting": 1}
        assert (await counts(database)).failures == {"budget": 1}
        (error,) = [row.analyze_error for row in await rows(database, items) if row.analyze_error]
        assert error == (
            "budget: The daily budget of $0.112 is used up: $0.0150 is spent, and one more request may cost $0.1000. "
            "Analyses continue at 00:00 UTC; AI_DAILY_BUDGET raises it."
        )
        clock.forward(days=1)
        await make_due(database)
        assert await running.run_once() == {"analyzed": 1}
    assert len(server.calls) == 4
    assert {row.analyze_attempts for row in await rows(database, items)} == {0}
    assert [row.cost for row in await rows(database, analysis_costs)] == pytest.approx([0.015, 0.005])


async def test_calls_under_way_count_as_spent_and_are_waited_for(
    server: LlmServer, database: Database, settings: Settings, clock: Clock
) -> None:
    await queue(database, *(f"number {n}" for n in range(10)))
    release = asyncio.Event()
    server.respond(Answer(text=answer_text(), after=release))
    async with stage(settings, database, clock, daily_budget=0.25, concurrency=6, **PRICES) as running:
        run = asyncio.create_task(running.run_once())
        async with asyncio.timeout(30):
            while server.at_once < 2:
                await counts(database)
            for _ in range(20):
                await counts(database)
            assert len(server.calls) == 2, "there is money for two questions, whatever they turn out to cost"
            release.set()
            assert await run == {"analyzed": 10}
    (spent,) = await database.read(load_spending, clock.time.date())
    assert spent.calls == 10
    assert spent.cost == pytest.approx(0.05)


async def test_a_correction_is_paid_for_out_of_the_same_budget(
    server: LlmServer, database: Database, settings: Settings, clock: Clock
) -> None:
    await queue(database, "one")
    server.respond(Answer(text="no", tokens_out=1000))
    async with stage(settings, database, clock, daily_budget=0.15, **PRICES) as running:
        assert await running.run_once() == {"waiting": 1}
    (spent,) = await database.read(load_spending, clock.time.date())
    assert spent.calls == 1
    assert spent.cost == pytest.approx(0.1)


async def test_a_budget_too_small_for_one_question_says_so(
    server: LlmServer, database: Database, settings: Settings, clock: Clock
) -> None:
    await queue(database, "one")
    async with stage(settings, database, clock, daily_budget=0.05, **PRICES) as running:
        assert await running.run_once() == {"waiting": 1}
    (row,) = await rows(database, items)
    assert "One request to tiny-1 may cost $0.1000, more than the daily budget of $0.05." in row.analyze_error
    assert server.calls == []


async def test_what_an_endpoint_does_not_answer_is_not_paid(
    server: LlmServer, database: Database, settings: Settings, clock: Clock
) -> None:
    await queue(database, "one")
    server.respond(Answer(status=503))
    async with stage(settings, database, clock, daily_budget=1.0, **PRICES) as running:
        assert await running.run_once() == {"waiting": 1}
    assert await rows(database, analysis_costs) == []


async def test_a_model_that_is_too_slow_spends_the_budget_like_one_that_answers(
    server: LlmServer, database: Database, settings: Settings, clock: Clock
) -> None:
    await queue(database, "one")
    server.respond(Answer(never=True))
    limits = {**PRICES, "daily_budget": 0.15, "timeout": 0.5}
    async with stage(settings, database, clock, **limits) as running:
        await running.run_once()
    async with stage(settings, database, clock, **limits) as running:
        await make_due(database)
        assert await running.run_once() == {"waiting": 1}
    assert len(server.calls) == 1
    assert (await counts(database)).failures == {"budget": 1}
    (spent,) = await database.read(load_spending, clock.time.date())
    assert spent.cost == pytest.approx(0.1)


@pytest.mark.parametrize("budget", [0.0, 1.0])
async def test_a_question_that_is_stopped_in_the_middle_stays_booked(
    server: LlmServer, database: Database, settings: Settings, clock: Clock, budget: float
) -> None:
    await queue(database, "one")
    server.respond(Answer(never=True))
    async with stage(settings, database, clock, daily_budget=budget, **PRICES) as running:
        run = asyncio.create_task(running.run_once())
        async with asyncio.timeout(30):
            await server.asked.wait()
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
    (spent,) = await database.read(load_spending, clock.time.date())
    assert (spent.calls, spent.cost) == (1, pytest.approx(0.1))


async def test_a_question_that_is_stopped_before_its_turn_costs_nothing(
    server: LlmServer, database: Database, settings: Settings, clock: Clock
) -> None:
    await queue(database, "one", "two")
    limits = {**PRICES, "daily_budget": 1.0, "requests_per_minute": 1}
    async with stage(settings, database, clock, **limits) as running:
        run = asyncio.create_task(running.run_once())
        async with asyncio.timeout(30):
            # The first is answered; for the second money is set aside, and it waits for the next minute.
            while sum(row.cost for row in await rows(database, analysis_costs)) < 0.104:
                await counts(database)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
    (spent,) = await database.read(load_spending, clock.time.date())
    assert (spent.calls, spent.cost) == (1, pytest.approx(0.005))


async def test_the_budget_holds_over_a_restart_and_does_not_stop_what_is_free(
    server: LlmServer, database: Database, settings: Settings, clock: Clock
) -> None:
    limits = {**PRICES, "daily_budget": 0.103}
    await queue(database, "one")
    async with stage(settings, database, clock, **limits) as running:
        await running.run_once()
    await queue(database, "two", url="https://example.com/2")
    await queue(database, "three", url="https://example.com/3", options=parse_options({"analyzer": "local"}))
    async with stage(settings, database, clock, **limits) as running:
        assert await running.run_once() == {"waiting": 1, "analyzed": 1}
    assert asked(server) == ["one"]


async def test_an_edited_prompt_is_used_from_the_next_run_on(
    server: LlmServer, database: Database, settings: Settings, clock: Clock, tmp_path: Path
) -> None:
    prompts = tmp_path / "prompts"
    prompts.mkdir()
    async with stage(settings, database, clock) as running:
        await queue(database, "one")
        assert await running.run_once() == {"analyzed": 1}
        for number, text in (("2", "Be brief."), ("3", "Be briefer."), ("4", "Кратко.")):
            (prompts / "deframe.md").write_text(f"---\nversion: {number}\n---\n{text}", encoding="utf-8")
            assert await analyze_again(running.database, running.analyzers) == 1
            assert await running.run_once() == {"analyzed": 1}
        (prompts / "deframe.md").unlink()
        assert await analyze_again(running.database, running.analyzers) == 1
        assert await running.run_once() == {"cached": 1}
    assert [call.system for call in server.calls[1:]] == ["Be brief.", "Be briefer.", "Кратко."]


async def test_failed_attempts_are_billed_too(
    server: LlmServer, database: Database, settings: Settings, clock: Clock
) -> None:
    await queue(database, "one")
    server.respond(Answer(text="no"))
    async with stage(settings, database, clock, price_in=1.0) as running:
        assert await running.run_once() == {"failed": 1}
    (spent,) = await database.read(load_spending, clock.time.date())
    assert (spent.calls, spent.tokens_in) == (3, 300)


async def test_each_feed_has_its_own_analyzer_model_and_prompt(
    server: LlmServer, database: Database, settings: Settings, clock: Clock, tmp_path: Path
) -> None:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "short.md").write_text("---\nversion: 7\n---\nВ двух словах.")
    await queue(database, "a", url="https://example.com/a")
    await queue(
        database,
        "b",
        url="https://example.com/b",
        options=parse_options({"model": "large-1", "prompt": "short"}),
    )
    await queue(database, "c", url="https://example.com/c", options=parse_options({"analyzer": "local"}))
    quiet = await queue(database, "d", url="https://example.com/d", options=parse_options({"analyze": False}))
    async with stage(settings, database, clock) as running:
        assert await running.run_once() == {"analyzed": 3, "unwanted": 1}
        calls = {call.model: call.system for call in server.calls}
        assert set(calls) == {"tiny-1", "large-1"}
        assert calls["large-1"] == "В двух словах."
        await database.write(update_feed_options, quiet.id, {"analyze": None})
        assert await analyze_again(running.database, running.analyzers) == 1
        assert await running.run_once() == {"analyzed": 1}


async def test_a_feed_whose_analyzer_cannot_work_waits_and_says_why_while_others_go_on(
    server: LlmServer, database: Database, settings: Settings, clock: Clock
) -> None:
    await queue(database, "a", url="https://example.com/a", options=parse_options({"analyzer": "anthropic"}))
    await queue(database, "b", url="https://example.com/b", options=parse_options({"prompt": "missing"}))
    await queue(database, "c", url="https://example.com/c")
    async with stage(settings, database, clock) as running:
        assert await running.run_once() == {"waiting": 2, "analyzed": 1}
        assert await analyze_again(running.database, running.analyzers) == 0
    errors = {row.analyze_error for row in await rows(database, items) if row.analyze_error}
    assert any("AI_ANTHROPIC_API_KEY" in error for error in errors)
    assert any("The prompt 'missing' does not exist" in error for error in errors)


async def test_a_model_that_is_refused_holds_up_no_other_however_many_of_its_items_come_first(
    server: LlmServer, database: Database, settings: Settings, clock: Clock
) -> None:
    def refuse_one(call: Call) -> Answer:
        is_refused = call.model == "refused-1"
        return Answer(status=401, error="отказано") if is_refused else Answer(text=answer_text())

    server.respond(refuse_one)
    refused = parse_options({"model": "refused-1"})
    await queue(database, *(f"r{n}" for n in range(3 * analyses.BATCH)), options=refused)
    await queue(database, "健康", url="https://example.com/healthy")
    async with stage(settings, database, clock) as running:
        assert await running.run_once() == {"waiting": analyses.BATCH, "analyzed": 1}
    assert [call.model for call in server.calls] == ["refused-1", "tiny-1"]


async def test_the_key_of_one_vendor_never_goes_to_another(
    server: LlmServer, database: Database, settings: Settings, clock: Clock
) -> None:
    await queue(database, "a", options=parse_options({"analyzer": "gemini"}))
    async with stage(settings, database, clock, api_key="openai-key") as running:
        assert await running.run_once() == {"waiting": 1}
    assert server.calls == []


async def test_a_limit_stops_after_so_many_items(
    server: LlmServer, database: Database, settings: Settings, clock: Clock
) -> None:
    await queue(database, *(f"number {n}" for n in range(5)))
    async with stage(settings, database, clock) as running:
        assert await running.run_once(limit=2) == {"analyzed": 2}
    assert len(server.calls) == 2
    assert (await counts(database)).fresh == 3


async def test_no_more_are_asked_at_once_than_the_setting_says(
    server: LlmServer, database: Database, settings: Settings, clock: Clock
) -> None:
    await queue(database, *(f"number {n}" for n in range(12)))
    async with stage(settings, database, clock, concurrency=3) as running:
        assert await running.run_once() == {"analyzed": 12}
    assert 1 <= server.most_at_once <= 3


@pytest.mark.parametrize(
    ("ai", "sentence"),
    [
        ({"base_url": ""}, "needs a key: set AI_API_KEY, or AI_BASE_URL"),
        ({"model": ""}, "AI_MODEL is needed too"),
        ({"daily_budget": 1.0}, "set AI_PRICE_IN and AI_PRICE_OUT"),
    ],
)
async def test_settings_that_cannot_work_are_said_at_the_start(
    database: Database, settings: Settings, clock: Clock, ai: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ConfigError, match=sentence):
        async with stage(settings, database, clock, **ai):
            pass


async def test_a_number_too_long_to_be_read_stops_no_analysis(
    server: LlmServer, database: Database, settings: Settings, clock: Clock
) -> None:
    feed = await add_feed(database)
    hostile = listed("https://example.com/feed/1", title="On harbour", content=f"quay &#{'1' * 5000}; pier")
    await collect(database, feed, hostile)
    (job,) = await database.write(claim_articles, 10)
    article = ArticleEnding(job=job, at=datetime.now(UTC), result=Extracted(clean_text="pier", markdown=""))
    await database.write(save_article, article)
    async with stage(settings, database, clock) as running:
        assert await running.run_once() == {"analyzed": 1}
    assert "quay \ufffd pier" in server.calls[0].article


async def test_an_item_that_cannot_be_prepared_fails_alone(
    database: Database, settings: Settings, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await queue(database, "harbour", "storm")
    prepare = analyses.subject_of

    def prepared(job: Any) -> Any:
        if "storm" in job.title:
            raise RuntimeError("out of luck")
        return prepare(job)

    monkeypatch.setattr(analyses, "subject_of", prepared)
    async with stage(settings, database, clock) as running:
        assert await running.run_once() == {"analyzed": 1, "failed": 1}
    errors = {row.title: row.analyze_error for row in await rows(database, items)}
    assert errors["On harbour"] is None
    assert "Info Radar itself failed on this item (RuntimeError: out of luck)" in (errors["On storm"] or "")


async def test_a_fault_of_the_database_comes_out_as_one_and_gives_the_items_back(
    database: Database, settings: Settings, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await queue(database, "harbour", "storm")

    def refuse(*_: object, **__: object) -> None:
        raise StoreError("The disk is full.")

    with monkeypatch.context() as broken:
        broken.setattr(analyses, "save_analysis", refuse)
        async with stage(settings, database, clock) as running:
            with pytest.raises(StoreError, match="The disk is full"):
                await running.run_once()
    async with stage(settings, database, clock) as running:
        assert sum((await running.run_once()).values()) == 2
