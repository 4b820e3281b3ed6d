"""The JSON Schemas of the API's requests and responses."""

from __future__ import annotations

from collections.abc import Iterable

from inforadar.actions.mark import MAX_LABEL_CHARACTERS, MAX_NOTE_CHARACTERS
from inforadar.model.analysis import SCORE_LABELS
from inforadar.model.feed import ErrorPolicy, FeedKind
from inforadar.model.feed_options import Content, RevisionMode
from inforadar.model.item import METADATA_FIELDS
from inforadar.model.metadata_fields import MetadataField
from inforadar.model.push import PushState
from inforadar.stages.discover.pages.walk import Depth
from inforadar.store.people.marks import MARKS
from inforadar.views.feed_health import HealthState
from inforadar.web.api.items import MAX_MARKED_ITEMS
from inforadar.web.api.lookup import MAX_PAGES
from inforadar.web.api.openapi.blocks import (
    COUNT,
    FLAG,
    ID,
    NULLABLE_NUMBER,
    NULLABLE_TEXT,
    NULLABLE_TIME,
    NUMBER,
    OBJECT,
    TEXT,
    TIME,
    URL,
    Json,
    list_,
    object_,
    ref,
)


def _exact(required: Json, optional: Json | None = None, *, least: int = 0) -> Json:
    """The schema of a request body: these fields and no others."""
    return object_(required, optional) | {"additionalProperties": False, "minProperties": least}


def _nullable(schema: Json) -> Json:
    return {"anyOf": [schema, {"type": "null"}]}


_NULLABLE_SCALARS = {str: NULLABLE_TEXT, int: NULLABLE_NUMBER, float: NULLABLE_NUMBER}
_PARTS = {str: TEXT, int: NUMBER, float: NUMBER}


def metadata_schemas(fields: Iterable[MetadataField]) -> Json:
    """The schema of each field's JSON value."""
    return {
        field.name: list_(_part(field)) if field.is_list else _NULLABLE_SCALARS[field.type]
        for field in fields
    }


def _part(field: MetadataField) -> Json:
    return object_(metadata_schemas(field.parts)) if field.parts else _PARTS[field.type]


_WORD: Json = {"type": "string", "minLength": 1, "maxLength": 200, "pattern": r"\S"}
_ZONE: Json = {
    "type": ["string", "null"],
    "maxLength": 200,
    "description": "The time zone of dates that name none, such as Europe/Moscow; null or empty: UTC.",
}
_CONTENT: Json = {
    "enum": [*Content, None],
    "description": "How much of its items' texts the published feed carries; null: the default.",
}
_HEALTH: Json = {"enum": list(HealthState)}
_DAY: Json = object_(
    {"day": {"type": "string", "format": "date"}, "fetches": COUNT, "failures": COUNT, "added": COUNT}
)
_FLAGS: Json = dict.fromkeys(MARKS, FLAG)
_MARKED: Json = _FLAGS | {
    "labels": list_(TEXT),
    "note": {"type": "string", "description": "empty: none"},
}
_LABELS: Json = {
    "type": "array",
    "items": {"type": "string", "minLength": 1, "maxLength": MAX_LABEL_CHARACTERS, "pattern": r"\S"},
    "minItems": 1,
}
_ITEM: Json = {
    "id": ID, "feed_id": ID, "url": TEXT,
    "link": {"type": "string", "description": "what people follow: the url, or the entry's latest link"},
    "guid": {"type": ["string", "null"], "description": "the entry's own id in its feed"},
    "hash": TEXT, "source": TEXT, "topic": TEXT,
    "also_in": list_(object_({"feed_id": ID, "source": TEXT, "topic": TEXT})),
    **metadata_schemas(METADATA_FIELDS),
    "published_at": TIME,
    "dated_at": NULLABLE_TIME | {"description": "the date as the source gave it"},
    "revised_at": NULLABLE_TIME | {"description": "when the source says that it last changed the entry"},
    "created_at": TIME,
    "score": {
        "type": ["number", "null"], "minimum": 0, "maximum": 1,
        "description": "null: not analyzed yet, or not measured",
    },
    "score_label": {
        "enum": [*SCORE_LABELS, None],
        "description": "the word for the score; null: not analyzed yet",
    },
    "analyzed_at": NULLABLE_TIME,
    "analyzer_result": {"type": "object", "description": "{} until the item is analyzed"},
}  # fmt: skip
_FEED: Json = {
    "id": ID, "url": TEXT, "kind": NULLABLE_TEXT, "source": TEXT, "topic": TEXT, "title": NULLABLE_TEXT,
    "root_domain": NULLABLE_TEXT, "enabled": FLAG, "polling": FLAG, "enforce_feed_domain": FLAG,
    "health": _HEALTH, "health_sentence": TEXT,
    "last_fetch_status": NULLABLE_TEXT, "last_fetched_at": NULLABLE_TIME, "next_run_at": NULLABLE_TIME,
    "last_error": NULLABLE_TEXT, "warnings": list_(object_({"text": TEXT, "is_loss": FLAG})),
    "failures": COUNT, "options": OBJECT, "next_run_reason": NULLABLE_TEXT, "polls_per_day": NULLABLE_NUMBER,
    "items_per_day": NULLABLE_NUMBER, "expected_delay_s": NULLABLE_NUMBER,
    "requested_at": NULLABLE_TIME, "duplicate_of": NULLABLE_TEXT, "created_at": TIME,
}  # fmt: skip
_FOLLOWED_AS: Json = NULLABLE_TEXT | {
    "description": "the URL by which it is already followed, if it differs only in http or https or a slash at the end"
}
_RUN: Json = {
    "run_id": ID, "kind": TEXT, "started_at": TIME, "finished_at": NULLABLE_TIME, "interrupted": FLAG,
    "added_count": COUNT, "updated_count": COUNT, "errors_count": COUNT, "added_articles": list_(TEXT),
    "updated_articles": list_(TEXT),
    "updated_fields_map": {"type": "object", "description": "{url: {field: [old, new]}}"}, "details": OBJECT,
}  # fmt: skip

_IN_STORY: Json = {
    "story_id": {"type": ["string", "null"], "format": "uuid", "description": "null until it is grouped"}
}
_STORY: Json = {
    "id": ID,
    "headline": TEXT,
    "headline_source": TEXT,
    "headline_is_neutral": FLAG,
    "url": TEXT,
    "began_at": TIME,
    "last_at": TIME,
    "updated_at": TIME,
    "item_count": COUNT,
    "source_count": COUNT,
    "sources": list_(TEXT),
    "languages": list_(TEXT),
    "topics": list_(TEXT),
    "scores": object_({"min": NULLABLE_NUMBER, "max": NULLABLE_NUMBER}),
    "summary": TEXT,
}
SCHEMAS: Json = {
    "Problem": object_(
        {"type": TEXT, "title": TEXT, "status": {"type": "integer"}, "detail": TEXT, "error": TEXT}
    ),
    "Item": object_(_ITEM),
    "MarkedItem": object_(_ITEM | _MARKED | _IN_STORY),
    "Story": object_(_STORY),
    "StoryInFull": object_(
        _STORY | {"items": list_(OBJECT), "facts": list_(OBJECT), "timeline": list_(OBJECT)}
    ),
    "ReadItem": object_(
        _ITEM
        | _MARKED
        | _IN_STORY
        | {
            "content": {"type": "string", "description": "empty if you may not read whole texts"},
            "text_from": {
                "type": ["string", "null"],
                "description": "which text is read: the page's or the feed's own content",
            },
            "article": {
                "type": ["object", "null"],
                "description": "null: nothing is stored yet; without its text if you may not read whole texts",
            },
            "changes": list_(object_({"at": TIME, "fields": OBJECT})),
        }
    ),
    "ItemHistory": object_(
        {
            "id": ID,
            "url": TEXT,
            "title": TEXT,
            "source": TEXT,
            "change_count": COUNT,
            "watch": TEXT | {"description": "how the article is watched, in a sentence"},
            "versions": list_(OBJECT)
            | {"description": "without their texts if you may not read whole texts"},
            "revisions": list_(OBJECT) | {"description": "what changed between two versions, oldest first"},
            "history": list_(OBJECT)
            | {"description": "changes of the listing and of the text, newest first"},
        }
    ),
    "Feed": object_(
        _FEED, {"days": list_(_DAY), "added": FLAG, "followed_as": _FOLLOWED_AS, "credentials_deleted": FLAG}
    ),
    "WholeFeed": object_(
        _FEED
        | {
            "site_url": NULLABLE_TEXT,
            "icon": NULLABLE_TEXT,
            "description": NULLABLE_TEXT,
            "error_policy": NULLABLE_TEXT,
            "etag": NULLABLE_TEXT,
            "last_modified": NULLABLE_TEXT,
            "former_urls": list_(object_({"url": TEXT, "left_at": TIME})),
            "days": list_(_DAY),
            "polling_sentence": TEXT | {"description": "when it posts, when it is polled next, and why then"},
            "push": {
                "oneOf": [ref("Push"), {"type": "null"}],
                "description": "its subscription to a hub (WebSub); null without a hub or INFORADAR_PUBLIC_URL",
            },
            "week": list_(list_({"type": "number", "minimum": 0, "maximum": 1}))
            | {"description": "how likely news is, by day (Monday first) and hour; empty until known"},
        }
    ),
    "Push": object_(
        {
            "hub": TEXT,
            "topic": TEXT,
            "state": TEXT | {"enum": [state.value for state in PushState]},
            "alive": FLAG | {"description": "proven by pushes, so that the feed is polled once a day"},
            "pushes": COUNT,
            "misses": COUNT | {"description": "polls that found what no push had told"},
            "error": NULLABLE_TEXT,
            "lease_until": NULLABLE_TIME,
            "verified_at": NULLABLE_TIME,
            "pushed_at": NULLABLE_TIME,
            "missed_at": NULLABLE_TIME,
            "next_attempt_at": NULLABLE_TIME,
            "sentence": TEXT,
        }
    ),
    "Found": object_(
        {
            "url": TEXT,
            "kind": TEXT,
            "how": TEXT,
            "known": FLAG,
            "followed_as": _FOLLOWED_AS,
            "title": NULLABLE_TEXT,
            "items": list_(object_({"url": TEXT, "title": NULLABLE_TEXT, "published_at": NULLABLE_TIME})),
        }
    ),
    "Imported": object_(
        {
            "added": list_(ref("Feed")),
            "known": list_(ref("Feed")),
            "skipped": list_(object_({"what": TEXT, "why": TEXT})),
            "twins": list_(object_({"url": TEXT, "followed_as": TEXT, "id": ID})),
            "is_cut_off": FLAG,
        }
    ),
    "Label": object_({"source": TEXT, "topic": TEXT, "feeds": COUNT, "unread": COUNT, "health": _HEALTH}),
    "Run": object_(_RUN),
    "Marks": object_({"items": list_(object_({"url": TEXT, **_MARKED})), "unknown": list_(TEXT)}),
    "Pages": _exact({"urls": {"type": "array", "items": TEXT, "maxItems": MAX_PAGES}}),
    "MarksChange": _exact(
        {"urls": {"type": "array", "items": URL, "minItems": 1, "maxItems": MAX_MARKED_ITEMS}},
        _FLAGS
        | {
            "story": FLAG | {"description": "also the other articles of their stories become read or unread"},
            "add_labels": _LABELS,
            "remove_labels": _LABELS,
            "note": {
                "type": "string",
                "maxLength": MAX_NOTE_CHARACTERS,
                "description": "replaces the note of each item; empty: removes it",
            },
        },
        least=2,
    ),
    "NewFeed": _exact(
        {"url": URL},
        {
            "kind": {"enum": [*FeedKind, None]},
            "source": _nullable(_WORD),
            "topic": _nullable(_WORD),
            "title": _nullable(_WORD),
            "timezone": _ZONE,
            "content": _CONTENT,
        },
    ),
    "FetchAsked": _exact(
        {},
        {
            "sources": list_(TEXT),
            "topics": list_(TEXT),
            "cutoff": {"type": ["string", "null"], "format": "date"},
            "window_days": {"type": ["integer", "null"], "minimum": 0, "maximum": 36_500},
            "depth": {"enum": list(Depth)},
        },
    ),
    "Address": _exact({"url": URL}),
    "FeedChange": _exact(
        {},
        {
            "url": URL,
            "kind": {"enum": list(FeedKind)},
            "source": _WORD,
            "topic": _WORD,
            "title": _WORD,
            "timezone": _ZONE,
            "content": _CONTENT,
            "revisions": {"enum": [*RevisionMode, None]},
            "enforce_feed_domain": FLAG,
            "error_policy": {"enum": [*ErrorPolicy, None]},
            "enabled": FLAG,
            "polling": FLAG,
            "root_domain": _nullable(_WORD),
        },
        least=1,
    ),
}
