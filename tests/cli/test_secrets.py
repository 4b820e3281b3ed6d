"""No secret is printed, logged or shown: one is planted in every place that can hold one."""

from __future__ import annotations

import json
import sqlite3
from base64 import b64encode
from contextlib import closing
from pathlib import Path

import pytest
import structlog

from inforadar.cli.terminal.logs import configure_logs
from inforadar.config import SECTIONS, is_secret
from inforadar.config.sections import LogSettings
from inforadar.masks import MASK, masked
from inforadar.store.feeds.queries import feed_key
from tests.cli.calling import Call
from tests.cli.program import Program
from tests.support.ports import free_port
from tests.support.site.documents import entries, rss
from tests.support.site.server import Site

SECRET = "hunter2hunter2"
TOKEN = "query-token-hunter3"
CODED = b64encode(f"me:{SECRET}".encode()).decode().rstrip("=")


def planted(port: int) -> dict[str, str]:
    """Every setting that is a secret, or a URL that can contain one."""
    variables = {
        section.env_name(field): SECRET
        for section in SECTIONS.values()
        for field in section.__struct_fields__
        if is_secret(section, field)
    }
    return variables | {
        "REDIS_URL": f"redis://:{SECRET}@127.0.0.1:{port}/0",
        "FETCHER_PROXY": f"http://me:{SECRET}@127.0.0.1:{port}",
        "INFORADAR_LOG_LEVEL": "debug",
    }


def assert_clean(text: str, *, tokens: bool = True) -> None:
    assert SECRET not in text
    assert CODED not in text
    if tokens:
        assert TOKEN not in text


async def test_a_worker_tells_no_secret_whatever_goes_wrong(program: Program, site: Site) -> None:
    good = site.feed("/good.xml", rss(entries(1)))
    host = good.partition("//")[2].partition("/")[0]
    closed = free_port()
    allowed = {"FETCHER_ALLOWED_NETWORKS": ",".join([*site.endpoints, f"127.0.0.1:{closed}"])}
    extra = planted(closed) | allowed | {"FETCHER_DOMAIN_DELAY": "0"}
    extra.pop("FETCHER_PROXY")
    own = Program(home=program.home, port=program.port, sample_port=program.sample_port, extra=extra)
    addresses = [
        f"http://me:{SECRET}@{host}/good.xml?token={TOKEN}",
        f"http://{SECRET}@{host}/missing.xml?api_key={TOKEN}",
        f"http://me:{SECRET}@127.0.0.1:{closed}/?sig={TOKEN}",
    ]
    listed = "".join(f'<outline text="x" xmlUrl="{address}"/>' for address in addresses)
    said = await own.run("opml", "import", "-", stdin=f"<opml><body>{listed}</body></opml>".encode())
    assert_clean(said.out + said.err)
    work = await own.run("worker", "--once", "--stages", "collect")
    assert "feed.failed" in work.err
    assert_clean(work.out + work.err)
    # It was sent where it belongs.
    assert any(CODED in request.headers.get("authorization", "") for request in site.requests)


def test_no_command_shows_a_secret(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in planted(free_port()).items():
        monkeypatch.setenv(name, value)
    url = f"https://me:{SECRET}@news.example/feed?x=1&access_token={TOKEN}"
    spoken = ""
    for arguments in (
        ("feed", "add", url, "--enable"),
        ("feed", "edit", "news.example", "--header", f"Cookie: session={SECRET}"),
        ("feed", "list"),
        ("feed", "show", "news.example"),
        ("feed", "sync", "news.example"),
        ("feed", "disable", "news.example"),
        ("feed", "delete", "news.example"),
        ("feed", "show", f"https://nobody:{SECRET}@other.example/"),
        ("config", "show"),
        ("doctor",),
        ("run", "list"),
        ("db", "check"),
        ("db", "vacuum", "--dry-run"),
        (
            "db",
            "move",
            "--to",
            f"postgresql://radar:{SECRET}@127.0.0.1:{free_port()}/radar?password={SECRET}",
        ),
    ):
        said = call(*arguments)
        assert "Traceback" not in said.err
        spoken += said.out + said.err
    assert MASK in spoken
    assert_clean(spoken)
    # Programs get a feed's address as it is, but nothing that is kept apart.
    for arguments in (("feed", "list", "--json"), ("config", "show", "--json"), ("doctor", "--json")):
        assert_clean(call(*arguments).out, tokens=False)


@pytest.mark.parametrize("url", [
    f"postgresql://radar:{SECRET}@127.0.0.1:1/radar",
    f"postgresql://radar@127.0.0.1:1/radar?password={SECRET}",
    f"mysql://radar:{SECRET}@127.0.0.1/radar",
])  # fmt: skip
def test_a_database_that_cannot_be_reached_is_named_without_its_password(
    call: Call, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("DATABASE_URL", url)
    for arguments in (("feed", "list"), ("config", "show"), ("config", "show", "--json"), ("db", "upgrade")):
        said = call(*arguments)
        assert_clean(said.out + said.err)


def test_a_wrong_secret_setting_is_not_repeated(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FETCHER_JOB_TIMEOUT", "never")
    monkeypatch.setenv("AI_API_KEY", SECRET)
    monkeypatch.setenv("AI_TYPE", SECRET[:3])
    said = call("feed", "list")
    assert said.code == 2
    assert_clean(said.err)


@pytest.mark.parametrize("log_format", ["json", "console"])
def test_a_traceback_tells_where_and_not_with_which_values(
    log_format: str, capsys: pytest.CaptureFixture[str]
) -> None:
    configure_logs(LogSettings(format=log_format))  # type: ignore[arg-type]
    headers = {"Authorization": f"Bearer {SECRET}"}
    try:
        raise ValueError(f"cannot reach https://me:{SECRET}@a.example/?token={TOKEN} with {headers}")
    except ValueError:
        structlog.get_logger().exception("feed.crashed", headers=headers, urls=[f"https://x/?key={TOKEN}"])
    said = capsys.readouterr().err
    assert "feed.crashed" in said
    assert "ValueError" in said
    assert_clean(said)
    if log_format == "json":
        assert json.loads(said)["level"] == "error"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://a.example/feed?page=2&sort=key", "https://a.example/feed?page=2&sort=key"),
        ("https://a.example/@me/feed", "https://a.example/@me/feed"),
        ("https://u:p@ss@a.example/x", "https://***@a.example/x"),
        ("postgresql+asyncpg://u:p/w@rd@db/x", "postgresql+asyncpg://u:***@db/x"),
        ("?apikey=1&b=2#c", "?apikey=***&b=2#c"),
        ("Authorization: Basic abc", "Authorization: Basic ***"),
        ("a sentence: nothing to hide = nothing", "a sentence: nothing to hide = nothing"),
    ],
)
def test_only_secrets_are_masked(text: str, shown: str) -> None:
    assert masked(text) == shown


def test_a_password_for_where_a_feed_was_before_is_not_kept(call: Call, home: Path) -> None:
    call("feed", "add", "https://old.example/feed")
    url, key = feed_key("https://new.example/feed")
    with closing(sqlite3.connect(home / "inforadar.db")) as database, database:
        database.execute(
            "INSERT INTO feed_urls (url_hash, feed_id, url, left_at) SELECT url_hash, id, url, created_at FROM feeds"
        )
        database.execute("UPDATE feeds SET url = ?, url_hash = ?", (url, key))
    assert call("feed", "delete", url, "--yes").code == 0
    added = call("feed", "add", f"https://me:{SECRET}@old.example/feed").out
    assert f"Added {url}" in added
    assert "The password was not kept" in added
    with closing(sqlite3.connect(home / "inforadar.db")) as database:
        assert database.execute("SELECT count(*) FROM feed_credentials").fetchone() == (0,)


async def test_a_request_has_an_id_that_its_log_lines_carry(program: Program) -> None:
    import aiohttp  # noqa: PLC0415

    from tests.cli.program import read_until  # noqa: PLC0415

    own = Program(
        home=program.home,
        port=program.port,
        sample_port=program.sample_port,
        extra={"INFORADAR_LOG_FORMAT": "json", "INFORADAR_LOG_LEVEL": "debug"},
    )
    async with own.started("api") as process, aiohttp.ClientSession() as client:
        await read_until(process, "api.started")
        async with client.get(f"{own.url}/health", headers={"X-Request-Id": "from-the-proxy.7"}) as answer:
            assert answer.headers["X-Request-Id"] == "from-the-proxy.7"
        assert "from-the-proxy.7" in await read_until(process, "request.finished")
        async with client.get(f"{own.url}/rss", headers={"X-Request-Id": "<script>"}) as answer:
            assert len(answer.headers["X-Request-Id"]) == 16
            assert answer.headers["X-Request-Id"] in await read_until(process, "request.finished")
