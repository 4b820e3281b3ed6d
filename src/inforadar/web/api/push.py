"""`/push/{key}`: where hubs verify subscriptions and push (WebSub).

The key is the credential: each subscription has one of its own, which nobody can guess. A push only asks for its feed
to be fetched, so its content is checked and thrown away. An answer does not say whether a signature was right:
otherwise it could be found by trying.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

import structlog
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from inforadar.actions.push import PushAnswer, answer_hub, is_known_callback, receive_push
from inforadar.store.database import Database
from inforadar.views.messages import one_line
from inforadar.web.http.routing import resource

MAX_BODY_BYTES = 4 * 2**20
MAX_CHALLENGE_CHARACTERS = 2000
MAX_LEASE_DIGITS = 12

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class PushRoutes:
    database: Database
    is_on: bool
    """Whether this installation subscribes to hubs."""
    now: Callable[[], datetime]

    def routes(self) -> list[Route]:
        return [resource("/push/{key}", get=self.verify, post=self.receive)] if self.is_on else []

    async def verify(self, request: Request) -> Response:
        """Answer a hub that checks whether we asked for what it is going to do."""
        given = request.query_params
        mode = given.get("hub.mode", "")
        is_right = await answer_hub(
            self.database,
            request.path_params["key"],
            mode,
            given.get("hub.topic", ""),
            lease_s=_seconds(given),
            reason=one_line(given.get("hub.reason", "")),
            now=self.now(),
        )
        if not is_right:
            return _unknown()
        log.info("push.answered", mode=mode)
        challenge = given.get("hub.challenge", "")[:MAX_CHALLENGE_CHARACTERS]
        return PlainTextResponse(challenge, headers={"Cache-Control": "no-store"})

    async def receive(self, request: Request) -> Response:
        """Receive a push: its feed is asked for if the signature is right."""
        key = request.path_params["key"]
        if not await is_known_callback(self.database, key):
            return _unknown()
        body = await _read_body(request)
        if body is None:
            return Response(status_code=413)
        signature = request.headers.get("x-hub-signature", "")
        answer = await receive_push(self.database, key, signature, body, self.now())
        log.info("push.received", answer=answer.value)
        return Response(status_code=410 if answer is PushAnswer.LEFT else 202)


def _unknown() -> Response:
    return PlainTextResponse("There is no such subscription.\n", status_code=404)


async def _read_body(request: Request) -> bytes | None:
    """The body; None if it is too long."""
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced[:20]) > MAX_BODY_BYTES:
        return None
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > MAX_BODY_BYTES:
            return None
    return bytes(body)


def _seconds(given: Mapping[str, str]) -> int | None:
    """The lease that the hub grants; None if it names none."""
    text = given.get("hub.lease_seconds", "")
    return int(text[:MAX_LEASE_DIGITS]) if text.isascii() and text.isdecimal() else None
