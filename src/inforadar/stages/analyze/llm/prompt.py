"""Prompts: Markdown files with a version in front, each replaceable by a file of the same name in the home folder.

A prompt is identified by its version and a digest of its text. People may edit a file and forget to raise the version;
the digest then keeps cached answers to the old prompt from being used for the new one.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from inforadar.errors import ConfigError

DEFAULT_PROMPT = "deframe"
MAX_PROMPT_CHARS = 50_000

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,29}\Z")
_FRONT = re.compile(r"\A---\r?\n(?P<head>.*?)\r?\n---\r?\n(?P<body>.*)\Z", re.DOTALL)
_VERSION = re.compile(r"^version:\s*[\"']?(?P<version>[A-Za-z0-9._-]{1,16})[\"']?\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """The instructions for a model."""

    name: str
    number: str
    """The version as written in the file."""
    text: str
    origin: str
    """Where it was read from, for people."""

    @property
    def version(self) -> str:
        """Name, version and digest, as stored in analyses and in the cache."""
        digest = hashlib.sha256(self.text.encode()).hexdigest()[:8]
        return f"{self.name}-{self.number}.{digest}"


def load_prompt(name: str, folder: Path | None = None) -> Prompt:
    """Load a prompt: the user's own from `folder` if it exists, else the one that ships with the program."""
    if not _NAME.match(name):
        raise ConfigError(
            f"{name!r} is not a valid prompt name. Use up to 30 small letters, digits, hyphens and underscores."
        )
    own = folder / f"{name}.md" if folder else None
    try:
        if own and own.is_file():
            return parse_prompt(name, own.read_text(encoding="utf-8"), str(own))
        shipped = resources.files("inforadar.stages.analyze") / "prompts" / f"{name}.md"
        return parse_prompt(name, shipped.read_text(encoding="utf-8"), "Info Radar")
    except FileNotFoundError:
        where = f" To create it, write {own}." if own else ""
        raise ConfigError(f"The prompt {name!r} does not exist.{where}") from None
    except (OSError, UnicodeDecodeError) as fault:
        raise ConfigError(f"The prompt {name!r} cannot be read: {fault}") from None


def prompt_stamp(name: str, folder: Path) -> tuple[int, int] | None:
    """Return the file's time and size, which show an edit; `None` if the user has no such prompt."""
    try:
        found = (folder / f"{name}.md").stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def parse_prompt(name: str, content: str, origin: str) -> Prompt:
    """Parse a file: front matter with a `version`, then the prompt."""
    front = _FRONT.match(content)
    version = _VERSION.search(front["head"]) if front else None
    if front is None or version is None:
        raise ConfigError(
            f"The prompt {name!r} ({origin}) must start with its version: a line ---, a line 'version: 1', a line ---."
        )
    text = front["body"].strip()
    if not text or len(text) > MAX_PROMPT_CHARS:
        raise ConfigError(
            f"The prompt {name!r} ({origin}) has {len(text)} characters; it must have 1 to {MAX_PROMPT_CHARS}."
        )
    return Prompt(name=name, number=version["version"], text=text, origin=origin)
