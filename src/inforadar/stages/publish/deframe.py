"""Our extension: the fields that the formats have no element for, in our own namespace.

`docs/howto/read-the-feeds.md` describes every name here; the names are a contract. Elements are flat where
possible, because common parsers lose nested elements of a namespace that they do not know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import Any

from inforadar.model.analysis import Analysis, Score, ScoreName, to_json
from inforadar.model.item import COUNTERS, METADATA_FIELDS, Metadata
from inforadar.model.metadata_fields import MetadataField, json_value, tuple_maker
from inforadar.stages.publish.entry import Entry
from inforadar.stages.publish.text import clean, escape, escape_attribute, one_line

NAMESPACE = "https://inforadar.dev/ns/deframe/1"
"""Changes only when a name is removed or changes its meaning; new names may be added."""

_SCORE_OPENINGS = tuple(f'<deframe:score name="{name.value}" value="' for name in ScoreName)
_scores: Callable[[Analysis], tuple[Score, ...]] = attrgetter(*ScoreName)
"""All scores of an analysis in one call: looking them up one by one costs more than the markup."""
_BETWEEN_WORDS = "</deframe:word><deframe:word>"

_EXTENSION_FIELDS = tuple(
    field for field in METADATA_FIELDS if not (field.traits.has_element or field.traits.is_counter)
)
_counters_of = tuple_maker(f"it.{name}" for name in COUNTERS)
_NO_COUNTERS = (None,) * len(COUNTERS)
"""What most entries have."""


def render_extension(entry: Entry) -> str:
    """Render the extension elements of one entry, for RSS and Atom."""
    parts: list[str] = []
    if entry.source:
        parts.append(f"<deframe:source>{escape(entry.source)}</deframe:source>")
    if entry.topic:
        parts.append(f"<deframe:topic>{escape(entry.topic)}</deframe:topic>")
    if counters := _counters(entry):
        attributes = "".join([f' {name}="{value}"' for name, value in counters.items()])
        parts.append(f"<deframe:counters{attributes}/>")
    if _EXTENSION_FIELDS:
        parts.extend(render_fields(entry, _EXTENSION_FIELDS))
    if entry.analysis is not None:
        if entry.title:
            parts.append(f"<deframe:originalTitle>{escape(entry.title)}</deframe:originalTitle>")
        if entry.has_original_title:
            parts.append(f"<deframe:neutralTitle>{escape(entry.analysis.title)}</deframe:neutralTitle>")
        if entry.snippet and entry.has_description:
            text = escape(entry.snippet)
            parts.append(f"<deframe:originalDescription>{text}</deframe:originalDescription>")
        _render_analysis(entry.analysis, parts)
    return "".join(parts)


def _number(score: Score) -> str:
    """Three decimals; empty if the score was not measured."""
    return "" if score.value is None else f"{score.value:.3f}"


def render_fields(metadata: Metadata, fields: Iterable[MetadataField]) -> Iterator[str]:
    """An element for each value that is known, named like its field: `entry_id` becomes `entryId`.

    A tuple becomes one element for each of its parts, and a dataclass an element with attributes.
    """
    for field in fields:
        value = json_value(getattr(metadata, field.name))
        for part in value if field.is_list else () if value is None else (value,):
            if isinstance(part, dict):
                known = ((name, inner) for name, inner in part.items() if inner is not None)
                attributes = "".join(
                    [f' {_element(name)}="{escape_attribute(one_line(str(inner)))}"' for name, inner in known]
                )
                yield f"<deframe:{_element(field.name)}{attributes}/>"
            else:
                yield f"<deframe:{_element(field.name)}>{escape(str(part))}</deframe:{_element(field.name)}>"


def _element(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join([word.capitalize() for word in others])


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
            f'{opening}{_number(score)}" label="{score.label}"><deframe:reason>{escape(score.reason)}'
            + (f"</deframe:reason><deframe:word>{words}</deframe:word>" if words else "</deframe:reason>")
            + "</deframe:score>"
        )


def extension_object(entry: Entry) -> dict[str, Any]:
    """Return the extension for JSON Feed, the value of `_deframe`."""
    found: dict[str, Any] = {"about": NAMESPACE}
    if entry.source:
        found["source"] = clean(entry.source)
    if entry.topic:
        found["topic"] = clean(entry.topic)
    found.update(_counters(entry))
    if _EXTENSION_FIELDS:
        found.update(fields_object(entry, _EXTENSION_FIELDS))
    if entry.analysis is not None:
        if entry.title:
            found["original_title"] = clean(entry.title)
        if entry.snippet and entry.has_description:
            found["original_description"] = clean(entry.snippet)
        found["analysis"] = _cleaned(to_json(entry.analysis))
    return found


def fields_object(metadata: Metadata, fields: Iterable[MetadataField]) -> dict[str, Any]:
    """The fields that `render_fields` renders, by name."""
    values = {field.name: json_value(getattr(metadata, field.name)) for field in fields}
    return {name: _cleaned(value) for name, value in values.items() if value is not None and value != []}


def _counters(entry: Entry) -> dict[str, int | float]:
    """The counters that are known; 0 is known."""
    values = _counters_of(entry)
    if values == _NO_COUNTERS:
        return {}
    return {name: value for name, value in zip(COUNTERS, values, strict=True) if value is not None}


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
