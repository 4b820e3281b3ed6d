"""How the pool starts its processes: each is a fresh interpreter that never imports the caller's `__main__`.

`multiprocessing` would run the main script again in each process, so that the script's functions can be found there.
Tasks of the pool are functions of this package. And a script without an `if __name__ == "__main__"` guard that calls
Info Radar would do all its work again in each process, as if it had been started several times.
"""

from __future__ import annotations

import io
import os
from multiprocessing import reduction, resource_tracker, spawn, util
from multiprocessing.context import SpawnContext, SpawnProcess, set_spawning_popen
from multiprocessing.popen_spawn_posix import Popen
from multiprocessing.process import BaseProcess
from typing import Any

_MAIN_KEYS = ("init_main_from_name", "init_main_from_path")
"""Keys of the preparation data that name the main module to import."""


class _Popen(Popen):
    """Starts a process as `spawn` does, but for the main module."""

    _fds: list[int]

    def _launch(self, process_obj: BaseProcess) -> None:
        tracker = resource_tracker.getfd()
        assert tracker is not None
        sent = pickled(self, process_obj)
        parent_reads, child_writes = os.pipe()
        child_reads, parent_writes = os.pipe()
        self.sentinel = parent_reads
        self.finalizer = util.Finalize(self, _close, (parent_reads, parent_writes))
        try:
            command = spawn.get_command_line(tracker_fd=tracker, pipe_handle=child_reads)
            passed = [*self._fds, tracker, child_reads, child_writes]
            self.pid = util.spawnv_passfds(os.fsencode(spawn.get_executable()), command, passed)
            with open(parent_writes, "wb", closefd=False) as pipe:
                pipe.write(sent)
        finally:
            os.close(child_reads)
            os.close(child_writes)


def _close(*files: int) -> None:
    for file in files:
        os.close(file)


def pickled(popen: Popen, process_obj: BaseProcess) -> bytes:
    """The bytes a new process reads first: how to prepare itself, then the process object."""
    preparation: dict[str, Any] = spawn.get_preparation_data(process_obj.name)
    for key in _MAIN_KEYS:
        preparation.pop(key, None)
    file = io.BytesIO()
    set_spawning_popen(popen)
    try:
        reduction.dump(preparation, file)
        reduction.dump(process_obj, file)
    finally:
        set_spawning_popen(None)
    return file.getvalue()


class PoolProcess(SpawnProcess):
    """A process of the pool."""

    @staticmethod
    def _Popen(process_obj: BaseProcess) -> Popen:  # noqa: N802
        return _Popen(process_obj)


class PoolContext(SpawnContext):
    """The start method of the pool."""

    Process = PoolProcess
