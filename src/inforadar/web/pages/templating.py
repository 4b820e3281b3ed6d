"""Jinja with autoescape always on, and the filters that templates use.

Templates get raw text from the web; the environment escapes it, never a template.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from inforadar import __version__
from inforadar.stages.publish.addresses import web_address_or_none
from inforadar.stages.publish.dates import rfc3339
from inforadar.stages.publish.text import one_line
from inforadar.urls import readable
from inforadar.views.feed_health import broken_words
from inforadar.views.times import full_time, shown_number, shown_time
from inforadar.web.http.access import CSRF_SCOPE
from inforadar.web.pages.assets import Assets


class Pages:
    """Renders pages. `now` is read once per page, so that all its times are consistent."""

    def __init__(self, assets: Assets, now: Callable[[], datetime]) -> None:
        self._now = now
        self._environment = Environment(
            loader=FileSystemLoader(Path(__file__).with_name("templates")),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        self._environment.filters |= {
            "full_time": full_time,
            "iso_time": rfc3339,
            "number": shown_number,
            "one_line": one_line,
            "readable": readable,
            "shown_time": shown_time,
            "web_address": web_address_or_none,
        }
        self._environment.globals |= {
            "asset": assets.address,
            "broken_words": broken_words,
            "version": __version__,
        }

    def render(self, request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
        """Render a template. `csrf` is set if somebody is logged in: only then does a page offer changes."""
        csrf = request.scope.get(CSRF_SCOPE)
        # The prefix of all our URLs behind a reverse proxy: `/radar`, or nothing.
        root = request.scope.get("root_path", "")
        text = self._environment.get_template(template).render(
            now=self._now(), csrf=csrf, root=root, **values
        )
        # The content depends on whether somebody is logged in.
        return HTMLResponse(text, status, {"Cache-Control": "no-cache", "Vary": "Cookie"})
