"""Security headers, added to every response.

The pages show text written by strangers. If their markup ever slipped through, the policy would still block their
scripts and load nothing but images and media from elsewhere, and the browser would send no referrer to other sites.
"""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        "style-src 'self'",
        # Images in articles; a setting decides which are loaded.
        "img-src 'self' data: http: https:",
        # Episodes and videos; loaded when somebody presses play.
        "media-src http: https:",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)

HEADERS = (
    (b"content-security-policy", CONTENT_SECURITY_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    # Not `no-referrer`: with it, browsers would also hide the origin of our own forms from us.
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    # The texts are other people's: search engines find them at their sources.
    (b"x-robots-tag", b"noindex"),
)


class SecurityHeaders:
    """Adds `HEADERS` to every response of `app` unless it sets them itself."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_secured(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = {name for name, _ in message["headers"]}
                missing = [header for header in HEADERS if header[0] not in given]
                message["headers"] = [*message["headers"], *missing]
            await send(message)

        await self._app(scope, receive, send_secured)
