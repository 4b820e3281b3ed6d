"""Behind a reverse proxy: the original request is described by X-Forwarded headers. Trusted only by setting.

In a list the last value counts: the proxy in front of us added it, and the ones before it may be forged.

    X-Forwarded-For      the client's address
    X-Forwarded-Proto    http or https
    X-Forwarded-Host     the requested host
    X-Forwarded-Prefix   the path under which the proxy serves us
"""

from __future__ import annotations

import ipaddress
import re

from starlette.types import ASGIApp, Receive, Scope, Send

from inforadar.web.http.identity import PEER_SCOPE

_FOR, _PROTO, _HOST, _PREFIX = (
    b"x-forwarded-for",
    b"x-forwarded-proto",
    b"x-forwarded-host",
    b"x-forwarded-prefix",
)
_HOST_FORM = re.compile(r"(?:[\w.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?", re.ASCII)
_PREFIX_FORM = re.compile(r"(?:/[\w.~-]{1,100}){1,20}", re.ASCII)
"""Anything else, as `//other.example`, would lead our addresses elsewhere."""


class ForwardedRequests:
    """Restores a forwarded request, so that the application does not need to know about the proxy."""

    def __init__(self, app: ASGIApp, *, prefix: str, is_behind_proxy: bool) -> None:
        """`prefix` is the path of our public URL, '' if none; forwarded headers count only with `is_behind_proxy`."""
        self._app = app
        self._prefix = prefix
        self._is_behind_proxy = is_behind_proxy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope = {**scope, PEER_SCOPE: scope.get("client")}
            if self._is_behind_proxy:
                scope = _restored(scope)
            scope = _without_prefix(scope, self._prefix)
        await self._app(scope, receive, send)


def _restored(scope: Scope) -> Scope:
    forwarded = {}
    for name, value in scope["headers"]:
        if name in {_FOR, _PROTO, _HOST, _PREFIX}:
            forwarded[name] = value.rpartition(b",")[2].strip().decode("latin-1")
    changed = dict(scope)
    if address := _address(forwarded.get(_FOR, "")):
        changed["client"] = (address, 0)
    if (scheme := forwarded.get(_PROTO, "").lower()) in {"http", "https"}:
        changed["scheme"] = scheme
    if _HOST_FORM.fullmatch(host := forwarded.get(_HOST, "")):
        others = [(name, value) for name, value in scope["headers"] if name != b"host"]
        changed["headers"] = [(b"host", host.encode("latin-1")), *others]
    prefix = forwarded.get(_PREFIX, "").rstrip("/")
    return _without_prefix(changed, prefix) if _PREFIX_FORM.fullmatch(prefix) else changed


def _address(text: str) -> str | None:
    """Read `203.0.113.7`, `203.0.113.7:4711`, `2001:db8::1` or `[2001:db8::1]:4711`; None if it is no address."""
    host = text[1:].partition("]")[0] if text.startswith("[") else text
    if host.count(":") == 1:
        host = host.partition(":")[0]
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return None
    return str(getattr(address, "ipv4_mapped", None) or address)


def _without_prefix(scope: Scope, prefix: str) -> Scope:
    """Strip the prefix from the path, if the proxy did not; our routes do not include it."""
    if not prefix:
        return scope
    path: str = scope["path"]
    return {
        **scope,
        "root_path": prefix,
        "path": path.removeprefix(prefix) if path.startswith(f"{prefix}/") else path,
    }
