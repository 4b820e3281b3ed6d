"""Rules: what they match, what they do, and what their messages say."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta

import pytest
from sqlalchemy import insert, select, update
from standardwebhooks.webhooks import Webhook

from inforadar.actions.rules.channels import add_channel, resend_message, send_test_message
from inforadar.actions.rules.from_settings import apply_settings_rules
from inforadar.actions.rules.manage import add_rule, edit_rule, remove_rule, try_query
from inforadar.clock import utc_now
from inforadar.errors import ConfigError, UsageError
from inforadar.model.person import FIRST_PERSON
from inforadar.model.rule import Digest, EventKind, Quiet, RuleActions, parse_digest, parse_quiet
from inforadar.pipeline.search_index import SearchIndexer
from inforadar.store.database import Database
from inforadar.store.people.marks import load_marks
from inforadar.store.rules.queries import find_rule, load_channels, load_deliveries, load_rules
from inforadar.store.rules.save_rules import delete_channel
from inforadar.store.schema.items import items
from inforadar.store.schema.rules import deliveries, events, notifications
from inforadar.store.schema.stories import stories, story_items
from inforadar.store.types import db_later
from inforadar.urls import url_hash
from tests.pipeline.notify.receiving import SECRET, add_hook, known_feed, notifier, publish, receiver
from tests.store.making import add_feed, collect, listed, rows

NOTIFY = RuleActions(notify=("hook",))


async def _let_retry(database: Database) -> None:
    await database.write(
        lambda c: c.execute(
            update(deliveries)
            .where(deliveries.c.state == "pending")
            .values(next_attempt_at=db_later(-1.0), locked_until=None)
        )
    )


async def test_a_match_is_marked_labelled_and_sent_signed_once(database: Database) -> None:
    feed = await known_feed(database)
    async with receiver() as hook, notifier(database) as stage:
        await add_hook(database, hook.url)
        actions = RuleActions(star=True, archive=True, read=True, labels=("sea",), notify=("hook",))
        await add_rule(database, FIRST_PERSON, "Ferries", 'ferry -"<b>old"', actions)
        await publish(database, feed, a="Ferry <b>sinks</b>\nEvil: line", b="Nothing", c="ferry <b>old")
        assert await stage.run_once() == 1
        assert await stage.run_once() == 0
    (headers, body) = hook.requests[0]
    Webhook(SECRET).verify(body, {key.lower(): value for key, value in headers.items()})
    (sent,) = hook.bodies
    assert [item["url"] for item in sent["items"]] == ["https://example.com/a"]
    assert sent["rules"] == ["Ferries"]
    assert "\nEvil" not in sent["text"]
    marks = await database.read(load_marks, FIRST_PERSON, [url_hash("https://example.com/a")])
    (mark,) = marks.values()
    assert None not in (mark.read_at, mark.starred_at, mark.archived_at)
    assert mark.labels == ("sea",)
    rule = await database.read(find_rule, FIRST_PERSON, "ferries")
    assert (rule.match_count, rule.error) == (1, None)


async def test_only_what_is_new_matches_and_the_first_fetch_never_notifies(database: Database) -> None:
    old = await known_feed(database)
    await publish(database, old, before="Ferry before the rule")
    async with receiver() as hook, notifier(database) as stage:
        await add_hook(database, hook.url)
        await add_rule(database, FIRST_PERSON, "R", "ferry", RuleActions(star=True, notify=("hook",)))
        new = await add_feed(database, "https://example.org/feed")
        await collect(
            database, new, listed("https://example.org/1", title="Ferry, first fetch"), at=utc_now()
        )
        await SearchIndexer(database=database).run_once()
        assert await stage.run_once() == 0
        await collect(database, new, listed("https://example.org/2", title="Ferry, second"), at=utc_now())
        await SearchIndexer(database=database).run_once()
        assert await stage.run_once() == 1
    assert [item["url"] for item in hook.bodies[0]["items"]] == ["https://example.org/2"]
    assert (await database.read(find_rule, FIRST_PERSON, "R")).match_count == 2


@pytest.mark.parametrize("on_change", [False, True])
async def test_a_changed_title_matches_again_if_the_rule_says_so(database: Database, on_change: bool) -> None:
    feed = await known_feed(database)
    async with receiver() as hook, notifier(database) as stage:
        await add_hook(database, hook.url)
        await add_rule(database, FIRST_PERSON, "R", "ferry", NOTIFY, on_change=on_change)
        for title in ("Ferry late", "Ferry sinks", "Ferry sinks"):
            await publish(database, feed, a=title)
            await stage.run_once()
    assert [body["items"][0]["title"] for body in hook.bodies] == ["Ferry late", "Ferry sinks"][
        : 1 + on_change
    ]


async def test_a_story_is_told_once_with_all_its_sources(database: Database) -> None:
    feeds = [await known_feed(database, f"https://example.com/{n}", source=f"S{n}") for n in range(3)]

    async def group(*names: str) -> None:
        def write(connection) -> None:  # type: ignore[no-untyped-def]
            story = (
                connection.execute(select(stories.c.id)).scalar()
                or connection.execute(
                    insert(stories).values(began_at=utc_now(), last_at=utc_now()).returning(stories.c.id)
                ).scalar_one()
            )
            for name in names:
                item = (
                    select(items.c.id).where(items.c.url == f"https://example.com/{name}").scalar_subquery()
                )
                connection.execute(
                    insert(story_items).values(item_id=item, story_id=story, at=utc_now(), version=1)
                )

        await database.write(write)

    async with receiver() as hook, notifier(database) as stage:
        await add_hook(database, hook.url)
        await add_rule(database, FIRST_PERSON, "R", "ferry", NOTIFY)
        await publish(database, feeds[0], a="Ferry sinks")
        await publish(database, feeds[1], b="A ferry sank")
        await group("a", "b")
        assert await stage.run_once() == 1
        await publish(database, feeds[2], c="The ferry that sank")
        await group("c")
        assert await stage.run_once() == 0
    (item,) = hook.bodies[0]["items"]
    assert (item["source"], item["also_from"]) == ("S0", ["S1"])


async def test_failures_are_retried_then_given_up_and_can_be_sent_again(database: Database) -> None:
    feed = await known_feed(database)
    async with receiver() as hook, notifier(database) as stage:
        await add_hook(database, hook.url)
        await add_rule(database, FIRST_PERSON, "R", "ferry", NOTIFY)
        hook.status = 503
        await publish(database, feed, a="Ferry")
        assert await stage.run_once() == 0
        (waiting,) = await database.read(load_deliveries)
        assert waiting.next_attempt_at is not None
        delay = (waiting.next_attempt_at - utc_now()).total_seconds()
        assert 5 < delay <= 11
        for _ in range(8):
            await _let_retry(database)
            await stage.run_once()
        (dead,) = await database.read(load_deliveries)
        assert (dead.state, dead.attempts, dead.error) == ("dead", 9, "The receiver answered 503.")
        assert "given up" in ((await database.read(find_rule, FIRST_PERSON, "R")).error or "")
        hook.status = 200
        await resend_message(database, dead.id)
        assert await stage.run_once() == 1
    assert len({headers["webhook-id"] for headers, _ in hook.requests}) == 1
    assert (await database.read(load_channels))[0].error is None


async def test_a_channel_that_hangs_delays_no_other(database: Database) -> None:
    feed = await known_feed(database)
    async with receiver() as slow, receiver() as quick, notifier(database, timeout_s=0.5) as stage:
        slow.hangs = True
        await add_hook(database, slow.url, "slow")
        await add_hook(database, quick.url, "quick")
        await add_rule(database, FIRST_PERSON, "R", "ferry", RuleActions(notify=("slow", "quick")))
        await publish(database, feed, a="Ferry")
        assert await stage.run_once() == 1
    assert len(quick.requests) == 1
    states = {one.channel: one.state.value for one in await database.read(load_deliveries)}
    assert states == {"slow": "pending", "quick": "sent"}


async def test_a_private_address_is_refused_with_the_setting_that_allows_it(database: Database) -> None:
    async with receiver() as hook, notifier(database, allowed=()) as stage:
        await add_hook(database, hook.url)
        failure = await send_test_message(database, stage.sender, "hook", utc_now())
    assert failure is not None
    assert failure.is_final
    assert "FETCHER_ALLOWED_NETWORKS" in failure.message
    assert not hook.requests


async def test_many_matches_are_one_message_and_the_limit_postpones_the_rest(database: Database) -> None:
    feed = await known_feed(database)
    async with receiver() as hook, notifier(database) as stage:
        await add_hook(database, hook.url, limit=1)
        await add_rule(database, FIRST_PERSON, "R", "ferry", NOTIFY)
        await publish(database, feed, **{f"n{number}": f"Ferry {number}" for number in range(25)})
        assert await stage.run_once() == 1
        await publish(database, feed, more="Ferry again")
        assert await stage.run_once() == 0
    assert (len(hook.bodies[0]["items"]), hook.bodies[0]["more"]) == (20, 5)
    assert "… and 5 more" in hook.bodies[0]["text"]
    (later,) = [row.due_at for row in await rows(database, notifications) if row.due_at]
    assert later > utc_now() + timedelta(minutes=50)


async def test_quiet_hours_and_digests_wait_for_their_time(database: Database) -> None:
    feed = await known_feed(database)
    now = utc_now()
    around = Quiet(
        start=(now - timedelta(hours=1)).time().replace(microsecond=0),
        end=(now + timedelta(hours=1)).time().replace(microsecond=0),
        zone="UTC",
    )
    async with receiver() as hook, notifier(database) as stage:
        await add_hook(database, hook.url, "quiet", quiet=around)
        await add_hook(database, hook.url, "daily", digest=Digest(every="daily"))
        await add_rule(database, FIRST_PERSON, "R", "ferry", RuleActions(notify=("quiet", "daily")))
        await add_rule(database, FIRST_PERSON, "S", "sinks", RuleActions(notify=("daily",)))
        await publish(database, feed, a="Ferry sinks", b="Ship sinks")
        assert await stage.run_once() == 0
        assert all(row.due_at > utc_now() for row in await rows(database, notifications))
        async with notifier(database, now=now + timedelta(days=1, hours=2)) as tomorrow:
            sent = 0
            for _ in range(2):
                await database.write(
                    lambda c: c.execute(update(deliveries).values(next_attempt_at=db_later(-1.0)))
                )
                sent += await tomorrow.run_once()
            assert sent >= 2
    digests = [body for body in hook.bodies if body["type"] == "digest"]
    assert digests[0]["rules"] == ["R", "S"]
    assert len(digests[0]["items"]) == 2


async def test_the_screen_gets_an_event_for_the_owner_alone(database: Database) -> None:
    feed = await known_feed(database)
    async with notifier(database) as stage:
        await add_rule(database, FIRST_PERSON, "R", "ferry", RuleActions(notify=("screen",)))
        await publish(database, feed, a="Ferry")
        await stage.run_once()
    found = [row for row in await rows(database, events) if row.kind == EventKind.MATCH]
    assert [row.payload["person_id"] for row in found] == [FIRST_PERSON.hex]
    numbers = sorted(row.number for row in await rows(database, events))
    assert numbers == list(range(1, len(numbers) + 1))


async def test_a_rule_is_tried_changed_and_removed(database: Database) -> None:
    feed = await known_feed(database)
    await publish(database, feed, a="Ferry", b="Ship")
    trial = await try_query(database, FIRST_PERSON, "ferry OR ship", utc_now())
    assert (trial.count, trial.is_wide) == (2, False)
    await add_rule(database, FIRST_PERSON, "R", "ferry", RuleActions(star=True))
    for name, query, actions in (
        ("r", "x", RuleActions(star=True)),
        ("T", "…", RuleActions(star=True)),
        ("T", "x", RuleActions()),
        ("T", "score:x", RuleActions(star=True)),
        ("", "x", RuleActions(star=True)),
    ):
        with pytest.raises(UsageError):
            await add_rule(database, FIRST_PERSON, name, query, actions)
    changed = await edit_rule(database, FIRST_PERSON, "R", name="S", query="ship")
    assert (changed.name, changed.query, changed.actions.star) == ("S", "ship", True)
    await remove_rule(database, FIRST_PERSON, "S")
    assert not await database.read(load_rules)


async def test_rules_of_the_settings_file_follow_it(database: Database) -> None:
    await apply_settings_rules(
        database, {"Sea": {"query": "ferry", "star": True}, "Old": {"query": "x", "read": True}}
    )
    await apply_settings_rules(database, {"Sea": {"query": "ship", "label": ["sea"], "on_change": True}})
    (rule,) = await database.read(load_rules)
    assert (rule.name, rule.query, rule.actions, rule.on_change) == (
        "Sea",
        "ship",
        RuleActions(labels=("sea",)),
        True,
    )
    with pytest.raises(UsageError, match=r"inforadar\.toml"):
        await remove_rule(database, FIRST_PERSON, "Sea")
    for wrong in ({"R": {"query": "x"}}, {"R": {"query": 1, "star": True}}, {"R": {"querry": "x"}}, {"R": 1}):
        with pytest.raises(ConfigError, match="R"):
            await apply_settings_rules(database, wrong)
    await apply_settings_rules(database, {})
    assert not await database.read(load_rules)


async def test_channels_are_checked(database: Database) -> None:
    await add_channel(database, "phone", "ntfy://topic", schemes=("ntfy",))
    for name, url in (
        ("x", "json://127.0.0.1"),
        ("x", "nonsense"),
        ("screen", "https://x.example"),
        ("phone", "ntfy://a"),
    ):
        with pytest.raises(UsageError):
            await add_channel(database, name, url, schemes=("ntfy",))
    await add_rule(database, FIRST_PERSON, "R", "x", RuleActions(notify=("phone",)))
    with pytest.raises(UsageError, match="used by"):
        await database.write(delete_channel, "phone")


def test_times_of_digests_and_quiet_hours_are_read() -> None:
    at = datetime(2026, 3, 14, 21, 30, tzinfo=UTC)  # a Saturday
    assert parse_digest("daily@08:00", "Europe/Warsaw").next(at) == datetime(2026, 3, 15, 7, tzinfo=UTC)
    assert parse_digest("weekly@mon@06:00", "UTC").next(at) == datetime(2026, 3, 16, 6, tzinfo=UTC)
    assert parse_digest("hourly", "UTC").next(at) == datetime(2026, 3, 14, 22, tzinfo=UTC)
    quiet = parse_quiet("22:00-07:00", "Europe/Warsaw")
    assert quiet.until(at) == datetime(2026, 3, 15, 6, tzinfo=UTC)
    assert quiet.until(datetime(2026, 3, 14, 12, tzinfo=UTC)) is None
    assert quiet.start == time(22)
    for wrong in ("", "daily@25:00", "monthly", "weekly@xyz"):
        with pytest.raises(UsageError):
            parse_digest(wrong, "UTC")
    with pytest.raises(UsageError, match="zone"):
        parse_quiet("22:00-07:00", "Mars/Base")
