"""The wheel in an empty environment, without the constraints: what `pip install inforadar` gives.

`make test` builds and installs it into `.venv-wheel` first.
"""

from __future__ import annotations

import aiohttp

from tests.cli.program import Program, read_until
from tests.support.paths import ROOT

SCRIPT = ROOT / ".venv-wheel" / "bin" / "inforadar"


async def test_the_installed_wheel_runs_everything(program: Program) -> None:
    assert SCRIPT.exists(), "the wheel is not installed; run the suite by `make test`"
    installed = Program(
        home=program.home, port=program.port, sample_port=program.sample_port, command=(str(SCRIPT),)
    )
    async with installed.started("up") as up:
        await read_until(up, "Press Ctrl-C to stop")
        async with aiohttp.ClientSession() as session, session.get(installed.url) as response:
            assert response.status == 200
            assert "Harbour Post" in await response.text()
        items = (await installed.run("item", "list", "--json")).json
    assert sum(item["score"] is not None for item in items) >= 15  # the newest may just have come in


def test_the_base_install_has_no_orchestrator_and_no_model_client(program: Program) -> None:
    packages = {path.name.lower() for path in (SCRIPT.parent.parent / "lib").glob("python*/site-packages/*")}
    assert "inforadar" in packages
    assert packages.isdisjoint(
        {"prefect", "pydantic_ai", "openai", "anthropic", "google", "asyncpg", "redis", "uvloop", "brotli.py"}
    )


def test_the_base_install_takes_at_most_140_mb_of_disk(program: Program) -> None:
    assert SCRIPT.exists(), "the wheel is not installed; run the suite by `make test`"
    not_ours = {"pip", "setuptools", "pkg_resources", "_distutils_hack"}  # a new environment has them
    blocks = 0
    for folder in (SCRIPT.parent.parent / "lib").glob("python*/site-packages/*"):
        if folder.name.partition("-")[0] not in not_ours:
            blocks += sum(path.lstat().st_blocks for path in (folder, *folder.rglob("*")))
    assert blocks * 512 <= 140 * 2**20
