"""The name of a browser for people, from what it calls itself: `Firefox on Linux`. Pure."""

from __future__ import annotations

from inforadar.translations import gettext as _

_BROWSERS = (
    ("Edg/", "Edge"),
    ("EdgA/", "Edge"),
    ("EdgiOS/", "Edge"),
    ("OPR/", "Opera"),
    ("Vivaldi/", "Vivaldi"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("YaBrowser/", "Yandex Browser"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
"""(what only this browser writes, its name). Most call themselves Chrome and Safari too, so those come last."""
_SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Macintosh", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
    ("BSD", "BSD"),
)


def browser_name(user_agent: str) -> str:
    """`Firefox on Linux`; the text itself where no browser is known by it."""
    browser = _first(_BROWSERS, user_agent)
    system = _first(_SYSTEMS, user_agent)
    if browser and system:
        return _("%(browser)s on %(system)s", browser=browser, system=system)
    return browser or user_agent


def _first(known: tuple[tuple[str, str], ...], user_agent: str) -> str | None:
    return next((name for sign, name in known if sign in user_agent), None)
