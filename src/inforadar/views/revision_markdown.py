"""A change of an article as Markdown to paste; text from the web is escaped."""

from __future__ import annotations

import re
from collections.abc import Sequence

from inforadar.model.revision import StoredRevision
from inforadar.stages.publish.text import one_line
from inforadar.stages.revise.difference import Op, ParagraphState
from inforadar.views.revisions import (
    ItemHistory,
    ShownDiff,
    kinds_text,
    noted_text,
    score_change,
    utc_text,
)


def diff_markdown(history: ItemHistory, diff: ShownDiff, stored: StoredRevision | None) -> str:
    """The change as a text to paste: both passages, addresses, times, hashes, the note, other outlets."""
    lines = [f"**{_md(history.outlet)}: {_md(history.title)}**", "", _md_url(history.link), ""]
    for name, version in (("Before", diff.old), ("After", diff.new)):
        seen = f"seen {utc_text(version.seen_at)} to {utc_text(version.last_seen_at)}"
        lines.append(f"- {name}: version {version.number}, {seen}, SHA-256 `{version.hash}`")
    if stored is not None:
        lines.append(f"- Changed: {kinds_text(stored)} ({noted_text(stored)})")
        if score := score_change(stored):
            lines.append(f"- Score of the wording: {score}")
        if stored.revision.note:
            lines.append(f"- The outlet's note: “{_md(stored.revision.note)}”")
    if diff.title:
        lines += ["", f"Headline: {_md_runs(diff.title)}"]
    for paragraph in diff.paragraphs:
        if paragraph.state is not ParagraphState.SAME:
            lines += ["", f"> {_md_runs(paragraph.runs)}"]
    tellings = history.tellings.get(str(stored.id), ()) if stored else ()
    if tellings:
        lines += ["", "Other outlets:", ""]
        for one in tellings:
            says = "still says" if one.says_old else "says"
            lines.append(f"- {_md(one.outlet)} {says}: “{_md(one.sentence)}” ({_md_url(one.url)})")
    return "\n".join(lines) + "\n"


_MD_SIGNS = re.compile(r"([\\`*_{}\[\]<>#|~])")


def _md(text: str) -> str:
    return _MD_SIGNS.sub(r"\\\1", one_line(text))


def _md_url(url: str) -> str:
    return "<" + re.sub(r"[\s<>\\]", "", url) + ">"


def _md_runs(runs: Sequence[tuple[Op, str]]) -> str:
    marks = {Op.REMOVED: "~~", Op.ADDED: "**"}
    parts = []
    for op, text in runs:
        mark, inner = marks.get(op, ""), _md(text)
        if inner:
            parts.append(f"{mark}{inner}{mark}" + (" " if text[-1:].isspace() else ""))
    return "".join(parts).strip()
