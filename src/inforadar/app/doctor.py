"""`inforadar doctor`: looks at everything that has to work, quickly, and says of each what to do.

Checks run side by side, each for at most a few seconds, and none changes anything. Nothing goes out to the web
but what was asked for with a URL, through the same guard as everything else; names of feeds are looked up.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import stat
from collections.abc import Awaitable, Iterable
from pathlib import Path
from urllib.parse import urlsplit

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
from inforadar.stages.analyze import registered
from inforadar.stages.analyze.choose import Analyzers
from inforadar.store.redis.outbox_queries import count_outbox
from inforadar.store.upkeep.revision import require_current
from inforadar.urls import hostname

CHECK_S = 4.0
"""The most that a check may take."""
LEAST_FREE = 10**9


async def examine(settings: Settings, *, url: str | None = None) -> Findings:
    """All findings, in the order in which a person would look."""
    checks: list[tuple[str, Awaitable[Findings]]] = [
        ("settings", _settings(settings)),
        ("disk", _disk(settings)),
        ("database", _database(settings)),
        ("redis", _redis(settings)),
        ("analyzer", _analyzer(settings)),
    ]
    if url:
        checks.append(("web", _web(settings, url)))
    found = await asyncio.gather(*(_bounded(name, check) for name, check in checks))
    return [finding for findings in found for finding in findings]


async def _bounded(name: str, check: Awaitable[Findings]) -> Findings:
    try:
        async with asyncio.timeout(CHECK_S):
            return await check
    except TimeoutError:
        return [
            problem(name, f"No answer within {CHECK_S:g} seconds.", "Look whether it is overloaded or away.")
        ]
    except InfoRadarError as fault:
        return [problem(name, str(fault), "")]


async def _settings(settings: Settings) -> Findings:
    found: Findings = []
    if settings.home.is_dir() and settings.home.stat().st_mode & 0o077:
        found.append(
            warning(
                "settings",
                f"Others can look into {settings.home}, where the database and secrets lie.",
                f"chmod 700 {settings.home}",
            )
        )
    found += _open_files(settings)
    fetcher, web = settings.fetcher, settings.web
    if fetcher.domain_delay < 1 or fetcher.success_interval < 300:
        found.append(
            warning(
                "settings",
                f"Hosts are asked every {fetcher.domain_delay:g} s and feeds every {fetcher.success_interval:g} s.",
                "That is impolite: set FETCHER_DOMAIN_DELAY to 3 and FETCHER_SUCCESS_INTERVAL to 3600.",
            )
        )
    if web.host not in {"127.0.0.1", "::1", "localhost"}:
        found.append(
            warning(
                "settings",
                f"The API listens on {web.host}: whoever reaches this machine reads everything.",
                "Listen on 127.0.0.1 behind a reverse proxy, see docs/operations.md.",
            )
        )
    return found or [ok("settings", f"All settings can be used. Home is {settings.home}.")]


def _open_files(settings: Settings) -> Iterable[Finding]:
    """Files with secrets that others can read."""
    secret = {
        f"{name}.{field}"
        for name, section in SECTIONS.items()
        for field in section.model_fields
        if is_secret(section, field)
    }
    if not secret & set(settings.origins):
        return
    for path in (settings.home / "inforadar.toml", settings.home / ".env", Path(".env").absolute()):
        if path.is_file() and stat.S_IMODE(path.stat().st_mode) & 0o077:
            yield warning("settings", f"Others can read {path}.", f"chmod 600 {path}")


async def _disk(settings: Settings) -> Findings:
    home = settings.home if settings.home.exists() else settings.home.parent
    if not home.exists():
        return [ok("disk", f"{settings.home} is made at the first start.")]
    usage = shutil.disk_usage(home)
    free = f"{usage.free / 1e9:.1f} GB free on the disk of {home}."
    if not os.access(home, os.W_OK):
        return [problem("disk", f"{home} cannot be written.", "Give it to the user that runs Info Radar.")]
    if usage.free < LEAST_FREE:
        return [problem("disk", f"Only {free}", "Free some space, or set RETENTION_MAX_AGE_DAYS.")]
    return [ok("disk", free)]


async def _database(settings: Settings) -> Findings:
    async with open_unchecked_store(settings) as database:
        if database.path and not database.path.exists():
            return [ok("database", f"{database.name} is made at the first start.")]
        await require_current(database)
        return await examine_store(database)


async def _redis(settings: Settings) -> Findings:
    if settings.redis.url is None:
        return [ok("redis", "Not configured; the database does its work.")]
    try:
        from inforadar.store.redis.checks import look_at_redis  # noqa: PLC0415 - an extra
    except ModuleNotFoundError:
        return [
            problem("redis", "REDIS_URL is set, but the client is missing.", "pip install 'inforadar[redis]'")
        ]
    try:
        seen = await look_at_redis(settings.redis.url.get_secret_value())
    except InfoRadarError as fault:
        return [problem("redis", str(fault), "Is it running? The database stands in meanwhile.")]
    found = []
    if seen.policy != "noeviction" and seen.limit:
        found.append(
            warning(
                "redis",
                f"When its memory is full, Redis throws keys away ({seen.policy}).",
                "Set maxmemory-policy to noeviction.",
            )
        )
    if seen.limit and seen.used > seen.limit * 0.9:
        found.append(warning("redis", "Its memory is almost full.", "Raise maxmemory."))
    async with open_unchecked_store(settings) as database:
        if (waiting := await database.read(count_outbox)) > 10_000:
            found.append(
                warning("redis", f"{waiting} changes were not told to Redis yet.", "Is a worker running?")
            )
    return found or [ok("redis", f"Version {seen.version} answers in {seen.took_s * 1000:.0f} ms.")]


async def _analyzer(settings: Settings) -> Findings:
    analyzers = Analyzers(settings.ai, settings.home)
    try:
        analyzers.pick(NO_OPTIONS)
    finally:
        await analyzers.close()
    name, address = settings.ai.type, settings.ai.base_url
    if not registered(name).default_model:
        return [ok("analyzer", f"`{name}` needs no network.")]
    if not address:
        return [ok("analyzer", f"`{name}` has a key. `inforadar analyze run --limit 1` tries it.")]
    parts = urlsplit(address)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        _, writer = await asyncio.open_connection(parts.hostname, port)
    except OSError as fault:
        return [
            problem(
                "analyzer",
                f"{parts.hostname}:{port} does not answer: {fault.strerror or fault}.",
                "Is the model's server running? AI_BASE_URL says where.",
            )
        ]
    writer.close()
    return [ok("analyzer", f"{parts.hostname}:{port} answers.")]


async def _web(settings: Settings, url: str) -> Findings:
    fetcher = settings.fetcher
    client = Client(
        user_agent=fetcher.agent,
        timeout_s=CHECK_S - 0.5,
        max_bytes=int(fetcher.max_body_size_mb * 2**20),
        allowed=AllowedNetworks.parse(fetcher.allowed_networks),
        proxy=fetcher.proxy or None,
    )
    async with client:
        result = await client.fetch(Request(url=url))
    if isinstance(result, Failed):
        return [
            problem("web", result.message, "Look at the network, FETCHER_PROXY and FETCHER_ALLOWED_NETWORKS.")
        ]
    return [ok("web", f"{hostname(url)} answers through the guard.")]
