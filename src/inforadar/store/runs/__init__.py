"""Runs: reports, events, requests between processes, the spool of a fetch."""
