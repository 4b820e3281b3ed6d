"""What a worker loads when it first needs it, loaded before the fork: so a killed worker has worked, not started."""

from __future__ import annotations

from inforadar.semantic import encoder
from inforadar.store.items.search_words import search_words

search_words(["a"])
if encoder.available():
    encoder.vectors(["a"])
