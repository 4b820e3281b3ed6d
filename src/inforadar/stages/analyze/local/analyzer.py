"""The local analyzer: reads an item once and combines what each part finds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from inforadar.model.analysis import Analysis, Score, ScoreName, Subject
from inforadar.semantic import encoder
from inforadar.stages.analyze.base import (
    MAX_DESCRIPTION_CHARS,
    MAX_REASON_CHARS,
    MAX_SUMMARY_CHARS,
    MAX_TITLE_CHARS,
    clean_line,
)
from inforadar.stages.analyze.local.extract import facts_in, sentences_in, stems_in, summarize
from inforadar.stages.analyze.local.language import detect
from inforadar.stages.analyze.local.lexicon import Kind, Lexicon, lexicon_for
from inforadar.stages.analyze.local.measured import is_measured, measure_all, sampled
from inforadar.stages.analyze.local.neutral import neutralize
from inforadar.stages.analyze.local.passage import Passage, read_passage
from inforadar.stages.analyze.local.scores import not_measured, score_all
from inforadar.stages.analyze.local.text import MAX_TEXT_CHARS_READ, MAX_TITLE_CHARS_READ, sentences_of
from inforadar.stages.analyze.local.titles import neutral_title
from inforadar.stages.analyze.local.version import RULES_VERSION, model_name

_DESCRIPTION_SENTENCES = 3


class _Reading(NamedTuple):
    """A subject whose words were read, but not judged yet."""

    subject: Subject
    title: Passage
    body: Passage | None
    judged: Passage
    """The title, or the first sentence of a subject without one."""
    spans: list[tuple[int, int]]
    """Where the sentences of the body are."""
    sampled: list[Passage]
    """The sentences of the body that the head judges; none if it was not trained for the language."""
    lexicon: Lexicon


def analyze_subjects(subjects: Sequence[Subject]) -> list[Analysis]:
    """Analyze several subjects. Each gets the same analysis as alone, but the encoder reads their texts in one call."""
    readings = [_read(subject) for subject in subjects]
    texts = [
        text
        for reading in readings
        if is_measured(reading.lexicon.language)
        for text in (reading.judged.text, *(passage.text for passage in reading.sampled))
    ]
    if len(subjects) > 1 and texts:
        # It remembers them until each subject asks for its own.
        encoder.vectors(texts)
    return [_analyze(reading) for reading in readings]


def analyze_subject(subject: Subject) -> Analysis:
    """Analyze a subject. Pure, and bounded in time because only the head of a long text is read."""
    return analyze_subjects([subject])[0]


def _read(subject: Subject) -> _Reading:
    title_text = subject.title[:MAX_TITLE_CHARS_READ]
    body_text = _first_with_words(subject.text, subject.description)[:MAX_TEXT_CHARS_READ]
    lexicon = lexicon_for(detect(f"{title_text}\n{body_text}", subject.language))
    title = read_passage(title_text, lexicon)
    body = read_passage(body_text, lexicon) if _has_words(body_text) else None
    spans = sentences_of(body.text) if body else []
    return _Reading(
        subject=subject,
        title=title,
        body=body,
        judged=title if title.words or body is None else _first_sentence(body, spans, lexicon),
        spans=spans,
        sampled=sampled(body, spans, lexicon) if body and is_measured(lexicon.language) else [],
        lexicon=lexicon,
    )


def _score(reading: _Reading) -> dict[ScoreName, Score]:
    _, title, body, judged, _, sentences, lexicon = reading
    own_title = title if title.words else None
    if is_measured(lexicon.language):
        return measure_all(judged, own_title, body, sentences, lexicon)
    if encoder.available():
        return not_measured(lexicon.language)
    return score_all(judged, own_title, body, lexicon)


def _analyze(reading: _Reading) -> Analysis:
    subject, title, body, judged, spans, _, lexicon = reading
    scores = _score(reading)
    sentences = sentences_in(body, spans, lexicon) if body else []
    subject_stems = stems_in(judged, lexicon)
    clickbait = scores[ScoreName.CLICKBAIT].value or 0.0
    title_line, title_reason = neutral_title(judged, lexicon, body, sentences, clickbait)
    if not title.words and title_line:
        title_line = title_line.rstrip(".。")
        title_reason = "There was no title; the text's first sentence stands in."
    description, description_reason = _neutral_description(subject, lexicon, body)
    everything = f"{title.text}\n{body.text if body else ''}"
    return Analysis(
        title=title_line or _host(subject.url) or "Untitled",
        title_reason=title_reason,
        description=description,
        description_reason=description_reason,
        summary=clean_line(summarize(sentences, subject_stems), MAX_SUMMARY_CHARS) or description,
        facts=facts_in(sentences),
        category=lexicon.category_of(everything, title.words + (body.words if body else [])),
        language=lexicon.language,
        model=model_name(),
        prompt_version=RULES_VERSION,
        **{name.value: scores[name] for name in ScoreName},
    )


def _first_with_words(first: str, second: str) -> str:
    """Return the first of two texts, unless it has no letters or digits."""
    return first if _has_words(first[:MAX_TEXT_CHARS_READ]) else second


def _has_words(text: str) -> bool:
    return any(map(str.isalnum, text))


def _first_sentence(body: Passage, spans: Sequence[tuple[int, int]], lexicon: Lexicon) -> Passage:
    start, end = next((start, end) for start, end in spans if _has_words(body.text[start:end]))
    return read_passage(body.text[start:end][:MAX_TITLE_CHARS_READ], lexicon)


def _neutral_description(subject: Subject, lexicon: Lexicon, context: Passage | None) -> tuple[str, str]:
    text = _first_with_words(subject.description, subject.text)[:MAX_DESCRIPTION_CHARS]
    if not text.strip():
        return "", "There was no description."
    kept: list[str] = []
    changes: list[str] = []
    limit = None if text == subject.description[:MAX_DESCRIPTION_CHARS] else _DESCRIPTION_SENTENCES
    for start, end in sentences_of(text)[:limit]:
        line = clean_line(text[start:end], MAX_DESCRIPTION_CHARS)
        passage = read_passage(line, lexicon)
        if _is_bait(passage):
            changes.append("sentences that only lure were dropped")
            continue
        neutral = neutralize(line, lexicon, context)
        changes += neutral.changes
        kept.append(neutral.text)
    description = clean_line(" ".join(kept), MAX_DESCRIPTION_CHARS)
    if not description:
        return "", "The description only lured; nothing of it was kept."
    if not changes:
        return description, "Nothing to drop: the description is as published."
    return description, _sentence(tuple(dict.fromkeys(changes)))


def _is_bait(passage: Passage) -> bool:
    """Tell whether a short sentence only urges the reader to read on."""
    baits = passage.of_kind(Kind.BAIT)
    return (
        any(hit.weight == 3 for hit in baits) and bool(passage.of_kind(Kind.YOU)) and len(passage.words) < 20
    )


def _sentence(changes: tuple[str, ...]) -> str:
    text = "; ".join(changes)
    return clean_line(text[:1].upper() + text[1:] + ".", MAX_REASON_CHARS)


def _host(url: str) -> str:
    try:
        return clean_line(urlsplit(url).hostname or "", MAX_TITLE_CHARS)
    except ValueError:
        return ""
