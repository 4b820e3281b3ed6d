"""A change in a message: the word diff, both times, scores, and what other outlets say. As JSON, text and HTML. Pure.

Everything here comes from the web: lines stay lines in plain text, and HTML is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from markupsafe import Markup

from inforadar.model.revision import StoredRevision, StoredVersion
from inforadar.stages.publish.text import one_line
from inforadar.stages.revise.difference import Op
from inforadar.views.revisions import (
    KIND_WORDS,
    OtherTelling,
    kinds_text,
    line_runs,
    noted_text,
    score_change,
    utc_text,
)

MAX_PASSAGES = 5
MAX_PASSAGE_CHARACTERS = 600
_MARKS = {Op.REMOVED: ("[-", "-]"), Op.ADDED: ("{+", "+}"), Op.SAME: ("", "")}
"""How a text without colours shows words that went and came: as `git diff --word-diff` does."""
_ELEMENTS = {
    Op.REMOVED: Markup("<del>{}</del>"),
    Op.ADDED: Markup("<ins>{}</ins>"),
    Op.SAME: Markup("{}"),
}


def change_document(
    stored: StoredRevision,
    old: StoredVersion | None,
    new: StoredVersion | None,
    tellings: Sequence[OtherTelling],
) -> dict[str, Any]:
    """A revision as JSON for a message; a version that was deleted meanwhile is null."""
    revision = stored.revision
    return {
        "at": stored.at.isoformat(),
        "kinds": [kind.value for kind in KIND_WORDS if kind in revision.kinds],
        "summary": f"{kinds_text(stored)} ({noted_text(stored)})",
        "note": revision.note or None,
        "before": _version(old),
        "after": _version(new),
        "fields": {name: list(values) for name, values in revision.fields.items()},
        "passages": [
            {"old": _cut(one.old), "new": _cut(one.new), "kinds": [kind.value for kind in one.kinds]}
            for one in revision.passages[:MAX_PASSAGES]
        ],
        "score_before": revision.score_before,
        "score_after": revision.score_after,
        "score": score_change(stored),
        "other_outlets": [
            {"source": one.outlet, "url": one.url, "sentence": _cut(one.sentence), "says_old": one.says_old}
            for one in tellings
        ],
    }


def _version(version: StoredVersion | None) -> dict[str, Any] | None:
    if version is None:
        return None
    return {
        "version": version.number,
        "seen_at": version.seen_at.isoformat(),
        "last_seen_at": version.last_seen_at.isoformat(),
        "hash": version.hash,
    }


def _cut(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= MAX_PASSAGE_CHARACTERS else f"{line[: MAX_PASSAGE_CHARACTERS - 1]}…"


def change_lines(change: Mapping[str, Any]) -> Iterator[str]:
    """The change in plain text: words that went are in `[-…-]`, words that came in `{+…+}`."""
    yield _told(change)
    if change.get("score"):
        yield f"Score of the wording: {change['score']}"
    for name, runs in _diffs(change):
        yield one_line(name + "".join(_marked(op, text) for op, text in runs))
    if change.get("note"):
        yield f"The outlet's note: “{one_line(change['note'])}”"
    for other in change.get("other_outlets", ()):
        says = "still says" if other["says_old"] else "says"
        yield f"{one_line(other['source'])} {says}: “{one_line(other['sentence'])}” {other['url']}"


def _marked(op: Op, text: str) -> str:
    opening, closing = _MARKS[op]
    words = text.rstrip()
    return f"{opening}{words}{closing}{text[len(words) :]}" if words else text


def change_html(change: Mapping[str, Any]) -> Markup:
    """The change as HTML for mail: words that went are struck through, words that came underlined."""
    parts = [Markup("<p>{}</p>").format(_told(change))]
    if change.get("score"):
        parts.append(Markup("<p>Score of the wording: {}</p>").format(change["score"]))
    for name, runs in _diffs(change):
        words = Markup("").join(_ELEMENTS[op].format(text) for op, text in runs)
        parts.append(Markup("<blockquote>{}{}</blockquote>").format(name, words))
    if change.get("note"):
        parts.append(Markup("<p>The outlet's note: “{}”</p>").format(change["note"]))
    others = [
        Markup('<li><a href="{}" rel="noreferrer">{}</a> {}: “{}”</li>').format(
            other["url"], other["source"], "still says" if other["says_old"] else "says", other["sentence"]
        )
        for other in change.get("other_outlets", ())
    ]
    if others:
        parts.append(Markup("<ul>{}</ul>").format(Markup("").join(others)))
    return Markup("\n").join(parts)


def _told(change: Mapping[str, Any]) -> str:
    """`number (silent); first seen 2026-03-14 11:00 UTC, changed 2026-03-14 11:30 UTC`."""
    what = change.get("summary") or f"in the feed: {', '.join(change['fields'])}"
    before = change.get("before")
    since = f"first seen {_time(before['seen_at'])}, " if before else ""
    return f"{what}; {since}changed {_time(change['at'])}"


def _time(text: str) -> str:
    return utc_text(datetime.fromisoformat(text))


def _diffs(change: Mapping[str, Any]) -> Iterator[tuple[str, Sequence[tuple[Op, str]]]]:
    """Fields and passages with the words that went and came."""
    for name, (old, new) in change["fields"].items():
        yield f"{name}: ", _runs(_text(old), _text(new))
    for passage in change.get("passages", ()):
        yield "", _runs(passage["old"], passage["new"])


def _runs(old: str, new: str) -> Sequence[tuple[Op, str]]:
    if runs := line_runs(old, new):
        return runs
    both = ((Op.REMOVED, one_line(old)), (Op.ADDED, one_line(new)))
    return [(op, text) for op, text in both if text]


def _text(value: Any) -> str:
    """A value of a field: tags are a list."""
    if isinstance(value, list):
        return _cut(", ".join(map(str, value)))
    return _cut(str(value)) if value is not None else ""
