"""Parse dates as feeds and sites write them.

`absolute.py` reads complete dates, as feeds and sitemaps have them; `relative.py` also reads "3 hours ago" and dates
without a year, as listing pages show them. The other two modules hold the words of both, in many languages.
"""
