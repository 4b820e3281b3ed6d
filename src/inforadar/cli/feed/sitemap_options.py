"""What `feed edit` can set of a sitemap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter, validators

from inforadar.stages.discover.sitemap.filter import parse_filter


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapOptions:
    """Which pages become items, and how they are named. None: as it is."""

    include: Annotated[
        list[str] | None,
        Parameter(
            negative="", help="Of a sitemap only pages whose URL matches this regular expression; '': all."
        ),
    ] = None
    exclude: Annotated[
        list[str] | None,
        Parameter(negative="", help="Of a sitemap no pages whose URL matches this; '': none."),
    ] = None
    max_age_days: Annotated[
        int | None,
        Parameter(
            validator=validators.Number(gte=0, lte=36_500),
            help="Of a sitemap only pages that are dated so many days back at most; 0: all.",
        ),
    ] = None
    titles: Annotated[
        bool | None,
        Parameter(help="Take titles that the sitemap lacks from the pages, or out of their addresses."),
    ] = None

    def changes(self) -> dict[str, object]:
        """What `feeds.options` is to hold; refused if a pattern cannot be read."""
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
