"""Shared by all commands: streams, output, logs and confirmation."""
