"""The pool of connections behind the client, with the guard built in.

No earlier response affects the next request: there are no cookies and no referer. Nor are credentials taken
from `.netrc`, or a proxy from the environment.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass

import aiohttp
from aiohttp.abc import AbstractResolver
from yarl import URL

from inforadar.fetch.decode import ACCEPT_ENCODING
from inforadar.fetch.faults import BrokenConnectionError
from inforadar.fetch.guard import Guard, GuardedResolver, GuardedSockets

MAX_HEADER_LINE_BYTES = 16 * 1024
MAX_HEADER_FIELD_BYTES = 32 * 1024
MAX_HEADER_FIELDS = 256


@dataclass(slots=True)
class Attempt:
    """Records if one request had to open a new connection."""

    opened: bool = False


_ATTEMPT: ContextVar[Attempt] = ContextVar("_ATTEMPT")


class _NoCookies(aiohttp.DummyCookieJar):
    """Ignores cookies without parsing them."""

    def update_cookies_from_headers(self, headers: Sequence[str], response_url: URL) -> None:
        pass


class Connections:
    """An HTTP session that connects only where the guard allows it."""

    def __init__(
        self,
        *,
        guard: Guard,
        user_agent: str,
        resolver: AbstractResolver,
        proxy: URL | None,
        tls: ssl.SSLContext | None,
        limit: int,
        limit_per_host: int,
        keepalive_s: float,
        dns_ttl_s: int,
    ) -> None:
        exempt: set[tuple[str, int]] = set()
        endpoint = (str(proxy.raw_host), int(proxy.port or 80)) if proxy else None
        if endpoint:
            exempt.add(endpoint)
        self._proxy = proxy
        self._sockets = GuardedSockets(guard, exempt)
        self._resolver = GuardedResolver(guard, resolver, exempt=exempt, proxy=endpoint)
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=limit,
                limit_per_host=limit_per_host,
                keepalive_timeout=keepalive_s,
                ttl_dns_cache=dns_ttl_s,
                resolver=self._resolver,
                socket_factory=self._open_socket,
                ssl=tls or True,
            ),
            headers={"User-Agent": user_agent, "Accept-Encoding": ACCEPT_ENCODING},
            cookie_jar=_NoCookies(),
            auto_decompress=False,
            # None here: the client's own deadline covers redirects too.
            timeout=aiohttp.ClientTimeout(total=None, connect=None, sock_connect=None, sock_read=None),
            max_line_size=MAX_HEADER_LINE_BYTES,
            max_field_size=MAX_HEADER_FIELD_BYTES,
            max_headers=MAX_HEADER_FIELDS,
            middlewares=(_retry_only_stale_connections,),
            proxy=proxy,
        )

    async def get(self, url: str, headers: dict[str, str]) -> aiohttp.ClientResponse:
        """Send one request and return its response, even if that is a redirect."""
        target = URL(url, encoded=True)
        if self._proxy is not None:
            await self._resolver.check_target(str(target.raw_host), int(target.port or 80))
        _ATTEMPT.set(Attempt())
        return await self._session.get(target, headers=headers, allow_redirects=False)

    async def post(self, url: str, body: bytes, headers: dict[str, str]) -> aiohttp.ClientResponse:
        """Send a body; redirects are not followed."""
        target = URL(url, encoded=True)
        if self._proxy is not None:
            await self._resolver.check_target(str(target.raw_host), int(target.port or 80))
        _ATTEMPT.set(Attempt())
        return await self._session.post(target, data=body, headers=headers, allow_redirects=False)

    async def close(self) -> None:
        await self._session.close()
        await self._resolver.close()

    def _open_socket(self, info: aiohttp.AddrInfoType) -> socket.socket:
        _ATTEMPT.get().opened = True
        return self._sockets(info)


async def _retry_only_stale_connections(
    request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
) -> aiohttp.ClientResponse:
    """Keep the HTTP library from repeating a request to a server in trouble.

    It repeats a GET whenever the connection breaks. That is right if the connection came from the pool and
    had gone stale; on a fresh connection it would be a needless second request.
    """
    try:
        return await handler(request)
    except aiohttp.ClientConnectorError:
        raise
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as error:
        if _ATTEMPT.get().opened:
            raise BrokenConnectionError from error
        raise
