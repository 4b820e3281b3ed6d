"""The texts of an entry that every feed reader shows: title, description and body.

With an analysis, the neutral title and description are used here, and the originals go into our extension.
`embedded` is for readers that ignore extensions: the score is added to the title, and the originals and the
reasons to the description and the body (most readers show only one of the two). All formats use this, so that
they never say different things.
"""

from __future__ import annotations

from dataclasses import dataclass

from inforadar import urls
from inforadar.model.analysis import Analysis, ScoreName
from inforadar.model.quick_init import quick_init
from inforadar.stages.publish.entry import Entry
from inforadar.stages.publish.text import clean, escape, isolate_direction, one_line, paragraphs_html

_EXCERPT_CHARACTERS = 300


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class VisibleText:
    """Title and description are never empty: some formats require the one, some the other."""

    title: str
    """Plain text on one line, clean, not escaped."""
    description: str
    """Plain text, clean, not escaped."""
    description_html: str | None
    """The embedded description; replaces `description` if set."""
    content_html: str | None


def visible_text(entry: Entry, *, embedded: bool = False) -> VisibleText:
    """Choose the texts to show for an entry."""
    analysis = entry.analysis
    title = (
        (one_line(analysis.title) if analysis and not entry.has_original_title else "")
        or one_line(entry.title)
        or one_line(urls.readable(entry.url))
    )
    description = _description(entry) or title
    content = entry.content_html or (paragraphs_html(entry.text) if entry.text else "") or None
    if not embedded or analysis is None:
        return VisibleText(title=title, description=description, description_html=None, content_html=content)
    overall = analysis.overall
    block = _embedded_html(entry, analysis, description)
    return VisibleText(
        title=f"{isolate_direction(title)} · {overall.in_words}",
        description=description,
        description_html=block,
        content_html=block + content if content else None,
    )


def _description(entry: Entry) -> str:
    if not entry.has_description:
        return ""
    return (
        (clean(entry.analysis.description).strip() if entry.analysis else "")
        or (clean(entry.snippet).strip() if entry.snippet else "")
        or _excerpt(entry.text)
    )


def _excerpt(text: str | None) -> str:
    """Return the beginning of a text, cut between words if possible."""
    if not text:
        return ""
    start = one_line(text[: 2 * _EXCERPT_CHARACTERS])
    if len(start) <= _EXCERPT_CHARACTERS:
        return start
    words, space, _ = start[:_EXCERPT_CHARACTERS].rpartition(" ")
    return (words if space else start[:_EXCERPT_CHARACTERS]) + "…"


def _embedded_html(entry: Entry, analysis: Analysis, description: str) -> str:
    original = one_line(entry.title)
    parts = [f"<p>{_foreign(description)}</p>"]
    if original and original != one_line(analysis.title):
        parts.append(_line("Original title", original, analysis.title_reason))
    if entry.has_description and entry.snippet and entry.snippet.strip() != analysis.description.strip():
        parts.append(_line("Original description", entry.snippet, analysis.description_reason))
    parts.append("<ul>")
    for name in ScoreName:
        score = analysis.score(name)
        words = f" ({_foreign(', '.join(score.words))})" if score.words else ""
        reason = f": {_foreign(score.reason)}" if score.reason else ""
        parts.append(f"<li>{name.value.replace('_', ' ')} {score.in_words}{reason}{words}</li>")
    parts.append("</ul>")
    if analysis.summary:
        parts.append(_line("Summary", analysis.summary))
    if analysis.facts:
        facts = "".join([f"<li>{_foreign(fact)}</li>" for fact in analysis.facts])
        parts.append(f"<p>Facts:</p><ul>{facts}</ul>")
    parts.append(
        f"<p>Analyzed by {_foreign(analysis.model)}, prompt {_foreign(analysis.prompt_version)}.</p>"
    )
    return "".join(parts)


def _line(name: str, text: str, reason: str = "") -> str:
    why = f" <em>({_foreign(reason)})</em>" if reason else ""
    return f"<p>{name}: {_foreign(text)}{why}</p>"


def _foreign(text: str) -> str:
    """Escape text from outside and isolate its direction, so that an override in it cannot reverse our words."""
    return f'<span dir="auto">{escape(text)}</span>'
