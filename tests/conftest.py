"""What every test can ask for."""

pytest_plugins = ["tests.site.fixtures", "tests.servers_fixtures"]
