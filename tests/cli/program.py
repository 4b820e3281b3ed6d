"""The real program as a child process."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A finished command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """`inforadar` with its own home, ports and environment."""

    home: Path
    port: int
    sample_port: int
    command: tuple[str, ...] = (sys.executable, "-m", "inforadar")
    extra: Mapping[str, str] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        own = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("INFORADAR_", "FETCHER_"))
        }
        own |= {
            "INFORADAR_HOME": str(self.home),
            "INFORADAR_PORT": str(self.port),
            "INFORADAR_SAMPLE_PORT": str(self.sample_port),
            "COLUMNS": "200",
        }
        return own | dict(self.extra or {})

    async def run(self, *arguments: str, stdin: bytes | None = None) -> Done:
        process = await asyncio.create_subprocess_exec(
            *self.command,
            *arguments,
            env=self.environment,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await process.communicate(stdin)
        assert process.returncode is not None
        return Done(code=process.returncode, out=out.decode(), err=err.decode())

    @asynccontextmanager
    async def started(self, *arguments: str) -> AsyncIterator[asyncio.subprocess.Process]:
        """A long-running command; killed at the end if it still runs."""
        process = await asyncio.create_subprocess_exec(
            *self.command,
            *arguments,
            env=self.environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            yield process
        finally:
            if process.returncode is None:
                process.send_signal(signal.SIGTERM)
                try:
                    async with asyncio.timeout(10):
                        await process.wait()
                except TimeoutError:
                    process.kill()
                    await process.wait()


async def read_until(process: asyncio.subprocess.Process, text: str, timeout_s: float = 60.0) -> str:
    """Return everything printed up to and including the line with `text`."""
    assert process.stdout is not None
    seen = ""
    async with asyncio.timeout(timeout_s):
        while text not in seen:
            line = await process.stdout.readline()
            assert line, f"it ended before it said {text!r}:\n{seen}"
            seen += line.decode()
    return seen
