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
from pkgutil import walk_packages
from typing import Any

from inforadar import cli
from inforadar.__main__ import main
from tests.support.forked import Child, fork_server

COMMAND = (sys.executable, "-m", "inforadar")
_COMMAND_MODULES = tuple(module.name for module in walk_packages(cli.__path__, f"{cli.__name__}."))


def run_command(*arguments: str) -> None:
    """Be `inforadar` with these arguments, in a forked child."""
    sys.argv = ["inforadar", *arguments]
    main()


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
    command: tuple[str, ...] = COMMAND
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
        if self.command == COMMAND and not any(name.startswith("PYTHON") for name in self.extra or ()):
            child = Child(
                function=f"{__name__}:run_command", arguments=arguments, environment=self.environment
            )
            code, out, err = await fork_server(__name__, *_COMMAND_MODULES).run(child, stdin)
        else:
            code, out, err = await self._execute(*arguments, stdin=stdin)
        return Done(code=code, out=out.decode(), err=err.decode())

    async def _execute(self, *arguments: str, stdin: bytes | None) -> tuple[int, bytes, bytes]:
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
        return process.returncode, out, err

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
