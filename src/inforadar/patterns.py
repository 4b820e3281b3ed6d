"""Regular expressions that people give. They run on RE2, whose time grows with the text alone, whatever the pattern.

Python's own engine tries every way to match: `(a+)+$` on an unlucky address takes longer than the age of the world.
"""

from __future__ import annotations

import re
from typing import Protocol, cast

from inforadar.errors import UsageError


class Pattern(Protocol):
    """A pattern to be searched for anywhere in a text."""

    def search(self, text: str, /) -> object | None:
        """Return something true if the text has it."""


class UnsafePatternError(UsageError):
    """A valid regular expression that cannot be run in linear time."""


def compile_pattern(text: str) -> Pattern:
    """Compile a person's pattern; refuse what is no pattern, and what RE2 does not know."""
    import re2  # noqa: PLC0415 - few feeds have a pattern

    options = re2.Options()
    options.log_errors = False
    try:
        return cast("Pattern", re2.compile(text, options))
    except re2.error as fault:
        _refuse_malformed(text)
        reason = fault.args[0]
        said = reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
        raise UnsafePatternError(
            f"{text!r} cannot be run safely ({said}): write it without look-arounds, back-references"
            " and counts above 1000."
        ) from None


def _refuse_malformed(text: str) -> None:
    try:
        re.compile(text)
    except re.error as fault:
        raise UsageError(f"{text!r} is not a regular expression: {fault.msg}.") from None
