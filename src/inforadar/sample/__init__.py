"""The sample news world, served by the program itself, so that the whole flow works without a network.

`world.py` answers requests as a pure function of time, from `outlets`, `stories` and `bulletins`; `syndication` and
`pages` render its documents. `server.py` serves it on loopback, `install.py` adds its feeds to a database.
"""
