"""The polite engine: the only way out to the web.

Start with `engine.py`: `Engine.fetch` waits for a host's turn (`pace.py`, with its slots in the database or in
`pace_redis.py`) and calls `client.py`, which does one GET and returns `Fetched | NotModified | Failed`.

The client follows redirects itself (`redirect.py`) over `connections.py`, where `guard.py`, `networks.py` and
`resolve.py` decide what may be connected to. `decode.py` unpacks bodies, `headers.py` and `conditional.py` read and
write header fields, `outcome.py` and `faults.py` turn statuses and errors into outcomes and sentences.

For callers: `robots.py` reads a site's robots.txt, and `freshness.py` how long a response stays fresh.
"""
