"""What a plain reader sees of an entry: its title, its description, its body.

The analysis decides. With one, the neutral title and description stand where readers look, and the
original ones go into our extension. `embedded` is for readers that show no extensions: the score joins the
title, and the original and the reasons join the description and the body (most readers show only one of
the two). The same decision serves all formats, so that they never tell different things.
"""

from __future__ import annotations

from dataclasses import dataclass

from inforadar import urls
from inforadar.model.analysis import Analysis, ScoreName
from inforadar.stages.publish.entry import Entry
from inforadar.stages.publish.text import clean, escape, isolated, one_line, paragraphs

_EXCERPT = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """Never without title and description: both are asked for by one format or another."""

    title: str
    """Plain text on one line, clean, not escaped."""
    description: str
    """Plain text, clean, not escaped."""
    description_html: str | None
    """The embedded description; stands in for `description` where there is one."""
    content_html: str | None


def show(entry: Entry, *, embedded: bool = False) -> Shown:
    analysis = entry.analysis
    title = (
        (one_line(analysis.title) if analysis else "")
        or one_line(entry.title)
        or one_line(urls.readable(entry.url))
    )
    description = (
        (clean(analysis.description).strip() if analysis else "")
        or (clean(entry.snippet).strip() if entry.snippet else "")
        or _excerpt(entry.text)
        or title
    )
    content = entry.content_html or (paragraphs(entry.text) if entry.text else "") or None
    if not embedded or analysis is None:
        return Shown(title=title, description=description, description_html=None, content_html=content)
    overall = analysis.overall
    block = _embedded_html(entry, analysis, description)
    return Shown(
        title=f"{isolated(title)} · {overall.label} {overall.value:.2f}",
        description=description,
        description_html=block,
        content_html=block + content if content else None,
    )


def _excerpt(text: str | None) -> str:
    """The beginning of a text, cut between two words where it has any."""
    if not text:
        return ""
    start = one_line(text[: 2 * _EXCERPT])
    if len(start) <= _EXCERPT:
        return start
    words, space, _ = start[:_EXCERPT].rpartition(" ")
    return (words if space else start[:_EXCERPT]) + "…"


def _embedded_html(entry: Entry, analysis: Analysis, description: str) -> str:
    original = one_line(entry.title)
    parts = [f"<p>{_foreign(description)}</p>"]
    if original and original != one_line(analysis.title):
        parts.append(_line("Original title", original, analysis.title_reason))
    if entry.snippet and entry.snippet.strip() != analysis.description.strip():
        parts.append(_line("Original description", entry.snippet, analysis.description_reason))
    parts.append("<ul>")
    for name in ScoreName:
        score = analysis.score(name)
        words = f" ({_foreign(', '.join(score.words))})" if score.words else ""
        reason = f": {_foreign(score.reason)}" if score.reason else ""
        parts.append(
            f"<li>{name.value.replace('_', ' ')} {score.label} {score.value:.2f}{reason}{words}</li>"
        )
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
    """Escaped, and a writing direction of its own: an override inside must not turn our words around."""
    return f'<span dir="auto">{escape(text)}</span>'
