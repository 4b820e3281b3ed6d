"""Messages in the language of the current task."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from inforadar.translations.catalogue import load_catalogue
from inforadar.translations.language import ENGLISH, Language

_current: ContextVar[Language] = ContextVar("language", default=ENGLISH)


def current_language() -> Language:
    """The language that this task speaks."""
    return _current.get()


@contextmanager
def speaking(language: Language) -> Iterator[None]:
    """Speak a language inside the block."""
    token = _current.set(language)
    try:
        yield
    finally:
        _current.reset(token)


def find_text(message: str, context: str = "") -> str:
    """The message in the current language, its placeholders unfilled."""
    catalogue = load_catalogue(_current.get().code)
    return catalogue.messages.get((context, message), message) if catalogue else message


def find_plural(one: str, many: str, number: int, context: str = "") -> str:
    """The form of the message for this number, its placeholders unfilled."""
    catalogue = load_catalogue(_current.get().code)
    forms = catalogue.plurals.get((context, one)) if catalogue else None
    if catalogue is None or forms is None:
        return one if number == 1 else many
    return forms[min(catalogue.choose_form(abs(number)), len(forms) - 1)]


def gettext(message: str, /, **values: object) -> str:
    """The message in the current language: `gettext("Delete %(feed)s?", feed=name)`."""
    text = find_text(message)
    return text % values if values else text


def ngettext(one: str, many: str, number: int, /, **values: object) -> str:
    """The message with a count, which is `%(num)s` in it."""
    return find_plural(one, many, number) % {"num": number, **values}


def pgettext(context: str, message: str, /, **values: object) -> str:
    """The message where its words mean different things in different places."""
    text = find_text(message, context)
    return text % values if values else text


def term(context: str, message: str, /) -> str:
    """Note a word for the catalogues that is looked up later by `pgettext`. Returns it as it is."""
    return message
