"""lemon24/reader as a program that adds feeds and updates them. Runs in the peers' own environment.

python peer_reader.py DATABASE URLS first|refresh
"""

import sys
from pathlib import Path

from reader import make_reader

database, urls, step = sys.argv[1:]
reader = make_reader(database)
if step == "first":
    for url in Path(urls).read_text().split():
        reader.add_feed(url, exist_ok=True)
failed = sum(
    isinstance(result.value, Exception) for result in reader.update_feeds_iter(workers=4, scheduled=False)
)
sys.exit(1 if failed else 0)
