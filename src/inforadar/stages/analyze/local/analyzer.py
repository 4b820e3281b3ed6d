"""The local analyzer: reads an item once and combines what each part finds."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from urllib.parse import urlsplit

from inforadar.model.analysis import Analysis, Score, ScoreName, Subject
from inforadar.semantic import encoder
from inforadar.stages.analyze.base import (
    MAX_DESCRIPTION_CHARS,
    MAX_REASON_CHARS,
    MAX_SUMMARY_CHARS,
    MAX_TITLE_CHARS,
    Analyzed,
    clean_line,
)
from inforadar.stages.analyze.local.extract import (
    Sentence,
    facts_in,
    replacement_for_title,
    sentences_for_title,
    sentences_in,
    stems_in,
    summarize,
)
from inforadar.stages.analyze.local.language import detect
from inforadar.stages.analyze.local.lexicon import Kind, Lexicon, lexicon_for
from inforadar.stages.analyze.local.measured import (
    SLANTED,
    is_loaded_line,
    is_measured,
    loadedness,
    measure_all,
)
from inforadar.stages.analyze.local.neutral import neutralize
from inforadar.stages.analyze.local.passage import Passage, read_passage
from inforadar.stages.analyze.local.scores import not_measured, score_all
from inforadar.stages.analyze.local.text import MAX_TEXT_CHARS_READ, MAX_TITLE_CHARS_READ, sentences_of

RULES_MODEL = "local-1"
"""The rules alone, where the sentence encoder is not installed."""
HEAD_MODEL = "local-2"
"""The trained head on sentence vectors and rules."""
RULES_VERSION = "3"
"""Raise it with every change to lists, model or rules that changes results: it is part of the cache key."""

_WITHHOLDING_CLICKBAIT = 0.8
"""From this clickbait score on, a title may be replaced by a sentence of the article."""
_INFORMATIVE_WORDS = 5
_INFORMATIVE_PAIRS = 12
"""Pairs of characters, for scripts without spaces."""
_DESCRIPTION_SENTENCES = 3
_SENTENCES_TRIED = 3


class LocalAnalyzer:
    """Scores without key or network; the same subject always gets the same analysis."""

    name = "local"
    prompt_version = RULES_VERSION

    @property
    def model(self) -> str:
        return model_name()

    async def analyze(self, subject: Subject) -> Analyzed:
        """Analyze in a thread: an item takes milliseconds, the first one a second, and nobody else shall wait."""
        loop = asyncio.get_running_loop()
        return Analyzed(analysis=await loop.run_in_executor(_thread(), analyze_subject, subject))


@cache
def _thread() -> ThreadPoolExecutor:
    """The one thread that analyzes: more of them would wait for each other."""
    return ThreadPoolExecutor(1, "local-analyzer")


def model_name() -> str:
    """The model that this installation uses; it is part of the cache key and of each analysis."""
    return HEAD_MODEL if encoder.available() else RULES_MODEL


def _all_scores(
    headline: Passage, title: Passage | None, body: Passage | None, lexicon: Lexicon
) -> dict[ScoreName, Score]:
    if is_measured(lexicon.language):
        return measure_all(headline, title, body, lexicon)
    if encoder.available():
        return not_measured(lexicon.language)
    return score_all(headline, title, body, lexicon)


def analyze_subject(subject: Subject) -> Analysis:
    """Analyze a subject. Pure, and bounded in time because only the head of a long text is read."""
    title_text = subject.title[:MAX_TITLE_CHARS_READ]
    body_text = _first_with_words(subject.text, subject.description)[:MAX_TEXT_CHARS_READ]
    language = detect(f"{title_text}\n{body_text}", subject.language)
    lexicon = lexicon_for(language)
    title = read_passage(title_text, lexicon)
    body = read_passage(body_text, lexicon) if _has_words(body_text) else None
    judged = title if title.words or body is None else _first_sentence(body, lexicon)
    scores = _all_scores(judged, title if title.words else None, body, lexicon)
    sentences = sentences_in(body, lexicon) if body else []
    subject_stems = stems_in(judged, lexicon)
    clickbait = scores[ScoreName.CLICKBAIT].value or 0.0
    neutral_title, title_reason = _neutral_title(judged, lexicon, body, sentences, clickbait)
    if not title.words and neutral_title:
        neutral_title = neutral_title.rstrip(".。")
        title_reason = "There was no title; the text's first sentence stands in."
    description, description_reason = _neutral_description(subject, lexicon, body)
    everything = f"{title_text}\n{body_text}"
    return Analysis(
        title=neutral_title or _host(subject.url) or "Untitled",
        title_reason=title_reason,
        description=description,
        description_reason=description_reason,
        summary=clean_line(summarize(sentences, subject_stems), MAX_SUMMARY_CHARS) or description,
        facts=facts_in(sentences),
        category=lexicon.category_of(everything, title.words + (body.words if body else [])),
        language=language,
        model=model_name(),
        prompt_version=RULES_VERSION,
        **{name.value: scores[name] for name in ScoreName},
    )


def _first_with_words(first: str, second: str) -> str:
    """Return the first of two texts, unless it has no letters or digits."""
    return first if _has_words(first[:MAX_TEXT_CHARS_READ]) else second


def _has_words(text: str) -> bool:
    return any(map(str.isalnum, text))


def _first_sentence(body: Passage, lexicon: Lexicon) -> Passage:
    start, end = next(
        (start, end) for start, end in sentences_of(body.text) if _has_words(body.text[start:end])
    )
    return read_passage(body.text[start:end][:MAX_TITLE_CHARS_READ], lexicon)


def _neutral_title(
    title: Passage, lexicon: Lexicon, context: Passage | None, sentences: list[Sentence], clickbait: float
) -> tuple[str, str]:
    line = clean_line(title.text, MAX_TITLE_CHARS) if title.words else ""
    if not line:
        return "", "There was no title."
    neutral = neutralize(line, lexicon, context)
    if (
        clickbait >= _WITHHOLDING_CLICKBAIT
        and _withholds(title)
        and not _is_informative(neutral.text, lexicon)
    ):
        told = replacement_for_title(sentences, stems_in(title, lexicon))
        if told is not None and told.text.strip() != line:
            told_line = clean_line(told.text, MAX_TITLE_CHARS)
            text = clean_line(neutralize(told_line, lexicon, context).text, MAX_TITLE_CHARS).rstrip(".。")
            return text, "The title withholds what it is about; a sentence of the article tells it."
    if is_measured(lexicon.language) and (
        told_line := _plain_sentence(neutral.text, title, lexicon, sentences)
    ):
        return told_line, "The title is loaded; a sentence of the article tells it plainly."
    if not neutral.changes:
        return line, "Nothing to drop: the title is as published."
    return clean_line(neutral.text, MAX_TITLE_CHARS), _sentence(neutral.changes)


def _plain_sentence(neutral: str, title: Passage, lexicon: Lexicon, sentences: list[Sentence]) -> str:
    """Return the article's most informative neutral sentence, or nothing if the title is not loaded after the rules."""
    if not is_loaded_line(neutral, lexicon):
        return ""
    subject = stems_in(title, lexicon)
    able = sentences_for_title(sentences, subject)[:_SENTENCES_TRIED]
    if not able:
        return ""
    for sentence, value in zip(able, loadedness([one.text for one in able], lexicon), strict=True):
        line = clean_line(sentence.text, MAX_TITLE_CHARS).rstrip(".。")
        if value < SLANTED and line != clean_line(title.text, MAX_TITLE_CHARS):
            return line
    return ""


def _withholds(title: Passage) -> bool:
    baited = any(hit.weight == 3 for hit in title.of_kind(Kind.BAIT))
    first = title.words[0].start if title.words else 0
    return baited or any(hit.start == first for hit in title.of_kind(Kind.POINTING))


def _is_informative(text: str, lexicon: Lexicon) -> bool:
    """Tell whether a title without its bait still says something: a number, or some content words."""
    stems = stems_in(read_passage(text, lexicon), lexicon)
    return any(map(str.isdigit, text)) or len(stems) >= (
        _INFORMATIVE_PAIRS if lexicon.spaceless else _INFORMATIVE_WORDS
    )


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
