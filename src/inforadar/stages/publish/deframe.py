"""Our extension: the fields that the formats have no element for, in our own namespace.

`docs/howto/read-the-feeds.md` describes every name here; the names are a contract. Elements are flat where
possible, because common parsers lose nested elements of a namespace that they do not know.
"""

from __future__ import annotations

from typing import Any

from inforadar.model.analysis import Analysis, Score, ScoreName, to_json
from inforadar.stages.publish.entry import Entry
from inforadar.stages.publish.text import clean, escape

NAMESPACE = "https://inforadar.dev/ns/deframe/1"
"""Changes only when a name is removed or changes its meaning; new names may be added."""

_SCORE_OPENINGS = tuple(f'<deframe:score name="{name.value}" value="' for name in ScoreName)
_BETWEEN_WORDS = "</deframe:word><deframe:word>"

_COUNTERS = ("views", "comments", "rating", "bookmarks")


def render_extension(entry: Entry) -> str:
    """Render the extension elements of one entry, for RSS and Atom."""
    parts: list[str] = []
    if entry.source:
        parts.append(f"<deframe:source>{escape(entry.source)}</deframe:source>")
    if entry.topic:
        parts.append(f"<deframe:topic>{escape(entry.topic)}</deframe:topic>")
    counters = "".join([f' {name}="{value}"' for name, value in _counters(entry).items()])
    if counters:
        parts.append(f"<deframe:counters{counters}/>")
    if entry.analysis is not None:
        if entry.title:
            parts.append(f"<deframe:originalTitle>{escape(entry.title)}</deframe:originalTitle>")
        if entry.description:
            text = escape(entry.description)
            parts.append(f"<deframe:originalDescription>{text}</deframe:originalDescription>")
        _render_analysis(entry.analysis, parts)
    return "".join(parts)


def _render_analysis(analysis: Analysis, parts: list[str]) -> None:
    for name, text in (
        ("titleReason", analysis.title_reason),
        ("descriptionReason", analysis.description_reason),
        ("summary", analysis.summary),
        ("category", analysis.category),
        ("language", analysis.language),
        ("model", analysis.model),
        ("promptVersion", analysis.prompt_version),
    ):
        if text:
            parts.append(f"<deframe:{name}>{escape(text)}</deframe:{name}>")
    parts.extend([f"<deframe:fact>{escape(fact)}</deframe:fact>" for fact in analysis.facts])
    for opening, score in zip(_SCORE_OPENINGS, _scores(analysis), strict=True):
        words = _BETWEEN_WORDS.join(map(escape, score.words))
        parts.append(
            f'{opening}{score.value:.3f}" label="{score.label}"><deframe:reason>{escape(score.reason)}'
            + (f"</deframe:reason><deframe:word>{words}</deframe:word>" if words else "</deframe:reason>")
            + "</deframe:score>"
        )


def _scores(analysis: Analysis) -> tuple[Score, ...]:
    """Return the scores in the order of `ScoreName`; six lookups by name would take longer than the markup."""
    return (
        analysis.framing,
        analysis.clickbait,
        analysis.persuasive,
        analysis.hyper_stimulus,
        analysis.speculative,
        analysis.overall,
    )


def extension_object(entry: Entry) -> dict[str, Any]:
    """Return the extension for JSON Feed, the value of `_deframe`."""
    found: dict[str, Any] = {"about": NAMESPACE}
    if entry.source:
        found["source"] = clean(entry.source)
    if entry.topic:
        found["topic"] = clean(entry.topic)
    found.update(_counters(entry))
    if entry.analysis is not None:
        if entry.title:
            found["original_title"] = clean(entry.title)
        if entry.description:
            found["original_description"] = clean(entry.description)
        found["analysis"] = _cleaned(to_json(entry.analysis))
    return found


def _counters(entry: Entry) -> dict[str, int | float]:
    """Those that are known; 0 is known."""
    values = (entry.views, entry.comments, entry.rating, entry.bookmarks)
    return {name: value for name, value in zip(_COUNTERS, values, strict=True) if value is not None}


def _cleaned(value: Any) -> Any:
    match value:
        case str():
            return clean(value)
        case list():
            return [_cleaned(part) for part in value]
        case dict():
            return {key: _cleaned(part) for key, part in value.items()}
        case _:
            return value
