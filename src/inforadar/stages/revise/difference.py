"""The difference between two texts: paragraphs first, then the words of those that changed.

Every step is bounded: common beginnings and ends are cut off first, and what is too long to be compared word by word
counts as replaced.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

from inforadar.stages.revise.normalize import Word, split_paragraphs, split_words

SAME_PARAGRAPH = 0.4
"""Two paragraphs that share at least this part of their words are one paragraph that was edited."""
MAX_PAIRS = 2500
MAX_WORD_PRODUCT = 400_000
MAX_PARAGRAPH_PRODUCT = 200_000
MAX_ISLAND_WORDS = 1
"""So few equal words between two changes belong to them: "a" and "the" hold no passage together."""


class Op(StrEnum):
    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"


class ParagraphState(StrEnum):
    SAME = "same"
    CHANGED = "changed"
    REMOVED = "removed"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class Edit:
    """Words that were replaced by others; one of the two sides may be empty."""

    old: tuple[Word, ...]
    new: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class ParagraphDiff:
    """A paragraph of either version. Equal words stand between the edits."""

    state: ParagraphState
    old: tuple[Word, ...]
    new: tuple[Word, ...]
    steps: tuple[Edit | tuple[Word, ...], ...] = ()
    """Edits, and equal words as the new version writes them, in order."""

    @property
    def edits(self) -> list[Edit]:
        return [step for step in self.steps if isinstance(step, Edit)]

    @property
    def old_text(self) -> str:
        return text_of(self.old)

    @property
    def new_text(self) -> str:
        return text_of(self.new)

    @property
    def runs(self) -> list[tuple[Op, str]]:
        """The paragraph as it is shown: struck through, underlined, plain."""
        runs: list[tuple[Op, str]] = []
        for step in self.steps:
            if isinstance(step, Edit):
                runs += [
                    (op, text)
                    for op, text in (
                        (Op.REMOVED, text_of(step.old, strip=False)),
                        (Op.ADDED, text_of(step.new, strip=False)),
                    )
                    if text
                ]
            else:
                runs.append((Op.SAME, text_of(step, strip=False)))
        return runs


def text_of(words: Sequence[Word], *, strip: bool = True) -> str:
    text = "".join(word.text for word in words)
    return text.strip() if strip else text


def compare_texts(old: str, new: str) -> tuple[ParagraphDiff, ...]:
    """Compare two texts paragraph by paragraph."""
    before = [split_words(paragraph) for paragraph in split_paragraphs(old)]
    after = [split_words(paragraph) for paragraph in split_paragraphs(new)]
    old_keys = [_keys(words) for words in before]
    new_keys = [_keys(words) for words in after]
    diffs: list[ParagraphDiff] = []
    for tag, a1, a2, b1, b2 in _blocks(old_keys, new_keys, MAX_PARAGRAPH_PRODUCT):
        if tag == "equal":
            diffs += [
                ParagraphDiff(ParagraphState.SAME, tuple(one), tuple(other), (tuple(other),))
                for one, other in zip(before[a1:a2], after[b1:b2], strict=True)
            ]
        else:
            diffs += _compare_block(before[a1:a2], after[b1:b2])
    return tuple(_without_moves(diffs))


def _keys(words: Sequence[Word]) -> tuple[str, ...]:
    return tuple(word.key for word in words)


def _blocks(old: Sequence[object], new: Sequence[object], most: int) -> list[tuple[str, int, int, int, int]]:
    """Like `SequenceMatcher.get_opcodes`, in bounded time."""
    start = 0
    shorter = min(len(old), len(new))
    while start < shorter and old[start] == new[start]:
        start += 1
    end = 0
    while end < shorter - start and old[-1 - end] == new[-1 - end]:
        end += 1
    a, b = old[start : len(old) - end], new[start : len(new) - end]
    blocks: list[tuple[str, int, int, int, int]] = []
    if start:
        blocks.append(("equal", 0, start, 0, start))
    if len(a) * len(b) > most:
        blocks.append(("replace", start, start + len(a), start, start + len(b)))
    elif a or b:
        codes = SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
        blocks += [(tag, a1 + start, a2 + start, b1 + start, b2 + start) for tag, a1, a2, b1, b2 in codes]
    if end:
        blocks.append(("equal", len(old) - end, len(old), len(new) - end, len(new)))
    return blocks


def _compare_block(old: Sequence[list[Word]], new: Sequence[list[Word]]) -> list[ParagraphDiff]:
    """Paragraphs between two equal ones: pair those that are alike, in order; the others came or went."""
    diffs: list[ParagraphDiff] = []
    i = j = 0
    for a, b in _pair(old, new):
        diffs += [_removed(words) for words in old[i:a]] + [_added(words) for words in new[j:b]]
        diffs.append(_compare_words(old[a], new[b]))
        i, j = a + 1, b + 1
    return diffs + [_removed(words) for words in old[i:]] + [_added(words) for words in new[j:]]


def _removed(words: Sequence[Word]) -> ParagraphDiff:
    return ParagraphDiff(ParagraphState.REMOVED, tuple(words), (), (Edit(tuple(words), ()),))


def _added(words: Sequence[Word]) -> ParagraphDiff:
    return ParagraphDiff(ParagraphState.ADDED, (), tuple(words), (Edit((), tuple(words)),))


def _pair(old: Sequence[list[Word]], new: Sequence[list[Word]]) -> list[tuple[int, int]]:
    """The best pairs of like paragraphs that do not cross each other."""
    one, other = [_count(words) for words in old], [_count(words) for words in new]
    if len(old) * len(new) > MAX_PAIRS:
        near = range(min(len(old), len(new)))
        return [(i, i) for i in near if _likeness(one[i], other[i]) >= SAME_PARAGRAPH]
    alike = [[_likeness(before, after) for after in other] for before in one]
    # The heaviest chain of pairs, by dynamic programming from the end.
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in range(len(old) - 1, -1, -1):
        for j in range(len(new) - 1, -1, -1):
            paired = alike[i][j] + best[i + 1][j + 1] if alike[i][j] >= SAME_PARAGRAPH else 0.0
            best[i][j] = max(paired, best[i + 1][j], best[i][j + 1])
    pairs: list[tuple[int, int]] = []
    i = j = 0
    while i < len(old) and j < len(new) and best[i][j]:
        if alike[i][j] >= SAME_PARAGRAPH and best[i][j] == alike[i][j] + best[i + 1][j + 1]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def likeness(old: Sequence[Word], new: Sequence[Word]) -> float:
    """The part of their words that two passages share, from 0 to 1; signs do not count."""
    return _likeness(_count(old), _count(new))


def _count(words: Sequence[Word]) -> Counter[str]:
    return Counter(word.key.casefold() for word in words if word.is_word)


def _likeness(one: Counter[str], other: Counter[str]) -> float:
    shorter, longer = sorted((one.total(), other.total()))
    if not shorter:
        return 0.0
    both = (one & other).total()
    # A paragraph that lost or gained a sentence is still the same paragraph.
    inside = both / shorter if shorter >= 6 else 0.0
    return max(2 * both / (shorter + longer), 0.8 * inside)


def _compare_words(old: Sequence[Word], new: Sequence[Word]) -> ParagraphDiff:
    steps: list[Edit | tuple[Word, ...]] = []
    for tag, a1, a2, b1, b2 in _joined(old, _blocks(_keys(old), _keys(new), MAX_WORD_PRODUCT)):
        steps.append(tuple(new[b1:b2]) if tag == "equal" else Edit(tuple(old[a1:a2]), tuple(new[b1:b2])))
    return ParagraphDiff(ParagraphState.CHANGED, tuple(old), tuple(new), tuple(steps))


def _joined(
    old: Sequence[Word], blocks: Sequence[tuple[str, int, int, int, int]]
) -> list[tuple[str, int, int, int, int]]:
    """Join edits that only one short word or sign keeps apart, if both are longer than it."""
    joined: list[tuple[str, int, int, int, int]] = []
    for place, (tag, a1, a2, b1, b2) in enumerate(blocks):
        is_island = (
            tag == "equal"
            and 0 < place < len(blocks) - 1
            and a2 - a1 <= MAX_ISLAND_WORDS
            and not any(word.key.isdigit() for word in old[a1:a2])
            and all(_size(blocks[near]) >= 3 for near in (place - 1, place + 1))
        )
        if joined and joined[-1][0] == "replace" and (is_island or tag != "equal"):
            _, c1, _, d1, _ = joined[-1]
            joined[-1] = ("replace", c1, a2, d1, b2)
        else:
            joined.append(("equal" if tag == "equal" and not is_island else "replace", a1, a2, b1, b2))
    return joined


def _size(block: tuple[str, int, int, int, int]) -> int:
    return max(block[2] - block[1], block[4] - block[3])


def _without_moves(diffs: Sequence[ParagraphDiff]) -> list[ParagraphDiff]:
    """A paragraph that only moved is not removed and added: it is shown once, where it is now."""
    gone = Counter(_keys(diff.old) for diff in diffs if diff.state is ParagraphState.REMOVED)
    come = Counter(_keys(diff.new) for diff in diffs if diff.state is ParagraphState.ADDED)
    moved = gone & come
    if not moved:
        return list(diffs)
    leaving, arriving = Counter(moved), Counter(moved)
    kept: list[ParagraphDiff] = []
    for diff in diffs:
        if diff.state is ParagraphState.REMOVED and leaving[_keys(diff.old)] > 0:
            leaving[_keys(diff.old)] -= 1
        elif diff.state is ParagraphState.ADDED and arriving[_keys(diff.new)] > 0:
            arriving[_keys(diff.new)] -= 1
            kept.append(ParagraphDiff(ParagraphState.SAME, diff.new, diff.new, (diff.new,)))
        else:
            kept.append(diff)
    return kept
