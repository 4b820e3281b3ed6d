"""Rules that ask for changes after publication: `changed:number` and others, from the page to the message."""

from __future__ import annotations

import re

from sqlalchemy import insert, select, update

from inforadar.actions.rules.manage import add_rule
from inforadar.clock import utc_now
from inforadar.model.person import FIRST_PERSON
from inforadar.model.rule import RuleActions
from inforadar.pipeline.search_index import SearchIndexer
from inforadar.store.database import Database
from inforadar.store.items.item_filter import ItemFilter
from inforadar.store.items.one_row import count_items
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.items import items
from inforadar.store.schema.revisions import article_revisions
from inforadar.store.schema.stories import stories, story_items
from inforadar.views.messages import message_html, message_text
from tests.pipeline.canonical_fixtures import Open, settings, worker
from tests.pipeline.notify.receiving import add_hook, notifier, publish, receiver
from tests.pipeline.revise.test_stage import FIRST, SECOND, collected, look, page
from tests.store.making import add_feed, collect, listed
from tests.support.site.answers import html
from tests.support.site.server import Site

__all__ = ["settings", "worker"]

NOTIFY = RuleActions(notify=("hook",))


async def _same_story(database: Database, url: str) -> None:
    """Another outlet that tells the same story in the words of the first version."""
    other = await add_feed(database, "https://other.example/feed")
    text = FIRST[0].replace("early on Tuesday", "on Tuesday")
    entry = listed("https://other.example/ferry", title="Ferry aground", snippet=text)
    await collect(database, other, entry, at=utc_now())

    def group(connection) -> None:  # type: ignore[no-untyped-def]
        connection.execute(update(feeds).where(feeds.c.id == other.id).values(source="The Other"))
        made = insert(stories).values(began_at=utc_now(), last_at=utc_now()).returning(stories.c.id)
        story = connection.execute(made).scalar_one()
        for (item_id,) in connection.execute(select(items.c.id)).all():
            row = {"item_id": item_id, "story_id": story, "at": utc_now(), "version": 1}
            connection.execute(insert(story_items).values(**row))

    await database.write(group)


async def test_a_rule_asking_for_changed_numbers_tells_each_change_once_with_diff_times_and_others(
    site: Site, database: Database, worker: Open
) -> None:
    async with (
        receiver() as hook,
        notifier(database) as stage,
        collected(site, database, worker) as (_, looks, url),
    ):
        await _same_story(database, url)
        await add_hook(database, hook.url)
        await add_rule(database, FIRST_PERSON, "Numbers", "ferry changed:number", NOTIFY)
        await add_rule(database, FIRST_PERSON, "Names", "changed:name", NOTIFY)

        async def told() -> int:
            await SearchIndexer(database=database).run_once()
            await stage.run_once()
            return len(hook.bodies)

        assert await told() == 0, "published before the rule, and not changed"
        site.respond("/articles/1", html(page(SECOND), ETag='"2"'))
        assert await look(looks, database) == {"changed": 1}
        assert [await told(), await told()] == [1, 1]
        third = (SECOND[0], SECOND[1].replace("312", "318"), SECOND[2])
        site.respond("/articles/1", html(page(third), ETag='"3"'))
        assert await look(looks, database) == {"changed": 1}
        assert [await told(), await told()] == [2, 2], "a second change in the same story"

    first, second = hook.bodies
    (item,) = first["items"]
    change = item["change"]
    assert item["url"] == url
    assert "number" in change["kinds"]
    assert change["before"]["seen_at"] < change["after"]["seen_at"] == change["at"]
    assert change["before"]["hash"] != change["after"]["hash"]
    assert [(other["source"], other["says_old"]) for other in change["other_outlets"]] == [
        ("The Other", True)
    ]
    assert first["title"].startswith("Changed by ")
    assert re.search(r"\[-[^\]]*leaving 40 people injured[^\]]*-\]", first["text"])
    assert "The Other still says: “" in first["text"]
    assert re.search("<del>[^<]*leaving 40 people injured[^<]*</del>", message_html(first))
    assert "[-312-] {+318+}" in second["text"]
    assert ("Score of the wording" in first["text"]) == (change["score_before"] is not None)


async def test_each_kind_of_change_can_be_searched_for(site: Site, database: Database, worker: Open) -> None:
    async with collected(site, database, worker) as (_, looks, _url):
        site.respond("/articles/1", html(page(SECOND), ETag='"2"'))
        await look(looks, database)

    async def found(query: str) -> int:
        return await database.read(count_items, ItemFilter(query=query, person_id=FIRST_PERSON))

    for query in ("changed:number", "changed:numbers", "changed:yes", "changed:significant", "changed:1h"):
        assert await found(query) == 1, query
    for query in ("changed:quotation", "changed:title", "changed:tags", "-changed:number"):
        assert await found(query) == 0, query
    for kind in ("title", "removed", "name", "quotation", "score"):
        await database.write(lambda c, k=kind: c.execute(update(article_revisions).values(kinds=[k, "typo"])))
        assert await found(f"changed:{kind}") == 1, kind
        assert await found("changed:number") == 0
    await database.write(lambda c: c.execute(update(article_revisions).values(is_noise=True)))
    assert await found("changed:yes") == 0


async def test_a_title_that_the_feed_changes_is_told_with_both_and_a_counter_is_not(
    database: Database,
) -> None:
    feed = await add_feed(database)
    await publish(database, feed, a="Four <b>dead</b>")
    async with receiver() as hook, notifier(database) as stage:
        await add_hook(database, hook.url)
        await add_rule(database, FIRST_PERSON, "Titles", "changed:title", NOTIFY)
        await add_rule(database, FIRST_PERSON, "All", "changed:yes", NOTIFY)
        await publish(database, feed, a="Five <b>dead</b>")
        await stage.run_once()
        await stage.run_once()
        assert sorted(body["rules"][0] for body in hook.bodies) == ["All", "Titles"]
        entry = listed("https://example.com/a", title="Five <b>dead</b>", bookmarks=7)
        await collect(database, feed, entry, at=utc_now())
        await SearchIndexer(database=database).run_once()
        await stage.run_once()
    assert len(hook.bodies) == 2
    body = hook.bodies[0]
    assert body["items"][0]["change"]["fields"] == {"title": ["Four <b>dead</b>", "Five <b>dead</b>"]}
    assert "title: [-Four-]" in message_text(body)
    assert "<del>Four" in message_html(body)
    assert "&lt;b&gt;" in message_html(body)
