"""JSON documents with one form and one order of fields for `--json`, the API and the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec

from inforadar.model.article import Article
from inforadar.model.feed import Feed
from inforadar.model.item import Item, metadata_json
from inforadar.model.run import Report
from inforadar.urls import is_twin_url
from inforadar.views.feed_health import feed_health

if TYPE_CHECKING:
    from inforadar.model.subscription import FoundFeed, Imported, Subscribed

PREVIEW_ITEMS = 5


def feed_document(feed: Feed, now: datetime) -> dict[str, Any]:
    health = feed_health(feed, now)
    return {
        "id": str(feed.id),
        "url": feed.url,
        "kind": feed.kind,
        "source": feed.source,
        "topic": feed.topic,
        "title": feed.title,
        "root_domain": feed.root_domain,
        "enabled": feed.enabled,
        "polling": feed.polling,
        "enforce_feed_domain": feed.enforce_feed_domain,
        "options": feed.options.to_json(),
        "health": health.state.value,
        "health_sentence": health.sentence,
        "last_fetch_status": feed.last_fetch_status,
        "last_fetched_at": _time(feed.last_fetched_at),
        "next_run_at": _time(feed.next_run_at),
        "next_run_reason": feed.reason,
        "polls_per_day": feed.polling_plan.polls_per_day if feed.polling_plan else None,
        "items_per_day": feed.polling_plan.items_per_day if feed.polling_plan else None,
        "expected_delay_s": feed.polling_plan.expected_delay_s if feed.polling_plan else None,
        "requested_at": _time(feed.requested_at),
        "last_error": feed.last_error,
        "warnings": [{"text": one.text, "is_loss": one.is_loss} for one in feed.warnings],
        "failures": feed.failures,
        "duplicate_of": str(feed.duplicate_of) if feed.duplicate_of else None,
        "created_at": _time(feed.created_at),
    }


def item_document(item: Item) -> dict[str, Any]:
    return {
        "id": str(item.id),
        "feed_id": str(item.feed_id),
        "url": item.url,
        "link": item.link or item.url,
        "guid": item.guid,
        "hash": item.hash,
        "source": item.source,
        "topic": item.topic,
        "also_in": [
            {"feed_id": str(one.feed_id), "source": one.source, "topic": one.topic} for one in item.also_in
        ],
        **metadata_json(item),
        "published_at": _time(item.published_at),
        "dated_at": _time(item.dated_at),
        "revised_at": _time(item.revised_at),
        "created_at": _time(item.created_at),
        "score": item.score,
        "score_label": item.score_word,
        "analyzed_at": _time(item.analyzed_at),
        "analyzer_result": dict(item.analyzer_result),
    }


def changes_document(history: Sequence[tuple[datetime, Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """The changes of an item since it was first seen, oldest first: {field: [old, new]}."""
    return [{"at": _time(at), "fields": dict(fields)} for at, fields in history]


def added_document(added: Subscribed, now: datetime) -> dict[str, Any]:
    """The feed that was to be added, and the URL it is already followed by if that is another one."""
    followed_as = added.feed.url if added.is_twin else None
    return feed_document(added.feed, now) | {"added": added.is_new, "followed_as": followed_as}


def found_document(found: FoundFeed, known: Feed | None) -> dict[str, Any]:
    """A feed found on a site, with its first items if discovery fetched it; `known` is the feed already followed."""
    listing = found.listing
    return {
        "url": found.url,
        "kind": found.kind.value,
        "how": found.how,
        "known": known is not None,
        "followed_as": known.url if known and is_twin_url(found.url, known.url) else None,
        "title": listing.title if listing else None,
        "items": [
            {"url": item.url, "title": item.title, "published_at": _time(item.published_at)}
            for item in (listing.items[:PREVIEW_ITEMS] if listing else ())
        ],
    }


def imported_document(imported: Imported, now: datetime) -> dict[str, Any]:
    return {
        "added": [feed_document(feed, now) for feed in imported.added],
        "known": [feed_document(feed, now) for feed in imported.known],
        "skipped": [{"what": what, "why": why} for what, why in imported.skipped],
        "twins": [{"url": url, "followed_as": feed.url, "id": str(feed.id)} for url, feed in imported.twins],
        "is_cut_off": imported.is_cut_off,
    }


def article_document(article: Article, *, with_text: bool = True) -> dict[str, Any]:
    """`with_text=False`: what is known of the article, without the text itself."""
    found, failure = article.extracted, article.failure
    return {
        "uid": article.uid,
        "url": article.url,
        "category": article.category,
        "status": article.status.value,
        "fetched_at": _time(article.fetched_at),
        "attempts": article.attempts,
        "failure_code": failure.code.value if failure else None,
        "failure_detail": failure.detail if failure else None,
        "title": found.title if found else None,
        "author": found.author if found else None,
        "published_at": _time(found.published_at) if found else None,
        "updated_at": _time(found.updated_at) if found else None,
        "language": found.language if found else None,
        "site_name": found.site_name if found else None,
        "image": found.image if found else None,
        "canonical_url": found.canonical_url if found else None,
        "abstract": found.abstract if found else None,
        "raw_len": found.raw_len if found else 0,
        "text_len": found.text_len if found else 0,
        "clean_text": found.clean_text if found and with_text else None,
        "markdown": found.markdown if found and with_text else None,
        "html": (found.html or None) if found and with_text else None,
    }


def report_document(report: Report) -> dict[str, Any]:
    return {
        "run_id": str(report.run_id),
        "kind": report.kind.value,
        "started_at": _time(report.started_at),
        "finished_at": _time(report.finished_at),
        "state": run_state(report),
        "interrupted": report.interrupted,
        "added_count": report.added_count,
        "updated_count": report.updated_count,
        "errors_count": report.errors_count,
        "added_articles": list(report.added_articles),
        "updated_articles": list(report.updated_articles),
        "updated_fields_map": {
            url: {field: list(change) for field, change in fields.items()}
            for url, fields in report.updated_fields_map.items()
        },
        "details": msgspec.to_builtins(report.details),
    }


def run_state(report: Report) -> str:
    """The state of a run in a few words, the same in every face."""
    if report.interrupted:
        return "interrupted"
    if report.finished_at:
        return "finished"
    if report.is_wanted:
        return "waits for a worker"
    return "stopping" if report.stop_asked else "running"


def _time(value: datetime | None) -> str | None:
    return value.isoformat().replace("+00:00", "Z") if value else None
