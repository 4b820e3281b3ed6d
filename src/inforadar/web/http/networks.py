"""The network of an address: the part that its owner cannot change. Limits count by it."""

from __future__ import annotations

import ipaddress
from functools import lru_cache

IPV6_PREFIX_BITS = 64
"""The size of the network that a customer gets at least."""


@lru_cache(maxsize=4096)
def network_of(address: str) -> str:
    """Return an IPv4 address as it is, and the network of an IPv6 address, since each customer has many of those."""
    try:
        given = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    mapped = getattr(given, "ipv4_mapped", None)
    if mapped is not None or given.version == 4:
        return str(mapped or given)
    return str(ipaddress.ip_network((given, IPV6_PREFIX_BITS), strict=False))
