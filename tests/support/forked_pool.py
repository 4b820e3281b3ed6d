"""The pool's processes as forks of one process that has imported what they need.

A process of the pool spends most of a short test with starting Python and importing. Here the start alone differs; the
tests of the pool itself, and all that run the real program, start their processes as the product does.
"""

from __future__ import annotations

import os
from multiprocessing import forkserver, util
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.popen_forkserver import Popen
from multiprocessing.process import BaseProcess

from inforadar.pipeline.pool_process import pickled

forkserver.set_forkserver_preload(
    ["inforadar.stages.canonical", "inforadar.actions.preview", "inforadar.stages.discover.pages.fetch"]
)


class _Popen(Popen):
    """Forks a process, but for the main module, which the pool never imports."""

    _fds: list[int]

    def _launch(self, process_obj: BaseProcess) -> None:
        sent = pickled(self, process_obj)
        self.sentinel, told = forkserver.connect_to_new_process(self._fds)
        held = os.dup(told)
        self.finalizer = util.Finalize(self, util.close_fds, (held, self.sentinel))
        with open(told, "wb") as pipe:
            pipe.write(sent)
        self.pid = forkserver.read_signed(self.sentinel)


class _ForkedProcess(SpawnProcess):
    @staticmethod
    def _Popen(process_obj: BaseProcess) -> Popen:  # noqa: N802
        return _Popen(process_obj)


class ForkedPoolContext(SpawnContext):
    """Takes the place of `PoolContext`."""

    Process = _ForkedProcess
