"""What all tests share."""

pytest_plugins = ["tests.site.fixtures"]
