"""The exceptions of Info Radar.

Expected outcomes (a 404, an item that is not an article) are values, not exceptions. These exceptions are for faults
that the caller cannot continue from. Each message says what to do, because people read it.
"""

from __future__ import annotations


class InfoRadarError(Exception):
    """Base of all exceptions that Info Radar raises; the message is a sentence for people."""

    exit_code = 1


class UsageError(InfoRadarError):
    """The request is wrong or refused; nothing was done."""

    exit_code = 2


class ConfigError(UsageError):
    """A setting has an unusable value."""


class InvalidUrlError(UsageError):
    """A text is not an http or https URL."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(f"{url!r} is not a valid URL: {reason}.")
        self.url = url


class DuplicateFeedError(UsageError):
    """A URL that another feed has."""


class StoreError(InfoRadarError):
    """The database cannot be used."""


class DatabaseTooNewError(StoreError):
    """The database was written by a newer version of Info Radar."""

    exit_code = 2


class DatabaseInUseError(StoreError):
    """Another Info Radar process is using this home."""

    exit_code = 2


class LeaseLostError(StoreError):
    """Another worker has taken the lease; the changes were rolled back."""


class OutputError(InfoRadarError):
    """The output of a command cannot be written, for example because the disk is full."""


class ReaderGoneError(OutputError):
    """The reader closed our output, as `| head` does; not an error."""

    exit_code = 0


class ParseError(InfoRadarError):
    """A document is not what it should be; the message says what it is instead."""


class CutOffError(ParseError):
    """A document ends before its first complete entry: the next answer may be complete."""


class NotFoundError(UsageError):
    """Something that was asked for is not in the database."""

    exit_code = 1
