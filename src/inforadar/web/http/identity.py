"""Who sends a request: found out once, before every route.

    Authorization: Bearer …     the admin token, which acts as the first admin; or an app password
    Authorization: Basic …      name and app password; or any name and the admin token; for reading only
    a cookie                    a session of the page
    token= in a feed's address  a feed token; for feeds only
    Remote-User                 set by a reverse proxy at one of the trusted addresses

Nobody is recognized by address: a proxy on this machine comes from loopback too.
"""

from __future__ import annotations

import base64
import binascii
import ipaddress
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import parse_qs

from starlette.types import Scope

from inforadar.actions.people.tokens import note_token_use
from inforadar.config import WebSettings
from inforadar.errors import NotFoundError
from inforadar.model.person import Person, PersonId, Token, TokenId, TokenKind
from inforadar.store.database import Database
from inforadar.store.people.queries import find_by_token, find_person, load_first_admin
from inforadar.web.http.sessions import Sessions, session_cookies

PERSON_SCOPE = "inforadar.person"
"""The scope key of the `Person` who sends the request; absent if nobody is known."""
IDENTITY_SCOPE = "inforadar.identity"
PEER_SCOPE = "inforadar.peer"
"""The scope key of the address that is connected to us, whatever forwarding headers say."""
USER_HEADER = b"remote-user"
_FEED_PATHS = ("/rss", "/feeds/")
MAX_COOKIES = 5


class Way(StrEnum):
    """How a person was recognized."""

    ADMIN_TOKEN = "admin_token"  # noqa: S105 - a word for it
    APP = "app"
    BASIC = "basic"
    FEED = "feed"
    PROXY = "proxy"
    SESSION = "session"


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    person: Person
    way: Way
    csrf_source: str | None = None
    """The CSRF token is made of it; None if browsers do not send these credentials by themselves."""
    token_id: TokenId | None = None


def person_id_of(scope: Scope) -> PersonId | None:
    """The id of the person who sends the request, if known."""
    person: Person | None = scope.get(PERSON_SCOPE)
    return person.id if person else None


class Identities:
    """Recognizes people."""

    def __init__(self, database: Database, sessions: Sessions, settings: WebSettings) -> None:
        self._database = database
        self._sessions = sessions
        self._proxies = tuple(ipaddress.ip_network(given, strict=False) for given in settings.trusted_proxies)

    async def find(self, scope: Scope) -> Identity | None:
        """Return who sends the request; None if there are no valid credentials."""
        kind, given = _credentials(scope)
        match kind:
            case "bearer":
                return await self._by_bearer(given)
            case "basic":
                return await self._by_basic(given)
        for cookie in list(session_cookies(scope["headers"]))[:MAX_COOKIES]:
            if found := await self._by_token(cookie, TokenKind.SESSION):
                person, token = found
                return Identity(person=person, way=Way.SESSION, csrf_source=cookie, token_id=token.id)
        if (named := await self._by_proxy(scope)) is not None:
            return named
        return await self._by_feed_token(scope)

    async def _by_bearer(self, given: str) -> Identity | None:
        if self._sessions.is_token(given):
            return await self._first_admin(Way.ADMIN_TOKEN)
        if found := await self._by_token(given, TokenKind.APP):
            return Identity(person=found[0], way=Way.APP, token_id=found[1].id)
        return None

    async def _by_basic(self, given: str) -> Identity | None:
        try:
            name, _, secret = base64.b64decode(given, validate=True).decode("utf-8", "replace").partition(":")
        except (binascii.Error, ValueError):
            return None
        if self._sessions.is_token(secret):
            return await self._first_admin(Way.BASIC)
        found = await self._by_token(secret, TokenKind.APP)
        if found is None or found[0].name.casefold() != name.strip().casefold():
            return None
        return Identity(person=found[0], way=Way.BASIC, token_id=found[1].id)

    async def _by_proxy(self, scope: Scope) -> Identity | None:
        name = header(scope, USER_HEADER).decode("utf-8", "replace").strip()
        if not name or not self._proxies or not self._is_trusted(scope):
            return None
        try:
            person = await self._database.read(find_person, name)
        except NotFoundError:
            return None
        return Identity(person=person, way=Way.PROXY, csrf_source=f"proxy {person.id}")

    async def _by_feed_token(self, scope: Scope) -> Identity | None:
        query: bytes = scope["query_string"]
        if b"token=" not in query or not scope["path"].startswith(_FEED_PATHS):
            return None
        try:
            given = parse_qs(query.decode("utf-8", "replace"), max_num_fields=100).get("token", [""])[0]
        except ValueError:
            return None
        found = await self._by_token(given, TokenKind.FEED)
        return Identity(person=found[0], way=Way.FEED, token_id=found[1].id) if found else None

    async def _first_admin(self, way: Way) -> Identity | None:
        return Identity(person=await self._database.read(load_first_admin), way=way)

    async def _by_token(self, secret: str, kind: TokenKind) -> tuple[Person, Token] | None:
        if not secret:
            return None
        found = await self._database.read(find_by_token, secret, kind)
        if found is not None:
            await note_token_use(self._database, found[1])
        return found

    def _is_trusted(self, scope: Scope) -> bool:
        peer = scope.get(PEER_SCOPE)
        try:
            address = ipaddress.ip_address(peer[0]) if peer else None
        except ValueError:
            return False
        if address is None:
            return False
        address = getattr(address, "ipv4_mapped", None) or address
        return any(address in network for network in self._proxies if network.version == address.version)


def _credentials(scope: Scope) -> tuple[str, str]:
    kind, _, given = header(scope, b"authorization").decode("latin-1").partition(" ")
    return kind.lower(), given.strip()


def header(scope: Scope, name: bytes) -> bytes:
    """Return the header's value; empty if it is missing, or ambiguous because it is given twice."""
    found = [value for key, value in scope["headers"] if key == name]
    return found[0] if len(found) == 1 else b""
