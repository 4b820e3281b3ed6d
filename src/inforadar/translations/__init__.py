"""The interface in the reader's language. The code says everything in English; `pl.po` and others say it again.

    with speaking(find_language("pl")):
        gettext("Saved.")                                            "Zapisano."
        ngettext("%(num)s article", "%(num)s articles", 2)           "2 artykuły"
        pgettext("list", "starred")                                  the same word may differ by its context
        say_again("habr.com could not be reached.")                  a finished sentence, recognized by its pattern

The language belongs to the task that answers a request; everywhere else, as in the terminal, it is English. A message
that a catalogue lacks is shown in English. The files are read when a language is first used, so there is nothing to
compile. `scripts/update_messages.py` keeps them in step with the code.
"""

from __future__ import annotations

from inforadar.translations.catalogue import Catalogue, load_catalogue
from inforadar.translations.language import ENGLISH, LANGUAGES, Language, choose_language, find_language
from inforadar.translations.sentences import say_again
from inforadar.translations.speech import (
    current_language,
    gettext,
    ngettext,
    pgettext,
    speaking,
    term,
)

__all__ = [
    "ENGLISH",
    "LANGUAGES",
    "Catalogue",
    "Language",
    "choose_language",
    "current_language",
    "find_language",
    "gettext",
    "load_catalogue",
    "ngettext",
    "pgettext",
    "say_again",
    "speaking",
    "term",
]
