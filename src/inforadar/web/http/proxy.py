"""Behind a reverse proxy: what the asker asked for stands in X-Forwarded headers. Believed by setting only.

Of a list the last value counts: the proxy in front of us added it, whatever stands before may be invented.

    X-Forwarded-For      the asker's address
    X-Forwarded-Proto    http or https
    X-Forwarded-Host     the host it asked
    X-Forwarded-Prefix   the path under which the proxy shows us
"""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

_FOR, _PROTO, _HOST, _PREFIX = (
    b"x-forwarded-for",
    b"x-forwarded-proto",
    b"x-forwarded-host",
    b"x-forwarded-prefix",
)


class ForwardedRequests:
    """Makes a forwarded request what it was before the proxy; then nobody behind needs to know."""

    def __init__(self, app: ASGIApp, *, prefix: str, believes: bool) -> None:
        """`prefix`: of our public address, '' if none. `believes`: whether a proxy is known to be in front."""
        self._app = app
        self._prefix = prefix
        self._believes = believes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            if self._believes:
                scope = _before_the_proxy(scope)
            scope = _without_prefix(scope, self._prefix)
        await self._app(scope, receive, send)


def _before_the_proxy(scope: Scope) -> Scope:
    said = {}
    for name, value in scope["headers"]:
        if name in {_FOR, _PROTO, _HOST, _PREFIX}:
            said[name] = value.rpartition(b",")[2].strip().decode("latin-1")
    changed = dict(scope)
    if address := said.get(_FOR):
        changed["client"] = (address, 0)
    if (scheme := said.get(_PROTO, "").lower()) in {"http", "https"}:
        changed["scheme"] = scheme
    if host := said.get(_HOST):
        others = [(name, value) for name, value in scope["headers"] if name != b"host"]
        changed["headers"] = [(b"host", host.encode("latin-1")), *others]
    prefix = said.get(_PREFIX, "").rstrip("/")
    return _without_prefix(changed, prefix) if prefix.startswith("/") else changed


def _without_prefix(scope: Scope, prefix: str) -> Scope:
    """A proxy may pass the prefix on or not; either way our own addresses begin after it."""
    if not prefix:
        return scope
    path: str = scope["path"]
    return {
        **scope,
        "root_path": prefix,
        "path": path.removeprefix(prefix) if path.startswith(f"{prefix}/") else path,
    }
