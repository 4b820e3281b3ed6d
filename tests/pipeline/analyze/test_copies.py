"""Copies of a text share its summary and facts; their titles are scored for themselves."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest

from inforadar.actions.analyze_again import analyze_again
from inforadar.app.analysis import open_analysis
from inforadar.config import Settings, load_settings
from inforadar.model.article import Extracted
from inforadar.model.ids import ItemId
from inforadar.pipeline.group.stage import GroupStage
from inforadar.stages.analyze.local.version import model_name
from inforadar.store.articles.claims import claim_articles
from inforadar.store.articles.save import ArticleEnding, save_article
from inforadar.store.database import Database
from inforadar.store.schema.items import items
from tests.store.making import add_feed, collect, listed, rows
from tests.support.llm_server import Answer, LlmServer, answer_text

WIRE = (
    "A magnitude 6.1 earthquake struck Bolvania near the town of Grandel on Tuesday, killing 7 people, the Seismic "
    "Institute in Karhold said. Mayor Ilena Torvald said rescuers were searching the ruins of 40 houses. The railway "
    "to Karhold was closed, and the government promised 12 million crowns to those who lost their homes."
)


WIRE_IN_SWEDISH = (
    "Ett jordskalv av magnitud 6,1 drabbade Bolvanien nära staden Grandel på tisdagen och dödade sju människor, uppger "
    "det seismiska institutet i Karhold. Borgmästaren Ilena Torvald säger att räddningsarbetare söker i ruinerna av "
    "40 hus. Järnvägen till Karhold stängdes, och regeringen lovade 12 miljoner kronor till dem som förlorat sina hem."
)


def scores(value: float) -> dict[str, object]:
    names = ("framing", "clickbait", "persuasive", "hyper_stimulus", "speculative", "overall")
    return {name: {"value": value, "reason": "A reason.", "words": []} for name in names}


@pytest.fixture
async def wire(database: Database) -> tuple[ItemId, ItemId]:
    """A wire text and its copy under another title, grouped."""
    return await make_wire(database, WIRE, "Earthquake kills 7 in Grandel", "HORROR in Grandel!")


async def make_wire(database: Database, text: str, plain: str, loud: str) -> tuple[ItemId, ItemId]:
    titles = {"https://wire.example/1": plain, "https://loud.example/1": loud}
    for url, title in titles.items():
        feed = await add_feed(database, url.replace("/1", "/feed"))
        await collect(database, feed, listed(url, title=title))
    for job in await database.write(claim_articles, 10):
        result = Extracted(clean_text=text, markdown=text)
        await database.write(save_article, ArticleEnding(job=job, at=datetime.now(UTC), result=result))
    await GroupStage(database=database, now=lambda: datetime.now(UTC), use_vectors=False).run_once()
    found = {row.url: row.id for row in await rows(database, items)}
    original, copy = (ItemId(UUID(str(found[url]))) for url in titles)
    return original, copy


def model(tmp_path: Path, server: LlmServer) -> Settings:
    ai = {"type": "openai", "base_url": server.base_url("openai"), "model": "tiny-1", "concurrency": 4}
    return load_settings(tmp_path, {}).replaced(ai=ai)


async def test_a_model_is_asked_once_for_a_text_and_each_title_is_scored_for_itself(
    database: Database, wire: tuple[ItemId, ItemId], tmp_path: Path
) -> None:
    answer = answer_text(summary="Seven died.", facts=["Seven people died."], scores=scores(0.123))
    async with LlmServer() as server:
        server.respond(Answer(text=answer))
        settings = model(tmp_path, server)
        async with open_analysis(settings, database, now=lambda: datetime.now(UTC)) as stage:
            assert await stage.run_once() == {"analyzed": 2}
            assert await analyze_again(database, stage.analyzers) == 0
        assert len(server.calls) == 1
    told = {row.id: row for row in await rows(database, items)}
    (original, copy) = sorted(wire, key=lambda item: told[item].score != 0.123)
    assert told[original].score == 0.123
    assert told[copy].score != 0.123
    assert told[original].analyzer_result["model"] == "tiny-1"
    assert told[copy].analyzer_result["model"] == f"tiny-1 + {model_name()}"
    assert told[copy].analyzer_result["summary"] == "Seven died."
    assert told[copy].analyzer_result["facts"] == ["Seven people died."]


async def test_a_model_scores_the_title_of_a_copy_in_a_language_that_is_not_measured_here(
    database: Database, tmp_path: Path
) -> None:
    wire = await make_wire(database, WIRE_IN_SWEDISH, "Sju döda i Grandel", "SKRÄCK i Grandel!")
    async with LlmServer() as server:
        server.respond(
            Answer(text=answer_text(summary="Seven died.", facts=["Seven people died."], scores=scores(0.1))),
            Answer(text=answer_text(summary="Other.", facts=["Other."], title="Quake", scores=scores(0.9))),
        )
        async with open_analysis(model(tmp_path, server), database, now=lambda: datetime.now(UTC)) as stage:
            assert await stage.run_once() == {"analyzed": 2}
        whole, brief = (call.article for call in server.calls)
    told = {row.id: row for row in await rows(database, items)}
    # Grouping decides which of the two is the original; it is asked about first, and alone with its text.
    assert "Järnvägen" in whole
    assert "Järnvägen" not in brief
    assert "Seven died." in brief
    (first, second) = sorted(wire, key=lambda item: told[item].score)
    assert [told[item].score for item in (first, second)] == [0.1, 0.9]
    assert told[second].analyzer_result["title"] == "Quake"
    for field in ("summary", "facts"):
        assert told[first].analyzer_result[field] == told[second].analyzer_result[field]


async def test_a_copy_is_analyzed_by_itself_where_the_model_differs(
    database: Database, wire: tuple[ItemId, ItemId], tmp_path: Path
) -> None:
    async with LlmServer() as server:
        async with open_analysis(model(tmp_path, server), database, now=lambda: datetime.now(UTC)) as stage:
            assert await stage.run_once(limit=1) == {"analyzed": 1}
        settings = model(tmp_path, server).replaced(ai={"model": "large-1"})
        async with open_analysis(settings, database, now=lambda: datetime.now(UTC)) as stage:
            assert await stage.run_once() == {"analyzed": 1}
        assert all("railway" in call.article for call in server.calls)
