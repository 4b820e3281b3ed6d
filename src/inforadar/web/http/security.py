"""Security headers, added to every response.

The pages show text written by strangers. If their markup ever slipped through, the policy would still block their
scripts and load nothing but images and media from elsewhere, and the browser would send no referrer to other sites.
"""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        "style-src 'self'",
        "manifest-src 'self'",
        "img-src 'self' data:{images}",
        # Episodes and videos; loaded when somebody presses play.
        "media-src http: https:",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)

_OTHERS = (
    (b"x-content-type-options", b"nosniff"),
    # Not `no-referrer`: with it, browsers would also hide the origin of our own forms from us.
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    # The texts are other people's: search engines find them at their sources.
    (b"x-robots-tag", b"noindex"),
)


def security_headers(*, images: str) -> tuple[tuple[bytes, bytes], ...]:
    """The headers of a response; `images` is when it loads images of other sites, as set by `INFORADAR_IMAGES`."""
    from_elsewhere = " http: https:" if images in {"auto", "direct", "click"} else ""
    return ((b"content-security-policy", _POLICY.format(images=from_elsewhere).encode()), *_OTHERS)


HEADERS = security_headers(images="never")
"""The headers of a response that shows no images."""


class SecurityHeaders:
    """Adds the headers to every response of `app` unless it sets them itself."""

    def __init__(self, app: ASGIApp, *, images: str) -> None:
        self._app = app
        self._headers = security_headers(images=images)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_secured(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = {name for name, _ in message["headers"]}
                missing = [header for header in self._headers if header[0] not in given]
                message["headers"] = [*message["headers"], *missing]
            await send(message)

        await self._app(scope, receive, send_secured)
