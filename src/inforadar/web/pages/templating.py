"""Jinja with autoescape always on, and the filters that templates use.

Templates get raw text from the web; the environment escapes it, never a template.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import HTMLResponse

from inforadar import __version__
from inforadar.model.ids import ItemId
from inforadar.stages.publish.addresses import web_address_or_none
from inforadar.stages.publish.dates import rfc3339
from inforadar.stages.publish.text import one_line
from inforadar.translations import LANGUAGES, Language, say_again, speaking
from inforadar.translations.speech import find_plural, find_text
from inforadar.urls import readable
from inforadar.views.browser_name import browser_name
from inforadar.views.feed_health import broken_words
from inforadar.views.settings import DEFAULTS, ReaderSettings, is_choice, settings_of
from inforadar.views.terms import term_text
from inforadar.views.times import full_time, grouped, shown_day, shown_number, shown_time
from inforadar.web.cache.bounded import BoundedCache
from inforadar.web.http.access import CSRF_SCOPE
from inforadar.web.http.encodings import MIN_ENCODED_BYTES, choose_encoding, encode
from inforadar.web.http.identity import PERSON_SCOPE
from inforadar.web.http.language import LANGUAGE_COOKIE, reader_language
from inforadar.web.pages.assets import Assets

SIDE_COOKIE = "side"
"""Set by the page's script when the sidebar is folded: the browser's own matter, so nothing is stored for it."""

THEME_COOKIE = "theme"
"""The theme of a reader without an account."""

MAX_TITLE = 57
"""The length of a page's title, before our name: tabs, bookmarks and search results cut longer ones."""


MAX_PART_CHARACTERS, PART_KEY_CHARACTERS = 2 * 2**20, 2_000
"""How much of parts of pages is kept in memory, and how much of it is counted for a part's key."""


MAX_KEPT_BYTES, KEPT_KEY_BYTES = 2 * 2**20, 500
"""How much of whole pages is kept in memory, compressed, and how much of it is counted for a page's key."""


ITEM_ID = "ITEM-ID"
"""Stands for an item's id in a part that is the same for many items."""

BEHIND = "<BEHIND>"
"""Stands for the end of addresses in a part that is the same in many lists. Escaped text cannot say it."""


@dataclass(frozen=True, slots=True)
class _PartContext:
    """What parts of pages know of the request."""

    root: str
    settings: ReaderSettings
    language: str


MAX_PART_CONTEXTS = 500
"""How many of them are known by a number. There are as many as combinations of settings that are in use."""


@dataclass(frozen=True, slots=True)
class _Body:
    """A page as it is sent."""

    data: bytes
    encoding: str


class Pages:
    """Renders pages. `now` is read once per page, so that all its times are consistent."""

    def __init__(self, assets: Assets, now: Callable[[], datetime]) -> None:
        self._now = now
        self._parts: BoundedCache[Hashable, Markup] = BoundedCache(
            MAX_PART_CHARACTERS, lambda part: len(part) + PART_KEY_CHARACTERS
        )
        self._contexts: BoundedCache[_PartContext, int] = BoundedCache(MAX_PART_CONTEXTS)
        self._context_numbers = count()
        """Numbers of contexts stand for them in the keys of parts: a list has dozens of parts."""
        self._whole: BoundedCache[bytes, _Body] = BoundedCache(
            MAX_KEPT_BYTES, lambda body: len(body.data) + KEPT_KEY_BYTES
        )
        self._environment = Environment(
            loader=FileSystemLoader(Path(__file__).with_name("templates")),
            autoescape=True,
            extensions=["jinja2.ext.i18n"],
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        # `{% trans %}` may run over several lines.
        self._environment.policies["ext.i18n.trimmed"] = True
        # In the new style, what is filled in is escaped, and the message is not. Jinja's own functions need the
        # template's context, which is copied for each call inside of a loop: a tenth of a page's time.
        self._environment.newstyle_gettext = True  # type: ignore[attr-defined]
        self._environment.filters |= {
            "browser": browser_name,
            "for_item": _for_item,
            "in_list": _in_list,
            "full_time": full_time,
            "grouped": grouped,
            "iso_time": rfc3339,
            "number": shown_number,
            "one_line": one_line,
            "page_title": _page_title,
            "readable": readable,
            "shown_day": shown_day,
            "shown_time": shown_time,
            "said": say_again,
            "term": term_text,
            "web_address": web_address_or_none,
        }
        self._environment.globals |= {
            "_": _text,
            "gettext": _text,
            "ngettext": _plural,
            "pgettext": _text_in_context,
            "asset": assets.address,
            "broken_words": broken_words,
            "languages": LANGUAGES,
            "scripted": assets.languages,
            "version": __version__,
        }

    def render(
        self, request: Request, template: str, status: int = 200, *, made_of: object = None, **values: Any
    ) -> HTMLResponse:
        """Render a template. `csrf` is set if somebody is logged in: only then does a page offer changes.

        `made_of` stands for the values: a page that was made of the same is sent as it was. It gets no `now`; what it
        shows of times is among what it is made of.
        """
        person = request.scope.get(PERSON_SCOPE)
        language = reader_language(request.scope)
        settings = settings_of(person) if person else _settings_in_browser(request)
        context: dict[str, Any] = {
            "csrf": request.scope.get(CSRF_SCOPE),
            # The prefix of all our URLs behind a reverse proxy: `/radar`, or nothing.
            "root": request.scope.get("root_path", ""),
            "settings": settings,
            "language": language,
            "chosen_language": request.cookies.get(LANGUAGE_COOKIE, "auto"),
            "is_admin": person is not None and person.is_admin,
            "is_folded": request.cookies.get(SIDE_COOKIE) == "folded",
        }
        encoding = choose_encoding(request.headers.get("accept-encoding", "").encode("latin-1"))
        if made_of is None:
            body = self._body(template, encoding, context | {"now": self._now()} | values)
        else:
            key = _digest((template, encoding, person.id if person else None, context, made_of))
            if (kept := self._whole.get(key)) is None:
                kept = self._body(template, encoding, context | values)
                self._whole.put(key, kept)
            body = kept
        # The content depends on who is logged in, and on the language.
        headers = {"Cache-Control": "no-cache", "Vary": "Cookie, Accept-Encoding, Accept-Language"}
        if body.encoding:
            headers["Content-Encoding"] = body.encoding
        return HTMLResponse(body.data, status, headers)

    def _body(self, template: str, encoding: str, values: Mapping[str, Any]) -> _Body:
        language: Language = values["language"]
        context = _PartContext(values["root"], values["settings"], language.tag)
        if (number := self._contexts.get(context)) is None:
            number = next(self._context_numbers)
            self._contexts.put(context, number)
        with speaking(language):
            part = partial(self._part, context, number)
            text = self._environment.get_template(template).render(part=part, **values)
        data = text.encode()
        if not encoding or len(data) < MIN_ENCODED_BYTES:
            return _Body(data, "")
        # The token of the forms cannot be guessed from lengths: other sites' requests come without the cookie.
        return _Body(encode(data, encoding, is_for_one=True), encoding)

    def _part(
        self, context: _PartContext, context_number: int, template: str, key: Hashable, /, **values: Any
    ) -> Markup:
        """Render a part of a page, or return it as it was rendered before for the same `key`.

        The key stands for the values. A part has the reader's settings and the prefix of URLs, parts of its own, and
        nothing else.
        """
        known_as = (template, context_number, key)
        part = self._parts.get(known_as)
        if part is None:
            own = partial(self._part, context, context_number)
            rendered = self._environment.get_template(template).render(
                root=context.root, settings=context.settings, part=own, **values
            )
            part = Markup(rendered)  # noqa: S704 - a template of ours, which has escaped the values
            self._parts.put(known_as, part)
        return part


def _digest(made_of: object) -> bytes:
    """A short key of anything made of plain data and dataclasses: equal only for what is equal."""
    return hashlib.blake2b(_plain.encode(made_of), digest_size=32).digest()


def _plain_text(value: object) -> str:
    if isinstance(value, Markup):
        return str(value)
    raise TypeError(f"A page cannot be known by a {type(value).__name__}.")


_plain = msgspec.msgpack.Encoder(enc_hook=_plain_text)


def _settings_in_browser(request: Request) -> ReaderSettings:
    theme = request.cookies.get(THEME_COOKIE)
    return replace(DEFAULTS, theme=theme) if theme and is_choice("theme", theme) else DEFAULTS


def _for_item(part: Markup, item_id: ItemId) -> Markup:
    """A part that is the same for many items, for one of them."""
    return Markup(part.replace(ITEM_ID, str(item_id)))  # noqa: S704 - an id has no signs to escape


def _in_list(part: Markup, behind: str) -> Markup:
    """A part that is the same in many lists, in one of them."""
    return part.replace(BEHIND, behind)  # which escapes it


def _page_title(rendered: str) -> Markup:
    title = Markup(rendered).unescape()  # noqa: S704 - only to be escaped again
    return escape(title if len(title) <= MAX_TITLE else f"{title[: MAX_TITLE - 1].rstrip()}…")


def _text(message: str, /, **values: Any) -> Markup:
    return _filled(find_text(message), values)


def _text_in_context(context: str, message: str, /, **values: Any) -> Markup:
    return _filled(find_text(message, context), values)


def _plural(one: str, many: str, number: int, /, **values: Any) -> Markup:
    return _filled(find_plural(one, many, number), {"num": number, **values})


def _filled(message: str, values: Mapping[str, Any]) -> Markup:
    """A message with its values; these are escaped."""
    text = Markup(message)  # noqa: S704 - from our own templates and catalogues
    return text % values if "%" in message else text
