"""What an obedient model was made to say, on the pages: words, and nothing that runs or fetches."""

from __future__ import annotations

from lxml import html

from inforadar.model.analysis import Subject
from inforadar.model.article import Extracted
from inforadar.stages.analyze import analyzer_class
from inforadar.stages.analyze.base import Analyzed
from inforadar.stages.analyze.llm.endpoint import Access
from inforadar.stages.analyze.llm.limiter import RateLimiter
from inforadar.stages.analyze.llm.prompt import load_prompt
from tests.support.faces.fixtures import Page
from tests.support.faces.newsroom import ANALYSIS, Newsroom
from tests.support.llm_server import LlmServer
from tests.support.llm_server.hostile import ARTICLES, obey_in_form, written

LOADS = ("script", "img", "iframe", "object", "embed", "style", "svg", "video", "audio", "base", "form")


async def test_what_hostile_articles_made_a_model_say_stays_text_on_every_page(
    newsroom: Newsroom, page: Page
) -> None:
    feed = await newsroom.add_feed()
    plain = await newsroom.add_item(feed, "https://news.example/plain")
    results, items = {plain.url: ANALYSIS}, {}
    async with LlmServer() as server:
        server.respond(obey_in_form)
        model = analyzer_class("openai")(
            model="obedient-1",
            prompt=load_prompt("deframe"),
            access=Access(api_key="k", base_url=server.base_url("openai")),
            limiter=RateLimiter(),
        )
        for number, name in enumerate(ARTICLES):
            title, text = written(name, f"{server.origin}/canary")
            url = f"https://news.example/{number}"
            result = await model.analyze(Subject(url=url, title=title, description="", text=text))
            assert isinstance(result, Analyzed), name
            results[url] = result.analysis
            items[name] = await newsroom.add_item(feed, url, title=title[:1000])
        await model.close()
        texts = {url: Extracted(clean_text=found.summary, markdown="") for url, found in results.items()}
        await newsroom.finish_articles(texts)
        await newsroom.finish_analyses(results)

        # The pages have scripts, pictures and a search form of their own; an article must bring none.
        own = {*_loading(await page(f"/item/{plain.id}")), ("form", "/")}
        for name, item in items.items():
            shown = await page(f"/item/{item.id}")
            assert set(_loading(shown)) <= own, name
            assert not any(attribute.startswith("on") for attribute in _attributes(shown)), name
        assert set(_loading(await page("/", limit="500"))) <= own
        assert server.other_paths == []


def _loading(document: str) -> list[tuple[str, str]]:
    """Elements that run or fetch something, each with its address."""
    found = []
    for node in html.fromstring(document).iter(*LOADS, "link", "meta"):
        where = node.get("src") or node.get("href") or node.get("action") or node.get("content") or ""
        is_data = node.tag in {"meta", "link"} and "refresh" not in node.get("http-equiv", "")
        found.append((str(node.tag), "" if is_data else where))
    return found


def _attributes(document: str) -> set[str]:
    return {name for node in html.fromstring(document).iter() for name in node.attrib}
