"""The client: one polite GET, from a `Request` to `Fetched | NotModified | Failed`.

Redirects are followed here and not by the HTTP library, because every hop has its own rules: the guard
checks it, credentials and validators go only where they belong, and the pacer decides when the next host
may be asked.

How a request ends is always a value. Only cancellation and our own bugs are raised.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from datetime import datetime
from types import TracebackType
from typing import Self

import aiohttp
from aiohttp.abc import AbstractResolver
from yarl import URL

from inforadar.clock import utc_now
from inforadar.errors import ConfigError, InvalidUrlError
from inforadar.fetch.conditional import conditional_headers, parse_validators
from inforadar.fetch.connections import Connections
from inforadar.fetch.decode import BodyDecoder, check_announced_length
from inforadar.fetch.faults import EXPECTED_ERRORS, Fault, fault_of_error
from inforadar.fetch.freshness import parse_retry_after
from inforadar.fetch.guard import AllowedNetworks, Guard
from inforadar.fetch.headers import find_unsendable_header, is_sendable, lower_headers
from inforadar.fetch.outcome import (
    describe_status,
    has_usable_body,
    is_redirect,
    may_have_retry_after,
    outcome_of_status,
)
from inforadar.fetch.redirect import RedirectChain
from inforadar.fetch.resolve import SystemResolver
from inforadar.model.http import (
    Failed,
    FailureReason,
    Fetched,
    FetchResult,
    NotModified,
    Outcome,
    Posted,
    Request,
)

BeforeRedirect = Callable[[str], Awaitable[Failed | None]]
"""Called with the next URL before a redirect is followed; may wait for that host's turn, or refuse it."""


class Client:
    """Fetch through one pool of connections. Use it as an async context manager.

    `connections` and `connections_per_host` are for callers that do not limit their own concurrency
    (0 is no limit): waiting for a connection counts toward the deadline.
    """

    def __init__(
        self,
        *,
        user_agent: str,
        timeout_s: float = 30.0,
        max_bytes: int = 2 * 2**20,
        allowed: AllowedNetworks | None = None,
        proxy: str | None = None,
        max_redirects: int = 10,
        connections: int = 0,
        connections_per_host: int = 0,
        keepalive_s: float = 5.0,
        dns_ttl_s: int = 10,
        resolver: AbstractResolver | None = None,
        tls: ssl.SSLContext | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        if not (user_agent.strip() and is_sendable(user_agent)):
            raise ConfigError(
                f"The User-Agent {user_agent!r} is not a valid header value; use the form Name/1.0 (+https://…)."
            )
        self._user_agent = user_agent
        self._timeout_s = timeout_s
        self._max_bytes = max_bytes
        self._guard = Guard(allowed)
        self._proxy = _parse_proxy(proxy) if proxy else None
        self._max_redirects = max_redirects
        self._limits = connections, connections_per_host, keepalive_s, dns_ttl_s
        self._resolver = resolver
        self._tls = tls
        self._clock = clock

    async def __aenter__(self) -> Self:
        limit, limit_per_host, keepalive_s, dns_ttl_s = self._limits
        self._connections = Connections(
            guard=self._guard,
            user_agent=self._user_agent,
            resolver=self._resolver or SystemResolver(),
            proxy=self._proxy,
            tls=self._tls,
            limit=limit,
            limit_per_host=limit_per_host,
            keepalive_s=keepalive_s,
            dns_ttl_s=dns_ttl_s,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._connections.close()

    async def fetch(self, request: Request, *, before_redirect: BeforeRedirect | None = None) -> FetchResult:
        """GET `request.url`, following redirects. Time in `before_redirect` does not count toward the deadline."""
        timeout_s = self._timeout_s if request.timeout_s is None else request.timeout_s
        try:
            chain = RedirectChain.start(request)
        except InvalidUrlError as error:
            return self._failed(request, _invalid_request(str(error)))
        if request.headers and (name := find_unsendable_header(request.headers)) is not None:
            message = f"The header {name[:40]!r} cannot be sent: its name or value has invalid characters."
            return self._failed(request, _invalid_request(message))
        try:
            async with asyncio.timeout(timeout_s) as deadline:
                while (result := await self._request_hop(chain)) is None:
                    if before_redirect is not None:
                        refusal = await _without_deadline(deadline, before_redirect(chain.url))
                        if refusal is not None:
                            return refusal
                return result
        except EXPECTED_ERRORS as error:
            return self._failed(request, fault_of_error(error, chain.host, timeout_s))

    async def post(
        self, url: str, body: bytes, headers: dict[str, str], *, timeout_s: float
    ) -> Posted | Failed:
        """POST to a URL that the guard allows. Redirects are answers like all others; the body is not read."""
        request = Request(url=url)
        try:
            chain = RedirectChain.start(request)
        except InvalidUrlError as error:
            return self._failed(request, _invalid_request(str(error)))
        try:
            async with asyncio.timeout(timeout_s):
                response = await self._connections.post(chain.url, body, headers)
                response.close()
                return Posted(
                    status=response.status,
                    retry_after_s=parse_retry_after(response.headers.get("Retry-After"), self._clock()),
                    location=response.headers.get("Location"),
                )
        except EXPECTED_ERRORS as error:
            return self._failed(request, fault_of_error(error, chain.host, timeout_s))

    async def _request_hop(self, chain: RedirectChain) -> FetchResult | None:
        """Request one hop; return the final result, or None if there is a next hop."""
        conditions = conditional_headers(chain.validators, chain.url)
        response = await self._connections.get(
            chain.url, {"Accept": chain.request.accept, **conditions, **chain.credentials}
        )
        try:
            status = response.status
            if has_usable_body(status):
                return await self._read_body(response, chain)
            if status == 304 and conditions:
                return NotModified(
                    url=chain.request.url,
                    final_url=chain.url,
                    headers=lower_headers(response.headers.items()),
                    fetched_at=self._clock(),
                    validators=parse_validators(response.headers, chain.url),
                    moved_to=chain.moved_to,
                )
            if is_redirect(status):
                fault = chain.follow(status, response.headers.get("Location"), self._max_redirects)
                return self._failed(chain.request, fault, status) if fault else None
            return self._failed_with_status(response, chain)
        finally:
            response.release()

    async def _read_body(self, response: aiohttp.ClientResponse, chain: RedirectChain) -> Fetched:
        headers = lower_headers(response.headers.items())
        max_bytes = self._max_bytes if chain.request.max_bytes is None else chain.request.max_bytes
        check_announced_length(headers.get("content-length"), max_bytes)
        decoder = BodyDecoder(headers.get("content-encoding", ""), max_bytes)
        async for piece in response.content.iter_any():
            decoder.feed(piece)
        return Fetched(
            url=chain.request.url,
            final_url=chain.url,
            status=response.status,
            headers=headers,
            body=decoder.finish(),
            fetched_at=self._clock(),
            moved_to=chain.moved_to,
            validators=parse_validators(response.headers, chain.url),
        )

    def _failed_with_status(self, response: aiohttp.ClientResponse, chain: RedirectChain) -> Failed:
        status, now = response.status, self._clock()
        if status == 304:
            message = f"{chain.host} answered 304 (not modified) to an unconditional request."
            return self._failed(chain.request, Fault(reason=FailureReason.BROKEN, message=message), status)
        wait = response.headers.get("Retry-After") if may_have_retry_after(status) else None
        return Failed(
            url=chain.request.url,
            outcome=outcome_of_status(status),
            reason=FailureReason.STATUS,
            message=describe_status(status, chain.host),
            fetched_at=now,
            status=status,
            retry_after_s=parse_retry_after(wait, now),
        )

    def _failed(self, request: Request, fault: Fault, status: int | None = None) -> Failed:
        return Failed(
            url=request.url,
            outcome=fault.outcome,
            reason=fault.reason,
            message=fault.message,
            fetched_at=self._clock(),
            status=status,
        )


def _invalid_request(message: str) -> Fault:
    return Fault(reason=FailureReason.URL, outcome=Outcome.PERMANENT_ERROR, message=message)


def _parse_proxy(text: str) -> URL:
    try:
        proxy = URL(text)
    except ValueError:
        proxy = URL()
    if proxy.scheme not in {"http", "https"} or not proxy.raw_host:
        raise ConfigError("The proxy URL is not valid; use the form http://proxy.example:3128.")
    return proxy


async def _without_deadline(deadline: asyncio.Timeout, waiting: Awaitable[Failed | None]) -> Failed | None:
    """Wait for something with the deadline suspended."""
    loop = asyncio.get_running_loop()
    when, started_at = deadline.when(), loop.time()
    deadline.reschedule(None)
    answer = await waiting
    if when is not None:
        deadline.reschedule(when + loop.time() - started_at)
    return answer
