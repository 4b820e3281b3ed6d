"""Judges what a look at an article found: the same text, a revision, or a page that is not the article."""

from __future__ import annotations

from typing import Any

from inforadar.model.revision import ChangeKind, Revision, Snapshot
from inforadar.stages.revise.details import compare_details
from inforadar.stages.revise.difference import ParagraphDiff, ParagraphState, compare_texts, likeness
from inforadar.stages.revise.live import is_live_growth
from inforadar.stages.revise.normalize import Word, split_paragraphs, split_words, text_key
from inforadar.stages.revise.notes import find_note
from inforadar.stages.revise.phrases import WALL
from inforadar.stages.revise.significance import find_passages
from inforadar.stages.revise.verdict import Doubtful, NotTheArticle, Unchanged, Verdict

MAX_WALL_CHARS = 1500
CUT_SHARE = 0.6
"""A text that is only the first part of the old one, shorter than this, was cut off by a wall."""
MIN_CUT_CHARS = 200
OTHER_PAGE_LIKENESS = 0.2
"""Below this, a page shares so little with the article that it is believed only when it is seen twice."""
MIN_COMPARED_WORDS = 40


def judge_look(old: Snapshot, new: Snapshot) -> Verdict:
    """Compare the stored version of an article with what a look found."""
    if reason := _why_not_article(old, new):
        return NotTheArticle(reason=reason)
    diffs = compare_texts(old.text, new.text)
    revision = _make_revision(old, new, diffs)
    if revision is None:
        return Unchanged()
    if not revision.is_live and _is_other_page(diffs):
        return Doubtful(
            reason="The page shares almost no text with the article.",
            text_key=text_key(new.text),
            revision=revision,
        )
    return revision


def _make_revision(old: Snapshot, new: Snapshot, diffs: tuple[ParagraphDiff, ...]) -> Revision | None:
    passages = find_passages(diffs, new.language or old.language)
    kinds: set[ChangeKind] = {kind for passage in passages for kind in passage.kinds}
    fields: dict[str, tuple[str, str]] = {}
    for name, kind, before, after in compare_details(old, new):
        kinds.add(kind)
        fields[name] = (before, after)
    if not kinds:
        return None
    details: dict[str, Any] = {}
    if is_live_growth(old, new, diffs):
        details["is_live"] = True
    return Revision(
        kinds=frozenset(kinds),
        passages=tuple(passages),
        fields=fields,
        note=find_note(old.text, new.text),
        **details,
    )


def _why_not_article(old: Snapshot, new: Snapshot) -> str:
    if not split_paragraphs(new.text):
        return "The page has no text."
    if len(new.text) <= MAX_WALL_CHARS and len(new.text) < len(old.text):
        wall = WALL.search(f"{new.title or ''}\n{new.text}")
        if wall and not WALL.search(f"{old.title or ''}\n{old.text}"):
            return f'The page is an error or a wall: "{wall.group().strip()[:80]}".'
    if _is_cut_off(old.text, new.text):
        return "The page has only the beginning of the article, as behind a wall."
    return ""


def _is_cut_off(old: str, new: str) -> bool:
    if len(old) < MIN_CUT_CHARS or len(new) > CUT_SHARE * len(old):
        return False
    before = [word.key for paragraph in split_paragraphs(old) for word in split_words(paragraph)]
    after = [word.key for paragraph in split_paragraphs(new) for word in split_words(paragraph)]
    while after and not after[-1].isalnum():
        after.pop()
    return bool(after) and before[: len(after)] == after


def _is_other_page(diffs: tuple[ParagraphDiff, ...]) -> bool:
    old: list[Word] = []
    new: list[Word] = []
    for diff in diffs:
        if diff.state is ParagraphState.SAME and len(diff.old) > 20:
            return False
        old += diff.old
        new += diff.new
    if sum(word.is_word for word in old) < MIN_COMPARED_WORDS:
        return False
    return likeness(old, new) < OTHER_PAGE_LIKENESS
