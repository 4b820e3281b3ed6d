"""`inforadar` without a command: the terminal app."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import termios
from collections.abc import Callable

from inforadar.app.store import make_home, open_store
from inforadar.config import load_settings
from inforadar.tui.fetch.process import LOG

LOOK_S = 2.0
"""How often it is looked whether the terminal is still there."""


def run_terminal_app() -> int:
    """Run until the reader leaves."""
    settings = load_settings()
    make_home(settings.home)
    is_told = False

    def settle() -> None:
        """What can wait until the first list is on the screen."""
        from inforadar.cli.terminal.logs import configure_logs  # noqa: PLC0415 - it takes long to import

        configure_logs(settings.log, quiet=True, file=log)
        gc.freeze()
        gc.enable()

    async def run() -> int:
        # A database that cannot be used is said before the screen is taken.
        async with open_store(settings) as database:
            from inforadar.tui.app import RadarApp  # noqa: PLC0415

            app = RadarApp(settings, database, when_shown=settle)

            def leave() -> None:
                nonlocal is_told
                is_told = True
                app.leave()

            # A terminal that is closed takes the app along; without this it would go on for nobody.
            for number in (signal.SIGHUP, signal.SIGTERM):
                asyncio.get_running_loop().add_signal_handler(number, leave)
            watching = asyncio.create_task(_until_gone(leave))
            try:
                await app.run_async()
            finally:
                watching.cancel()
            return app.return_code or 0

    with (settings.home / LOG).open("w", encoding="utf-8") as log:
        try:
            return asyncio.run(run())
        finally:
            if is_told:
                # Everything of ours is closed. Textual's threads would wait for a terminal that may be gone.
                log.flush()
                os._exit(0)


async def _until_gone(leave: Callable[[], None]) -> None:
    """A terminal that does not control the app sends no signal when it goes; one can only look."""
    while True:
        await asyncio.sleep(LOOK_S)
        try:
            termios.tcgetattr(0)
        except termios.error:
            leave()
            return
