"""The options of `feed edit` for sitemaps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter, validators

from inforadar.stages.discover.sitemap.filter import parse_filter


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapOptions:
    """Which pages of a sitemap become items, and where their titles come from. None means unchanged."""

    include: Annotated[
        list[str] | None,
        Parameter(
            negative="", help="Sitemaps: only pages whose URL matches this regular expression; '': all."
        ),
    ] = None
    exclude: Annotated[
        list[str] | None,
        Parameter(
            negative="",
            help="Sitemaps: no pages whose URL matches this regular expression; '': exclude none.",
        ),
    ] = None
    max_age_days: Annotated[
        int | None,
        Parameter(
            validator=validators.Number(gte=0, lte=36_500),
            help="Sitemaps: only pages dated within this many days; 0: all.",
        ),
    ] = None
    titles: Annotated[
        bool | None,
        Parameter(help="Sitemaps: take missing titles from the pages, or from their URLs."),
    ] = None

    def changes(self) -> dict[str, object]:
        """The changes to `feeds.options`; an invalid pattern is refused."""
        options: dict[str, object] = {}
        for name, patterns in (("include_patterns", self.include), ("exclude_patterns", self.exclude)):
            if patterns is not None:
                options[name] = [pattern for pattern in patterns if pattern] or None
        if self.max_age_days is not None:
            options["max_age_days"] = self.max_age_days or None
        if self.titles is not None:
            options["fetch_titles"] = self.titles
        parse_filter(options)
        return options


UNCHANGED = SitemapOptions()
