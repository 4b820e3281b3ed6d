"""Bulletins: short generated reports, so that the sample world never stops publishing.

The written stories end half an hour after the epoch. From then on the outlets take turns, and each reports every few
minutes on its usual subject. A bulletin is generated from its number, so any of them can be made again at any time
and nothing has to be stored.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random

from inforadar.sample.outlets import OUTLETS
from inforadar.sample.stories import Counters, Story

FIRST_AFTER = timedelta(minutes=40)
INTERVAL = timedelta(minutes=20)
MAX_LISTED = 360
"""The number of newest bulletins that are listed: five days' worth. Older pages still answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Text:
    title: str
    snippet: str
    body: str
    counters: Counters = field(default_factory=Counters)


def bulletins_until(now: datetime, epoch: datetime) -> list[Story]:
    """Return the bulletins listed at `now`, oldest first."""
    issued = (now - epoch - FIRST_AFTER) // INTERVAL + 1
    return [write_bulletin(number, epoch) for number in range(max(1, issued - MAX_LISTED + 1), issued + 1)]


def find_bulletin(outlet: str, slug: str, epoch: datetime) -> Story | None:
    """Find the bulletin with this address, published or not."""
    digits = slug.rpartition("-")[2]
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 7 or int(digits) < 1:
        return None
    story = write_bulletin(int(digits), epoch)
    return story if (story.outlet, story.slug) == (outlet, slug) else None


def write_bulletin(number: int, epoch: datetime) -> Story:
    """Generate bulletin `number`, counted from 1."""
    kind = _KINDS[(number - 1) % len(_KINDS)]
    published = FIRST_AFTER + (number - 1) * INTERVAL
    dice = Random(f"{kind.slug}-{number}")
    clock = (epoch + published).astimezone(OUTLETS[kind.outlet].zone).strftime("%H:%M")
    text = kind.write(dice, clock)
    return Story(
        outlet=kind.outlet,
        slug=f"{kind.slug}-{number}",
        language="en",
        title=text.title,
        snippet=text.snippet,
        author=kind.author,
        tags=kind.tags,
        body=text.body,
        published=published,
        counters=text.counters,
    )


def _harbour(dice: Random, clock: str) -> _Text:
    arrivals, wind, level = dice.randint(2, 9), dice.randint(2, 7), dice.randint(-40, 185)
    ship = dice.choice(("Perpetua", "Anna Lisk", "Grey Heron", "Tollin Star", "Vesper", "Corrie Vane"))
    cargo = dice.choice(("timber", "grain", "machine parts", "salt", "apples in crates", "empty containers"))
    berth, tonnes = dice.randint(1, 14), dice.randrange(400, 5200, 50)
    return _Text(
        title=f"Harbour report {clock}: {arrivals} arrivals, wind force {wind}",
        snippet=f"The {ship} is at berth {berth} with {tonnes:,} tonnes of {cargo}; water {level:+d} cm.",
        body=f"""
The harbour office in Saltmere recorded {arrivals} arrivals by {clock}. The largest is the *{ship}*, at
berth {berth}, with {tonnes:,} tonnes of {cargo}.

The wind at the East Mole is force {wind}, and the water stands at {level:+d} centimetres against the
mean. {_bridge(wind)} Small craft should keep to the marked channel while the dredger works off the slip.

| Berth | Ship | Cargo | Tonnes |
|---|---|---|---|
| {berth} | {ship} | {cargo} | {tonnes:,} |

The next report follows when the pilots change shifts. The office answers questions on channel 12.
""".strip(),
        counters=Counters(comments=dice.randint(0, 6)),
    )


def _bridge(wind: int) -> str:
    if wind >= 6:
        return "The swing bridge stays shut to masts over nine metres until the wind drops below force 6."
    return "The swing bridge opens on request at every full hour."


def _weather(dice: Random, clock: str) -> _Text:
    low, spread, rain = dice.randint(-4, 11), dice.randint(3, 8), dice.randrange(0, 95, 5)
    sky = dice.choice(("bright intervals", "low cloud", "showers", "fog in the valleys", "a clear sky"))
    return _Text(
        title=f"Lowmark weather at {clock}: {sky}, {low} to {low + spread} °C",
        snippet=f"The chance of rain is {rain} per cent in the lowlands; the passes report no closures.",
        body=f"""
The Ostrel weather office expects {sky} over the Lowmark for the next six hours, with temperatures
between {low} and {low + spread} degrees. The chance of rain is {rain} per cent in the lowlands.

On the Ansk islands the wind turns to the {dice.choice(("north", "north-west", "south-west"))} after dark.
The road service reports no closures on the passes and asks drivers to allow for wet leaves.

The forecast rests on readings from {dice.randint(88, 104)} of the office's 104 stations, taken at {clock}
UTC.
""".strip(),
    )


def _sky(dice: Random, clock: str) -> _Text:
    meteors, target = dice.randint(6, 60), dice.choice(("the Lantern", "the Plough Ox", "the Three Sisters"))
    return _Text(
        title=f"🔭 {clock} sky alert: up to {meteors} shooting stars an hour — you do NOT want to miss this!",
        snippet=f"Look towards {target} after dusk. No telescope needed, but the next hour could be epic.",
        body=f"""
Drop everything! Tonight's sky could be the most spectacular of the season, with up to {meteors}
shooting stars an hour pouring out of {target}, according to the Lumen sky desk's {clock} update.

Get away from street lights and give your eyes {dice.randint(15, 25)} minutes to adjust. Watchers on the
Ansk ridge counted {max(1, meteors // 3)} in the last hour, and some believe the real peak may still be
ahead.

Cloud cover over the coast is {dice.randrange(10, 80, 5)} per cent. If you miss it, the stream returns in
{dice.randint(3, 11)} months.
""".strip(),
    )


def _market(dice: Random, clock: str) -> _Text:
    prices = {name: dice.randrange(120, 640, 5) / 100 for name in ("Apples", "Leeks", "Walnuts", "Chestnuts")}
    growers = dice.randint(31, 58)
    dearest = max(prices, key=lambda name: prices[name])
    rows = "\n".join(f"| {name} | {price:.2f} |" for name, price in prices.items())
    return _Text(
        title=f"Market board {clock}: apples at {prices['Apples']:.2f} crowns a kilo",
        snippet=f"{dearest} are the dearest on the board; {growers} growers are at the stalls.",
        body=f"""
Prices at the covered market in Ostrel, taken down at {clock}, in crowns a kilo:

| Produce | Price |
|---|---|
{rows}

The market master counted {growers} growers at the stalls and about {dice.randrange(300, 1900, 50)} visitors
since the bell. Supply of leeks and apples is called steady; walnuts depend on the weather in the upper
valley, where picking goes on.

The board is read again when the second carts arrive.
""".strip(),
    )


def _uplink(dice: Random, clock: str) -> _Text:
    up, delay = dice.randint(37, 43), dice.randint(9, 48)
    return _Text(
        title=f"Uplink status {clock}: {up} of 43 community nodes answer, median {delay} ms",
        snippet=f"{43 - up} nodes are silent. The slowest answer took {delay * dice.randint(4, 9)} ms.",
        body=f"""
The automatic check of {clock} reached {up} of the 43 nodes that Agora members run on roofs and in cellars.
The median answer took {delay} milliseconds.

- Silent: {43 - up} nodes, most of them on battery
- Traffic in the last hour: {dice.randint(11, 96)} GB
- Longest uptime: {dice.randint(112, 890)} days, on the roof of the old grain store

If one of the silent nodes is yours, look at the fuse first. The script behind this post is 90 lines long
and is kept in the members' archive.
""".strip(),
        counters=Counters(
            views=dice.randint(60, 900),
            comments=dice.randint(0, 5),
            rating=dice.randint(-2, 9),
            bookmarks=dice.randint(0, 3),
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    outlet: str
    slug: str
    author: str
    tags: tuple[str, ...]
    write: Callable[[Random, str], _Text]


_KINDS = (
    _Kind(outlet="harbour-post", slug="harbour-report", author="Port desk", tags=("port",), write=_harbour),
    _Kind(outlet="northern-wire", slug="weather", author="Weather desk", tags=("weather",), write=_weather),
    _Kind(outlet="lumen", slug="sky-alert", author="Lumen sky desk", tags=("space",), write=_sky),
    _Kind(outlet="orchard", slug="market-board", author="Market desk", tags=("market",), write=_market),
    _Kind(outlet="agora", slug="uplink-status", author="uplink-bot", tags=("network",), write=_uplink),
)
