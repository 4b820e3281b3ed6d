"""The real program in a real terminal (tmux), driven by keys, from an empty database to quitting."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.cli.program import Program

PATIENCE_S = 60.0


class Tmux:
    """A terminal of 80 by 24 that runs the program and prints `EXIT n` when it has ended."""

    def __init__(self, folder: Path) -> None:
        self._server = f"inforadar-{uuid.uuid4().hex}"
        self._painted = folder / "painted"
        self._reader = asyncio.StreamReader()

    async def start(self, command: str) -> None:
        """Start the program; its output also goes into a pipe, which tells when to look at the screen."""
        os.mkfifo(self._painted)
        pipe = os.fdopen(os.open(self._painted, os.O_RDWR | os.O_NONBLOCK), "rb", buffering=0)
        self._transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(self._reader), pipe
        )
        await self.run("new-session", "-d", "-s", "app", "-x", "80", "-y", "24", command)
        await self.run("pipe-pane", "-t", "app", f"cat > {shlex.quote(str(self._painted))}")

    async def stop(self) -> None:
        await self.run("kill-server")
        self._transport.close()

    async def run(self, *arguments: str) -> str:
        process = await asyncio.create_subprocess_exec(
            "tmux", "-L", self._server, *arguments, stdout=asyncio.subprocess.PIPE
        )
        out, _ = await process.communicate()
        return out.decode()

    async def press(self, *keys: str) -> None:
        await self.run("send-keys", "-t", "app", *keys)

    async def until(self, *texts: str) -> str:
        """The screen, once all the texts stand on it."""
        screen = ""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while True:
                    screen = await self.run("capture-pane", "-p", "-t", "app")
                    if all(text in screen for text in texts):
                        return screen
                    await self._reader.read(65536)
        except TimeoutError:
            raise AssertionError(f"{texts} did not come:\n{screen}") from None


@asynccontextmanager
async def terminal_of(program: Program, folder: Path) -> AsyncIterator[Tmux]:
    tmux = Tmux(folder)
    variables = {
        name: value for name, value in program.environment.items() if name.startswith(("INFORADAR", "PYTHON"))
    }
    given = " ".join(f"{name}={shlex.quote(value)}" for name, value in variables.items())
    command = f"env {given} {shlex.quote(sys.executable)} -m inforadar; echo EXIT $?; cat"
    await tmux.start(command)
    try:
        yield tmux
    finally:
        await tmux.stop()


async def test_from_an_empty_database_to_reading_fetching_and_leaving(
    program: Program, tmp_path: Path
) -> None:
    async with terminal_of(program, tmp_path) as terminal:
        await terminal.until("Nothing is watched yet", "Look at the sample")
        await terminal.press("s")
        await terminal.until("Info Radar · Articles", "Harbour", "feeds are there.")
        await terminal.press("j", "Enter")
        await terminal.until("Info Radar · Reading", "framing", "overall")
        await terminal.press("Escape")
        await terminal.until("Info Radar · Articles")
        await terminal.press(":")
        await terminal.until("\n :")
        await terminal.press("source Lumen", "Enter")
        await terminal.until("source: Lumen")
        await terminal.press("f")
        screen = await terminal.until("Info Radar · Fetch", "Done. Esc closes.")
        assert "source: Lumen" in screen
        assert "╭─ Log ─" in screen
        await terminal.press("Escape")
        await terminal.until("Info Radar · Articles")
        await terminal.press("q")
        await terminal.until("EXIT 0")
