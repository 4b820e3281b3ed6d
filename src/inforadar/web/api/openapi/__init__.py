"""`/openapi.json`: the API described by hand; a test holds the description to the truth.

By hand, because what a framework derives from signatures says little about what an answer means, and would
cost every request the machinery that it is derived from.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from inforadar import __version__
from inforadar.web.api.answers import json_answer
from inforadar.web.api.openapi import changes, reading
from inforadar.web.api.openapi.blocks import Json
from inforadar.web.api.openapi.schemas import SCHEMAS

DOCUMENT: Json = {
    "openapi": "3.1.0",
    "info": {
        "title": "Info Radar",
        "version": __version__,
        "description": "Clean, deframed news. Reading is open or behind the admin token, changing needs it.",
        "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
    },
    "paths": {
        path: reading.PATHS.get(path, {}) | changes.PATHS.get(path, {})
        for path in reading.PATHS | changes.PATHS
    },
    "components": {
        "schemas": SCHEMAS,
        "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
    },
}


async def show_openapi(request: Request) -> Response:
    return json_answer(DOCUMENT)
