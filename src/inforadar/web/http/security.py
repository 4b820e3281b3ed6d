"""Headers that every answer carries, whichever part gave it.

What is shown was written by strangers. Should a mark-up of theirs ever slip through, the policy still lets
no script of theirs run, loads nothing but pictures from elsewhere, and the browser tells no site where its
reader came from.
"""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        "style-src 'self'",
        # Pictures of articles; which of them are asked for at all, a setting says.
        "img-src 'self' data: http: https:",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)

HEADERS = (
    (b"content-security-policy", CONTENT_SECURITY_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    # Not `no-referrer`: with that, browsers hide the origin of our own forms from us as well.
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
)


class SecurityHeaders:
    """Puts them on every answer of `app`."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_secured(message: Message) -> None:
            if message["type"] == "http.response.start":
                there = {name for name, _ in message["headers"]}
                missing = [header for header in HEADERS if header[0] not in there]
                message["headers"] = [*message["headers"], *missing]
            await send(message)

        await self._app(scope, receive, send_secured)
