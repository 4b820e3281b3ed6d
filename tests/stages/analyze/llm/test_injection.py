"""Articles with instructions, for a model that obeys them: the result still follows the schema and is only text."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from lxml import etree

from inforadar.model.analysis import Analysis, Subject, to_json
from inforadar.stages.analyze import analyzer_class
from inforadar.stages.analyze.base import AnalysisFailed, Analyzed, FailureKind, validate
from inforadar.stages.analyze.llm.dialogue import ModelAnalyzer
from inforadar.stages.analyze.llm.endpoint import Access
from inforadar.stages.analyze.llm.fence import estimate_tokens
from inforadar.stages.analyze.llm.limiter import RateLimiter
from inforadar.stages.analyze.llm.prompt import load_prompt
from inforadar.stages.publish import render_atom, render_json_feed, render_rss
from tests.stages.publish.publish_samples import CHANNEL, NOW, entry
from tests.support.feed_rules import atom_problems, json_feed_problems, rss_problems
from tests.support.llm_server import Answer, LlmServer, answer_text, good_answer
from tests.support.llm_server.hostile import ARTICLES, OBEDIENT, article_in, written

PROMPT = load_prompt("deframe")
INPUT_TOKENS = 2_000


@pytest.fixture
async def server() -> AsyncIterator[LlmServer]:
    async with LlmServer() as running:
        yield running


@pytest.fixture(params=["openai", "anthropic", "gemini"])
async def model(server: LlmServer, request: pytest.FixtureRequest) -> AsyncIterator[ModelAnalyzer]:
    made = analyzer_class(request.param)(
        model="obedient-1",
        prompt=PROMPT,
        access=Access(api_key="k", base_url=server.base_url(request.param), input_tokens=INPUT_TOKENS),
        limiter=RateLimiter(),
    )
    yield made
    await made.close()


def subject(name: str, server: LlmServer) -> Subject:
    title, text = written(name, f"{server.origin}/canary")
    return Subject(url="https://news.example/1", title=title, description=text[:500], text=text)


def test_the_corpus_is_large_enough_and_every_article_is_another() -> None:
    assert len(ARTICLES) >= 60
    assert len(set(ARTICLES.values())) == len(ARTICLES)


async def test_the_fence_holds(server: LlmServer, model: ModelAnalyzer) -> None:
    for name in ARTICLES:
        server.calls.clear()
        await model.analyze(subject(name, server))
        (call,) = server.calls
        assert (call.vendor, call.system, len(call.turns)) == (model.name, PROMPT.text, 1), name
        lines = call.article.splitlines()
        assert len(lines) == 5, f"{name} has broken out of its line"
        code = lines[1].split()[1]
        assert call.article.count(code) == 3, name
        assert code not in lines[2], name
        assert lines[1] == f"----- {code} article begins -----", name
        assert lines[3] == f"----- {code} article ends -----", name
        found = article_in(call)
        assert set(found) == {"title", "description", "text", "language"}, name
        for value in found.values():
            assert all(char.isprintable() or char in "\n\u200c\u200d" for char in value), name
        assert estimate_tokens(lines[2]) < INPUT_TOKENS * 1.5, name


@pytest.mark.parametrize("obedience", OBEDIENT)
async def test_obeying_the_article_changes_nothing_but_words(
    obedience: str, server: LlmServer, model: ModelAnalyzer
) -> None:
    server.respond(OBEDIENT[obedience])
    for name in ARTICLES:
        hostile = subject(name, server)
        result = await model.analyze(hostile)
        assert server.other_paths == [], f"something from {name} was fetched"
        match result:
            case AnalysisFailed():
                assert (obedience, result.kind) == ("word for word", FailureKind.INVALID), name
            case Analyzed(analysis=analysis):
                assert validate(analysis) == (), name
                assert set(to_json(analysis)) == {*good_answer(), "model", "prompt_version"}, name
                assert (analysis.model, analysis.prompt_version) == ("obedient-1", PROMPT.version), name
                if model.name == "openai":
                    # Whatever wire it came over, it is shown by the same code.
                    assert_shown_as_text(hostile, analysis)


def assert_shown_as_text(hostile: Subject, analysis: Analysis) -> None:
    shown = replace(entry(), title=hostile.title, snippet=hostile.description, analysis=analysis)
    for embedded in (False, True):
        rss = render_rss(CHANNEL, [shown], embedded=embedded).whole
        atom = render_atom(CHANNEL, [shown], embedded=embedded)
        feed = render_json_feed(CHANNEL, [shown], embedded=embedded)
        assert rss_problems(rss, NOW) == []
        assert atom_problems(atom, NOW) == []
        assert json_feed_problems(feed, NOW) == []
        for document in (rss, atom):
            root = etree.fromstring(document.encode(), etree.XMLParser(resolve_entities=False))
            assert root.getroottree().docinfo.doctype == ""
            names = {etree.QName(node).localname for node in root.iter() if isinstance(node.tag, str)}
            assert names.isdisjoint({"script", "img", "svg", "iframe", "style", "meta"})
        assert len(json.loads(feed)["items"]) == 1


async def test_an_answer_that_repeats_the_code_of_the_fence_is_not_taken(
    server: LlmServer, model: ModelAnalyzer
) -> None:
    server.respond(lambda call: Answer(text=answer_text(title=call.article.splitlines()[1])))
    result = await model.analyze(subject("leak the code", server))
    assert isinstance(result, AnalysisFailed)
    assert "code of the fence" in result.message
