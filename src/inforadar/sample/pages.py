"""Render what the sample's outlets publish for people: front pages, the paged listing, articles.

Like real pages, they surround an article with navigation, a cookie notice, most read and related articles and a
footer, so that extraction has something to leave out. The templates escape everything automatically.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from inforadar.sample.markdown import render_body
from inforadar.sample.outlets import OUTLETS, Outlet
from inforadar.sample.pictures import picture_url
from inforadar.sample.stories import Edition

_RIGHT_TO_LEFT = frozenset({"ar"})
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def render_home(latest: Mapping[str, Sequence[Edition]], base: str) -> bytes:
    """Render the front page of the whole world: every outlet with its feed and newest headlines."""
    return _render("home.html", base=base, outlets=OUTLETS.values(), latest=latest)


def render_front(outlet: Outlet, editions: Sequence[Edition], base: str) -> bytes:
    """Render the front page of one outlet."""
    return _render("front.html", base=base, outlet=outlet, editions=editions[:12], aside=_most_read(editions))


def render_listing(
    outlet: Outlet,
    editions: Sequence[Edition],
    base: str,
    *,
    page: int,
    pages: int,
    most_read: Sequence[Edition],
) -> bytes:
    """Render one page of a listing, newest first; the most read are chosen from `most_read`."""
    return _render(
        "listing.html",
        base=base,
        outlet=outlet,
        editions=editions,
        page=page,
        pages=pages,
        aside=_most_read(most_read),
    )


def render_article(outlet: Outlet, edition: Edition, editions: Sequence[Edition], base: str) -> bytes:
    """Render the page of one story, with links to the outlet's other stories."""
    others = [other for other in editions if other.slug != edition.slug]
    related = sorted(others, key=lambda other: not set(other.tags) & set(edition.tags))[:3]
    return _render(
        "article.html",
        base=base,
        outlet=outlet,
        edition=edition,
        body=Markup(render_body(edition.body)),  # noqa: S704 - render_body escapes its input
        aside=_most_read(others),
        related=related,
        linked_data=_linked_data(outlet, edition, base),
    )


def short_count(value: int) -> str:
    """Format 2130 as "2.1K", as sites abbreviate their counters."""
    if value < 1000:
        return str(value)
    return f"{value // 100 / 10:.1f}K".replace(".0K", "K")


def signed(value: int) -> str:
    """Format 12 as "+12", as sites show votes."""
    return f"{value:+d}" if value else "0"


def _most_read(editions: Sequence[Edition]) -> list[Edition]:
    return sorted(editions, key=lambda edition: (-(edition.counters.views or 0), edition.slug))[:5]


def _linked_data(outlet: Outlet, edition: Edition, base: str) -> dict[str, Any]:
    return {
        "@context": "https://schema.org",
        "@type": "NewsArticle",
        "headline": edition.title,
        "description": edition.snippet,
        "inLanguage": edition.language,
        "datePublished": edition.published_at.astimezone(outlet.zone).isoformat(),
        "dateModified": edition.modified_at.astimezone(outlet.zone).isoformat(),
        "author": {"@type": "Person", "name": edition.author},
        "publisher": {"@type": "Organization", "name": outlet.name, "url": f"{base}/{outlet.key}/"},
        "image": picture_url(edition.slug, base),
        "mainEntityOfPage": base + edition.path,
        "keywords": ", ".join(edition.tags),
    }


def _render(template: str, **values: object) -> bytes:
    return _environment().get_template(template).render(**values).encode()


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"short": short_count, "signed": signed, "day": _day, "iso": _iso}
    environment.filters["picture"] = picture_url
    environment.globals["direction"] = lambda language: "rtl" if language in _RIGHT_TO_LEFT else "ltr"
    return environment


def _iso(moment: datetime, outlet: Outlet) -> str:
    return moment.astimezone(outlet.zone).isoformat()


def _day(moment: datetime, outlet: Outlet) -> str:
    local = moment.astimezone(outlet.zone)
    return f"{local.day} {_MONTHS[local.month - 1]} {local.year}, {local:%H:%M}"
