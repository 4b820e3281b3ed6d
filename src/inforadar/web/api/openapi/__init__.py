"""`/openapi.json`: the API described by hand; a test checks the description against the server.

By hand, because a description derived from signatures says little about what a response means, and the framework
that derives it would slow down every request.
"""

from __future__ import annotations

import re

from starlette.requests import Request
from starlette.responses import Response

from inforadar import __version__
from inforadar.web.api.answers import json_answer
from inforadar.web.api.openapi import changes, reading
from inforadar.web.api.openapi.blocks import Json
from inforadar.web.api.openapi.schemas import SCHEMAS


def _operation_id(method: str, path: str) -> str:
    """A name for the clients that are made from this document: `get_api_feeds_id`."""
    return "_".join([method, *re.findall(r"\w+", path)])


DOCUMENT: Json = {
    "openapi": "3.1.0",
    "info": {
        "title": "Info Radar",
        "version": __version__,
        "description": "Clean, deframed news. Reading is open or requires the admin token; changes always require it.",
        "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
    },
    "paths": {
        path: {
            method: {"operationId": _operation_id(method, path), **described}
            for method, described in (reading.PATHS.get(path, {}) | changes.PATHS.get(path, {})).items()
        }
        for path in reading.PATHS | changes.PATHS
    },
    "components": {
        "schemas": SCHEMAS,
        "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
    },
}


async def show_openapi(request: Request) -> Response:
    return json_answer(DOCUMENT)
