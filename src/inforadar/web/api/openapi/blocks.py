"""Building blocks of the API description."""

from __future__ import annotations

from typing import Any

from inforadar.model.feed_options import Content
from inforadar.stages.publish.formats import FORMATS, RSS
from inforadar.stages.publish.shape import Titles
from inforadar.web.api.answers import PROBLEM_TYPE
from inforadar.web.http.parameters import DEFAULT_LIMIT, MAX_LIMIT

Json = dict[str, Any]

TEXT: Json = {"type": "string"}
NULLABLE_TEXT: Json = {"type": ["string", "null"]}
NUMBER: Json = {"type": "number"}
NULLABLE_NUMBER: Json = {"type": ["number", "null"]}
TIME: Json = {"type": "string", "format": "date-time"}
NULLABLE_TIME: Json = {"type": ["string", "null"], "format": "date-time"}
ID: Json = {"type": "string", "format": "uuid"}
COUNT: Json = {"type": "integer", "minimum": 0}
OBJECT: Json = {"type": "object"}
FLAG: Json = {"type": "boolean"}
URL: Json = {
    "type": "string",
    "pattern": r"^\s*[hH][tT][tT][pP][sS]?:",
    "examples": ["https://news.example/feed"],
}
WORDS: Json = {"type": "string", "minLength": 1, "pattern": r"\S"}
SWITCH: Json = {"enum": ["0", "1", "true", "false", "yes", "no", "on", "off"]}


def object_(required: Json, optional: Json | None = None) -> Json:
    return {"type": "object", "required": list(required), "properties": {**required, **(optional or {})}}


def list_(item: Json) -> Json:
    return {"type": "array", "items": item}


def ref(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def query(name: str, schema: Json, description: str, *, required: bool = False) -> Json:
    return {"name": name, "in": "query", "required": required, "schema": schema, "description": description}


def path(name: str, schema: Json) -> Json:
    return {"name": name, "in": "path", "required": True, "schema": schema}


MAX_SCORE = query(
    "max_score",
    {"type": "number", "minimum": 0, "maximum": 1},
    "Only analyzed items with at most this score; applied before any limit.",
)


def limit(default: int) -> dict[str, Any]:
    """The parameter `limit` of an address that returns `default` results without it."""
    schema = {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": default}
    return query("limit", schema, "Maximum number of results.")


LIMIT = limit(DEFAULT_LIMIT)
FORMAT = query("format", {"enum": list(FORMATS), "default": RSS.name}, "The feed's format.")
EMBEDDED = query(
    "embedded", SWITCH, "1: repeat scores and original texts in title and body, for plain feed readers."
)
CONTENT = query(
    "content",
    {"enum": list(Content)},
    "How much of the items' texts; by default what the feed publishes. Without the token at most a summary, "
    "except on the server's own machine.",
)
TITLES = query("titles", {"enum": list(Titles), "default": Titles.NEUTRAL}, "The titles of analyzed items.")
SOURCES = query("source", list_(TEXT), "Only these sources.")
TOPICS = query("topic", list_(TEXT), "Only these topics.")
DOCUMENT: Json = {
    "description": "The feed. Send `ETag` and `Last-Modified` back with the next request.",
    "content": {
        format_.content_type: {"schema": OBJECT if format_.is_json else TEXT} for format_ in FORMATS.values()
    },
}


def json_(schema: Json, description: str = "Found.") -> Json:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def fault(description: str) -> Json:
    return {"description": description, "content": {PROBLEM_TYPE: {"schema": ref("Problem")}}}


def sentence(description: str) -> Json:
    """An error as plain text, for feed readers, or as a page, for people."""
    return {
        "description": description,
        "content": {
            "text/plain; charset=utf-8": {"schema": TEXT},
            "text/html; charset=utf-8": {"schema": TEXT},
        },
    }


def get(summary: str, parameters: list[Json], responses: dict[str, Json]) -> Json:
    always = {
        "401": fault("Reading requires the admin token on this server."),
        "503": fault("The database does not answer."),
    }
    return {"get": {"summary": summary, "parameters": parameters, "responses": always | responses}}


def change(
    summary: str,
    *,
    responses: dict[str, Json],
    parameters: list[Json] | None = None,
    body: Json | None = None,
) -> Json:
    """An operation that needs the admin token."""
    always = {
        "400": fault("The body or a parameter is invalid."),
        "401": fault("The admin token is required."),
        "403": fault("With a cookie: the request comes from another site or lacks the CSRF token."),
        "413": fault("The body is too large."),
        "503": fault("The database does not answer."),
    }
    described: Json = {
        "summary": summary,
        "security": [{"token": []}],
        "parameters": parameters or [],
        "responses": always | responses,
    }
    if body is not None:
        described["requestBody"] = {"required": True, "content": body}
    return described


def asking(summary: str, *, body: Json, responses: dict[str, Json]) -> Json:
    """An operation that only reads, although its question is in the body: who may read may ask."""
    described = change(summary, body=body, responses=responses)
    del described["security"], described["responses"]["403"]
    return described


def json_body(schema: Json) -> Json:
    return {"application/json": {"schema": schema}}
