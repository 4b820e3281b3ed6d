"""Shared by the tests: servers, a scriptable site, feed validators, drivers of the faces."""
