"""Static files: read once, kept in memory, and cached by browsers forever under a URL that names the version."""

from __future__ import annotations

from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from inforadar.web.http.conditional import strong_etag

FOLDER = Path(__file__).with_name("static")
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


class Assets:
    def __init__(self) -> None:
        self._bodies = {path.name: path.read_bytes() for path in FOLDER.iterdir() if path.suffix in _TYPES}
        self._versions = {name: strong_etag(body)[1:13] for name, body in self._bodies.items()}

    def address(self, name: str) -> str:
        """Return the URL of a file, which changes with its content."""
        return f"/static/{name}?v={self._versions[name]}"

    def routes(self) -> list[Route]:
        return [Route("/static/{name}", self.serve)]

    async def serve(self, request: Request) -> Response:
        name = request.path_params["name"]
        body = self._bodies.get(name)
        if body is None:
            raise HTTPException(404)
        current = request.query_params.get("v") == self._versions[name]
        # Under an outdated version the content may not match, so browsers must not cache it.
        caching = "public, max-age=31536000, immutable" if current else "no-cache"
        return Response(body, headers={"Cache-Control": caching}, media_type=_TYPES[Path(name).suffix])
