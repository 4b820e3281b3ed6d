"""What every test can ask for, and how properties are tried."""

from hypothesis import settings

pytest_plugins = ["tests.site.fixtures", "tests.servers_fixtures"]

# The same examples at each run, and no stopwatch: the machine may be busy.
settings.register_profile("suite", deadline=None, derandomize=True)
settings.load_profile("suite")
