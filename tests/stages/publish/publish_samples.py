"""Entries for the publish tests: a small, fixed newsroom in several scripts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

from inforadar import urls
from inforadar.model.analysis import Analysis, Score
from inforadar.model.item import Enclosure
from inforadar.stages.publish import ChannelInfo, Entry

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

CHANNEL = ChannelInfo(
    id=UUID("01890a5d-ac96-774b-bcce-b302099a8057"),
    title="Example & Co <deframed>",
    link="https://example.com/",
    description="News from example.com, deframed.",
    self_url="https://radar.example/rss?url=https%3A%2F%2Fexample.com%2Ffeed&format=x",
    built_at=NOW,
    language="en_GB",
    icon="https://example.com/icon.png",
)


def score(value: float = 0.81) -> Score:
    return Score(value=value, reason="Verbs of violence & anger.", words=("SLAMS", "furious"))


def analysis(title: str = "Minister answers critics") -> Analysis:
    return Analysis(
        title=title,
        title_reason="A verb of violence and capitals dropped.",
        description="The minister answered critics of the bill <late> on Thursday.",
        description_reason="An appeal to anger dropped.",
        summary="A summary.\nIn two lines.",
        facts=("The vote is on Monday.", "Costs: 3 < 5 bn & rising."),
        framing=score(),
        clickbait=score(0.0),
        persuasive=score(0.34),
        hyper_stimulus=score(1.0),
        speculative=Score(value=0.2, reason=""),
        overall=score(),
        category="politics",
        language="en",
        model="local-1",
        prompt_version="3",
    )


def entry(path: str = "1", **fields: object) -> Entry:
    url = f"https://example.com/news/{path}"
    known: dict[str, object] = {
        "url": url,
        "hash": urls.url_hash(url),
        "published_at": NOW - timedelta(hours=1),
    }
    return Entry(**{**known, **fields})  # type: ignore[arg-type]


ENTRIES = (
    entry(
        "minister?a=1&b=2|3",
        title="Minister SLAMS critics in <b>furious</b> row &amp; leaves",
        snippet="Fury as minister tears into critics…",
        author="Zoë Müller <zoe@example.com>",
        tags=("politics", "R&D", "politics", " "),
        image="https://example.com/images/1.jpg?w=1&h=2",
        text="First paragraph, 1 < 2.\n\nSecond\nwith a line break.",
        analysis=analysis(),
        source="Example & Co",
        topic="politics",
        views=1234567,
        comments=0,
        rating=-2.5,
    ),
    entry(
        "cyrillic",
        title="Министр ответил критикам 🏛️",
        snippet="Голосование — в понедельник.",
        language="ru",
        content_html='<p>Полный <a href="https://example.com/a?b=1&amp;c=2">текст</a>.</p>',
        text_digest="0123456789abcdef",
        updated_at=NOW,
    ),
    entry("chinese", title="部长回应批评", tags=("政治",), published_at=NOW + timedelta(days=400)),
    entry(
        "arabic",
        title="الوزير يرد على منتقديه",
        analysis=analysis("الوزير يرد"),
        image="data:image/png;base64,AA",
    ),
    entry("untitled"),
    entry(
        "podcast#часть-2",
        title="第二集 🎙 Выпуск",
        author="Анна <Ким>",
        authors=("Анна <Ким>", "أحمد & شريك", "Анна <Ким>"),
        image="https://example.com/images/cover.jpg",
        comments_url="https://example.com/talk?a=1&b=2",
        updated_at=NOW - timedelta(minutes=5),
        season=2,
        episode=7,
        enclosures=(
            Enclosure(
                url="https://cdn.example/e7.mp3?a=1&b=2",
                type="Audio/MPEG; x=1",
                length=1048576,
                duration=1801,
                title='Выпуск "7" <b>',
            ),
            Enclosure(url="https://cdn.example/e7.mp4", duration=1800, title="视频 <b>&"),
            Enclosure(url="javascript:alert(1)", type="audio/mpeg"),
            Enclosure(url="https://cdn.example/конспект", type='"><script>', length=-1),
        ),
    ),
)
