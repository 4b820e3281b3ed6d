"""A message of a rule as text and as HTML, in the briefing's layout. Pure.

Titles and summaries come from the web: they are escaped in HTML, and in plain text they keep to one line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup, escape

from inforadar.model.analysis import score_label
from inforadar.views.brief import brief_entry_html
from inforadar.views.change_messages import change_html, change_lines

MAX_SUMMARY = 280


def message_text(payload: Mapping[str, Any]) -> str:
    """The message as plain text."""
    is_digest = payload["type"] == "digest"
    lines = [one_line(str(payload["title"])), ""]
    for number, item in enumerate(payload["items"], 1):
        lines += [*(_digest_lines(item, number) if is_digest else _lines(item)), ""]
    for alert in payload["alerts"]:
        lines += [f"• {one_line(alert['title'])}", f"  {one_line(alert['message'])}", ""]
    if payload["more"]:
        lines.append(f"… and {payload['more']} more")
    return "\n".join(lines).strip() + "\n"


def _lines(item: Mapping[str, Any]) -> Iterator[str]:
    yield f"• {one_line(item['title'])}"
    yield f"  {_facts(item)}"
    yield f"  {item['url']}"
    if "change" in item:
        yield from (f"  {line}" for line in change_lines(item["change"]))
    elif item["summary"]:
        yield f"  {one_line(item['summary'])[:MAX_SUMMARY]}"


def _digest_lines(item: Mapping[str, Any], number: int) -> Iterator[str]:
    """A story in the briefing's layout: headline, sources, summary, facts, address."""
    url, headline, line, summary, facts = _briefed(item)
    yield f"{number}. {one_line(headline)}"
    yield f"   {one_line(line)}"
    if "change" in item:
        yield from (f"   {text}" for text in change_lines(item["change"]))
    elif summary:
        yield f"   {one_line(summary)[:MAX_SUMMARY]}"
    yield from (f"   - {one_line(fact)}" for fact in facts)
    yield f"   {url}"


def _briefed(item: Mapping[str, Any]) -> tuple[str, str, str, str, Sequence[str]]:
    """Address, headline, line of sources, summary and facts of a digest's entry; an item in no story has no facts."""
    story = item.get("story")
    if story is None:
        return item["url"], item["title"], _facts(item), item["summary"] or "", ()
    return story["url"], story["headline"], story["line"], story["summary"], story["facts"]


def message_html(payload: Mapping[str, Any]) -> str:
    """The message as HTML for mail: no scripts, styles, pictures or remote parts."""
    is_digest = payload["type"] == "digest"
    parts = [Markup("<h1>{}</h1>").format(payload["title"])]
    for item in payload["items"]:
        parts += _digest_html(item) if is_digest else _html(item)
    parts += [
        Markup("<h2>{}</h2><p>{}</p>").format(alert["title"], alert["message"]) for alert in payload["alerts"]
    ]
    if payload["more"]:
        parts.append(Markup("<p>… and {} more</p>").format(payload["more"]))
    return str(escape(Markup("\n").join(parts)))


def _html(item: Mapping[str, Any]) -> Iterator[Markup]:
    yield Markup('<h2><a href="{}" rel="noreferrer">{}</a></h2><p>{}</p>').format(
        item["url"], item["title"], _facts(item)
    )
    if "change" in item:
        yield change_html(item["change"])
    elif item["summary"]:
        yield Markup("<p>{}</p>").format(item["summary"][:MAX_SUMMARY])


def _digest_html(item: Mapping[str, Any]) -> Iterator[Markup]:
    url, headline, line, summary, facts = _briefed(item)
    shown = "" if "change" in item else summary[:MAX_SUMMARY]
    yield brief_entry_html(url, headline, line, shown, facts=facts)
    if "change" in item:
        yield change_html(item["change"])


def one_line(text: str) -> str:
    """The text without control characters and line breaks, which could forge lines of a message."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def _facts(item: Mapping[str, Any]) -> str:
    """`Habr, also Harbour Post · 0.27 neutral · 2026-03-14 15:09`."""
    also = f", also {', '.join(map(one_line, item['also_from']))}" if item["also_from"] else ""
    score = f" · {item['score']:.2f} {score_label(item['score'])}" if item["score"] is not None else ""
    return f"{one_line(item['source'])}{also}{score} · {item['published_at'][:16].replace('T', ' ')} UTC"
