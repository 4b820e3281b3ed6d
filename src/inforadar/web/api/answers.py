"""JSON responses of the API: one form for results and one for errors."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import msgspec
from starlette.responses import Response

from inforadar.web.feeds.response import Prepared

PROBLEM_TYPE = "application/problem+json"
API = "/api/"
"""The path prefix under which all responses are JSON, including errors."""


def json_answer(document: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(
        msgspec.json.encode(document),
        status,
        {"Cache-Control": "no-cache", **(headers or {})},
        media_type="application/json",
    )


def json_document(document: Any) -> Prepared:
    """Make a response that many readers share: compressed once, with a 304 for clients that already have it."""
    return Prepared(msgspec.json.encode(document), "application/json", None, is_feed=False)


def json_fault(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> Response:
    """Make an error response: a problem document (RFC 9457). `error` repeats `detail`, as earlier versions had it."""
    problem = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": sentence,
        "error": sentence,
    }
    answer = json_answer(problem, status, headers)
    answer.headers["content-type"] = PROBLEM_TYPE
    return answer
