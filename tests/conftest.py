"""What every test can ask for, and how properties are tried."""

from collections.abc import Iterator

import pytest
import structlog
from hypothesis import settings

pytest_plugins = [
    "tests.support.site.fixtures",
    "tests.support.servers_fixtures",
    "tests.support.faces.fixtures",
]

# The same examples at each run, and no stopwatch: the machine may be busy.
settings.register_profile("suite", deadline=None, derandomize=True)
settings.load_profile("suite")


@pytest.fixture(autouse=True)
def logs_of_this_test_alone() -> Iterator[None]:
    """A command says where logs go, which is a file of its test: what logs afterwards would find it closed."""
    yield
    structlog.reset_defaults()
