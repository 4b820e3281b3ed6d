"""Search on both databases: the same words find the same items."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection, delete, insert, select, update

from inforadar.model.analysis import Analysis, Score, to_json
from inforadar.model.article import Extracted
from inforadar.model.zone import DateCorrection
from inforadar.pipeline.search_index import SearchIndexer
from inforadar.store.analyses.claims import claim_analyses
from inforadar.store.analyses.save import save_analysis
from inforadar.store.articles.claims import claim_articles
from inforadar.store.articles.save import ArticleEnding, save_article
from inforadar.store.database import Database
from inforadar.store.feeds.delete_feeds import purge_feeds
from inforadar.store.items.item_filter import ItemFilter
from inforadar.store.items.one_row import count_items
from inforadar.store.items.pages import load_item_page
from inforadar.store.items.queries import list_items
from inforadar.store.items.redate import redate_feed
from inforadar.store.items.search_index import save_search_words
from inforadar.store.items.search_jobs import load_search_jobs
from inforadar.store.items.search_words import query_words, search_words
from inforadar.store.schema.items import items
from inforadar.store.schema.search import item_search, search_queue
from inforadar.store.schema.stories import story_queue
from tests.store.making import NOW, add_feed, collect, count, listed, set_feed

TITLES = {
    "en": "Minister SLAMS critics: 15th summit",
    "ru": "Ёлка и журналисты обсудили выборы",
    "pl": "Żółty łoś w Łodzi",
    "zh": "北京新闻网报道经济增长",
    "ja": "東京タワーのニュース",
    "ar": "أخبار الاقتصاد اليوم",
    "hi": "हिन्दी समाचार",
    "ko": "한국 뉴스 속보",
    "emoji": "🗞 breaking 🚀",
}
NO_SCORE = Score(value=0.0, reason="")


async def index(database: Database) -> None:
    await SearchIndexer(database=database).run_once()


async def index_some(database: Database, limit: int) -> None:
    jobs, gone = await database.read(load_search_jobs, limit)
    await database.write(save_search_words, [(job, search_words(job.texts)) for job in jobs], gone)


async def found(database: Database, query: str) -> set[str]:
    shown = await database.read(list_items, ItemFilter(query=query))
    assert len(shown) == await database.read(count_items, ItemFilter(query=query))
    return {item.url.rpartition("/")[2] for item in shown}


async def fill(database: Database) -> None:
    feed = await add_feed(database)
    await collect(
        database,
        feed,
        *(listed(f"https://example.com/{name}", title=title) for name, title in TITLES.items()),
    )
    await index(database)


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("minister", {"en"}),
        ("CRITICS minister", {"en"}),
        ("minister nobody", set()),
        ("minis", set()),
        ("minis*", {"en"}),
        ("15th", {"en"}),
        ("елка", {"ru"}),
        ("ВЫБОРЫ", {"ru"}),
        ("zolty los lodzi", {"pl"}),
        ("新闻", {"zh"}),
        ("新闻网", {"zh"}),
        ("闻报", set()),
        ("北", {"zh"}),
        ("长", {"zh"}),
        ("京新闻 经济", {"zh"}),
        ("タワー", {"ja"}),
        ("ﾀﾜｰ", {"ja"}),
        ("東京", {"ja"}),
        ("京", {"zh", "ja"}),
        ("الاقتصاد", {"ar"}),
        ("हिन्दी", {"hi"}),
        ("뉴스", {"ko"}),
        ("breaking", {"emoji"}),
        ("🚀", set()),
        ("", set()),
        ("...", set()),
    ],
)
async def test_words_of_any_script_find_their_items(database: Database, query: str, names: set[str]) -> None:
    await fill(database)
    assert await found(database, query) == names


@pytest.mark.parametrize(
    "query",
    [
        '"', "'", "''", '"unclosed', "a AND", "OR", "NOT", "NEAR(a b", "words:minister", "*", "**",
        "(", ")", "^a", "a:*", "a & b | !c", "<->", "\\", "'; DROP TABLE items; --", "{a b}:c", "\x00", "a\x00b",
        "\ud800", "%", "_", "a" * 5000, " ".join(f"w{n}" for n in range(500)), "\u202e", "+", "a+b", "´`",
    ],
)  # fmt: skip
async def test_hostile_queries_find_nothing_wrong_and_never_fail(database: Database, query: str) -> None:
    await fill(database)
    assert await found(database, query) <= {"en"}


@given(st.text(max_size=60))
def test_every_text_is_found_by_each_of_its_words(text: str) -> None:
    words = set(search_words([text]).split(" "))
    for word in query_words(text):
        assert word.text in words or any(one.startswith(word.text) for one in words)
        assert word.text.isprintable() or not word.text.isascii()
        assert not set(word.text) & set(" \"'\\&|!()*:<>")


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (["snake_case __init__"], "snake case init"),
        (["Same", None, "same other"], "same other"),
        (["End", "\u0301start"], "end start"),
        (["हिन्दी 🚀 हिन्दी"], "हिन्दी"),
        (["\U00011107\U00011127\U00011133 \U0001f680 x"], "\U00011107\U00011127\U00011133 x"),
        (["abc新闻def 新闻"], "abc 新闻 闻 def"),
        (["x" * 100 + " " + "x" * 64], "x" * 64),
    ],
    ids=["underscore", "once", "accent", "marks", "far marks", "signs", "long"],
)
def test_texts_become_words(texts: list[str | None], words: str) -> None:
    assert search_words(texts) == words


@given(text=st.text(st.characters(max_codepoint=127)))
def test_a_text_in_ascii_is_folded_as_any_other(text: str) -> None:
    words = search_words([text])
    assert search_words([text, "新"]) == f"{words} 新".strip()


async def test_text_and_neutral_title_are_found_once_they_are_there(database: Database) -> None:
    feed = await add_feed(database)
    await collect(database, feed, listed("https://example.com/1", title="Old headline", snippet="A teaser"))
    await index(database)
    assert await found(database, "headline teaser") == {"1"}
    (article,) = await database.write(claim_articles, 10)
    ending = ArticleEnding(job=article, at=NOW, result=Extracted(clean_text="Полный текст", markdown=""))
    await database.write(save_article, ending)
    await index(database)
    assert await found(database, "headline текст") == {"1"}
    (job,) = await database.write(claim_analyses, 10)
    names = ("framing", "clickbait", "persuasive", "hyper_stimulus", "speculative", "overall")
    texts = ("title_reason", "description", "description_reason", "summary", "category", "language", "model")
    analysis = Analysis(
        title="A neutral wording",
        facts=(),
        prompt_version="1",
        **dict.fromkeys(texts, ""),
        **dict.fromkeys(names, NO_SCORE),
    )
    await database.write(save_analysis, job, to_json(analysis), 0.0, NOW)
    await index(database)
    assert await found(database, "neutral headline текст") == {"1"}
    await collect(database, feed, listed("https://example.com/1", title="New heading", snippet="A teaser"))
    await index(database)
    assert await found(database, "headline") == set()
    assert await found(database, "heading neutral") == {"1"}


async def test_what_is_disabled_or_gone_is_not_found(database: Database) -> None:
    await fill(database)
    feed = await add_feed(database, "https://other.example/feed")
    await collect(database, feed, listed("https://other.example/more", title="Another minister"))
    await index(database)
    assert await found(database, "minister") == {"en", "more"}
    await set_feed(database, feed, enabled=False)
    assert await found(database, "minister") == {"en"}
    await database.write(purge_feeds, [feed.id])
    assert await found(database, "another") == set()
    assert await count(database, item_search) == len(TITLES)
    assert await count(database, search_queue) == 0


async def test_the_newest_have_the_highest_ids(database: Database) -> None:
    feed = await add_feed(database)
    ages = (3, 0, 2, 1)
    entries = [
        listed(f"https://example.com/{age}", title="Same", published_at=NOW - timedelta(days=age))
        for age in ages
    ]
    await collect(database, feed, *entries)
    await index(database)
    shown = await database.read(list_items, ItemFilter(query="same"))
    assert [item.url[-1] for item in shown] == ["0", "1", "2", "3"]


async def test_items_that_would_share_a_place_in_the_index_get_two(database: Database) -> None:
    """Tens of thousands of a sitemap's items can have the same second."""
    feed = await add_feed(database)
    await collect(database, feed, *(listed(f"https://example.com/{n}", title=f"Same {n}") for n in range(3)))

    def make_alike(connection: Connection) -> None:
        connection.execute(delete(story_queue))
        ids = list(connection.execute(select(items.c.id)).scalars())
        for number, old in enumerate(ids):
            alike = UUID(int=7 + number * 2**40)
            connection.execute(update(items).where(items.c.id == old).values(id=alike))
            connection.execute(insert(search_queue).values(item_id=alike))

    await database.write(make_alike)
    await index_some(database, 4)
    await index(database)
    assert await found(database, "same") == {"0", "1", "2"}
    assert [len(await found(database, str(n))) for n in range(3)] == [1, 1, 1]


async def test_a_process_that_was_slow_does_not_overwrite_newer_words(database: Database) -> None:
    feed = await add_feed(database)
    await collect(database, feed, listed(title="Old"))
    slow, _ = await database.read(load_search_jobs, 10)
    await collect(database, feed, listed(title="New"))
    await index(database)
    await database.write(save_search_words, [(job, search_words(job.texts)) for job in slow], ())
    assert await found(database, "new") == {"1"}
    assert await found(database, "old") == set()


async def test_changes_of_one_item_are_one_job_and_what_is_gone_is_none(database: Database) -> None:
    feed = await add_feed(database)
    await collect(database, feed, *(listed(f"https://example.com/{n}", title="Old") for n in range(2)))
    await collect(database, feed, *(listed(f"https://example.com/{n}", title="New") for n in range(2)))
    jobs, gone = await database.read(load_search_jobs, 10)
    assert [(len(job.changes), job.texts[0]) for job in jobs] == [(2, "New")] * 2
    assert gone == []
    await database.write(lambda c: c.execute(delete(items).where(items.c.url.endswith("0"))))
    await database.write(save_search_words, [(job, search_words(job.texts)) for job in jobs], gone)
    assert await found(database, "new") == {"1"}
    assert await count(database, item_search) == 1
    assert await count(database, search_queue) == 0
    await database.write(lambda c: c.execute(insert(search_queue).values(item_id=UUID(str(jobs[0].item_id)))))
    await index(database)
    assert await count(database, search_queue) == 0


async def test_what_changed_last_is_found_first(database: Database) -> None:
    feed = await add_feed(database)
    await collect(database, feed, *(listed(f"https://example.com/{n}", title="Same") for n in range(5)))
    await collect(database, feed, listed("https://example.com/new", title="Same"))
    await index_some(database, 1)
    assert await found(database, "same") == {"new"}


async def test_every_word_of_a_long_query_counts(database: Database) -> None:
    feed = await add_feed(database)
    title = " ".join(f"слово{n}" for n in range(100))
    chinese = "".join(chr(0x4E00 + n) for n in range(900))
    await collect(database, feed, listed("https://example.com/words", title=title, snippet=chinese))
    await index(database)
    assert await found(database, title) == {"words"}
    assert await found(database, f"{title} другое") == set()
    assert await found(database, chinese) == {"words"}
    assert await found(database, f"{chinese}报") == set()


async def order(database: Database, query: str) -> list[str]:
    page = await database.read(load_item_page, ItemFilter(query=query))
    return [item.url[-1] for item in page.items]


async def test_hits_are_newest_first_after_a_date_changed(database: Database) -> None:
    feed = await add_feed(database)
    days = {str(n): NOW - timedelta(days=n) for n in range(3)}
    await collect(
        database,
        feed,
        *(
            listed(f"https://example.com/{name}", title="Новости", published_at=at)
            for name, at in days.items()
        ),
    )
    await index(database)
    assert await order(database, "новости") == ["0", "1", "2"]
    correction = DateCorrection(url="https://example.com/2", before=days["2"], after=NOW + timedelta(hours=1))
    assert await database.write(redate_feed, feed.id, [correction], at=NOW) == 1
    await index(database)
    assert await order(database, "новости") == ["2", "0", "1"]
    assert await order(database, "новост*") == ["2", "0", "1"]
    assert await count(database, item_search) == 3
    assert await count(database, search_queue) == 0


async def test_an_entry_of_the_queue_whose_id_is_given_again_is_not_taken_for_the_former_one(
    database: Database,
) -> None:
    feed = await add_feed(database)
    await collect(database, feed, listed("https://example.com/1", title="harbour"))
    jobs, gone = await database.read(load_search_jobs, 10)
    late = [(job, search_words(job.texts)) for job in jobs]
    await index(database)
    # SQLite gives an id again: this item is queued under the one that the slow process still has in its hands.
    await collect(database, feed, listed("https://example.com/2", title="ferry"))
    await database.write(save_search_words, late, gone)
    await index(database)
    assert await found(database, "ferry") == {"2"}
    assert await found(database, "harbour") == {"1"}


async def test_words_of_a_text_that_changed_meanwhile_are_made_again(database: Database) -> None:
    feed = await add_feed(database)
    await collect(database, feed, listed("https://example.com/1", title="harbour"))
    jobs, gone = await database.read(load_search_jobs, 10)
    late = [(job, search_words(job.texts)) for job in jobs]
    await index(database)
    await database.write(lambda c: c.execute(update(items).values(title="ferry")))
    await database.write(save_search_words, late, gone)
    await index(database)
    assert await found(database, "ferry") == {"1"}
    assert await found(database, "harbour") == set()
