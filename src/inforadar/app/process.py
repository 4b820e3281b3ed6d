"""A process that is to run for long: what it has to do once, when everything is open.

What was imported until then stays for good, and it is most of what there is. Left to itself the garbage
collector walks through all of it again and again while feeds are collected, to find nothing.
"""

from __future__ import annotations

import gc

YOUNG_OBJECTS = 5_000
"""A feed that is fetched leaves hundreds of objects behind; at Python's 700 the collector would run for each few."""


def settle_in() -> None:
    """Leaves what is there now out of garbage collection, and makes collections rarer. For whole programs only."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS, *gc.get_threshold()[1:])
