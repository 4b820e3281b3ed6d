"""Our own table of addresses that are not part of the public internet.

`ipaddress.is_global` is not used: it changes between Python versions, and on 3.11 it calls several dangerous
addresses global. For IPv4 the table is the IANA special-purpose registry, plus the metadata services that
clouds keep on public addresses. For IPv6 it is the other way round: only 2000::/3 is assigned, so everything
else is refused, and parts of that range too.

An IPv6 address can embed an IPv4 address and route to it (mapped, NAT64, 6to4, Teredo, ISATAP). Such an
address is forbidden if the embedded one is.
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

IPAddress = IPv4Address | IPv6Address
IPNetwork = IPv4Network | IPv6Network

_IPV4_TABLE = (
    # More specific networks come first, because the first match names the address.
    ("169.254.169.254/32", "a cloud's metadata service"),
    ("169.254.170.2/32", "a cloud's metadata service"),
    ("168.63.129.16/32", "a cloud's metadata service"),
    ("100.100.100.200/32", "a cloud's metadata service"),
    ("192.0.0.192/32", "a cloud's metadata service"),
    ("0.0.0.0/8", "this machine"),
    ("10.0.0.0/8", "a private address"),
    ("100.64.0.0/10", "an address inside a provider's network"),
    ("127.0.0.0/8", "this machine"),
    ("169.254.0.0/16", "a link-local address"),
    ("172.16.0.0/12", "a private address"),
    ("192.0.0.0/24", "a reserved address"),
    ("192.0.2.0/24", "an address for documentation"),
    ("192.88.99.0/24", "a reserved address"),
    ("192.168.0.0/16", "a private address"),
    ("198.18.0.0/15", "an address for benchmarks"),
    ("198.51.100.0/24", "an address for documentation"),
    ("203.0.113.0/24", "an address for documentation"),
    ("224.0.0.0/4", "a multicast address"),
    ("240.0.0.0/4", "a reserved address"),
)

_IPV6_TABLE = (
    ("fd00:ec2::254/128", "a cloud's metadata service"),
    ("fd20:ce::254/128", "a cloud's metadata service"),
    ("::/128", "this machine"),
    ("::1/128", "this machine"),
    ("fc00::/7", "a private address"),
    ("fe80::/10", "a link-local address"),
    ("fec0::/10", "a private address"),
    ("ff00::/8", "a multicast address"),
    ("100::/64", "a reserved address"),
    ("2001:2::/48", "an address for benchmarks"),
    ("2001:db8::/32", "an address for documentation"),
    ("3fff::/20", "an address for documentation"),
)

_IPV4_FORBIDDEN = tuple((IPv4Network(network), kind) for network, kind in _IPV4_TABLE)
_IPV6_FORBIDDEN = tuple((IPv6Network(network), kind) for network, kind in _IPV6_TABLE)

_GLOBAL_UNICAST = IPv6Network("2000::/3")
_PROTOCOL_ASSIGNMENTS = IPv6Network("2001::/23")

_MAPPED = IPv6Network("::ffff:0:0/96")
_TRANSLATED = IPv6Network("::ffff:0:0:0/96")
_NAT64 = IPv6Network("64:ff9b::/96")
_SIX_TO_FOUR = IPv6Network("2002::/16")
_TEREDO = IPv6Network("2001::/32")
_ISATAP_INTERFACES = frozenset({0x00005EFE, 0x02005EFE, 0x01005EFE, 0x03005EFE})

_RESERVED = "a reserved address"


def forbidden_kind(address: IPAddress) -> str | None:
    """Say what kind of forbidden address this is; `None` for a public one.

    Checks only the address itself, not its `embedded_addresses`.
    """
    if isinstance(address, IPv4Address):
        return next((kind for network, kind in _IPV4_FORBIDDEN if address in network), None)
    for network, kind in _IPV6_FORBIDDEN:
        if address in network:
            return kind
    if any(address in network for network in (_MAPPED, _TRANSLATED, _NAT64, _TEREDO)):
        return None
    if address not in _GLOBAL_UNICAST or address in _PROTOCOL_ASSIGNMENTS:
        return _RESERVED
    return None


def embedded_addresses(address: IPAddress) -> Iterator[IPv4Address]:
    """Yield the IPv4 addresses that an IPv6 address embeds and may route to.

    Two forms are missing because they are always refused: the compatible form `::a.b.c.d`, which nothing uses,
    and the local NAT64 prefix 64:ff9b:1::/48, where only the operator knows which bits are the address.
    """
    if isinstance(address, IPv4Address):
        return
    bits = int(address)
    last = bits & 0xFFFF_FFFF
    if address in _MAPPED or address in _TRANSLATED or address in _NAT64:
        yield IPv4Address(last)
    elif address in _SIX_TO_FOUR:
        yield IPv4Address(bits >> 80 & 0xFFFF_FFFF)
    elif address in _TEREDO:
        yield IPv4Address(bits >> 64 & 0xFFFF_FFFF)
        yield IPv4Address(last ^ 0xFFFF_FFFF)
    if bits >> 32 & 0xFFFF_FFFF in _ISATAP_INTERFACES:
        yield IPv4Address(last)
