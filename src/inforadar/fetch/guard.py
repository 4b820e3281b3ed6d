"""The guard: which addresses we connect to, checked on the actual address of each connection.

A URL is text and a name is an alias; only the address that a socket is about to connect to says where a
request goes. So the check sits in the connector's socket factory, where nothing can change between check
and connect: names, literals and every redirect hop pass through it.

A name is refused as soon as one of its addresses is forbidden. Trying the others would be friendlier, but
a name that mixes public and private addresses is an attack or a mistake, and which address is used would
be chance.

Any port is allowed on a public address: some feeds are on unusual ports.

With an outgoing proxy, the connection goes to the proxy, which is allowed because the operator configured
it. The target is checked before it is passed on, by its literal address or by what its name resolves to
here; a name that only the proxy can resolve is left for the proxy to check.
"""

from __future__ import annotations

import socket
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address, ip_network

from aiohttp import AddrInfoType
from aiohttp.abc import AbstractResolver, ResolveResult

from inforadar.errors import ConfigError, InfoRadarError
from inforadar.fetch.networks import IPAddress, IPNetwork, embedded_addresses, forbidden_kind


class AddressRefusedError(InfoRadarError):
    """The guard refused to connect to an address."""

    def __init__(self, address: str, kind: str) -> None:
        super().__init__(f"{address} is {kind}; connections to it are blocked.")
        self.address = address
        self.kind = kind


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowedNetworks:
    """The operator's exceptions: whole networks, or single endpoints."""

    networks: tuple[IPNetwork, ...] = ()
    endpoints: frozenset[tuple[IPAddress, int]] = frozenset()

    @classmethod
    def parse(cls, entries: Iterable[str]) -> AllowedNetworks:
        """Parse entries like `10.0.0.0/8`, `192.168.1.5`, `127.0.0.1:8080`, `fd00::/8`, `[::1]:8080`."""
        networks: list[IPNetwork] = []
        endpoints: set[tuple[IPAddress, int]] = set()
        for entry in entries:
            text = entry.strip()
            try:
                if text.startswith("[") or text.count(":") == 1:
                    endpoints.add(_parse_endpoint(text))
                else:
                    networks.append(ip_network(text))
            except ValueError:
                raise ConfigError(
                    f"{entry!r} is not a valid allowed network. Use a network (10.0.0.0/8, fd00::/8), an address "
                    "(192.168.1.5) or an address with a port (127.0.0.1:8080, [::1]:8080)."
                ) from None
        return cls(networks=tuple(networks), endpoints=frozenset(endpoints))

    def allows(self, address: IPAddress, port: int) -> bool:
        if (address, port) in self.endpoints:
            return True
        return any(address.version == network.version and address in network for network in self.networks)


def _parse_endpoint(text: str) -> tuple[IPAddress, int]:
    host, _, port = text.rpartition(":")
    if host.startswith("["):
        if not host.endswith("]"):
            raise ValueError(text)
        host = host[1:-1]
    if not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise ValueError(text)
    return ip_address(host), int(port)


class Guard:
    """Decides if we may connect to an address and port."""

    def __init__(self, allowed: AllowedNetworks | None = None) -> None:
        self._allowed = allowed or AllowedNetworks()

    def check_address(self, address: str, port: int) -> None:
        """Raise `AddressRefusedError` unless this address, exactly as passed to the socket, is allowed."""
        try:
            parsed = ip_address(address.partition("%")[0])
        except ValueError:
            # Anything but a plain address would be resolved again, after this check.
            raise AddressRefusedError(address, "not a plain IP address") from None
        self._check(parsed, parsed, port)

    def _check(self, address: IPAddress, shown: IPAddress, port: int) -> None:
        if self._allowed.allows(address, port):
            return
        if kind := forbidden_kind(address):
            raise AddressRefusedError(str(shown), kind)
        for embedded in embedded_addresses(address):
            self._check(embedded, shown, port)


class GuardedSockets:
    """The connector's socket factory: creates sockets only for addresses that the guard allows."""

    def __init__(self, guard: Guard, exempt: set[tuple[str, int]]) -> None:
        self._guard = guard
        self._exempt = exempt

    def __call__(self, info: AddrInfoType) -> socket.socket:
        family, kind, proto, _, address = info
        host, port = address[0], address[1]
        if (host, port) not in self._exempt:
            self._guard.check_address(host, port)
        return socket.socket(family=family, type=kind, proto=proto)


class GuardedResolver(AbstractResolver):
    """Resolves names and refuses any that has a forbidden address.

    `proxy` is the host and port of the outgoing proxy, if there is one. Its addresses are always allowed; they
    are added to `exempt`, which the socket factory shares.
    """

    def __init__(
        self,
        guard: Guard,
        inner: AbstractResolver,
        *,
        exempt: set[tuple[str, int]],
        proxy: tuple[str, int] | None = None,
    ) -> None:
        self._guard = guard
        self._inner = inner
        self._exempt = exempt
        self._proxy = proxy

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        found = await self._inner.resolve(host, port, family)
        if not found:
            raise socket.gaierror(socket.EAI_NONAME, "the name has no address")
        if (host, port) == self._proxy:
            self._exempt.update((entry["host"], port) for entry in found)
            return found
        for entry in found:
            self._guard.check_address(entry["host"], port)
        return found

    async def check_target(self, host: str, port: int) -> None:
        """Check the target of a proxied request, as far as it can be resolved here."""
        try:
            ip_address(host)
        except ValueError:
            try:
                found = await self._inner.resolve(host, port, socket.AF_UNSPEC)
            except OSError:
                return
            for entry in found:
                self._guard.check_address(entry["host"], port)
        else:
            self._guard.check_address(host, port)

    async def close(self) -> None:
        await self._inner.close()
