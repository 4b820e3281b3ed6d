"""The form that edits a feed: everything that can be set, and the changes that it asks for. Pure.

Only what differs from the feed is changed, because some changes cost requests: another cutoff walks all pages again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from enum import StrEnum
from functools import partial
from typing import Any

from inforadar.actions.feed_input import basic_authorization
from inforadar.errors import UsageError
from inforadar.model.analysis import AnalyzerName
from inforadar.model.feed import ErrorPolicy, Feed, FeedKind
from inforadar.model.feed_options import RevisionMode
from inforadar.model.rhythm import PollingMode
from inforadar.model.subscription import FeedChanges
from inforadar.translations import gettext as _
from inforadar.web.feeds.rss_query import parse_content
from inforadar.web.http.forms import Form

MAX_NUMBER = 10_000_000
MAX_LINES = 100


def parse_edit(form: Form, feed: Feed) -> FeedChanges:
    """Return the changes that the form asks for; raise `UsageError` if one of its values cannot be used."""
    options = {
        name: value
        for name, parse in _OPTIONS.items()
        if name in form.fields and _differs(feed, name, value := parse(form, name))
    }
    _check_patterns(options)
    url = form.text("url")
    return FeedChanges(
        url=url if url and url != feed.url else None,
        options=options,
        headers=_headers(form),
        forget_credentials=form.text("forget_credentials") is not None,
        **_columns(form, feed),
    )


def form_values(feed: Feed, form: Form | None = None) -> Mapping[str, str]:
    """The values of the form's text fields: as submitted, else as the feed has them."""
    options = feed.options.to_json()
    stored = {
        **{name: _shown(options.get(name)) for name in _OPTIONS},
        "url": feed.url,
        "source": feed.source,
        "topic": feed.topic,
        "kind": feed.kind or "",
        "error_policy": feed.error_policy or "",
        "root_domain": feed.root_domain or "",
        "any_host": "" if feed.enforce_feed_domain else "1",
        "user": "",
        "headers": "",
    }
    if form is None:
        return stored
    return {name: form.text(name) or "" for name in stored}


def _columns(form: Form, feed: Feed) -> dict[str, Any]:
    source, topic = form.word("source"), form.word("topic")
    if source is None or topic is None:
        raise UsageError(_("A feed needs a source and a topic."))
    given: dict[str, Any] = {
        "source": source,
        "topic": topic,
        "enforce_feed_domain": form.text("any_host") is None,
    }
    if "error_policy" in form.fields:
        given["error_policy"] = _choice(ErrorPolicy, form, "error_policy")
    if "root_domain" in form.fields:
        given["root_domain"] = form.word("root_domain")
    if kind := _choice(FeedKind, form, "kind"):
        given["kind"] = kind
    return {name: value for name, value in given.items() if value != getattr(feed, name)}


def _headers(form: Form) -> dict[str, str]:
    """The credentials that the form adds: headers, one a line, and user and password."""
    headers = {}
    for line in _lines(form, "headers") or ():
        name, colon, value = line.partition(":")
        if not colon or not name.strip() or not value.strip():
            raise UsageError(_("A header is written as Name: value, one on each line."))
        headers[name.strip()] = value.strip()
    if user := form.word("user"):
        headers["Authorization"] = basic_authorization(user, (form.fields.get("password") or [""])[0])
    return headers


def _differs(feed: Feed, name: str, value: Any) -> bool:
    return bool(getattr(feed.options.replaced({name: value}), name) != getattr(feed.options, name))


def _shown(value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case list() | tuple():
            return "\n".join(str(one) for one in value)
        case _:
            return str(value)


def _word(form: Form, name: str) -> str | None:
    return form.word(name)


def _content(form: Form, name: str) -> str | None:
    return parse_content(form.text(name) or "")


def _choice(kind: type[StrEnum], form: Form, name: str) -> StrEnum | None:
    value = form.text(name)
    if value is not None and value not in set(kind):
        raise UsageError(f"{_label(name)} must be one of {', '.join(kind)}.")
    return kind(value) if value else None


def _number(form: Form, name: str) -> int | None:
    value = form.text(name)
    if value is None:
        return None
    if not (value.isascii() and value.isdigit() and int(value[:9]) <= MAX_NUMBER and len(value) < 10):
        raise UsageError(f"{_label(name)} must be a whole number from 0 to {MAX_NUMBER:,}, not {value!r}.")
    return int(value)


def _date(form: Form, name: str) -> date | None:
    value = form.text(name)
    try:
        return date.fromisoformat(value) if value else None
    except ValueError:
        raise UsageError(f"{value!r} is not a date. Use the form 2026-01-31.") from None


def _switch(form: Form, name: str) -> bool | None:
    value = form.text(name)
    if value not in {None, "yes", "no"}:
        raise UsageError(f"{_label(name)} must be yes or no, or left empty.")
    return None if value is None else value == "yes"


def _lines(form: Form, name: str) -> tuple[str, ...] | None:
    lines = tuple(line.strip() for line in (form.text(name) or "").splitlines() if line.strip())
    if len(lines) > MAX_LINES:
        raise UsageError(f"{_label(name)} can have at most {MAX_LINES} lines.")
    return lines or None


def _label(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _check_patterns(options: Mapping[str, Any]) -> None:
    """Refuse patterns and dates of a sitemap that cannot be used."""
    names = {"include_patterns", "exclude_patterns", "newer_than", "max_age_days"}
    if given := {name: value for name, value in options.items() if name in names and value is not None}:
        from inforadar.stages.discover.sitemap.filter import parse_filter  # noqa: PLC0415 - slow

        parse_filter(given)


_OPTIONS: Mapping[str, Callable[[Form, str], Any]] = {
    "title": _word,
    "timezone": _word,
    "polling_mode": partial(_choice, PollingMode),
    "content": _content,
    "revisions": partial(_choice, RevisionMode),
    "keep_days": _number,
    "keep_items": _number,
    "analyze": _switch,
    "analyzer": partial(_choice, AnalyzerName),
    "model": _word,
    "prompt": _word,
    "cutoff_date": _date,
    "window_days": _number,
    "include_patterns": _lines,
    "exclude_patterns": _lines,
    "newer_than": _word,
    "max_age_days": _number,
    "baseline_items": _number,
    "fetch_titles": _switch,
    "max_page_titles": _number,
    "retry_failed_urls": _switch,
    "max_history_days": _number,
    "cleanup_interval_days": _number,
}
"""{option: how its field is read}."""
