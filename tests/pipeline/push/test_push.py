"""WebSub against a hub of our own: found, verified, renewed, and believed only as far as it proves itself."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import aiohttp
import pytest
from sqlalchemy import update

from inforadar.app.worker import open_worker
from inforadar.clock import utc_now
from inforadar.config import Settings
from inforadar.model.feed import Feed
from inforadar.model.push import PushState, PushSubscription
from inforadar.model.rhythm import PollReason
from inforadar.pipeline.worker import Stage, Worker
from inforadar.store.database import Database
from inforadar.store.feeds.add import insert_feed
from inforadar.store.feeds.save_credentials import save_credentials
from inforadar.store.push.callbacks import MIN_RENEWAL_S
from inforadar.store.push.queries import load_subscription
from inforadar.store.schema.push import push_callbacks, push_subscriptions
from inforadar.store.types import db_later
from tests.pipeline.canonical_fixtures import settings
from tests.store.making import reload, rows, set_due, set_schedule
from tests.support.faces.serving import running
from tests.support.ports import free_port
from tests.support.site.documents import entries, rss
from tests.support.site.hub import CHALLENGE, HUNG_UP, Hub, running_hub
from tests.support.site.server import Site

__all__ = ["settings"]

DAY_S = 86_400


@dataclass
class Pushed:
    """A worker, a server that only people with an account may read, a hub, and a feed that names the hub."""

    database: Database
    site: Site
    hub: Hub
    worker: Worker
    web: aiohttp.ClientSession
    feed: Feed
    extra: Callable[[], str]

    async def collect(self, number: int, *, requested: bool = False, **headers: str) -> Feed:
        """Publish this many entries, fetch the feed as if its time had come, and return it."""
        self.site.feed(
            "/feed.xml", rss(entries(number, self.site.url("/articles")), extra=self.extra()), headers=headers
        )
        if not requested:
            await set_due(self.database, self.feed)
        result, _ = await self.worker.collecting.claim_and_collect()
        assert result.claimed == 1
        return await reload(self.database, self.feed)

    async def push(self, number: int) -> Feed:
        """The hub pushes, and the fetch that this asks for finds this many entries."""
        await set_schedule(self.database, self.feed, fetched_at=db_later(-3600.0))
        assert await self.hub.push() == 202
        assert (await reload(self.database, self.feed)).requested_at is not None
        return await self.collect(number, requested=True)

    async def subscribe(self, **changes: str) -> None:
        await self.worker.push.run_once()
        asked = next(one for one in reversed(self.hub.requests) if one["hub.mode"] == "subscribe")
        assert await self.hub.ask(asked, **changes) == (200, CHALLENGE)

    async def state(self) -> PushSubscription:
        found = await self.database.read(load_subscription, self.feed.id)
        assert found is not None
        return found

    async def set(self, **columns: Any) -> None:
        await self.database.write(lambda c: c.execute(update(push_subscriptions).values(**columns)))


@pytest.fixture
async def pushed(database: Database, site: Site, settings: Settings) -> AsyncIterator[Pushed]:
    async with AsyncExitStack() as stack:
        hub = await stack.enter_async_context(running_hub())
        port = free_port()
        changed = settings.replaced(
            web={"port": port, "public_url": f"http://127.0.0.1:{port}", "reading": "account"},
            fetcher={"allowed_networks": (*settings.fetcher.allowed_networks, hub.endpoint)},
        )
        worker = await stack.enter_async_context(
            open_worker(changed, database, stages=frozenset({Stage.COLLECT}))
        )
        web = await stack.enter_async_context(running(database, changed))
        url = site.url("/feed.xml")
        feed, _ = await database.write(insert_feed, url, enabled=True, polling=True)
        link = '<link xmlns="http://www.w3.org/2005/Atom" rel="{}" href="{}"/>'
        yield Pushed(
            database=database,
            site=site,
            hub=hub,
            worker=worker,
            web=web,
            feed=feed,
            extra=lambda: link.format("hub", hub.url) + link.format("self", f"{url}?topic"),
        )


async def test_push_is_believed_once_proven_and_polling_is_tightened_when_it_misses_something(
    pushed: Pushed,
) -> None:
    first = await pushed.collect(1)
    assert (await pushed.state()).state is PushState.WANTED
    await pushed.subscribe()
    asked = pushed.hub.last
    assert asked["hub.topic"] == pushed.site.url("/feed.xml?topic")
    assert len(asked["hub.callback"].rpartition("/")[2]) >= 40
    assert len(asked["hub.secret"]) >= 40
    state = await pushed.state()
    assert state.state is PushState.ACTIVE
    assert state.lease_until is not None
    assert state.due_at is not None
    assert state.due_at < state.lease_until, "renewed before it ends"
    assert first.next_run_at is not None
    assert first.next_run_at - utc_now() < timedelta(hours=4)

    await pushed.collect(1)  # it listens from here on
    once = await pushed.push(2)
    assert once.reason is not PollReason.PUSH, "one push proves little"
    twice = await pushed.push(3)
    assert twice.reason is PollReason.PUSH
    assert twice.next_run_at is not None
    assert timedelta(hours=20) < twice.next_run_at - utc_now() <= timedelta(hours=25)
    assert (await pushed.state()).is_alive(utc_now())

    missed = await pushed.collect(4)
    assert missed.reason is not PollReason.PUSH
    assert missed.next_run_at is not None
    assert missed.next_run_at - utc_now() < timedelta(hours=4)
    state = await pushed.state()
    assert (state.hits, state.misses, state.is_alive(utc_now())) == (0, 1, False)
    for number in (5, 6, 7, 8):
        assert not (await pushed.state()).is_alive(utc_now())
        await pushed.push(number)
    assert (await pushed.state()).is_alive(utc_now()), "a miss doubles the proof that is needed"


async def test_a_push_that_comes_before_its_entry_is_looked_up_again_soon(pushed: Pushed) -> None:
    await pushed.collect(1)
    await pushed.subscribe()
    await pushed.set(hits=9)
    early = await pushed.push(1)
    assert early.reason in {PollReason.PUSHED, PollReason.MINIMUM, PollReason.PLAN}
    assert early.next_run_at is not None
    assert early.next_run_at - utc_now() < timedelta(hours=4), "not relaxed yet"
    late = await pushed.collect(2)
    assert late.reason is PollReason.PUSH
    assert (await pushed.state()).misses == 0


async def test_only_a_push_with_the_right_signature_changes_anything(pushed: Pushed) -> None:
    method = "sha512"
    await pushed.collect(1)
    await pushed.subscribe()
    hub = pushed.hub
    before = (await pushed.state(), await rows(pushed.database, push_callbacks))
    for forged in (
        {"signature": ""},
        {"signature": "sha256="},
        {"signature": f"{method}={'0' * 64}"},
        {"signature": "md5=d41d8cd98f00b204e9800998ecf8427e"},
        {"secret": "guessed"},
        {"signed": b"other body"},
    ):
        assert await hub.push(method=method, **forged) == 202, "the answer does not tell"
    assert await hub.push(hub.last | {"hub.callback": hub.last["hub.callback"] + "x"}) == 404
    assert await hub.push(body=b"x" * (4 * 2**20 + 1)) in {413, HUNG_UP}
    assert (await pushed.state(), await rows(pushed.database, push_callbacks)) == before
    assert (await reload(pushed.database, pushed.feed)).requested_at is None

    await set_schedule(pushed.database, pushed.feed, failures=3)
    assert await hub.push(method=method) == 202
    assert (await reload(pushed.database, pushed.feed)).requested_at is None, (
        "a failing feed keeps its backoff"
    )
    await set_schedule(pushed.database, pushed.feed, failures=0)
    assert await hub.push(method=method) == 202
    asked = (await reload(pushed.database, pushed.feed)).requested_at
    assert asked is not None
    assert asked - utc_now() > timedelta(seconds=30), "a hub does not decide how often we ask"
    assert (await pushed.state()).push_count == 2


async def test_a_hub_cannot_confirm_what_was_not_asked_and_a_denial_ends_the_subscription(
    pushed: Pushed,
) -> None:
    await pushed.collect(1)
    await pushed.worker.push.run_once()
    hub = pushed.hub
    for wrong in ({"topic": "https://other.example/"}, {"mode": "unsubscribe"}, {"mode": "publish"}):
        assert (await hub.ask(**wrong))[0] == 404
    assert (await pushed.state()).state is PushState.ASKED
    assert await hub.ask() == (200, CHALLENGE)
    await set_schedule(pushed.database, pushed.feed, reason="push", next_run_at=db_later(DAY_S))
    assert (await hub.ask(mode="denied", reason="too\nmany"))[0] == 200
    state = await pushed.state()
    assert (state.state, state.lease_until) == (PushState.FAILED, None)
    assert state.error == "The hub denied the subscription: too many."
    again = (await reload(pushed.database, pushed.feed)).next_run_at
    assert again is not None
    assert again - utc_now() < timedelta(hours=1), "polled as usual again"
    assert await hub.push() == 404


async def test_a_renewal_has_a_new_address_and_the_old_one_is_given_back(pushed: Pushed) -> None:
    await pushed.collect(1)
    await pushed.subscribe()
    hub, old = pushed.hub, pushed.hub.last
    await pushed.set(due_at=db_later(-1.0))
    await pushed.subscribe()
    new = hub.last
    assert new["hub.callback"] != old["hub.callback"]
    assert new["hub.secret"] != old["hub.secret"]
    assert await hub.push(old) == 410
    await pushed.worker.push.run_once()
    assert hub.last["hub.mode"] == "unsubscribe"
    assert hub.last["hub.callback"] == old["hub.callback"]
    assert "hub.secret" not in hub.last
    assert await hub.ask() == (200, CHALLENGE)
    assert await hub.push(old) == 404
    assert await hub.push(new) == 202
    assert len(await rows(pushed.database, push_callbacks)) == 1


async def test_a_hub_that_lies_about_leases_costs_nothing_but_polling(pushed: Pushed) -> None:
    await pushed.collect(1)
    lies = {"1": 1, "99999999999": 30 * DAY_S, "-5": DAY_S, "soon": DAY_S, "": DAY_S}
    for lease, until_s in lies.items():
        await pushed.set(due_at=db_later(-1.0))
        await pushed.subscribe(lease_seconds=lease)
        await pushed.set(hits=99)
        state = await pushed.state()
        assert state.lease_until is not None
        assert state.due_at is not None
        assert abs((state.lease_until - utc_now()).total_seconds() - until_s) < 60, lease
        assert (state.due_at - utc_now()).total_seconds() > MIN_RENEWAL_S - 60
        feed = await pushed.collect(1)
        assert feed.next_run_at is not None
        assert feed.next_run_at - utc_now() < timedelta(hours=26)
        assert (feed.reason is PollReason.PUSH) == (until_s > 1)


async def test_hubs_that_refuse_are_asked_less_and_less_and_one_after_another(pushed: Pushed) -> None:
    pushed.hub.status = 500
    other = pushed.hub.url.replace("/hub", "/second")
    await pushed.collect(1, Link=f'<{other}>; rel="hub", </self>; rel=self')
    waits = []
    for _ in range(3):
        assert await pushed.worker.push.run_once() == 0
        state = await pushed.state()
        assert state.due_at is not None
        waits.append((state.due_at - utc_now()).total_seconds() / 3600)
        await pushed.set(due_at=db_later(-1.0))
    assert [round(wait) for wait in waits] == [1, 2, 4]
    assert state.state is PushState.FAILED
    assert state.error == "The hub 127.0.0.1 answered 500."
    assert pushed.hub.last["hub.topic"] == pushed.site.url("/self"), "the Link header comes first"
    assert await rows(pushed.database, push_callbacks) == []


async def test_the_guard_and_a_busy_host_hold_for_hubs_and_private_feeds_are_not_told(
    pushed: Pushed,
) -> None:
    pushed.hub.status, pushed.hub.headers = 429, {"Retry-After": "7200"}
    await pushed.collect(1)
    await pushed.worker.push.run_once()
    await pushed.set(due_at=db_later(-1.0))
    await pushed.worker.push.run_once()
    assert len(pushed.hub.requests) == 1, "the host is paused"
    assert "on hold" in str((await pushed.state()).error)

    await pushed.collect(2, Link='<http://127.0.0.77:9/>; rel="hub"')
    await pushed.set(due_at=db_later(-1.0), attempts=0)
    await pushed.worker.push.run_once()
    assert "FETCHER_ALLOWED_NETWORKS" in str((await pushed.state()).error)

    await pushed.database.write(save_credentials, pushed.feed.id, {"Authorization": "Bearer x"})
    await pushed.collect(3)
    assert await pushed.database.read(load_subscription, pushed.feed.id) is None
    assert (await pushed.web.get("/push/x")).status == 404
    assert (await pushed.web.get("/")).status == 401


async def test_without_a_public_address_no_hub_is_asked(
    database: Database, site: Site, settings: Settings
) -> None:
    url = site.feed(
        "/feed.xml",
        rss(entries(1, site.url("/articles"))),
        headers={"Link": '<https://hub.example/>; rel="hub"'},
    )
    feed, _ = await database.write(insert_feed, url, enabled=True, polling=True)
    await set_due(database, feed)
    async with open_worker(settings, database, stages=frozenset({Stage.COLLECT})) as worker:
        await worker.run_once()
    assert await rows(database, push_subscriptions) == []
