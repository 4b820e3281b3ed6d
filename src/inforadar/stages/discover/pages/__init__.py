"""Read the listing pages of paged sites, and decide where to stop.

`fetch.py` gets one page after the other, `walk.py` decides what to do with a page and whether it was the last. A page
is read either by the reader of its site (`sites/`) or by selectors that a person wrote (`selectors/`); both return a
`PageListing` (`listing.py`) and build on `dom.py`.
"""
