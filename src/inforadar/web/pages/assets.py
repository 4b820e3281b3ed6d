"""Static files: read once, kept in memory, compressed, and cached by browsers under a URL with their version."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from inforadar.translations import LANGUAGES, load_catalogue
from inforadar.web.http.conditional import strong_etag
from inforadar.web.http.encodings import MIN_ENCODED_BYTES, choose_encoding, encode

FOLDER = Path(__file__).with_name("static")
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}


_IMPORT = re.compile(rb'(from "\./)([a-z_]+\.js)(")')


class Assets:
    def __init__(self) -> None:
        self._files = {path.name: path.read_bytes() for path in FOLDER.iterdir() if path.suffix in _TYPES}
        self.languages = frozenset(language.code for language in LANGUAGES if load_catalogue(language.code))
        """Languages with a file of texts for scripts, `texts-pl.js`."""
        self._files |= {f"texts-{code}.js": _script_texts(code) for code in self.languages}
        self._bodies: dict[str, bytes] = {}
        self._versions: dict[str, str] = {}
        self._compressed: dict[tuple[str, str], bytes] = {}
        for name in self._files:
            self._prepare(name)

    def _prepare(self, name: str) -> str:
        """Put the versions of the modules that a script imports into it, so that browsers cache those too."""
        if name not in self._versions:
            body = _IMPORT.sub(
                lambda found: (
                    b"%s%s?v=%s%s" % (found[1], found[2], self._prepare(found[2].decode()).encode(), found[3])
                ),
                self._files[name],
            )
            self._bodies[name] = body
            self._versions[name] = strong_etag(body)[1:13]
        return self._versions[name]

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
        headers = {"Cache-Control": caching, "Vary": "Accept-Encoding"}
        if len(body) >= MIN_ENCODED_BYTES and not name.endswith(".png"):
            encoding = choose_encoding(request.headers.get("accept-encoding", "").encode("latin-1"))
            if encoding:
                headers["Content-Encoding"] = encoding
                body = self._encoded(name, encoding)
        return Response(body, headers=headers, media_type=_TYPES[Path(name).suffix])

    def _encoded(self, name: str, encoding: str) -> bytes:
        if (name, encoding) not in self._compressed:
            self._compressed[name, encoding] = encode(self._bodies[name], encoding)
        return self._compressed[name, encoding]


def _script_texts(code: str) -> bytes:
    """The messages that scripts show, as a script: modules find them there when they start."""
    catalogue = load_catalogue(code)
    return (
        b"globalThis.inforadarTexts="
        + msgspec.json.encode(catalogue.script_texts if catalogue else {})
        + b";"
    )
