"""Info Radar: follows feeds, sitemaps and paged sites, and serves clean, deframed news.

The flow, in the order of the packages:

    feeds | discover | diff | items | canonical | articles | analyze | publish

`docs/architecture.md` explains it; `docs/glossary.md` defines the vocabulary.
"""

__version__ = "0.2.0"
