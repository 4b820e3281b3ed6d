"""The section about the clients of the web server: how long it waits for them, and how many it takes."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from inforadar.config.section import Section

Timeout = Annotated[float, Meta(ge=0.1, le=3600)]


class ClientSettings(Section, frozen=True):
    """Limits of the web server towards its clients."""

    env_prefix = "INFORADAR_"

    idle_timeout: Timeout = 5
    """Seconds after which a connection is closed that sends no complete request header, at its start or between two
    requests."""
    body_timeout: Timeout = 10
    """Seconds for which the body of a request may pause; it may take three times as long in all, and a second more for
    every 8 KB."""
    unread_timeout: Timeout = 30
    """Seconds after which a connection is closed whose client does not read its answer. Linux only."""
    connections: Annotated[int, Meta(ge=64, le=100_000)] = 8192
    """How many connections are served at once. When they are nearly used up, the quietest are closed."""
    connections_per_address: Annotated[int, Meta(ge=4, le=100_000)] = 128
    """How many connections and running requests one address may have; then its quietest connections are closed and its
    further requests refused. Behind a proxy only requests count, by the forwarded address."""
    streams: Annotated[int, Meta(ge=1, le=100_000)] = 256
    """How many event streams strangers may have open in all, and how many people with an account."""
    streams_per_address: Annotated[int, Meta(ge=1, le=100_000)] = 16
    """How many event streams one address may have open, and one person."""
