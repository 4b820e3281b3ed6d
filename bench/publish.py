"""The time of building a feed: string joins against element trees.

    python -m bench publish [--items 50] [--rounds 200]

The entries are made up but as rich as real ones: an analysis with six explained scores, five facts, tags and counters;
with and without 4,000 characters of text; in English, Russian and Chinese.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree

from lxml import etree

from inforadar import urls
from inforadar.model.analysis import Analysis, Score
from inforadar.stages.publish import (
    NAMESPACE,
    ChannelInfo,
    Entry,
    mix,
    render_atom,
    render_json_feed,
    render_rss,
)

_NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
_CHANNEL = ChannelInfo(
    title="Example & Co, deframed",
    link="https://example.com/",
    description="News from example.com, deframed.",
    self_url="https://radar.example/rss?url=https%3A%2F%2Fexample.com%2Ffeed",
    built_at=_NOW,
    language="en",
)
_SENTENCES = {
    "en": "Minister answers critics of the housing bill and says the vote comes on Monday. ",
    "ru": "Министр ответил критикам жилищного закона и сказал, что голосование будет в понедельник. ",
    "zh": "部长回应对住房法案的批评，表示投票将于周一举行，反对派要求推迟到下个月。",
}


def _entry(number: int, sentence: str, *, with_text: bool) -> Entry:
    url = f"https://example.com/news/2026/01/{number}/minister-answers-critics?section=politics"
    score = Score(
        value=0.81, reason="Two verbs of violence and an adjective of anger.", words=("slams", "fury")
    )
    analysis = Analysis(
        title=sentence[:70],
        title_reason="A verb of violence and capitals dropped.",
        description=sentence * 2,
        description_reason="An appeal to fear dropped.",
        summary=sentence * 3,
        facts=(sentence,) * 5,
        framing=score,
        clickbait=score,
        persuasive=score,
        hyper_stimulus=score,
        speculative=score,
        overall=score,
        category="politics",
        language="en",
        model="local-1",
        prompt_version="1",
    )
    return Entry(
        url=url,
        hash=urls.url_hash(url),
        published_at=_NOW - timedelta(minutes=number),
        title=f"FURY & chaos: {sentence[:60].upper()}",
        snippet=sentence * 3,
        author="Zoë Müller",
        tags=("politics", "housing", "R&D"),
        image=f"https://example.com/images/{number}.jpg",
        text="\n\n".join([(sentence * 20)[:1000]] * 4) if with_text else None,
        analysis=analysis,
        source="Example",
        topic="politics",
        views=120,
        comments=0,
    )


def _fill(element: Callable[..., object], entries: Sequence[Entry]) -> object:
    """Build the same elements as a tree; `element` is `SubElement` of either library."""
    root = etree.Element("rss") if element is etree.SubElement else ElementTree.Element("rss")
    channel = element(root, "channel")

    def leaf(parent: object, name: str, text: str | None, **attributes: str) -> object:
        made = element(parent, name, **attributes)
        made.text = text  # type: ignore[attr-defined]
        return made

    ours = "{" + NAMESPACE + "}"
    for entry in entries:
        analysis = entry.analysis
        assert analysis is not None
        item = element(channel, "item")
        leaf(item, "title", analysis.title)
        leaf(item, "link", entry.url)
        leaf(item, "guid", entry.hash, isPermaLink="false")
        leaf(item, "description", analysis.description)
        if entry.text:
            leaf(item, "{http://purl.org/rss/1.0/modules/content/}encoded", entry.text)
        leaf(item, "pubDate", entry.published_at.isoformat())
        leaf(item, "{http://purl.org/dc/elements/1.1/}creator", entry.author)
        for tag in entry.tags:
            leaf(item, "category", tag)
        leaf(item, "{http://search.yahoo.com/mrss/}content", None, url=entry.image or "", medium="image")
        for name, text in (
            ("source", entry.source),
            ("topic", entry.topic),
            ("originalTitle", entry.title),
            ("originalDescription", entry.snippet),
            ("titleReason", analysis.title_reason),
            ("descriptionReason", analysis.description_reason),
            ("summary", analysis.summary),
            ("category", analysis.category),
            ("language", analysis.language),
            ("model", analysis.model),
            ("promptVersion", analysis.prompt_version),
        ):
            leaf(item, ours + name, text)
        for fact in analysis.facts:
            leaf(item, ours + "fact", fact)
        for name in ("framing", "clickbait", "persuasive", "hyper_stimulus", "speculative", "overall"):
            score = getattr(analysis, name)
            scored = element(item, ours + "score", name=name, value=f"{score.value:.3f}", label=score.label)
            leaf(scored, ours + "reason", score.reason)
            for word in score.words:
                leaf(scored, ours + "word", word)
    return root


def _cpu_ms(work: Callable[[], object], rounds: int) -> float:
    """Return the median, so that one preempted round does not count."""
    times = []
    for _ in range(rounds):
        start = time.process_time_ns()
        work()
        times.append(time.process_time_ns() - start)
    return sorted(times)[rounds // 2] / 1e6


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench publish", description=__doc__)
    parser.add_argument("--items", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--corpus", help="not used: the entries are made up")
    args = parser.parse_args(argv)

    print(f"Building a feed of {args.items} analyzed items, median CPU ms of {args.rounds} rounds")
    print(f"{'entries':22}{'KB':>6}{'rss':>8}{'embedded':>10}{'atom':>8}{'json':>8}{'lxml':>8}{'stdlib':>8}")
    for language, sentence in _SENTENCES.items():
        for with_text in (False, True):
            entries = [_entry(number, sentence, with_text=with_text) for number in range(args.items)]
            size = len(render_rss(_CHANNEL, entries).whole.encode()) / 1024
            figures = [
                _cpu_ms(work, args.rounds)
                for work in (
                    lambda entries=entries: render_rss(_CHANNEL, entries),
                    lambda entries=entries: render_rss(_CHANNEL, entries, embedded=True),
                    lambda entries=entries: render_atom(_CHANNEL, entries),
                    lambda entries=entries: render_json_feed(_CHANNEL, entries),
                    lambda entries=entries: etree.tostring(
                        _fill(etree.SubElement, entries), encoding="utf-8"
                    ),
                    lambda entries=entries: ElementTree.tostring(
                        _fill(ElementTree.SubElement, entries), encoding="utf-8"
                    ),
                )
            ]
            name = f"{language}, {'4,000 chars of text' if with_text else 'no text'}"
            print(
                f"{name:24}{size:>4.0f}"
                + "".join(f"{figure:>8.2f}" for figure in figures[:1])
                + f"{figures[1]:>10.2f}"
                + "".join(f"{figure:>8.2f}" for figure in figures[2:])
            )

    feeds = {
        feed: [_entry(1000 * feed + number, _SENTENCES["en"], with_text=False) for number in range(50)]
        for feed in range(40)
    }
    spent = _cpu_ms(lambda: mix(feeds, 50, lambda entry: entry.url, lambda entry: entry.published_at), 50)
    print(f"Mixing 50 entries out of 40 feeds with 50 each: {spent:.2f} ms")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
