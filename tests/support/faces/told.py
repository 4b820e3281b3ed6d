"""An event told by several outlets in two languages, beside another event: what the faces of stories show."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from inforadar.model.article import Extracted
from inforadar.model.ids import StoryId
from inforadar.pipeline.group.stage import GroupStage
from inforadar.store.stories.queries import load_story_ids
from tests.support.faces.newsroom import Newsroom, analysis

QUAKE = (
    "A magnitude 6.1 earthquake struck Bolvania near the town of Grandel on Tuesday, killing 7 people, "
    "the Seismic Institute in Karhold said. Mayor Ilena Torvald said rescuers were searching 40 houses."
)
QUAKE_2 = (
    "The quake of magnitude 6.1 left 9 dead in Grandel, Bolvania, on Tuesday. Rescue teams searched the ruins of "
    "40 houses, mayor Ilena Torvald told reporters; the Seismic Institute in Karhold measured it. "
    '"We need tents and clean water before the night comes," Torvald <b>said</b>.'
)
BUDGET = (
    "The parliament of Sorrenia approved next year's budget of 310 billion crowns on Tuesday after a debate of nine "
    "hours. Finance minister Marek Dolan called the vote a victory, while the Green Alliance abstained."
)
BUDGET_2 = (
    "Sorrenia's parliament passed a budget of 310 billion crowns after nine hours of quarrel on Tuesday. "
    "The Green Alliance abstained; finance minister Marek Dolan spoke of a victory."
)
TOLD = (
    ("One", "world", "Earthquake in Grandel: mayor <b>Torvald</b> speaks", QUAKE, 0.2),
    ("Two", "world", "Nine dead as quake hits Grandel in Bolvania", QUAKE_2, 0.4),
    ("Three", "world", "SHOCK: Grandel quake horror", QUAKE_2, 0.9),
    ("Four", "politics", "Sorrenia passes budget of 310 billion crowns", BUDGET, 0.0),
    ("Five", "politics", "Parliament of Sorrenia passes budget of 310 billion", BUDGET_2, 1.0),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    quake: StoryId
    budget: StoryId


async def tell(newsroom: Newsroom) -> Told:
    """Add both events, `Three` repeating the text of `Two`, and group them."""
    now = datetime.now(UTC)
    items = []
    for place, (source, topic, title, text, _) in enumerate(TOLD):
        feed = await newsroom.add_feed(f"https://{source.lower()}.example/feed", source=source, topic=topic)
        url = f"https://{source.lower()}.example/1"
        at = now - timedelta(hours=5 - place)
        items.append(await newsroom.add_item(feed, url, title=title, published_at=at, language="en"))
        await newsroom.finish_articles({url: Extracted(clean_text=text, markdown=text)})
    await newsroom.finish_analyses(
        {item.url: analysis(score, title=item.title) for item, (*_, score) in zip(items, TOLD, strict=True)}
    )
    stage = GroupStage(database=newsroom.database, now=lambda: datetime.now(UTC), use_vectors=False)
    await stage.run_once()
    found = await newsroom.database.read(load_story_ids, [item.id for item in items])
    quake, budget = found[items[0].id], found[items[3].id]
    assert [found[item.id] for item in items] == [quake] * 3 + [budget] * 2
    return Told(quake=quake, budget=budget)
