"""A warning about a feed on a private address: the guard blocks it, unless the settings allow it."""

from __future__ import annotations

from ipaddress import ip_address

from inforadar.config import FetcherSettings
from inforadar.fetch.networks import embedded_addresses, forbidden_kind
from inforadar.urls import host_key

LOCAL_ZONES = (".local", ".internal", ".home.arpa", ".lan", ".home", ".corp", ".intranet")
"""Ends of names that exist only in networks of homes and companies; no public name ends so."""


def private_address_warning(url: str, fetcher: FetcherSettings) -> str | None:
    """Return a sentence if requests to the URL will be blocked, or probably will be.

    No name is looked up: adding a feed makes no request. So a name of the own network is recognized by its end, or by
    having no dot; of other names, the first fetch says if they resolve to a private address.
    """
    host, _, port = host_key(url).rpartition(":")
    if host == "localhost" or host.endswith(".localhost"):
        host = "127.0.0.1"
    try:
        address = ip_address(host.strip("[]"))
    except ValueError:
        return _local_name_warning(host, port, fetcher)
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


def _local_name_warning(host: str, port: str, fetcher: FetcherSettings) -> str | None:
    # Whoever has allowed networks knows the setting; whether they include this name's address is not known here.
    name = host.rstrip(".")
    if fetcher.allowed_networks or ("." in name and not name.endswith(LOCAL_ZONES)):
        return None
    return (
        f"{name} looks like a name of your own network, and requests to private addresses are blocked. If you trust "
        f"it, set FETCHER_ALLOWED_NETWORKS to its address and port, like 192.168.1.5:{port} (or allowed_networks in "
        "inforadar.toml)."
    )
