"""The page that a login leads back to: the one that its link was on.

A cookie remembers it for a few minutes, because a login takes several pages, and a link from the terminal may be one of
them. Only paths of our own are taken: a login must not lead to another site.
"""

from __future__ import annotations

from urllib.parse import quote, unquote, urlsplit

from starlette.requests import Request
from starlette.responses import Response

COOKIE = "landing"
LASTS_S = 600
MAX_CHARS = 2000


def came_from(request: Request) -> str | None:
    """The path of our own page that a request came from, by its `Referer`; None if it came from elsewhere."""
    try:
        referrer = urlsplit(request.headers.get("referer", ""))
    except ValueError:
        return None
    if not referrer.netloc or referrer.netloc != request.headers.get("host"):
        return None
    root = request.scope.get("root_path", "")
    path = referrer.path.removeprefix(root) or "/"
    return checked(f"{path}?{referrer.query}" if referrer.query else path)


def checked(path: str) -> str | None:
    """The path, if it leads to a page of ours and not to the login itself."""
    is_ours = path.startswith("/") and not path.startswith(("//", "/\\", "/login", "/logout"))
    return path if is_ours and path.isprintable() and len(path) <= MAX_CHARS else None


def remember(request: Request, response: Response) -> None:
    """Remember where the login was asked for: by the parameter `next`, else by where the request came from."""
    path = checked(request.query_params.get("next", "")) or came_from(request)
    if path:
        response.set_cookie(COOKIE, quote(path), max_age=LASTS_S, path="/", httponly=True, samesite="strict")


def landing_of(request: Request) -> str:
    """Where to go now that somebody is logged in."""
    return checked(unquote(request.cookies.get(COOKIE, ""))) or "/"
