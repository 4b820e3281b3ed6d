"""`/metrics`: in Prometheus' text format, by its rules, and true."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import inf

import aiohttp

from inforadar.model.http import Outcome
from inforadar.model.rhythm import Delays
from inforadar.store.feeds.note_history import note_delays
from inforadar.store.feeds.rhythms import Price
from inforadar.store.feeds.save_rhythms import save_price
from inforadar.store.upkeep.metrics import Gauge
from inforadar.web.api.metrics import render_gauges
from tests.support.faces.newsroom import Newsroom

NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
SAMPLE = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)')
SUFFIXES = {"counter": ("",), "gauge": ("",), "histogram": ("_bucket", "_sum", "_count")}

Labels = tuple[tuple[str, str], ...]


@dataclass
class Family:
    kind: str
    samples: dict[tuple[str, Labels], float] = field(default_factory=dict)


def parse(text: str) -> dict[str, Family]:
    """As Prometheus reads it; whatever breaks its rules fails."""
    assert text.endswith("\n")
    families: dict[str, Family] = {}
    helped: set[str] = set()
    current = ""
    for line in text.splitlines():
        if line.startswith("# HELP "):
            name, _, words = line[7:].partition(" ")
            assert NAME.fullmatch(name)
            assert words
            assert name not in helped
            helped.add(name)
        elif line.startswith("# TYPE "):
            current, kind = line[7:].split(" ")
            assert current in helped
            assert current not in families
            assert (kind == "counter") == current.endswith("_total")
            families[current] = Family(kind)
        else:
            found = SAMPLE.fullmatch(line)
            assert found, line
            family = families[current]
            # The samples of a family stand together, after its type.
            assert found[1].removeprefix(current) in SUFFIXES[family.kind], line
            labels = tuple((one[1], one[2]) for one in LABEL.finditer(found[2] or ""))
            assert ",".join(f'{name}="{value}"' for name, value in labels) == (found[2] or "")
            assert len({name for name, _ in labels}) == len(labels)
            key = (found[1], labels)
            assert key not in family.samples
            family.samples[key] = inf if found[3] == "+Inf" else float(found[3])
            assert family.kind == "gauge" or family.samples[key] >= 0
    for name, family in families.items():
        if family.kind == "histogram":
            check_histogram(name, family)
    return families


def check_histogram(name: str, family: Family) -> None:
    limits = {
        float(dict(labels)["le"]): value
        for (sample, labels), value in family.samples.items()
        if sample.endswith("_bucket")
    }
    assert list(limits) == sorted(limits)
    assert list(limits.values()) == sorted(limits.values())
    assert limits[inf] == family.samples[f"{name}_count", ()]


async def scrape(web: aiohttp.ClientSession) -> dict[str, Family]:
    async with web.get("/metrics") as response:
        assert response.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
        return parse(await response.text())


async def test_metrics_tell_fetches_queues_leases_analyses_and_latency(
    newsroom: Newsroom, web: aiohttp.ClientSession
) -> None:
    feed = await newsroom.add_feed()
    for number in range(3):
        await newsroom.add_item(feed, f"https://news.example/{number}")
    await newsroom.fetched(feed, Outcome.TEMPORARY_ERROR, error="x", failures=1)
    await newsroom.analyze({"https://news.example/1": 0.5})
    async with web.get("/api/items"):
        pass
    found = await scrape(web)

    def value(name: str, **labels: str) -> float:
        family = next(family for family in found if name.startswith(family))
        return found[family].samples[name, tuple(labels.items())]

    assert value("inforadar_feeds", outcome="temporary_error") == 1
    assert value("inforadar_fetches_total", outcome="temporary_error") == 1
    assert value("inforadar_fetches_total", outcome="success") == 0
    assert value("inforadar_queue_length", queue="search") > 0
    assert value("inforadar_queue_age_seconds", queue="canonical") >= 0
    assert value("inforadar_leases", stage="collect") == 0
    assert value("inforadar_leases", stage="canonical") == 2
    assert value("inforadar_analyses_total") == 1
    assert value("inforadar_http_requests_total", status="200") == 1
    assert value("inforadar_http_request_duration_seconds_bucket", le="+Inf") == 1
    assert value("inforadar_http_request_duration_seconds_sum") > 0


async def test_metrics_tell_the_observed_and_the_expected_delay_and_the_plan(
    newsroom: Newsroom, web: aiohttp.ClientSession
) -> None:
    feed, now = await newsroom.add_feed(), datetime.now(UTC)
    for timed in (1, 2):
        late = Delays(timed=timed, delay_s=600.0 * timed, expected_s=500.0 * timed)
        await newsroom.database.write(note_delays, feed.id, now, late)
    price = Price(
        price_s=90.0, budget=2400.0, planned=2310.0, feeds=100, expected_delay_s=620.0, steered_at=now
    )
    await newsroom.database.write(save_price, price, None)
    found = await scrape(web)
    for name, value in {
        "inforadar_timed_items_total": 3,
        "inforadar_observed_delay_seconds_total": 1800,
        "inforadar_expected_delay_seconds_total": 1500,
        "inforadar_planned_delay_seconds": 620,
        "inforadar_planned_requests_per_day": 2310,
        "inforadar_budget_requests_per_day": 2400,
        "inforadar_request_price_seconds": 90,
    }.items():
        assert found[name].samples == {(name, ()): value}


async def test_metrics_without_a_plan_leave_its_figures_out(
    newsroom: Newsroom, web: aiohttp.ClientSession
) -> None:
    found = await scrape(web)
    assert found["inforadar_timed_items_total"].samples == {("inforadar_timed_items_total", ()): 0}
    assert not [name for name in found if "planned" in name or "budget" in name]


def test_large_numbers_keep_all_their_digits_and_labels_are_escaped() -> None:
    name = "inforadar_analysis_calls_total"
    hostile = 'a"b\\c\nd'
    text = "\n".join(render_gauges([Gauge(name=name, value=123456789, labels=(("model", hostile),))])) + "\n"
    ((_, labels),) = parse(text)[name].samples
    assert list(parse(text)[name].samples.values()) == [123456789]
    assert labels == (("model", r"a\"b\\c\nd"),)
