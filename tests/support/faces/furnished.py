"""A filled database for the browser: a few feeds in several scripts, with read, analyzed and changed items."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from inforadar.model.analysis import Score
from inforadar.model.article import Extracted
from inforadar.model.item import Item
from inforadar.pipeline.search_index import SearchIndexer
from tests.support.faces.newsroom import Newsroom, analysis

TITLES = {
    "Habr": ("How we cut cold starts by nine tenths", "Чайки и нейросеть: как мы считали птиц"),
    "BBC": ("Minister SLAMS critics in furious row", "Ferry returns to port", "澜屿市旧渡轮改成流动图书馆"),
    "الأخبار": ("مجلس المدينة يفتتح جسرا جديدا للمشاة فوق النهر",),
}
LOADED = "https://bbc.example/0"
"""The article with marked words, an image, a table and earlier versions."""
MARKDOWN = """# A night in parliament

The minister **slams** critics; a *furious* row followed. [The minutes](https://bbc.example/minutes) say more.

![The house at night](https://pictures.example/house.png)

| Vote | Number |
|---|---|
| for | 212 |
"""


async def furnish(newsroom: Newsroom) -> dict[str, Item]:
    """Add the feeds; return the items by title, newest first, one minute apart."""
    at = datetime.now(UTC)
    items: dict[str, Item] = {}
    urls = {"Habr": "habr", "BBC": "bbc", "الأخبار": "akhbar"}
    for source, titles in TITLES.items():
        topic = "world" if source == "BBC" else "python"
        feed = await newsroom.add_feed(
            f"https://{urls[source]}.example/feed", source=source, topic=topic, title=source
        )
        for number, title in enumerate(titles):
            items[title] = await newsroom.add_item(
                feed,
                f"https://{urls[source]}.example/{number}",
                title=title,
                snippet=f"What is said about: {title}",
                author="Tamsin Quill",
                published_at=at - timedelta(minutes=len(items) + 5),
                content="<p>As the feed says: a <b>row</b>.</p>",
                views=2140,
            )
    await newsroom.finish_articles({LOADED: Extracted(clean_text="The minister slams.", markdown=MARKDOWN)})
    framing = Score(value=0.72, reason="A verb of violence.", words=("slams",))
    strong = Score(value=0.9, reason="Strong words.", words=("furious",))
    told = {"title": "Minister answers critics", "framing": framing, "hyper_stimulus": strong}
    await newsroom.finish_analyses({LOADED: analysis(0.81, **told)})
    await newsroom.change(
        items[TITLES["BBC"][0]], title=("Minister answers", TITLES["BBC"][0]), views=(120, 2140)
    )
    await SearchIndexer(database=newsroom.database).run_once()
    return items
