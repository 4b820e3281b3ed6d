"""The checks of `inforadar doctor` that read the database: integrity, speed, clock, feeds and host names."""

from __future__ import annotations

import asyncio
import shutil

from inforadar.clock import utc_now
from inforadar.fetch.resolve import SystemResolver
from inforadar.model.alert import Alert
from inforadar.model.feed_options import FeedOptions
from inforadar.model.finding import Finding, ok, problem, warning
from inforadar.stages.discover.sitemap.filter import parse_stored_filter
from inforadar.store.database import Database
from inforadar.store.rules.alerts import load_alerts
from inforadar.store.rules.queries import count_deliveries
from inforadar.store.upkeep.checks import find_missing, load_size
from inforadar.store.upkeep.diagnosis import (
    CountedNames,
    FeedsDiagnosis,
    load_clock_offset,
    load_feeds_diagnosis,
    load_long_transactions,
    load_options_with_patterns,
    quick_check,
    time_queries,
)
from inforadar.texts import counted
from inforadar.urls import hostname

SLOW_QUERY_S = 0.25
MAX_CLOCK_OFFSET_S = 2.0
DNS_TIMEOUT_S = 1.2
"""Maximum duration of resolving host names."""
INTEGRITY_CHECK_MS = 700
MAX_ALERTS = 10
RESOLVED_HOSTS = 3
"""Number of host names that are resolved."""

Findings = list[Finding]


async def examine_store(database: Database) -> Findings:
    """Check a database that exists and has this program's schema."""
    found = await _integrity(database)
    found += await _speed(database)
    found += await _clock(database)
    feeds = await database.read(load_feeds_diagnosis)
    patterns = _patterns(await database.read(load_options_with_patterns))
    alerts = _alerts(await database.read(load_alerts), await database.read(count_deliveries))
    return [*found, *_feeds(feeds), *alerts, *patterns, *await _names(feeds)]


async def _integrity(database: Database) -> Findings:
    found = [problem("database", sentence, "") for sentence in await database.read(find_missing)]
    if said := await database.read(quick_check, INTEGRITY_CHECK_MS):
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
                f"The database takes {size / 1e9:.1f} GB, and the disk has {free / 1e9:.1f} GB left.",
                "`db backup` and `db vacuum` need as much space again: free some.",
            )
        )
    return found or [ok("database", f"{database.name} has the current schema and takes {size / 1e6:.1f} MB.")]


async def _speed(database: Database) -> Findings:
    took = await database.read(time_queries)
    slow = {name: seconds for name, seconds in took.items() if seconds > SLOW_QUERY_S}
    found = [
        warning(
            "speed",
            f"The query for {name} takes {seconds:.2f} s.",
            "Run `inforadar db vacuum`; if that does not help, `inforadar db check`.",
        )
        for name, seconds in slow.items()
    ]
    found += [
        warning("speed", f"A transaction has been open for long: {who}.", "Find out whose it is and end it.")
        for who in await database.read(load_long_transactions)
    ]
    return found or [
        ok("speed", f"The slowest of {len(took)} queries took {max(took.values()) * 1000:.0f} ms.")
    ]


async def _clock(database: Database) -> Findings:
    offset = (await database.read(load_clock_offset, utc_now)).total_seconds()
    if abs(offset) > MAX_CLOCK_OFFSET_S:
        return [
            warning(
                "clock",
                f"The database's clock is {abs(offset):.0f} s {'ahead of' if offset > 0 else 'behind'} this machine's.",
                "Leases use the database's clock; synchronize both with NTP.",
            )
        ]
    return [ok("clock", "The clocks of this machine and the database agree.")]


def _feeds(found: FeedsDiagnosis) -> Findings:
    told: list[tuple[CountedNames, str, str]] = [
        (
            found.overdue,
            "due for over an hour, and not fetched",
            "Is a worker running? `inforadar worker`",
        ),
        (
            found.stuck,
            "under a lease that expired, because a worker was killed",
            "The next worker takes them over; start one.",
        ),
        (
            found.suspended,
            "suspended after an error",
            "`inforadar feed list` shows why; `feed sync` revives a feed.",
        ),
        (found.failing, "failing temporarily", "They are retried automatically."),
        (
            found.silent,
            "without new items for two months",
            "Check whether the site has another feed: `feed add SITE --discover`.",
        ),
    ]
    findings = []
    for some, what, advice in told:
        if some.number:
            names = ", ".join(some.names) + (", …" if some.number > len(some.names) else "")
            be = "is" if some.number == 1 else "are"
            make = problem if some is found.overdue else warning
            findings.append(
                make(
                    "feeds",
                    f"{some.number} of {counted(found.active, 'feed')} {be} {what}: {names}.",
                    advice,
                )
            )
    return findings or [ok("feeds", f"{counted(found.active, 'feed')}, none with a problem.")]


def _alerts(alerts: list[Alert], messages: dict[str, int]) -> Findings:
    findings = [
        warning(
            "alerts", f"{alert.title}: {alert.message}", "`inforadar alert quiet FEED 30d` if it is fine."
        )
        for alert in alerts[:MAX_ALERTS]
    ]
    if len(alerts) > MAX_ALERTS:
        findings.append(
            warning("alerts", f"And {len(alerts) - MAX_ALERTS} more alerts.", "`inforadar alert list`")
        )
    if dead := messages["dead"]:
        findings.append(
            warning(
                "messages",
                f"{counted(dead, 'message')} could not be sent and {'was' if dead == 1 else 'were'} given up.",
                "`inforadar channel messages --dead` says why.",
            )
        )
    return findings


def _patterns(options: dict[str, FeedOptions]) -> Findings:
    stored = ((url, parse_stored_filter(own.to_json(), utc_now())) for url, own in options.items())
    return [
        warning(
            "patterns",
            f"{url} chooses its pages by {unsafe}, which may take long and slows its fetches.",
            "Give a pattern without look-arounds and back-references: `feed edit URL --include`, `--exclude`.",
        )
        for url, (_, unsafe) in stored
        if unsafe
    ]


async def _names(feeds: FeedsDiagnosis) -> Findings:
    hosts = list(dict.fromkeys(hostname(url) for url in feeds.hosts_sample))
    named = [host for host in hosts if not host.replace(".", "").isdigit() and ":" not in host][
        :RESOLVED_HOSTS
    ]
    if not named:
        return []
    resolver = SystemResolver()
    try:
        async with asyncio.timeout(DNS_TIMEOUT_S):
            answers = await asyncio.gather(
                *(resolver.resolve(host) for host in named), return_exceptions=True
            )
    except TimeoutError:
        return [
            problem("dns", f"Resolving {named[0]} takes too long.", "Check /etc/resolv.conf and the network.")
        ]
    finally:
        await resolver.close()
    if all(isinstance(answer, BaseException) for answer in answers):
        return [
            problem(
                "dns",
                f"Host names cannot be resolved, for example {named[0]}.",
                "Check /etc/resolv.conf and the network.",
            )
        ]
    return [ok("dns", f"Host names can be resolved, for example {named[0]}.")]
