"""The map of the web face, in the docstring of `inforadar.web.app`, is true."""

from __future__ import annotations

import re

from inforadar.web import app
from tests.support.paths import SOURCE

WEB = SOURCE / "inforadar" / "web"


def test_every_module_on_the_map_of_the_web_face_exists() -> None:
    named = re.findall(r"(?<!/)\b(?:api|feeds|http|pages)/\w+(?:\.py|/(?!\w))", app.__doc__ or "")
    assert len(named) > 20
    assert [name for name in named if not (WEB / name).exists()] == []


def test_every_module_with_routes_is_on_the_map() -> None:
    with_routes = [
        module.relative_to(WEB).as_posix()
        for module in WEB.rglob("*.py")
        if "def routes" in module.read_text("utf-8")
    ]
    assert with_routes
    assert [name for name in with_routes if name not in (app.__doc__ or "")] == []
