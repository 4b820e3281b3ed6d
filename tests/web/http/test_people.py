"""People over real HTTP: links, passwords, roles, sessions, feed tokens, proxies."""

from __future__ import annotations

from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta

import aiohttp
import pytest
from yarl import URL

from inforadar.actions.people.accounts import add_person
from inforadar.actions.people.passwords import set_password
from inforadar.actions.people.tokens import begin_session, make_app_password, make_feed_token, make_link
from inforadar.clock import utc_now
from inforadar.config import Settings
from inforadar.errors import UsageError
from inforadar.model.person import FIRST_PERSON, Role, TokenKind
from inforadar.store.people.queries import load_tokens
from inforadar.store.people.save_people import delete_person
from inforadar.web.http.failure_log import MAX_NOTED
from inforadar.web.http.login_limit import (
    FREE_FAILURES,
    MAX_WAIT_S,
    MAX_WAITING_AT_ADDRESS,
    CrowdedError,
    LoginLimit,
)
from inforadar.web.http.sessions import COOKIE
from tests.support.faces.newsroom import Newsroom
from tests.support.faces.person import LIKE_A_BROWSER
from tests.support.faces.serving import running

FEED = "https://one.example/feed"


async def test_a_link_shows_a_button_and_works_once(newsroom: Newsroom, web: aiohttp.ClientSession) -> None:
    code = await make_link(newsroom.database, FIRST_PERSON)
    for _ in range(2):
        async with web.get(f"/login/link?code={code}") as response:
            assert response.status == 200
            assert "Set-Cookie" not in response.headers
    async with web.post("/login/link", data={"code": code}, allow_redirects=False) as response:
        assert response.status == 303
        cookie = response.cookies[COOKIE].value
    async with web.get("/api/session", headers={"Cookie": f"{COOKIE}={cookie}"}) as response:
        assert (await response.json())["name"] == "admin"
    async with web.post("/login/link", data={"code": code}, allow_redirects=False) as response:
        assert response.status == 401


async def test_a_login_leads_back_to_the_page_that_it_was_asked_for_on(
    newsroom: Newsroom, web: aiohttp.ClientSession
) -> None:
    async with web.get("/login") as page:
        base = f"{page.url.origin()}"
    for address, referrer, lands in (
        ("/login", f"{base}/feeds?state=new&q=a%26b", "/feeds?state=new&q=a%26b"),
        ("/login?next=/runs", f"{base}/feeds", "/runs"),
        ("/login", "https://evil.example/feeds", "/"),
        ("/login", f"{base}/login", "/"),
        ("/login?next=//evil.example", "", "/"),
        ("/login?next=https://evil.example/", "", "/"),
        ("/login?next=/%5Cevil.example", "", "/"),
        ("/login?next=/a%0d%0aX:y", "", "/"),
    ):
        async with web.get(URL(address, encoded=True), headers={"Referer": referrer}) as page:
            cookie = "; ".join(f"{name}={one.value}" for name, one in page.cookies.items())
        # A link from the terminal, opened meanwhile, leads there too.
        code, headers = await make_link(newsroom.database, FIRST_PERSON), {"Cookie": cookie}
        async with web.post(
            "/login/link", data={"code": code}, headers=headers, allow_redirects=False
        ) as answer:
            assert (answer.status, answer.headers["Location"]) == (303, lands), address


async def test_a_password_logs_in_and_a_new_one_ends_all_sessions(
    newsroom: Newsroom, web: aiohttp.ClientSession
) -> None:
    await set_password(newsroom.database, FIRST_PERSON, "пароль и вода", utc_now())
    for name, password, status in (
        ("ADMIN", "пароль и вода", 303),
        ("admin", "another one", 401),
        ("nobody", "пароль и вода", 401),
    ):
        async with web.post(
            "/login", data={"name": name, "password": password}, allow_redirects=False
        ) as response:
            assert response.status == status
    assert len(await newsroom.database.read(load_tokens, FIRST_PERSON, [TokenKind.SESSION])) == 1
    await set_password(newsroom.database, FIRST_PERSON, "another one", utc_now())
    assert await newsroom.database.read(load_tokens, FIRST_PERSON, [TokenKind.SESSION]) == []
    with pytest.raises(UsageError, match="8 to"):
        await set_password(newsroom.database, FIRST_PERSON, "short", utc_now())


async def test_a_reader_marks_and_changes_nothing_else(
    newsroom: Newsroom, web: aiohttp.ClientSession
) -> None:
    ida = await add_person(newsroom.database, "Ida", Role.READER, None, utc_now())
    password, _ = await make_app_password(newsroom.database, ida.id, "a program")
    headers = {"Authorization": f"Bearer {password}"}
    await newsroom.add_item(await newsroom.add_feed(), "https://x.example/1")
    marked = {"urls": ["https://x.example/1"], "read": True, "add_labels": ["позже"], "note": "so?"}
    async with web.put("/api/marks", json=marked, headers=headers) as response:
        (item,) = (await response.json())["items"]
        assert (item["read"], item["labels"], item["note"]) == (True, ["позже"], "so?")
    async with web.post("/api/feeds", json={"url": FEED}, headers=headers) as response:
        assert response.status == 403
    async with web.get("/people", headers=headers) as response:
        assert response.status == 403
    with pytest.raises(UsageError, match="only admin"):
        await newsroom.database.write(delete_person, FIRST_PERSON)


async def test_a_feed_token_opens_feeds_alone_and_is_nowhere_in_them(
    newsroom: Newsroom, web_settings: Settings
) -> None:
    feed = await newsroom.add_feed(FEED, topic="a")
    await newsroom.build(feed, "<rss/>")
    token, _ = await make_feed_token(newsroom.database, FIRST_PERSON, "a reader")
    async with running(newsroom.database, web_settings.replaced(web={"reading": "account"})) as web:
        for path in (
            f"/rss?url={FEED}",
            "/feeds/topic/a.json?content=none",
            "/feeds/stories?min_sources=2",
            "/feeds/stories/topic/a.atom?min_sources=2",
            "/feeds/brief.json?top=3",
            "/feeds/changes?topic=a",
            "/feeds/alerts?format=atom",
        ):
            async with web.get(path) as response:
                assert response.status == 401
            async with web.get(f"{path}&token={token}", headers={"Accept-Encoding": "identity"}) as response:
                assert response.status == 200
                assert "private" in response.headers["Cache-Control"]
                assert token not in await response.text()
                assert token not in str(response.headers)
        for path in ("/", "/api/items"):
            async with web.get(f"{path}?token={token}") as response:
                assert response.status == 401


async def test_a_session_is_listed_and_revoked_on_the_page(
    newsroom: Newsroom, web: aiohttp.ClientSession, web_settings: Settings
) -> None:
    cookie = await begin_session(newsroom.database, FIRST_PERSON, "<b>Browser</b>")
    headers = {"Cookie": f"{COOKIE}={cookie}", "Origin": web_settings.web.base_url, **LIKE_A_BROWSER}
    async with web.get("/api/session", headers=headers) as response:
        csrf = (await response.json())["csrf"]
    async with web.get("/account", headers=headers) as response:
        text = await response.text()
        assert response.status == 200
        assert "&lt;b&gt;Browser" in text
        assert "<b>Browser" not in text
    made = {"csrf": csrf, "do": "app-password", "label": "phone"}
    async with web.post("/account", data=made, headers=headers) as response:
        assert "not shown again" in await response.text()
        assert response.headers["Cache-Control"] == "no-store"
    async with web.post(
        "/people",
        data={"csrf": csrf, "do": "add", "name": "Ida", "role": "reader"},
        headers=headers,
        allow_redirects=False,
    ) as response:
        assert response.status == 303
    async with web.get("/people", headers=headers) as response:
        assert "Ida" in await response.text()
    (session,) = await newsroom.database.read(load_tokens, FIRST_PERSON, [TokenKind.SESSION])
    revoked = {"csrf": csrf, "do": "revoke", "id": str(session.id)}
    async with web.post("/account", data=revoked, headers=headers, allow_redirects=False) as response:
        assert response.status == 303
    async with web.get("/account", headers=headers) as response:
        assert response.status == 401


async def test_a_proxy_names_people_only_from_a_trusted_address(
    newsroom: Newsroom, web_settings: Settings
) -> None:
    for trusted, admin in (("127.0.0.0/8", True), ("10.0.0.0/8", False), ("", False)):
        settings = web_settings.replaced(web={"trusted_proxies": trusted})
        async with (
            running(newsroom.database, settings) as web,
            web.get("/api/session", headers={"Remote-User": "admin"}) as response,
        ):
            assert (await response.json())["admin"] is admin


async def test_guessing_waits_longer_and_longer_at_its_own_address() -> None:
    now, slept = [datetime(2026, 3, 1, tzinfo=UTC)], []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    limit = LoginLimit(now=lambda: now[0], sleep=sleep)
    for _ in range(FREE_FAILURES + 8):
        async with limit.turn("ida", "1.1.1.1"):
            limit.failed("Ida", "1.1.1.1")
    assert slept == sorted(slept)
    assert (len(slept), slept[-1]) == (8, MAX_WAIT_S)
    assert limit.wait_s("ida", "2.2.2.2") == 0
    with pytest.raises(CrowdedError):
        async with (
            limit.turn("ida", "1.1.1.1"),
            limit.turn("ida", "1.1.1.1"),
            limit.turn("ida", "1.1.1.1"),
            limit.turn("ida", "1.1.1.1"),
            limit.turn("ida", "1.1.1.1"),
        ):
            pass
    now[0] += timedelta(minutes=6)
    assert limit.wait_s("ida", "1.1.1.1") == 0


async def no_sleep(seconds: float) -> None:
    pytest.fail(f"nobody waits {seconds} s here")


async def test_one_address_has_few_attempts_at_once_whatever_names_it_tries() -> None:
    limit = LoginLimit(now=lambda: datetime(2026, 3, 1, tzinfo=UTC), sleep=no_sleep)
    async with AsyncExitStack() as attempts:
        for number in range(MAX_WAITING_AT_ADDRESS):
            await attempts.enter_async_context(limit.turn(f"имя {number}", "2001:db8::1"))
        with pytest.raises(CrowdedError):
            await attempts.enter_async_context(limit.turn("ida", "2001:db8::2"))
        await attempts.enter_async_context(limit.turn("ida", "1.1.1.1"))
    async with limit.turn("ida", "2001:db8::2"):
        pass


def test_wrong_attempts_are_remembered_up_to_a_number_and_the_newest_are_kept() -> None:
    now = datetime(2026, 3, 1, tzinfo=UTC)
    limit = LoginLimit(now=lambda: now, sleep=no_sleep)
    for _ in range(FREE_FAILURES):
        limit.failed("olga", "1.1.1.1")
    assert limit.wait_s("olga", "1.1.1.1") > 0
    for number in range(MAX_NOTED - FREE_FAILURES + 1):
        limit.failed(f"name {number}", "10.0.0.1")
    assert limit.wait_s("olga", "1.1.1.1") == 0, "the oldest of them is gone"
    for _ in range(FREE_FAILURES):
        limit.failed("ida", "1.1.1.1")
    assert limit.wait_s("ida", "1.1.1.1") > 0


async def test_a_page_that_needs_a_login_leads_to_it(web: aiohttp.ClientSession) -> None:
    async with web.get("/account", headers=LIKE_A_BROWSER) as response:
        shown = await response.text()
    assert response.status == 401
    assert "<h1>Log in first</h1>" in shown
    assert '<p><a href="/login">Log in</a></p>' in shown
