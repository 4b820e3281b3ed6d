"""Whether lists show each event once or each article: a person's setting, or a cookie if there is no account."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from inforadar.views.settings import CHOICES, settings_of
from inforadar.web.http.forms import redirect_to
from inforadar.web.http.identity import PERSON_SCOPE
from inforadar.web.pages.item_query import Query

VIEW_COOKIE = "view"
COOKIE_LIFETIME_S = 365 * 24 * 3600


def chosen_view(request: Request) -> str:
    """`stories` or `articles`."""
    person = request.scope.get(PERSON_SCOPE)
    if person is not None:
        return settings_of(person).view
    given = request.cookies.get(VIEW_COOKIE)
    return given if given in CHOICES["view"] else CHOICES["view"][0]


def shows_stories(request: Request, query: Query) -> bool:
    """Whether this list shows each event once. A search or the list of one source shows all articles."""
    return query.can_fold and chosen_view(request) == "stories"


def remember_view(request: Request, query: Query) -> Response | None:
    """The answer to `?view=…`: the list without it, and a cookie; None if the address has no such view."""
    given = request.query_params.get("view")
    if given not in CHOICES["view"]:
        return None
    response = redirect_to(request, query.href)
    path = request.scope.get("root_path", "") or "/"
    response.set_cookie(VIEW_COOKIE, given, COOKIE_LIFETIME_S, path=path, httponly=True, samesite="lax")
    return response
