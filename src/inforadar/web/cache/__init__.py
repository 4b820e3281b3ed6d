"""Serve many readers with few database queries.

`TimedCache` keeps answers for a limited time and is the usual choice. The others serve special cases: `BoundedCache`
keeps values until they no longer fit, `Batcher` merges many small queries into one, and `SingleFlight` shares a running
load without keeping its result.
"""
