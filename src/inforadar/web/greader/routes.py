"""The addresses of the Google Reader API, and who may call them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from inforadar.errors import InfoRadarError, UsageError
from inforadar.model.opml import MAX_OPML_BYTES
from inforadar.model.person import Person
from inforadar.store.database import Database
from inforadar.web.greader.answers import OK, json_answer, refusal
from inforadar.web.greader.auth import Caller, find_caller, log_in
from inforadar.web.greader.changes import Changes
from inforadar.web.greader.documents import feed_title
from inforadar.web.greader.items import ReaderItems
from inforadar.web.greader.lists import FIXED, ReaderLists
from inforadar.web.greader.request import Parameters, read_parameters
from inforadar.web.http.bodies import read_body
from inforadar.web.http.login_limit import LoginLimit

PREFIXES = ("/api/greader.php", "")

Answer = Callable[[Caller, Request, Parameters], Awaitable[Response]]
Change = Callable[[Person, Parameters], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderRoutes:
    database: Database
    changes: Changes
    limit: LoginLimit
    base_url: str
    now: Callable[[], datetime]

    def routes(self) -> list[Route]:
        return [route for prefix in PREFIXES for route in self._routes(prefix)]

    def _routes(self, prefix: str) -> list[Route]:
        lists = ReaderLists(database=self.database)
        items = ReaderItems(database=self.database, base_url=self.base_url, now=self.now)
        reads: dict[str, Answer] = {
            "token": self.token,
            "user-info": lists.user_info,
            "subscription/list": lists.list_subscriptions,
            "subscription/export": lists.export_subscriptions,
            "tag/list": lists.list_tags,
            "unread-count": lists.count_unread,
            "stream/items/ids": items.list_ids,
            "stream/items/count": items.count_items,
            "stream/items/contents": items.show_items,
            "stream/contents": items.show_stream,
            "stream/contents/{stream:path}": items.show_stream,
            **{path: _fixed(document) for path, document in FIXED.items()},
        }
        writes: dict[str, Answer] = {
            "edit-tag": _changed(self.changes.edit_tags),
            "mark-all-as-read": _changed(self.changes.mark_all_read),
            "subscription/edit": _changed(self.changes.edit_subscription),
            "rename-tag": _changed(self.changes.rename_tag),
            "disable-tag": _changed(self.changes.disable_tag),
            "subscription/quickadd": self.quick_add,
            "subscription/import": self.import_subscriptions,
        }
        api, both = f"{prefix}/reader/api/0", ["GET", "POST"]
        return [
            Route(f"{prefix}/accounts/ClientLogin", self.client_login, methods=both),
            *(Route(f"{api}/{path}", self._asked(answer), methods=both) for path, answer in reads.items()),
            *(
                Route(f"{api}/{path}", self._asked(answer, changes=True), methods=["POST"])
                for path, answer in writes.items()
            ),
            Route(f"{prefix}/reader/atom/{{stream:path}}", self._asked(items.show_atom)),
        ]

    def _asked(self, answer: Answer, *, changes: bool = False) -> Callable[[Request], Awaitable[Response]]:
        """Find out who asks, and check the token of a change where one is sent."""

        async def endpoint(request: Request) -> Response:
            is_import = request.url.path.endswith("/subscription/import")
            given = await read_parameters(request, b"" if is_import else None)
            caller = await self._caller(request, given)
            if caller is None:
                return refusal(401, "Unauthorized")
            token = given.text("T")
            if changes and token and not caller.is_change_token(token, self.now()):
                return refusal(401, "Bad token", {"X-Reader-Google-Bad-Token": "true"})
            try:
                response = await answer(caller, request, given)
            except HTTPException as fault:
                return refusal(fault.status_code, fault.detail)
            except UsageError as fault:
                return refusal(400, str(fault))
            if "cache-control" not in response.headers:
                response.headers["Cache-Control"] = "private, no-cache"
            return response

        return endpoint

    async def _caller(self, request: Request, given: Parameters) -> Caller | None:
        kind, _, value = request.headers.get("authorization", "").partition(" ")
        auth = value.strip()
        if kind.lower() == "googlelogin":
            auth = auth.partition("=")[2].strip() if auth.lower().startswith("auth=") else ""
        elif kind.lower() != "bearer":
            # Liferea sends the auth token as `T`, and no header.
            auth = given.text("T")
        return await find_caller(self.database, auth) if auth else None

    async def client_login(self, request: Request) -> Response:
        """Exchange a name and an app password for an auth token."""
        given = await read_parameters(request)
        name, address = given.text("Email"), request.client.host if request.client else ""
        # Before the limit: the right password is random, and always works.
        caller = await log_in(self.database, name, given.text("Passwd"))
        if caller is None:
            is_slowed = self.limit.wait_s(name, address) > 0
            self.limit.failed(name, address)
            if is_slowed:
                return refusal(429, "Error=TooManyAttempts", {"Retry-After": "10"})
            return refusal(401, "Error=BadAuthentication")
        headers = {"Cache-Control": "no-store"}
        if given.text("output") == "json":
            return json_answer({"SID": caller.auth, "LSID": caller.auth, "Auth": caller.auth}, headers)
        lines = f"SID={caller.auth}\nLSID={caller.auth}\nAuth={caller.auth}\n"
        return PlainTextResponse(lines, headers=headers)

    async def token(self, caller: Caller, request: Request, given: Parameters) -> Response:
        return PlainTextResponse(caller.change_token(self.now()), headers={"Cache-Control": "no-store"})

    async def quick_add(self, caller: Caller, request: Request, given: Parameters) -> Response:
        url = given.text("quickadd")
        try:
            feed = await self.changes.quick_add(caller.person, url)
        except HTTPException as fault:
            if fault.status_code != 400:
                raise
            return json_answer({"numResults": 0, "query": url, "error": fault.detail})
        names = {"streamId": f"feed/{feed.id}", "streamName": feed_title(feed)}
        return json_answer({"numResults": 1, "query": url, **names})

    async def import_subscriptions(self, caller: Caller, request: Request, given: Parameters) -> Response:
        try:
            number = await self.changes.import_list(caller.person, await read_body(request, MAX_OPML_BYTES))
        except InfoRadarError as fault:
            raise HTTPException(400, str(fault)) from None
        return PlainTextResponse(f"OK: {number}")


def _changed(change: Change) -> Answer:
    """The answer to a change of which there is nothing to tell."""

    async def answer(caller: Caller, request: Request, given: Parameters) -> Response:
        await change(caller.person, given)
        return OK

    return answer


def _fixed(document: Any) -> Answer:
    """An answer that is always the same."""

    async def answer(caller: Caller, request: Request, given: Parameters) -> Response:
        return json_answer(document)

    return answer
