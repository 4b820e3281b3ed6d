"""Several hosts on one machine: network namespaces with their own addresses, joined by a bridge inside one of them.

    hub      10.77.0.1, and every address of 10.78.0.0/16: databases and the farm's many hosts
    worker N 10.77.0.(10 + N)

The machine's own network is not touched: the bridge is in the hub's namespace.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any

HUB_ADDRESS = "10.77.0.1"
CLIENTS = "10.77.0.0/24"
FARM_NETWORK = "10.78.0.0/16"
FARM_FIRST_HOST = "10.78.0.1"


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True)


class Hosts:
    """The namespaces of one benchmark."""

    def __init__(self, workers: int) -> None:
        self._prefix = f"radar{os.getpid()}"
        self.hub = f"{self._prefix}-hub"
        self.workers = [f"{self._prefix}-w{number}" for number in range(workers)]

    def make(self) -> None:
        _ip("netns", "add", self.hub)
        _ip("-n", self.hub, "link", "set", "lo", "up")
        _ip("-n", self.hub, "link", "add", "bridge", "type", "bridge")
        _ip("-n", self.hub, "addr", "add", f"{HUB_ADDRESS}/24", "dev", "bridge")
        _ip("-n", self.hub, "link", "set", "bridge", "up")
        # Every address of the network is the hub's own: a thousand hosts without a thousand interfaces.
        _ip("-n", self.hub, "route", "add", "local", FARM_NETWORK, "dev", "lo")
        for number, name in enumerate(self.workers):
            port = f"port{number}"
            _ip("netns", "add", name)
            _ip("-n", name, "link", "set", "lo", "up")
            _ip("-n", name, "link", "add", "eth0", "type", "veth", "peer", "name", port, "netns", self.hub)
            _ip("-n", self.hub, "link", "set", port, "master", "bridge", "up")
            _ip("-n", name, "addr", "add", f"10.77.0.{10 + number}/24", "dev", "eth0")
            self.join(name)

    def join(self, worker: str) -> None:
        """Plug the cable in; cutting it removes the routes, so they are created again."""
        _ip("-n", worker, "link", "set", "eth0", "up")
        _ip("-n", worker, "route", "replace", FARM_NETWORK, "via", HUB_ADDRESS)

    def cut(self, worker: str) -> None:
        """Pull the cable: packets are lost silently."""
        _ip("-n", worker, "link", "set", "eth0", "down")

    def start(
        self,
        name: str,
        command: list[str],
        environment: Mapping[str, str],
        *,
        stdin: int | IO[Any] | None = subprocess.DEVNULL,
        stdout: int | IO[Any] | None = None,
        stderr: int | IO[Any] | None = None,
    ) -> subprocess.Popen[str]:
        """Start a program on one of the hosts."""
        return subprocess.Popen(
            ["ip", "netns", "exec", name, *command],
            env={**os.environ, **environment},
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            text=True,
        )

    def remove(self) -> None:
        for name in (self.hub, *self.workers):
            subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)


@contextmanager
def hosts(workers: int) -> Iterator[Hosts]:
    """Make the hosts and remove them at the end. Namespaces need root."""
    made = Hosts(workers)
    try:
        made.make()
        yield made
    except (FileNotFoundError, subprocess.CalledProcessError) as fault:
        raise SystemExit(f"Network namespaces cannot be made here (`ip netns` needs root): {fault}") from None
    finally:
        made.remove()
