"""Revisions as every face shows them: one history with the feed's own changes, word diffs, and a text to paste."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from inforadar.model.analysis import score_label
from inforadar.model.ids import ItemId
from inforadar.model.revision import (
    ChangedPassage,
    ChangeKind,
    LookState,
    StoredRevision,
    StoredVersion,
)
from inforadar.stages.publish.text import one_line
from inforadar.stages.revise.difference import Op, ParagraphState, compare_texts, likeness
from inforadar.stages.revise.normalize import Word, split_words
from inforadar.stages.revise.significance import numbers_in
from inforadar.texts import counted
from inforadar.translations import gettext as _
from inforadar.translations import pgettext, term
from inforadar.views.item import FieldChange
from inforadar.views.story_facts import sentences_of

MIN_LIKENESS = 0.3
"""A sentence that shares less with a passage is about something else."""
MAX_TELLINGS = 8
CONTEXT_PARAGRAPHS = 1
"""Unchanged paragraphs shown on each side of a change; the others are folded."""

KIND_WORDS: Mapping[ChangeKind, str] = {
    ChangeKind.TITLE: term("change", "headline"),
    ChangeKind.NUMBER: term("change", "number"),
    ChangeKind.NAME: term("change", "name"),
    ChangeKind.QUOTATION: term("change", "quotation"),
    ChangeKind.NEGATION: term("change", "negation"),
    ChangeKind.REMOVED: term("change", "passage removed"),
    ChangeKind.ADDED: term("change", "passage added"),
    ChangeKind.SCORE: term("change", "score"),
    ChangeKind.WORDING: term("change", "wording"),
    ChangeKind.AUTHOR: term("change", "author"),
    ChangeKind.DATE: term("change", "date"),
    ChangeKind.PICTURE: term("change", "picture"),
    ChangeKind.TYPO: term("change", "typo"),
}
"""Kinds in people's words, the weightiest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownParagraph:
    """A paragraph of a diff: runs of old, new and equal words; or folded ones, of which only the number is shown."""

    state: ParagraphState
    runs: tuple[tuple[Op, str], ...] = ()
    folded: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownDiff:
    """Two versions and the words that differ."""

    old: StoredVersion
    new: StoredVersion
    title: tuple[tuple[Op, str], ...]
    """Empty if the title is the same."""
    paragraphs: tuple[ShownParagraph, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherTelling:
    """The sentence of another outlet in the story that matches a changed passage."""

    outlet: str
    url: str
    item_id: ItemId
    sentence: str
    says_old: bool
    """It still says what was changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryEntry:
    """One line of an item's history: a change of its listing, or a revision of its text."""

    at: datetime
    field: FieldChange | None = None
    revision: StoredRevision | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemHistory:
    """Everything that is known about how an item changed."""

    title: str
    url: str
    link: str
    outlet: str
    entries: tuple[HistoryEntry, ...]
    """Newest first."""
    versions: tuple[StoredVersion, ...]
    """Oldest first; empty if the text never changed."""
    revisions: tuple[StoredRevision, ...]
    watch: str
    """How the article is watched, in a sentence."""
    tellings: Mapping[str, tuple[OtherTelling, ...]]
    """What other outlets say, by the id of the revision."""

    @property
    def changes(self) -> int:
        """How often its text was changed; typos do not count."""
        return sum(not is_minor(one) for one in self.revisions)


def is_minor(stored: StoredRevision) -> bool:
    """Whether a revision is folded in lists: only typos or the date changed."""
    return stored.revision.kinds <= {ChangeKind.TYPO, ChangeKind.DATE}


def make_entries(
    fields: Sequence[FieldChange], revisions: Sequence[StoredRevision]
) -> tuple[HistoryEntry, ...]:
    """One history of both, newest first."""
    found = [HistoryEntry(at=change.at, field=change) for change in fields]
    found += [HistoryEntry(at=one.at, revision=one) for one in revisions]
    return tuple(sorted(found, key=lambda entry: entry.at, reverse=True))


def watch_sentence(
    state: LookState | None, note: str, looked_at: datetime | None, due_at: datetime | None
) -> str:
    """How an article is watched. Times are in UTC; `note` may contain text from the web: escape it."""
    if state is None:
        return _("This article is not looked at again.")
    parts = [
        _("Last looked at %(time)s.", time=utc_text(looked_at))
        if looked_at
        else _("Not looked at again yet.")
    ]
    if note:
        parts.append(one_line(note))
    if due_at is not None:
        parts.append(_("Next look: %(time)s.", time=utc_text(due_at)))
    elif state is not LookState.UNSTABLE:
        parts.append(_("No more looks are planned."))
    return " ".join(parts)


def utc_text(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def kinds_text(stored: StoredRevision) -> str:
    """`number, passage removed`; a live page `grew`."""
    if stored.revision.is_live:
        return pgettext("change", "live page grew")
    return ", ".join(
        pgettext("change", words) for kind, words in KIND_WORDS.items() if kind in stored.revision.kinds
    )


def noted_text(stored: StoredRevision) -> str:
    return pgettext("change", "noted") if stored.revision.is_noted else pgettext("change", "silent")


def score_change(stored: StoredRevision) -> str:
    """`0.62 slanted → 0.31 neutral`; empty if the wording was not scored."""
    before, after = stored.revision.score_before, stored.revision.score_after
    if before is None or after is None:
        return ""
    return (
        f"{before:.2f} {pgettext('wording', score_label(before))} → "
        f"{after:.2f} {pgettext('wording', score_label(after))}"
    )


def show_diff(old: StoredVersion, new: StoredVersion) -> ShownDiff:
    """The word diff of two versions; unchanged paragraphs are folded."""
    diffs = compare_texts(old.snapshot.text, new.snapshot.text)
    changed = [number for number, diff in enumerate(diffs) if diff.state is not ParagraphState.SAME]
    near = {
        number + step for number in changed for step in range(-CONTEXT_PARAGRAPHS, CONTEXT_PARAGRAPHS + 1)
    }
    shown: list[ShownParagraph] = []
    folded = 0
    for number, diff in enumerate(diffs):
        if number not in near:
            folded += 1
            continue
        if folded:
            shown.append(ShownParagraph(state=ParagraphState.SAME, folded=folded))
            folded = 0
        shown.append(ShownParagraph(state=diff.state, runs=tuple(diff.runs)))
    if folded:
        shown.append(ShownParagraph(state=ParagraphState.SAME, folded=folded))
    return ShownDiff(
        old=old,
        new=new,
        title=line_runs(old.snapshot.title or "", new.snapshot.title or ""),
        paragraphs=tuple(shown),
    )


def line_runs(old: str, new: str) -> tuple[tuple[Op, str], ...]:
    """The word diff of one line, such as a title; empty if it is the same."""
    one, other = one_line(old), one_line(new)
    if one == other or not one or not other:
        return ()
    diffs = compare_texts(one, other)
    if len(diffs) == 1:
        return tuple(diffs[0].runs)
    return ((Op.REMOVED, f"{one} "), (Op.ADDED, other))


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberText:
    """The text of another item of the story."""

    item_id: ItemId
    outlet: str
    url: str
    text: str


def find_tellings(
    passages: Sequence[ChangedPassage], members: Sequence[MemberText]
) -> tuple[OtherTelling, ...]:
    """What other outlets say in place of the changed passages: the sentence of each that is most like them."""
    pairs = [(split_words(one.old or one.new), split_words(one.new)) for one in passages]
    found: dict[str, OtherTelling] = {}
    for member in members:
        best: tuple[float, OtherTelling] | None = None
        for sentence in sentences_of(member.text):
            words = split_words(sentence)
            for old, new in pairs:
                alike = max(likeness(old, words), likeness(new, words))
                if alike >= MIN_LIKENESS and (best is None or alike > best[0]):
                    telling = OtherTelling(
                        outlet=member.outlet,
                        url=member.url,
                        item_id=member.item_id,
                        sentence=one_line(sentence),
                        says_old=_says_old(words, old, new),
                    )
                    best = (alike, telling)
        if best is not None:
            found.setdefault(member.outlet, best[1])
    return tuple(found.values())[:MAX_TELLINGS]


def _says_old(words: Sequence[Word], old: Sequence[Word], new: Sequence[Word]) -> bool:
    lost = set(numbers_in(old)) - set(numbers_in(new))
    if lost:
        return bool(lost & set(numbers_in(words)))
    gone = {word.key for word in old if word.is_word} - {word.key for word in new if word.is_word}
    return bool(gone) and len(gone & {word.key for word in words}) >= len(gone) / 2


def history_document(history: ItemHistory, *, with_text: bool) -> dict[str, Any]:
    """A history as JSON; texts and passages only `with_text`."""
    return {
        "url": history.url,
        "title": history.title,
        "source": history.outlet,
        "change_count": history.changes,
        "watch": history.watch,
        "versions": [version_document(version, with_text=with_text) for version in history.versions],
        "revisions": [
            revision_document(one, with_text=with_text)
            | {"other_outlets": _tellings_document(history, one) if with_text else []}
            for one in history.revisions
        ],
        "history": [_entry_document(entry) for entry in history.entries],
    }


def _entry_document(entry: HistoryEntry) -> dict[str, Any]:
    if entry.field is not None:
        change = entry.field
        told: dict[str, Any] = {"field": change.field, "old": change.old, "new": change.new}
        return {"at": entry.at.isoformat(), "of": "listing", **told}
    assert entry.revision is not None
    told = {"revision": str(entry.revision.id), "changed": kinds_text(entry.revision)}
    return {"at": entry.at.isoformat(), "of": "text", **told}


def version_document(version: StoredVersion, *, with_text: bool) -> dict[str, Any]:
    snapshot = version.snapshot
    return {
        "number": version.number,
        "seen_at": version.seen_at.isoformat(),
        "last_seen_at": version.last_seen_at.isoformat(),
        "hash": version.hash,
        "title": snapshot.title,
        "author": snapshot.author,
        "published_at": snapshot.published_at.isoformat() if snapshot.published_at else None,
        "image": snapshot.image,
        "text_len": len(snapshot.text),
        "headers": dict(version.headers),
        "text": snapshot.text if with_text else None,
    }


def revision_document(stored: StoredRevision, *, with_text: bool) -> dict[str, Any]:
    revision = stored.revision
    return {
        "id": str(stored.id),
        "at": stored.at.isoformat(),
        "old_version": stored.old_version,
        "new_version": stored.new_version,
        "kinds": [kind.value for kind in KIND_WORDS if kind in revision.kinds],
        "significant": revision.is_significant,
        "live": revision.is_live,
        "noted": revision.is_noted,
        "note": revision.note or None,
        "score_before": revision.score_before,
        "score_after": revision.score_after,
        "fields": {name: list(values) for name, values in revision.fields.items()},
        "passages": [
            {"old": one.old, "new": one.new, "kinds": [kind.value for kind in one.kinds]}
            for one in revision.passages
        ]
        if with_text
        else [],
    }


def _tellings_document(history: ItemHistory, stored: StoredRevision) -> list[dict[str, Any]]:
    return [
        {
            "source": one.outlet,
            "url": one.url,
            "item_id": str(one.item_id),
            "sentence": one.sentence,
            "says_old": one.says_old,
        }
        for one in history.tellings.get(str(stored.id), ())
    ]


def changed_text(times: int) -> str:
    """The chip beside the byline: `Changed 2×`."""
    return _("Changed %(count)s×", count=times)


def summary_text(stored: StoredRevision) -> str:
    """One line for feeds and timelines: what changed, and whether the outlet says so."""
    return f"{kinds_text(stored)} ({noted_text(stored)})"


def looks_text(numbers: Mapping[str, int]) -> str:
    """Say what a run's looks found: `3 looks: 1 changed, 2 unchanged`."""
    told = ", ".join(f"{number} {how.replace('_', ' ')}" for how, number in sorted(numbers.items()))
    return f"{counted(sum(numbers.values()), 'look')}: {told}" if told else "0 looks"
