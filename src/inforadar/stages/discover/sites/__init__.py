"""Sites: what reads the listing pages of a paged site. `SITES` names those that have a reader of their own."""

from __future__ import annotations

from inforadar.stages.discover.page_listing import PageReader
from inforadar.stages.discover.sites import habr

SITES: dict[str, PageReader] = {"habr.com": habr.parse_page}
"""By host, without `www`. Any other site is read by the selectors that its feed has."""
