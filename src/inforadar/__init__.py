"""Info Radar: watches feeds, sitemaps and paged sites, and serves clean, deframed news.

The flow, in the order of the packages that do it:

    feeds | discover | diff | items | canonical | articles | analyze | publish

`docs/architecture.md` draws it; `docs/glossary.md` holds the one vocabulary.
"""

__version__ = "0.1.0"
