"""How long-running commands end after a signal."""

from __future__ import annotations

import subprocess
import sys

STILL_COMPUTING = """
import asyncio, os, signal, threading
import uvloop
from inforadar.cli.system.signals import until_signal

async def work(stop):
    computing = asyncio.create_task(asyncio.to_thread(threading.Event().wait))
    os.kill(os.getpid(), signal.SIGTERM)
    await stop.wait()
    computing.cancel()
    print("everything is closed")

uvloop.run(until_signal(work))
"""


def test_a_thread_whose_result_nobody_wants_does_not_hold_up_the_end() -> None:
    done = subprocess.run(
        [sys.executable, "-c", STILL_COMPUTING], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert "everything is closed" in done.stdout
    assert "stop.forced" not in done.stdout
