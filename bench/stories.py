"""How well items are grouped into stories: `python -m bench stories --gold FOLDER [--squeeze]`.

Items arrive in order, one pass, no look ahead. `--squeeze` puts all items of a set into 72 hours; otherwise old events
lie years apart and are easy. With `--squeeze` the figures are means over three orders of arrival. Beside our grouping,
with and without sentence vectors, the table has two simple ones: MinHash of three-word runs, and equal words in titles
(an overlap of 60 % with at least three words). Without `--gold`, the set in `bench/data/stories` is measured: a few
events told in four scripts.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

from bench.stories_sets import GoldItem, Measures, arrange, find_sets, measure
from bench.stories_window import KINDS, run_window
from inforadar.model.ids import ItemId, StoryId
from inforadar.semantic import encoder
from inforadar.stages.group.copies import make_print
from inforadar.stages.group.grouper import Grouper
from inforadar.stages.group.pair_score import load_weights
from inforadar.stages.group.signature import Vector, make_signature, vector_texts
from inforadar.stages.group.tokens import fold, split_tokens
from inforadar.stages.group.vocabulary import make_vocabulary
from inforadar.stages.group.window import Member, Window

OWN_SETS = Path(__file__).parent / "data" / "stories"
SEEDS = (1, 2, 3)
BATCH = 32
START = datetime(2026, 1, 1, tzinfo=UTC)


def encode_items(items: Sequence[GoldItem]) -> dict[str, tuple[Vector, Vector]]:
    """Encode title, and title with lead, in batches as the worker does."""
    found: dict[str, tuple[Vector, Vector]] = {}
    for start in range(0, len(items), BATCH):
        batch = items[start : start + BATCH]
        texts = [vector_texts(item.title, item.text) for item in batch]
        titles = encoder.vectors([title for title, _ in texts])
        with_lead = [number for number, (title, full) in enumerate(texts) if title != full]
        fulls = dict(zip(with_lead, encoder.vectors([texts[number][1] for number in with_lead]), strict=True))
        for number, item in enumerate(batch):
            found[item.id] = (titles[number], fulls.get(number, titles[number]))
    return found


def group(items: Sequence[GoldItem], vectors: dict[str, tuple[Vector, Vector]] | None) -> list[StoryId]:
    """Group the items with the product's grouper."""
    made = 0

    def new_story() -> StoryId:
        nonlocal made
        made += 1
        return StoryId(UUID(int=made))

    window, vocabulary = Window(), make_vocabulary()
    grouper = Grouper(window, vocabulary, load_weights(), new_story)
    for number, item in enumerate(items):
        signature, casing = make_signature(item.title, item.text, item.language)
        if vectors is not None:
            title, full = vectors[item.id]
            signature = replace(signature, title_vector=title, full_vector=full)
        vocabulary.learn(signature, casing)
        grouper.place(
            Member(
                id=ItemId(UUID(int=number)),
                at=START + timedelta(seconds=item.time),
                signature=signature,
                print=make_print(item.title, item.text),
                address=item.url if item.text else "",
                story=StoryId(UUID(int=0)),
            )
        )
    return [window.members[ItemId(UUID(int=number))].story for number in range(len(items))]


def group_by_minhash(items: Sequence[GoldItem]) -> list[int]:
    """Join items whose three-word runs overlap by half, by Jaccard itself: what MinHash estimates."""
    return _greedy([_runs(f"{item.title} {item.text[:2000]}") for item in items], _jaccard_half)


def group_by_titles(items: Sequence[GoldItem]) -> list[int]:
    """Join items whose titles share 60 % of the shorter one's words, at least three."""
    return _greedy([_words(item.title) for item in items], _overlaps)


def _words(text: str) -> frozenset[str]:
    return frozenset(fold(token.text) for token in split_tokens(text))


def _runs(text: str) -> frozenset[str]:
    words = [fold(token.text) for token in split_tokens(text)]
    return frozenset(" ".join(words[place : place + 3]) for place in range(len(words) - 2))


def _jaccard_half(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one) and len(one & other) >= 0.5 * len(one | other)


def _overlaps(one: frozenset[str], other: frozenset[str]) -> bool:
    shared = len(one & other)
    return shared >= 3 and shared >= 0.6 * min(len(one), len(other))


def _greedy(
    features: Sequence[frozenset[str]], same: Callable[[frozenset[str], frozenset[str]], bool]
) -> list[int]:
    labels: list[int] = []
    index: dict[str, list[int]] = {}
    for number, one in enumerate(features):
        near = sorted({place for word in one for place in index.get(word, ())[-100:]})
        label = next((labels[place] for place in near if same(one, features[place])), number)
        labels.append(label)
        for word in one:
            index.setdefault(word, []).append(number)
    return labels


Way = Callable[[Sequence[GoldItem]], Sequence[object]]


def _row(name: str, found: Sequence[Measures], cpu_s: float, items: int) -> None:
    means = [
        statistics.fmean(values)
        for values in zip(*((m.precision, m.recall, m.f1, m.merged) for m in found), strict=True)
    ]
    spread = max(m.f1 for m in found) - min(m.f1 for m in found)
    print(
        f"  {name:<18} {means[0]:>9.3f} {means[1]:>7.3f} {means[2]:>7.3f} {spread:>7.3f} {means[3]:>10.1%}"
        f" {statistics.fmean(m.stories for m in found):>8.0f} {cpu_s / items * 1000:>9.2f}",
        flush=True,
    )


def run_set(name: str, items: Sequence[GoldItem], *, squeeze: bool, seeds: Sequence[int | None]) -> None:
    events = len({item.story for item in items})
    print(f"{name}: {len(items)} items, {events} events{', all inside 72 h' if squeeze else ''}")
    head = ("precision", "recall", "F1", "spread", "same kind", "stories", "s/1,000")
    widths = (9, 7, 7, 7, 10, 8, 9)
    print(" " * 20, *(f"{name:>{width}}" for name, width in zip(head, widths, strict=True)))
    ways: dict[str, Way] = {
        "MinHash": group_by_minhash,
        "title overlap": group_by_titles,
        "without vectors": lambda rows: group(rows, None),
    }
    encode_s = 0.0
    if encoder.available():
        encoder.vectors(["."])  # loads the weights
        start = time.process_time()
        vectors = encode_items(items)
        encode_s = time.process_time() - start
        ways["with vectors"] = lambda rows: group(rows, vectors)
    for way, grouping in ways.items():
        found, cpu_s = [], 0.0
        for seed in seeds:
            rows = arrange(items, squeeze=squeeze, seed=seed)
            start = time.process_time()
            labels = grouping(rows)
            cpu_s += time.process_time() - start
            found.append(measure(rows, labels))
        extra_s = encode_s if way == "with vectors" else 0.0
        _row(way, found, cpu_s / len(seeds) + extra_s, len(items))


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gold", type=Path, default=OWN_SETS)
    parser.add_argument("--squeeze", action="store_true")
    parser.add_argument("--set", action="append", help="only this set")
    parser.add_argument("--window", type=int, metavar="N", help="measure what placing costs among N items")
    parser.add_argument("--archive", type=int, metavar="M", help="older items beside the window; default: N")
    parser.add_argument("--database", choices=("sqlite", "postgresql"), help="with --window: only this one")
    parser.add_argument("--texts", choices=KINDS, help="with --window: only this kind")
    options, _ = parser.parse_known_args(argv)
    if options.window:
        archive = options.window if options.archive is None else options.archive
        databases = [options.database] if options.database else ["sqlite", "postgresql"]
        run_window(options.window, archive, databases, [options.texts] if options.texts else KINDS)
        return 0
    for name, items in find_sets(options.gold).items():
        if not options.set or name in options.set:
            run_set(name, items, squeeze=options.squeeze, seeds=SEEDS if options.squeeze else (None,))
    return 0
