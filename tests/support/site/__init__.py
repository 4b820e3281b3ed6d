"""A scriptable web site on loopback that records every request and its time.

site.feed("/rss", rss(title="News", items=[…]), etag='"1"')
site.respond("/flaky", [status(503), resets(), html("fine")])
await site.wait_for_requests(3)
site.requests[0].headers["if-none-match"]
"""

from tests.support.site.answers import Answer, Exchange, Fault, SiteRequest, html, redirect, status
from tests.support.site.server import Site

__all__ = ["Answer", "Exchange", "Fault", "Site", "SiteRequest", "html", "redirect", "status"]
