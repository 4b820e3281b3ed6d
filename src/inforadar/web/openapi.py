"""`/openapi.json`: the API described by hand; a test holds the description to the truth.

By hand, because what a framework derives from signatures says little about what an answer means, and would
cost every request the machinery that it is derived from.
"""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from inforadar import __version__
from inforadar.stages.publish.formats import Format
from inforadar.store.marks import MARKS
from inforadar.web.answers import json_answer
from inforadar.web.parameters import MAX_LIMIT

Json = dict[str, Any]

_TEXT: Json = {"type": "string"}
_NULLABLE_TEXT: Json = {"type": ["string", "null"]}
_NULLABLE_NUMBER: Json = {"type": ["number", "null"]}
_TIME: Json = {"type": "string", "format": "date-time"}
_NULLABLE_TIME: Json = {"type": ["string", "null"], "format": "date-time"}
_ID: Json = {"type": "string", "format": "uuid"}
_COUNT: Json = {"type": "integer", "minimum": 0}
_OBJECT: Json = {"type": "object"}
_FLAG: Json = {"type": "boolean"}
_URL: Json = {"type": "string", "pattern": r"^https?://([a-z][a-z0-9]*\.)+[a-z]{2,}(/[A-Za-z0-9/_-]*)?$"}
_WORDS: Json = {"type": "string", "minLength": 1, "pattern": r"\S"}
_SWITCH: Json = {"enum": ["0", "1", "true", "false", "yes", "no", "on", "off"]}


def _object(required: Json, optional: Json | None = None) -> Json:
    return {"type": "object", "required": list(required), "properties": {**required, **(optional or {})}}


def _list(item: Json) -> Json:
    return {"type": "array", "items": item}


def _ref(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


_MARKS: Json = dict.fromkeys(MARKS, _FLAG)
_ITEM: Json = {
    "id": _ID, "feed_id": _ID, "url": _TEXT, "hash": _TEXT, "source": _TEXT, "topic": _TEXT,
    "title": _NULLABLE_TEXT, "author": _NULLABLE_TEXT, "snippet": _NULLABLE_TEXT, "tags": _list(_TEXT),
    "image": _NULLABLE_TEXT, "language": _NULLABLE_TEXT, "views": _NULLABLE_NUMBER,
    "comments": _NULLABLE_NUMBER, "rating": _NULLABLE_NUMBER, "bookmarks": _NULLABLE_NUMBER,
    "published_at": _TIME, "created_at": _TIME,
    "score": {"type": ["number", "null"], "minimum": 0, "maximum": 1, "description": "null: not analyzed yet"},
    "analyzed_at": _NULLABLE_TIME,
    "analyzer_result": {"type": "object", "description": "{} until it is analyzed"},
}  # fmt: skip
_FEED: Json = {
    "id": _ID, "url": _TEXT, "kind": _NULLABLE_TEXT, "source": _TEXT, "topic": _TEXT, "title": _NULLABLE_TEXT,
    "root_domain": _NULLABLE_TEXT, "enabled": _FLAG, "polling": _FLAG, "enforce_feed_domain": _FLAG,
    "health": {"enum": ["new", "success", "waiting", "suspended", "disabled"]}, "health_sentence": _TEXT,
    "last_fetch_status": _NULLABLE_TEXT, "last_fetched_at": _NULLABLE_TIME, "next_run_at": _NULLABLE_TIME,
    "last_error": _NULLABLE_TEXT, "failures": _COUNT,
}  # fmt: skip
_RUN: Json = {
    "run_id": _ID, "kind": _TEXT, "started_at": _TIME, "finished_at": _NULLABLE_TIME, "interrupted": _FLAG,
    "added_count": _COUNT, "updated_count": _COUNT, "errors_count": _COUNT, "added_articles": _list(_TEXT),
    "updated_articles": _list(_TEXT),
    "updated_fields_map": {"type": "object", "description": "{url: {field: [old, new]}}"}, "details": _OBJECT,
}  # fmt: skip

SCHEMAS: Json = {
    "Error": _object({"error": _TEXT}),
    "Item": _object(_ITEM),
    "MarkedItem": _object(_ITEM | _MARKS),
    "Feed": _object(_FEED),
    "Run": _object(_RUN),
    "Marks": _object({"url": _TEXT, **_MARKS}),
    "MarksChange": {
        "type": "object",
        "required": ["url"],
        "properties": {"url": _URL, **_MARKS},
        "additionalProperties": False,
        "minProperties": 2,
    },
}


def _query(name: str, schema: Json, description: str, *, required: bool = False) -> Json:
    return {"name": name, "in": "query", "required": required, "schema": schema, "description": description}


def _path(name: str, schema: Json) -> Json:
    return {"name": name, "in": "path", "required": True, "schema": schema}


_MAX_SCORE = _query(
    "max_score",
    {"type": "number", "minimum": 0, "maximum": 1},
    "Only items that are analyzed and score at most that; applied before any limit.",
)
_LIMIT = _query(
    "limit", {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": 50}, "At most so many."
)
_FORMAT = _query("format", {"enum": list(Format), "default": "rss"}, "The feed's format.")
_EMBEDDED = _query("embedded", _SWITCH, "1: scores and originals also in title and text, for plain readers.")
_SOURCES = _query("source", _list(_TEXT), "Of these sources.")
_TOPICS = _query("topic", _list(_TEXT), "With these topics.")
_DOCUMENT: Json = {
    "description": "The feed. `ETag` and `Last-Modified` are for the next request.",
    "content": {
        f"{format_.media_type}; charset=utf-8": {"schema": _OBJECT if format_ is Format.JSON else _TEXT}
        for format_ in Format
    },
}


def _json(schema: Json, description: str = "Found.") -> Json:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _fault(description: str) -> Json:
    return _json(_ref("Error"), description)


def _sentence(description: str) -> Json:
    """`/rss` is read by feed readers, pages by people: plain text or a page says what is wrong."""
    return {
        "description": description,
        "content": {
            "text/plain; charset=utf-8": {"schema": _TEXT},
            "text/html; charset=utf-8": {"schema": _TEXT},
        },
    }


def _get(summary: str, parameters: list[Json], responses: dict[str, Json]) -> Json:
    always = {"401": _fault("Reading needs the token here."), "503": _fault("The database does not answer.")}
    return {"get": {"summary": summary, "parameters": parameters, "responses": always | responses}}


_WRONG = _fault("A parameter means nothing.")
_FEED_FAULTS = {
    "400": _sentence("A parameter means nothing."),
    "404": _sentence("There is no such feed."),
    "503": _sentence("The database does not answer."),
}
_UNCHANGED = {"304": {"description": "The asker has it already."}}

PATHS: Json = {
    "/rss": _get(
        "A feed as it was built, by its URL or one it had before",
        [_query("url", _URL, "The feed's URL.", required=True), _FORMAT, _EMBEDDED, _MAX_SCORE],
        {"200": _DOCUMENT, **_UNCHANGED, **_FEED_FAULTS, "403": _sentence("The feed is disabled.")},
    ),
    "/feeds/topic/{name}": _get(
        "All feeds with a topic as one; the name may end in .rss, .atom or .json",
        [_path("name", {"type": "string", "minLength": 1}), _FORMAT, _EMBEDDED, _MAX_SCORE],
        {"200": _DOCUMENT, **_UNCHANGED, **_FEED_FAULTS},
    ),
    "/feeds/source/{name}": _get(
        "All feeds of a source as one; the name may end in .rss, .atom or .json",
        [_path("name", {"type": "string", "minLength": 1}), _FORMAT, _EMBEDDED, _MAX_SCORE],
        {"200": _DOCUMENT, **_UNCHANGED, **_FEED_FAULTS},
    ),
    "/feeds/search": _get(
        "Everything that a search finds as a feed",
        [_query("q", _WORDS, "Words that all must be there.", required=True), _FORMAT, _EMBEDDED, _MAX_SCORE],
        {"200": _DOCUMENT, **_UNCHANGED, **_FEED_FAULTS},
    ),
    "/api/item": _get(
        "The item behind a URL, with its newest analysis",
        [_query("url", _URL, "The article's URL.", required=True), _MAX_SCORE],
        {"200": _json(_ref("Item")), "400": _WRONG, "404": _fault("No such item is served.")},
    ),
    "/api/site": _get(
        "The newest items of a site, distinct by URL, fairly mixed from its feeds",
        [
            _query("root", _WORDS, "The root domain.", required=True),
            _LIMIT,
            _MAX_SCORE,
        ],
        {
            "200": _json(_object({"root": _TEXT, "count": _COUNT, "items": _list(_ref("Item"))})),
            "400": _WRONG,
            "404": _fault("No feed of this site is served."),
        },
    ),
    "/api/items": _get(
        "Items, newest first, page by page",
        [
            _SOURCES,
            _TOPICS,
            _query("feed", {"anyOf": [_ID, {"const": ""}]}, "Of this feed."),
            _query("q", _TEXT, "Words that title, neutral title or text must have; a* for any ending."),
            *(_query(name, _SWITCH, "By mark.") for name in ("unread", "starred", "archived")),
            _MAX_SCORE,
            _LIMIT,
            _query("cursor", _TEXT, "`next` of the page before."),
        ],
        {
            "200": _json(_object({"items": _list(_ref("MarkedItem")), "next": _NULLABLE_TEXT})),
            "400": _WRONG,
        },
    ),
    "/api/marks": {
        "put": {
            "summary": "Mark an item as read, starred or archived, or no longer",
            "security": [{"token": []}],
            "requestBody": {
                "required": True,
                "content": {"application/json": {"schema": _ref("MarksChange")}},
            },
            "responses": {
                "200": _json(_ref("Marks"), "As it is now."),
                "400": _fault("The body means nothing."),
                "401": _fault("It needs the admin token."),
                "403": _fault("With a cookie: it comes from another site, or without the CSRF token."),
                "503": _fault("The database does not answer."),
            },
        }
    },
    "/api/feeds": _get(
        "Feeds with their health",
        [_SOURCES, _TOPICS],
        {"200": _json(_object({"feeds": _list(_ref("Feed"))}))},
    ),
    "/api/runs": _get(
        "Runs, newest first, without what each changed",
        [_LIMIT],
        {"200": _json(_object({"runs": _list(_ref("Run"))})), "400": _WRONG},
    ),
    "/api/runs/{id}": _get(
        "A run and everything that it changed",
        [_path("id", _ID)],
        {"200": _json(_ref("Run")), "404": _fault("There is no such run.")},
    ),
    "/api/runs/{id}/events": _get(
        "A run as it goes on, over server-sent events, from the event after Last-Event-ID",
        [_path("id", _ID)],
        {
            "200": {
                "description": "Events.",
                "content": {"text/event-stream; charset=utf-8": {"schema": _TEXT}},
            },
            "404": _fault("There is no such run."),
        },
    ),
    "/api/statistics": _get("Numbers over the last month", [], {"200": _json(_OBJECT)}),
    "/health": _get(
        "Whether it can do its work", [], {"200": _json(_OBJECT), "503": _json(_OBJECT, "It cannot.")}
    ),
    "/health/live": _get("Whether the process lives", [], {"200": _json(_OBJECT)}),
    "/metrics": _get(
        "Measurements in Prometheus' format",
        [],
        {
            "200": {
                "description": "Measurements.",
                "content": {"text/plain; version=0.0.4; charset=utf-8": {"schema": _TEXT}},
            }
        },
    ),
}

DOCUMENT: Json = {
    "openapi": "3.1.0",
    "info": {
        "title": "Info Radar",
        "version": __version__,
        "description": "Clean, deframed news. Reading is open or behind the admin token, changing needs it.",
        "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
    },
    "paths": PATHS,
    "components": {
        "schemas": SCHEMAS,
        "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
    },
}


async def show_openapi(request: Request) -> Response:
    return json_answer(DOCUMENT)
