"""A warning about a feed on a private address: the guard blocks it, unless the settings allow it."""

from __future__ import annotations

from ipaddress import ip_address

from inforadar.config import FetcherSettings
from inforadar.fetch.networks import embedded_addresses, forbidden_kind
from inforadar.urls import host_key


def private_address_warning(url: str, fetcher: FetcherSettings) -> str | None:
    """Return a sentence if requests to the URL will be blocked; names are not looked up, except for `localhost`."""
    host, _, port = host_key(url).rpartition(":")
    if host == "localhost" or host.endswith(".localhost"):
        host = "127.0.0.1"
    try:
        address = ip_address(host.strip("[]"))
    except ValueError:
        return None
    kind = next(filter(None, map(forbidden_kind, (address, *embedded_addresses(address)))), None)
    if kind is None:
        return None
    # Imported here because it is slow, and hardly any feed gets here.
    from inforadar.fetch.guard import AllowedNetworks  # noqa: PLC0415

    if AllowedNetworks.parse(fetcher.allowed_networks).allows(address, int(port)):
        return None
    shown = f"[{address}]:{port}" if address.version == 6 else f"{address}:{port}"
    return (
        f"{address} is {kind}, so requests to it are blocked. If you trust it, set "
        f"FETCHER_ALLOWED_NETWORKS={shown} (or allowed_networks in inforadar.toml)."
    )
