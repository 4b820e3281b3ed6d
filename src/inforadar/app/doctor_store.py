"""The part of `inforadar doctor` that looks into the database: is it whole and quick, and how are the feeds?"""

from __future__ import annotations

import asyncio
import shutil

from inforadar.clock import utc_now
from inforadar.fetch.resolve import SystemResolver
from inforadar.model.finding import Finding, ok, problem, warning
from inforadar.store.database import Database
from inforadar.store.upkeep.checks import find_missing, load_size
from inforadar.store.upkeep.diagnosis import (
    FeedsFound,
    Some,
    is_quickly_whole,
    load_clock_offset,
    load_feeds_found,
    load_long_transactions,
    time_questions,
)
from inforadar.urls import hostname

SLOW_S = 0.25
CLOCK_S = 2.0
NAMES_S = 1.2
"""The most that looking up names may take."""
HOSTS = 3

Findings = list[Finding]


async def examine_store(database: Database) -> Findings:
    """It is there, and at this program's schema."""
    found = await _integrity(database)
    found += await _speed(database)
    found += await _clock(database)
    feeds = await database.read(load_feeds_found)
    return [*found, *_feeds(feeds), *await _names(feeds)]


async def _integrity(database: Database) -> Findings:
    found = [problem("database", sentence, "") for sentence in await database.read(find_missing)]
    if said := await database.read(is_quickly_whole, 700):
        found.append(
            problem(
                "database", f"The file is damaged: {said}.", "Restore a backup: `inforadar db restore FILE`."
            )
        )
    size = await database.read(load_size)
    if database.path and (free := shutil.disk_usage(database.path.parent).free) < size:
        found.append(
            warning(
                "disk",
                f"The database has {size / 1e9:.1f} GB and the disk {free / 1e9:.1f} GB left.",
                "`db backup` and `db vacuum` need as much again: make room.",
            )
        )
    return found or [
        ok("database", f"{database.name} is at this program's schema and has {size / 1e6:.1f} MB.")
    ]


async def _speed(database: Database) -> Findings:
    took = await database.read(time_questions)
    slow = {name: seconds for name, seconds in took.items() if seconds > SLOW_S}
    found = [
        warning(
            "speed",
            f"Asking for {name} takes {seconds:.2f} s.",
            "Run `inforadar db vacuum`; if that does not help, `inforadar db check`.",
        )
        for name, seconds in slow.items()
    ]
    found += [
        warning("speed", f"A transaction stands open: {who}.", "Find out whose it is and end it.")
        for who in await database.read(load_long_transactions)
    ]
    return found or [
        ok("speed", f"The slowest of {len(took)} questions took {max(took.values()) * 1000:.0f} ms.")
    ]


async def _clock(database: Database) -> Findings:
    offset = (await database.read(load_clock_offset, utc_now)).total_seconds()
    if abs(offset) > CLOCK_S:
        return [
            warning(
                "clock",
                f"The database's clock is {abs(offset):.0f} s {'ahead of' if offset > 0 else 'behind'} this machine's.",
                "Leases go by the database's; let NTP set both.",
            )
        ]
    return [ok("clock", "This machine and the database agree about the time.")]


def _feeds(found: FeedsFound) -> Findings:
    told: list[tuple[Some, str, str]] = [
        (
            found.overdue,
            "due for over an hour, and nobody fetches them",
            "Is a worker running? `inforadar worker`",
        ),
        (
            found.stuck,
            "under a lease that ended: a worker was killed",
            "The next worker takes them over; start one.",
        ),
        (
            found.suspended,
            "suspended after an error",
            "`inforadar feed list` says why; `feed sync` revives one.",
        ),
        (found.failing, "failing for a time", "They are tried again by themselves."),
        (
            found.silent,
            "silent for two months",
            "Look whether the site has another feed: `feed add SITE --discover`.",
        ),
    ]
    findings = []
    for some, what, advice in told:
        if some.number:
            names = ", ".join(some.names) + (", …" if some.number > len(some.names) else "")
            make = problem if some is found.overdue else warning
            findings.append(
                make("feeds", f"{some.number} of {found.active} feeds are {what}: {names}.", advice)
            )
    return findings or [ok("feeds", f"{found.active} feeds, and none of them needs you.")]


async def _names(feeds: FeedsFound) -> Findings:
    hosts = list(dict.fromkeys(hostname(url) for url in feeds.hosts_sample))
    named = [host for host in hosts if not host.replace(".", "").isdigit() and ":" not in host][:HOSTS]
    if not named:
        return []
    resolver = SystemResolver()
    try:
        async with asyncio.timeout(NAMES_S):
            answers = await asyncio.gather(
                *(resolver.resolve(host) for host in named), return_exceptions=True
            )
    except TimeoutError:
        return [
            problem(
                "dns", f"Looking up {named[0]} takes too long.", "Look at /etc/resolv.conf and the network."
            )
        ]
    finally:
        await resolver.close()
    if all(isinstance(answer, BaseException) for answer in answers):
        return [
            problem(
                "dns",
                f"No name is found, for example {named[0]}.",
                "Look at /etc/resolv.conf and the network.",
            )
        ]
    return [ok("dns", f"Names are found, for example {named[0]}.")]
