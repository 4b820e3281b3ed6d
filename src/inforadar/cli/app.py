"""`inforadar` without a command: the terminal app."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import termios
from collections.abc import Callable

from inforadar.app.store import make_home, open_store
from inforadar.cli.first_start import confirm_first_start
from inforadar.config import load_settings
from inforadar.tui.fetch.process import LOG
from inforadar.tui.screens.all_screens import load_keymap

TERMINAL_POLL_S = 2.0
"""How often to check that the terminal still exists."""


def run_terminal_app() -> int:
    """Run the terminal app until it is closed."""
    settings = load_settings()
    confirm_first_start(settings.home)
    make_home(settings.home)
    keymap = load_keymap(settings.home)
    was_signalled = False

    def finish_start() -> None:
        """Do what can wait until the first list is on the screen."""
        from inforadar.cli.terminal.logs import configure_logs  # noqa: PLC0415 - slow to import

        configure_logs(settings.log, quiet=True, file=log)
        gc.freeze()
        gc.enable()

    async def run() -> int:
        # Opened first, so that a broken database is reported on the plain terminal.
        async with open_store(settings) as database:
            from inforadar.tui.app import RadarApp  # noqa: PLC0415

            app = RadarApp(settings, database, when_shown=finish_start, keymap=keymap)

            def leave() -> None:
                nonlocal was_signalled
                was_signalled = True
                app.leave()

            # When the terminal is closed, the app must end too.
            for number in (signal.SIGHUP, signal.SIGTERM):
                asyncio.get_running_loop().add_signal_handler(number, leave)
            watching = asyncio.create_task(_leave_without_terminal(leave))
            try:
                await app.run_async()
            finally:
                watching.cancel()
            return app.return_code or 0

    with (settings.home / LOG).open("w", encoding="utf-8") as log:
        try:
            return asyncio.run(run())
        finally:
            if was_signalled:
                # Everything of ours is closed, but Textual's threads would wait for a terminal that may be gone.
                log.flush()
                os._exit(0)


async def _leave_without_terminal(leave: Callable[[], None]) -> None:
    """Poll for the terminal: one that does not control the app sends no signal when it is closed."""
    while True:
        await asyncio.sleep(TERMINAL_POLL_S)
        try:
            termios.tcgetattr(0)
        except termios.error:
            leave()
            return
