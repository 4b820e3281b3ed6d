"""Who may read and who may change: hosts, token, login, CSRF."""

from __future__ import annotations

import asyncio
import stat
from collections.abc import AsyncIterator

import aiohttp
import pytest

from inforadar.config import Settings
from inforadar.errors import ConfigError, StoreError
from inforadar.web.http.admin_token import load_admin_token
from inforadar.web.http.bodies import MAX_JSON_BYTES
from inforadar.web.http.login_limit import FREE_FAILURES
from inforadar.web.http.sessions import COOKIE
from tests.support.faces.newsroom import Newsroom
from tests.support.faces.serving import running

ITEM = "https://x.example/1"
MARK = {"urls": [ITEM], "read": True}
NO_OTHERS = {"archived": False, "labels": [], "note": ""}


@pytest.fixture
def token(web_settings: Settings) -> str:
    return load_admin_token(web_settings.home)


@pytest.fixture
def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@pytest.fixture
async def closed(newsroom: Newsroom, web_settings: Settings) -> AsyncIterator[aiohttp.ClientSession]:
    """A server on which reading needs the token too."""
    async with running(newsroom.database, web_settings.replaced(web={"reading": "token"})) as session:
        yield session


async def log_in(web: aiohttp.ClientSession, token: str, **headers: str) -> aiohttp.ClientResponse:
    return await web.post("/login", data={"token": token}, headers=headers, allow_redirects=False)


async def logged_in(web: aiohttp.ClientSession, token: str) -> tuple[dict[str, str], str]:
    """The cookie's header and the CSRF token."""
    response = await log_in(web, token)
    assert response.status == 303
    # The test client keeps no cookies of bare addresses; a browser does.
    cookie = {"Cookie": f"{COOKIE}={response.cookies[COOKIE].value}"}
    async with web.get("/api/session", headers=cookie) as answer:
        found = await answer.json()
        assert found["admin"]
        assert "Access-Control-Allow-Origin" not in answer.headers
    return cookie, found["csrf"]


async def put(web: aiohttp.ClientSession, **headers: str) -> int:
    async with web.put("/api/marks", json=MARK, headers=headers) as response:
        return response.status


def test_the_token_is_made_once_and_read_by_its_owner_alone(web_settings: Settings) -> None:
    token = load_admin_token(web_settings.home)
    path = web_settings.home / "admin-token"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(token) >= 32
    assert load_admin_token(web_settings.home) == token
    assert [file.name for file in web_settings.home.glob("admin-token*")] == ["admin-token"]
    path.write_text("short")
    with pytest.raises(StoreError, match="Delete it"):
        load_admin_token(web_settings.home)


async def test_a_change_needs_the_token(web: aiohttp.ClientSession, bearer: dict[str, str]) -> None:
    assert await put(web) == 401
    assert await put(web, Authorization="Bearer wrong") == 401
    assert await put(web, Authorization="Bearer ünï") == 401
    assert await put(web, **bearer) == 200


async def test_marks_are_set_and_cleared_and_the_others_stay(
    newsroom: Newsroom, web: aiohttp.ClientSession, bearer: dict[str, str]
) -> None:
    await newsroom.add_item(await newsroom.add_feed(), ITEM)

    async def marks(**changes: object) -> dict[str, object]:
        async with web.put("/api/marks", json={"urls": [ITEM], **changes}, headers=bearer) as response:
            assert response.status == 200
            (item,) = (await response.json())["items"]
            return item

    assert await marks(read=True) == {"url": ITEM, "read": True, "starred": False} | NO_OTHERS
    assert (await marks(starred=True))["read"] is True
    assert await marks(read=False) == {"url": ITEM, "read": False, "starred": True} | NO_OTHERS
    both = {"urls": [ITEM, "https://nobody.example/"], "read": True}
    async with web.put("/api/marks", json=both, headers=bearer) as response:
        said = await response.json()
    assert ([item["url"] for item in said["items"]], said["unknown"]) == ([ITEM], ["https://nobody.example/"])


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"{", b"\xff", b'{"urls": 1, "read": true}', b'{"urls": [], "read": true}',
     b'{"urls": ["x"], "read": true}', b'{"urls": ["https://x.example/"]}', b'{"read": true}',
     b'{"urls": ["https://x.example/"], "read": 1}',
     b'{"urls": ["https://x.example/"], "read": true, "liked": true}'],
)  # fmt: skip
async def test_a_mark_that_means_nothing_is_refused(
    web: aiohttp.ClientSession, bearer: dict[str, str], body: bytes
) -> None:
    async with web.put("/api/marks", data=body, headers=bearer) as response:
        assert response.status == 400


async def test_a_body_without_end_is_refused(web: aiohttp.ClientSession, bearer: dict[str, str]) -> None:
    async with web.put("/api/marks", data=b" " * (MAX_JSON_BYTES + 1), headers=bearer) as response:
        assert response.status == 413


async def test_a_login_gives_a_cookie_that_no_script_and_no_other_site_can_use(
    web: aiohttp.ClientSession, token: str
) -> None:
    response = await log_in(web, token)
    assert response.headers["Location"] == "/"
    given = response.headers["Set-Cookie"]
    assert "HttpOnly" in given
    assert "SameSite=strict" in given
    assert token not in given


@pytest.mark.parametrize(
    "foreign",
    ['ui={"dark":true}', "flag", "x=a b", "=", "", 'q="a; b', f"{COOKIE}=1.forged", f"{COOKIE}="],
)
@pytest.mark.parametrize("form", ["{foreign}; {own}", "{own};{foreign}"])
async def test_a_cookie_of_another_program_on_this_host_does_not_end_the_login(
    web: aiohttp.ClientSession, token: str, web_settings: Settings, foreign: str, form: str
) -> None:
    own, csrf = await logged_in(web, token)
    cookie = {"Cookie": form.format(foreign=foreign, own=own["Cookie"])}
    async with web.get("/api/session", headers=cookie) as answer:
        assert await answer.json() == {"admin": True, "csrf": csrf, "name": "admin", "role": "admin"}
    headers = cookie | {"X-CSRF-Token": csrf, "Origin": web_settings.web.base_url}
    assert await put(web, **headers) == 200


async def test_a_cookie_alone_changes_nothing(
    web: aiohttp.ClientSession, web_settings: Settings, token: str
) -> None:
    cookie, csrf = await logged_in(web, token)
    ours = web_settings.web.base_url
    assert await put(web, **cookie) == 403
    assert await put(web, **cookie, Origin=ours) == 403
    assert await put(web, **cookie, **{"X-CSRF-Token": csrf}) == 403
    for origin in ("https://evil.example", "null", f"{ours}.evil.example", "http://127.0.0.1:1"):
        assert await put(web, **cookie, **{"X-CSRF-Token": csrf}, Origin=origin) == 403
    other, _ = await logged_in(web, token)
    assert await put(web, **other, **{"X-CSRF-Token": csrf}, Origin=ours) == 403
    assert await put(web, **cookie, **{"X-CSRF-Token": csrf}, Origin=ours) == 200


async def test_a_form_carries_its_csrf_token_as_a_field(
    web: aiohttp.ClientSession, web_settings: Settings, token: str
) -> None:
    cookie, csrf = await logged_in(web, token)
    headers = cookie | {"Origin": web_settings.web.base_url}
    async with web.post("/logout", data={"csrf": "x"}, headers=headers, allow_redirects=False) as response:
        assert response.status == 403
    async with web.post("/logout", data={"csrf": csrf}, headers=headers, allow_redirects=False) as response:
        assert response.status == 303
        assert "Max-Age=0" in response.headers["Set-Cookie"]
    async with web.get("/api/session", headers=cookie) as response:
        assert (await response.json())["name"] is None, "a copy of the cookie is worth nothing any more"


async def test_logins_from_another_site_and_too_many_wrong_ones_are_refused(
    web: aiohttp.ClientSession, token: str
) -> None:
    for origin in ("https://evil.example", "http://[", "http://]", "null"):
        assert (await log_in(web, token, Origin=origin)).status == 403
    for _ in range(FREE_FAILURES):
        assert (await log_in(web, "wrong")).status == 401
    refused = await log_in(web, "wrong")
    assert refused.status == 429
    assert int(refused.headers["Retry-After"]) > 0
    assert (await log_in(web, token)).status == 303, "the right one is not locked out"


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:1", 200),
        ("127.0.0.1", 200),
        ("[::1]:8321", 200),
        ("192.168.1.7:80", 200),
        ("radar.home", 200),
        ("RADAR.home.:80", 200),
        ("evil.example", 421),
        ("127.0.0.1.evil.example", 421),
        ("localhost.evil.example:8321", 421),
        ("\xff", 421),
    ],
)
async def test_only_hosts_that_are_ours_are_served(
    newsroom: Newsroom, web_settings: Settings, host: str, status: int
) -> None:
    settings = web_settings.replaced(web={"allowed_hosts": "radar.home"})
    async with running(newsroom.database, settings) as web:
        for path in ("/health", "/rss?url=https://nobody.example/"):
            async with web.get(path, headers={"Host": host}) as response:
                assert (response.status == 421) == (status == 421)


async def test_reading_can_need_the_token(
    closed: aiohttp.ClientSession, token: str, bearer: dict[str, str]
) -> None:
    for path in (
        "/",
        "/feeds",
        "/api/items",
        "/rss?url=https://x.example/",
        "/feeds/search?q=x",
        "/api/session",
    ):
        async with closed.get(path) as response:
            assert response.status == 401
            assert len(response.headers.getall("WWW-Authenticate")) == 2
    for path in ("/health", "/health/live", "/login"):
        async with closed.get(path) as response:
            assert response.status == 200
    password = aiohttp.encode_basic_auth("anybody", token)
    cookie, _ = await logged_in(closed, token)
    for headers in (bearer, {"Authorization": password}, cookie):
        async with closed.get("/api/items", headers=headers) as response:
            assert response.status == 200
    assert await put(closed, Authorization=password) == 401


async def test_behind_a_proxy_the_prefix_is_ours(newsroom: Newsroom, web_settings: Settings) -> None:
    settings = web_settings.replaced(web={"public_url": "https://news.example/radar/", "behind_proxy": True})
    await newsroom.add_feed("https://x.example/feed", topic="a")
    token = load_admin_token(web_settings.home)
    async with running(newsroom.database, settings) as web:
        headers = {"Host": "news.example", "Accept-Encoding": "identity"}
        for path in ("/radar/feeds/topic/a.json", "/feeds/topic/a.json"):
            async with web.get(path, headers=headers) as response:
                found = await response.json(content_type=None)
                assert found["feed_url"] == "https://news.example/radar/feeds/topic/a.json"
        response = await log_in(web, token, Host="news.example", Origin="https://news.example")
        assert response.headers["Location"] == "/radar/"
        assert "Secure" in response.headers["Set-Cookie"]
        for number in range(FREE_FAILURES + 1):
            await log_in(web, "wrong", **{"X-Forwarded-For": f"1.2.3.{number}, 9.9.9.9"})
        assert (await log_in(web, "wrong", **{"X-Forwarded-For": "9.9.9.9"})).status == 429
        assert (await log_in(web, "wrong", **{"X-Forwarded-For": "9.9.9.9, 8.8.8.8"})).status == 401


@pytest.mark.parametrize(
    "form",
    [
        "9.9.9.9:{n}",
        "[::ffff:9.9.9.9]:{n}",
        "2001:db8::{n}",
        "[2001:db8::{n}]:4711",
        "[2001:db8:0:0:{n}::1]",
        "unknown-{n}",
        "фальшивый {n}",
    ],
)
async def test_an_address_counts_as_one_however_the_proxy_writes_it(
    newsroom: Newsroom, web_settings: Settings, token: str, form: str
) -> None:
    settings = web_settings.replaced(web={"behind_proxy": True})
    async with running(newsroom.database, settings) as web:
        for number in range(FREE_FAILURES):
            assert (await log_in(web, "wrong", **{"X-Forwarded-For": form.format(n=number)})).status == 401
        assert (await log_in(web, "wrong", **{"X-Forwarded-For": form.format(n=9999)})).status == 429
        assert (await log_in(web, "wrong", **{"X-Forwarded-For": "8.8.8.8:1"})).status == 401


async def test_attempts_that_wait_with_their_token_are_counted_too(
    web: aiohttp.ClientSession, web_settings: Settings
) -> None:
    body = b"token=wrong"
    held = [await asyncio.open_connection("127.0.0.1", web_settings.web.port) for _ in range(30)]
    for _, writer in held:
        writer.write(
            b"POST /login HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n" % len(body)
        )
        await writer.drain()
    async with web.get("/health") as response:
        assert response.status == 200
    answers = []
    for _, writer in held:
        writer.write(body)
    for reader, writer in held:
        answers.append((await reader.read()).split()[1])
        writer.close()
        await writer.wait_closed()
    assert answers.count(b"401") == FREE_FAILURES
    assert answers.count(b"429") == len(held) - FREE_FAILURES


async def test_what_a_proxy_says_is_believed_by_setting_only(
    newsroom: Newsroom, web_settings: Settings, token: str
) -> None:
    said = {
        "X-Forwarded-For": "1.1.1.1",
        "X-Forwarded-Proto": "https",
        "X-Forwarded-Host": "invented.example, radar.home",
        "X-Forwarded-Prefix": "/radar",
    }
    origin = {"Origin": "https://radar.home"}
    settings = web_settings.replaced(web={"allowed_hosts": "radar.home", "behind_proxy": True})
    async with running(newsroom.database, settings) as web:
        response = await log_in(web, token, **said, **origin)
        assert (response.status, response.headers["Location"]) == (303, "/radar/")
        assert "Secure" in response.headers["Set-Cookie"]
        async with web.get("/radar/api/items", headers=said) as answer:
            assert answer.status == 200
        async with web.get("/health", headers=said | {"X-Forwarded-Host": "evil.example"}) as answer:
            assert answer.status == 421
    async with running(newsroom.database, web_settings) as web:
        response = await log_in(web, token, **said)
        assert (response.status, response.headers["Location"]) == (303, "/")
        assert "Secure" not in response.headers["Set-Cookie"]
        async with web.get("/radar/api/items", headers=said) as answer:
            assert answer.status == 404
        assert (await log_in(web, token, **said, **origin)).status == 403


@pytest.mark.parametrize(
    "prefix", ["//evil.example", "/\\evil.example", "/a b", "/a?b", "/<script>", "/.//evil", "http://evil"]
)
async def test_a_prefix_that_leads_elsewhere_is_ignored(
    newsroom: Newsroom, web_settings: Settings, token: str, prefix: str
) -> None:
    async with running(newsroom.database, web_settings.replaced(web={"behind_proxy": True})) as web:
        response = await log_in(web, token, **{"X-Forwarded-Prefix": prefix})
        assert (response.status, response.headers["Location"]) == (303, "/")


def test_a_public_url_that_is_none_is_refused(web_settings: Settings) -> None:
    with pytest.raises(ConfigError, match="PUBLIC_URL"):
        web_settings.replaced(web={"public_url": "news.example"})
