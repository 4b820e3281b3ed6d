"""The one family of faults.

Expected endings (a 404, an item that is no article) are values, not exceptions; what stands here is
what the caller cannot go on from. Each says what to do, because its text reaches a person.
"""

from __future__ import annotations


class InfoRadarError(Exception):
    """Anything that Info Radar itself raises; its text is a sentence for a person."""

    exit_code = 1


class UsageError(InfoRadarError):
    """The request was wrong or is refused; nothing was done."""

    exit_code = 2


class ConfigError(UsageError):
    """A setting has a value that cannot be used."""


class InvalidUrlError(UsageError):
    """A text that is no http or https URL."""

    def __init__(self, url: str, why: str) -> None:
        super().__init__(f"{url!r} is no usable URL: {why}.")
        self.url = url


class DuplicateFeedError(UsageError):
    """A URL that another feed has."""


class StoreError(InfoRadarError):
    """The database cannot be used."""


class DatabaseTooNewError(StoreError):
    """The database was written by a newer version of the program."""

    exit_code = 2


class DatabaseInUseError(StoreError):
    """Another process of ours holds this home."""

    exit_code = 2


class LeaseLostError(StoreError):
    """Someone else holds the lease by now; what was to be saved was rolled back."""


class OutputError(InfoRadarError):
    """What a command says cannot be written: the disk is full, say."""


class ReaderGoneError(OutputError):
    """The reader of our output has enough, as `| head` has: no fault of anyone."""

    exit_code = 0


class ParseError(InfoRadarError):
    """A document that is not what it should be; says what it is instead."""


class NotFoundError(UsageError):
    """The thing that was named is not in the database."""

    exit_code = 1
