"""The real program in a real terminal (tmux), driven by keys, from an empty database to a quit."""

from __future__ import annotations

import asyncio
import shlex
import shutil
import sys
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.acceptance.program import Program

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")
PATIENCE_S = 60.0


class Tmux:
    """A terminal of 80 by 24 with the program in it; `EXIT n` is printed when it has ended."""

    def __init__(self) -> None:
        self._server = f"inforadar-{uuid.uuid4().hex}"

    async def run(self, *arguments: str) -> str:
        process = await asyncio.create_subprocess_exec(
            "tmux", "-L", self._server, *arguments, stdout=asyncio.subprocess.PIPE
        )
        out, _ = await process.communicate()
        return out.decode()

    async def press(self, *keys: str) -> None:
        await self.run("send-keys", "-t", "app", *keys)

    async def until(self, *texts: str) -> str:
        """The screen, once all the texts stand on it. tmux itself waits for no text, so it is asked again."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                screen = await self.run("capture-pane", "-p", "-t", "app")
                if all(text in screen for text in texts):
                    return screen


@asynccontextmanager
async def terminal_of(program: Program) -> AsyncIterator[Tmux]:
    tmux = Tmux()
    variables = {
        name: value for name, value in program.environment.items() if name.startswith(("INFORADAR", "PYTHON"))
    }
    given = " ".join(f"{name}={shlex.quote(value)}" for name, value in variables.items())
    command = f"env {given} {shlex.quote(sys.executable)} -m inforadar; echo EXIT $?; cat"
    await tmux.run("new-session", "-d", "-s", "app", "-x", "80", "-y", "24", command)
    try:
        yield tmux
    finally:
        await tmux.run("kill-server")


async def test_from_an_empty_database_to_reading_fetching_and_leaving(program: Program) -> None:
    async with terminal_of(program) as terminal:
        await terminal.until("Nothing is watched yet", "Look at the sample")
        await terminal.press("s")
        await terminal.until("Info Radar · Articles", "Harbour", "feeds are there.")
        await terminal.press("j", "Enter")
        await terminal.until("Info Radar · Reading", "framing", "overall")
        await terminal.press("Escape")
        await terminal.until("Info Radar · Articles")
        await terminal.press(":", "source Lumen", "Enter")
        await terminal.until("source: Lumen")
        await terminal.press("f")
        screen = await terminal.until("Info Radar · Fetch", "Done. Esc closes.")
        assert "source: Lumen" in screen
        assert "╭─ Log ─" in screen
        await terminal.press("Escape")
        await terminal.until("Info Radar · Articles")
        await terminal.press("q")
        await terminal.until("EXIT 0")
