"""A process loads only what its own work needs: half of its memory is imported code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    ("modules", "unneeded"),
    [
        (
            "inforadar.cli.system.serve, inforadar.web.serve",
            "aiohttp lxml urllib.request inforadar.pipeline.worker inforadar.pipeline.runs.fetch_run "
            "inforadar.stages.canonical.extraction inforadar.stages.analyze",
        ),
        (
            "inforadar.cli.system.worker",
            "granian jinja2 inforadar.stages.canonical.extraction inforadar.stages.analyze.local.analyzer",
        ),
    ],
    ids=["api", "worker"],
)
def test_the_api_and_a_worker_do_not_load_each_others_parts(modules: str, unneeded: str) -> None:
    script = f"import sys, {modules}; print([name for name in {unneeded.split()} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_worker_without_work_runs_without_what_only_other_work_needs(tmp_path: Path) -> None:
    unneeded = (
        "rich pygments sqlalchemy.dialects.postgresql inforadar.stages.revise.phrases inforadar.views.messages "
        "inforadar.views.sanitize inforadar.app.stories inforadar.app.revisions inforadar.stages.group pebble "
        "multiprocessing"
    )
    script = (
        "import sys; from inforadar.cli import run; code = run(['worker', '--once']);"
        f"print(code, [name for name in {unneeded.split()} if name in sys.modules])"
    )
    home = {**os.environ, "INFORADAR_HOME": str(tmp_path), "INFORADAR_LOG_LEVEL": "error"}
    # What makes the tables needs more.
    subprocess.run(
        [sys.executable, "-m", "inforadar", "db", "upgrade"], env=home, capture_output=True, check=True
    )
    done = subprocess.run(
        [sys.executable, "-c", script], env=home, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "0 []"
