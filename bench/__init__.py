"""Benchmarks: `python -m bench` runs all, `python -m bench NAME` one."""
