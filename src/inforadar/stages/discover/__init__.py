"""Discover: the first stage. Turn what a server sent into listed items, one subpackage per kind of feed.

Where to start reading:

- `feed/parse.py`: RSS, Atom and JSON Feed. `parse_feed` takes bytes and returns a `Listing`.
- `sitemap/parse.py`: sitemaps and their indexes. `SitemapReader` yields entries while it reads.
- `pages/fetch.py`: sites without a feed. `fetch_pages` follows the listing page by page, `pages/walk.py` decides
  where to stop, `pages/sites/` and `pages/selectors/` read a single page.
- `dates/` and `counters.py`: dates and numbers as feeds and pages write them, for all three kinds.

Nothing here opens a connection or a database: fetching is passed in by `pipeline/collect/`, which also compares
the result with what is stored (`stages/diff.py`).
"""
