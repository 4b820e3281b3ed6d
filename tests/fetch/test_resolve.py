"""Name resolution by the system, without waiting for names that hang."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator

import pytest

from inforadar.fetch.resolve import SystemResolver

pytestmark = pytest.mark.both_loops


@pytest.fixture
def slow_names(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Make lookups of `slow*.test` hang until the event is set; other lookups are real."""
    released = threading.Event()
    real = socket.getaddrinfo

    def lookup(host: str, *args: object, **options: object) -> object:
        if host.startswith("slow"):
            released.wait(30)
            host = "127.0.0.1"
        return real(host, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "getaddrinfo", lookup)
    yield released
    released.set()


async def test_a_name_gives_its_addresses() -> None:
    resolver = SystemResolver()

    found = await resolver.resolve("localhost", 8080)

    assert {entry["host"] for entry in found} <= {"127.0.0.1", "::1"}
    assert {(entry["hostname"], entry["port"]) for entry in found} == {("localhost", 8080)}
    await resolver.close()


@pytest.mark.parametrize("name", ["a..b", "x" * 64, "x" * 300, "ж" * 70])
async def test_a_name_that_cannot_be_asked_for_is_an_unknown_one(name: str) -> None:
    resolver = SystemResolver()

    with pytest.raises(socket.gaierror):
        await resolver.resolve(name, 80)
    await resolver.close()


async def test_a_lookup_that_hangs_holds_up_no_other(slow_names: threading.Event) -> None:
    resolver = SystemResolver(threads=3)
    hanging = [asyncio.create_task(resolver.resolve(f"slow{n}.test", 80)) for n in range(2)]
    await asyncio.sleep(0)

    async with asyncio.timeout(10):
        await resolver.resolve("127.0.0.1", 80)

    slow_names.set()
    assert [found[0]["host"] for found in await asyncio.gather(*hanging)] == ["127.0.0.1", "127.0.0.1"]
    await resolver.close()


async def test_an_abandoned_lookup_does_not_count_as_a_free_thread(slow_names: threading.Event) -> None:
    resolver = SystemResolver(threads=2)
    hanging = asyncio.create_task(resolver.resolve("slow.test", 80))
    await asyncio.sleep(0)
    hanging.cancel()
    await asyncio.gather(hanging, return_exceptions=True)

    async with asyncio.timeout(10):
        found = await resolver.resolve("127.0.0.1", 80)

    assert found[0]["host"] == "127.0.0.1"
    await resolver.close()
