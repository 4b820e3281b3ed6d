"""The rules of the W3C feed validator (and of the JSON Feed specification) that our documents can break.

Written from the validator's documentation, both errors and warnings. Each function returns sentences; an empty
list means valid. `now` is the time against which dates are checked.
"""

from tests.support.feed_rules.atom import atom_problems
from tests.support.feed_rules.jsonfeed import json_feed_problems
from tests.support.feed_rules.rss import rss_problems

__all__ = ["atom_problems", "json_feed_problems", "rss_problems"]
