"""JSON Feed 1.1."""

from __future__ import annotations

import json
from collections import Counter
from datetime import datetime
from typing import Any

from tests.support.feed_rules.values import (
    address,
    language,
    rfc3339,
    safe_html,
)

_JSON_FEED = {
    "version": str, "title": str, "home_page_url": str, "feed_url": str, "description": str, "icon": str,
    "favicon": str, "authors": list, "language": str, "expired": bool, "items": list, "next_url": str,
}  # fmt: skip
_JSON_ITEM = {
    "id": str, "url": str, "external_url": str, "title": str, "content_html": str, "content_text": str,
    "summary": str, "image": str, "banner_image": str, "date_published": str, "date_modified": str,
    "authors": list, "tags": list, "language": str, "attachments": list,
}  # fmt: skip


def _json_fields(where: str, value: dict[str, Any], known: dict[str, type]) -> list[str]:
    problems = []
    for key, part in value.items():
        if key.startswith("_"):
            if not isinstance(part, dict):
                problems.append(f"{where}: the extension {key} is not an object")
        elif key not in known:
            problems.append(f"{where}: unknown key {key}")
        elif not isinstance(part, known[key]):
            problems.append(f"{where}: {key} is not a {known[key].__name__}")
        elif key.endswith("url") or key in ("image", "icon", "favicon", "banner_image"):
            problems += address(f"{where} {key}", part)
        elif key == "language":
            problems += language(where, part)
    for author in value.get("authors", ()):
        if not isinstance(author, dict) or not set(author) & {"name", "url", "avatar"}:
            problems.append(f"{where}: an author has neither name nor url nor avatar")
    return problems


def json_feed_problems(document: str, now: datetime) -> list[str]:
    try:
        feed = json.loads(document)
    except ValueError as error:
        return [f"no JSON: {error}"]
    problems = _json_fields("feed", feed, _JSON_FEED)
    if feed.get("version") != "https://jsonfeed.org/version/1.1":
        problems.append("feed has no version 1.1")
    problems += [f"feed has no {name}" for name in ("title", "items") if name not in feed]
    items = feed.get("items", [])
    ids = Counter(item.get("id") for item in items)
    problems += [f"id {name!r} is not unique" for name, count in ids.items() if count > 1]
    for item in items:
        problems += _json_fields("item", item, _JSON_ITEM)
        if not item.get("id"):
            problems.append("item has no id")
        if not {"content_html", "content_text"} & set(item):
            problems.append("item has neither content_html nor content_text")
        problems += safe_html("content_html", item.get("content_html", ""))
        for name in ("date_published", "date_modified"):
            if name in item:
                problems += rfc3339(name, item[name], now)
        if not all(isinstance(tag, str) and tag for tag in item.get("tags", ())):
            problems.append("a tag is not text")
    return problems
