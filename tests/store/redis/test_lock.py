"""The right to write the projection."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis
from redis.exceptions import ResponseError

from inforadar.store.redis.keys import connect
from inforadar.store.redis.lock import LOCK, LockLostError, held_lock


@pytest.fixture
async def client(redis_url: str) -> AsyncIterator[Redis]:
    async with connect(redis_url) as opened:
        yield opened


async def test_one_process_at_a_time_has_the_lock(client: Redis) -> None:
    async with held_lock(client, wait_s=0.0) as first:
        assert first is not None
        async with held_lock(client, wait_s=0.0) as second:
            assert second is None
        assert 0 < await client.pttl(LOCK) <= 30_000
    async with held_lock(client, wait_s=0.0) as third:
        assert third is not None


@pytest.mark.parametrize("taken_by", [b"another process", None], ids=["taken", "expired"])
async def test_whoever_lost_the_lock_writes_nothing_and_frees_nothing(
    client: Redis, taken_by: bytes | None
) -> None:
    async with held_lock(client, wait_s=0.0) as lock:
        assert lock is not None
        await (client.set(LOCK, taken_by) if taken_by else client.delete(LOCK))
        with pytest.raises(LockLostError):
            await lock.write(lambda pipeline: pipeline.set("written", "1") and None)
    assert await client.exists("written") == 0
    assert await client.get(LOCK) == taken_by


async def test_a_key_of_another_type_is_reported_and_every_other_refusal_raised(client: Redis) -> None:
    await client.set("text", "mine")
    async with held_lock(client, wait_s=0.0) as lock:
        assert lock is not None
        (said,) = await lock.write(lambda pipeline: pipeline.sadd("text", "x") and None)
        assert "WRONGTYPE" in said
        with pytest.raises(ResponseError):
            await lock.write(lambda pipeline: pipeline.execute_command("EXPIRE", "text", "soon") and None)


async def test_the_lock_is_kept_while_its_holder_reads(
    client: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inforadar.store.redis.lock.LOCK_MS", 3_000)
    async with held_lock(client, wait_s=0.0) as lock:
        assert lock is not None
        await client.pexpire(LOCK, 2_000)
        while await client.pttl(LOCK) <= 2_000:
            assert await client.exists(LOCK), "it was not renewed before it expired"
        assert await lock.write(lambda pipeline: pipeline.set("written", "1") and None) == []
    assert await client.exists("written") == 1
    assert await client.exists(LOCK) == 0
