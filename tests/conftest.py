"""What every test can ask for, and how properties are tried."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import structlog
from hypothesis import settings

from tests.support.forked_pool import ForkedPoolContext
from tests.support.paths import TESTS
from tests.support.shared_statements import shared_async_engine, shared_engine

pytest_plugins = [
    "tests.support.site.fixtures",
    "tests.support.servers_fixtures",
    "tests.support.faces.fixtures",
]

# The same examples at each run, and no stopwatch: the machine may be busy.
settings.register_profile("suite", deadline=None, derandomize=True)
settings.register_profile("quick", deadline=None, derandomize=True, max_examples=10)
settings.load_profile("suite")

SLOW_FIXTURES = frozenset(
    {
        "backend",
        "call",
        "chromium",
        "empty_database_url",
        "filled",
        "newsroom",
        "program",
        "redis_url",
        "site",
    }
)
"""They start servers, processes or a browser, or talk to sockets: `make check` leaves out whoever asks for one."""
SLOW_PATHS = (
    "actions",
    "chaos",
    "cli",
    "embed",
    "fetch/test_decode.py",
    "flows",
    "pipeline",
    "stages/analyze/llm",
    "stages/analyze/test_base.py",
    "stages/analyze/test_choose.py",
    "stages/discover/sitemap/test_broken.py",
    "stages/publish/test_hostile.py",
    "store/sitemaps/test_site_states_property.py",
    "store/test_faults.py",
    "tui",
    "web/test_serve.py",
)
"""Folders and files that `make check` leaves out as a whole: databases, servers, processes, hostile sizes."""


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "slow: needs servers, processes or a browser; `make check` leaves it out"
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """`make check` does not even import what is slow as a whole: that takes longer than running the rest."""
    return True if config.option.markexpr == "not slow" and is_slow_path(collection_path) else None


@cache
def is_slow_path(path: Path) -> bool:
    return any(path.is_relative_to(TESTS / slow) for slow in SLOW_PATHS)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        wanted = getattr(item, "fixturenames", ())
        if is_slow_path(item.path) or not SLOW_FIXTURES.isdisjoint(wanted):
            item.add_marker("slow")


@pytest.fixture(autouse=True)
def logs_of_this_test_alone() -> Iterator[None]:
    """A command says where logs go, which is a file of its test: what logs afterwards would find it closed."""
    yield
    structlog.reset_defaults()


@pytest.fixture(scope="session", autouse=True)
def statements_compiled_once() -> Iterator[None]:
    """What one test's database compiled, the next one's knows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("inforadar.store.database.create_engine", shared_engine)
        patch.setattr("sqlalchemy.ext.asyncio.create_async_engine", shared_async_engine)
        yield


@pytest.fixture(autouse=True)
def pools_of_forks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pools start at once, except where the pool itself is tested."""
    if request.path.stem not in {"test_pool", "test_idle_pool"}:
        monkeypatch.setattr("inforadar.pipeline.pool_process.PoolContext", ForkedPoolContext)
