"""Prompts: Markdown files with a version in front, each replaceable by a file of the same name in the home folder.

A prompt is known by its version and by a digest of its text. People raise the version when they mean to; they also
edit a file and forget, and then the digest keeps an old answer from being served as one to the new prompt.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from inforadar.errors import ConfigError

DEFAULT_PROMPT = "deframe"
MAX_PROMPT = 50_000

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,29}\Z")
_FRONT = re.compile(r"\A---\r?\n(?P<head>.*?)\r?\n---\r?\n(?P<body>.*)\Z", re.DOTALL)
_VERSION = re.compile(r"^version:\s*[\"']?(?P<version>[A-Za-z0-9._-]{1,16})[\"']?\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What stands where instructions stand."""

    name: str
    number: str
    """The version as its author wrote it."""
    text: str
    origin: str
    """Where it was read from, for people."""

    @property
    def version(self) -> str:
        """Name, version and digest: what an analysis and the cache know the prompt by."""
        digest = hashlib.sha256(self.text.encode()).hexdigest()[:8]
        return f"{self.name}-{self.number}.{digest}"


def load_prompt(name: str, folder: Path | None = None) -> Prompt:
    """The prompt of that name: from `folder` if it is there, else the one that came with the program."""
    if not _NAME.match(name):
        raise ConfigError(
            f"{name!r} is no name of a prompt. Names have up to 30 small letters, digits, hyphens and underscores."
        )
    own = folder / f"{name}.md" if folder else None
    try:
        if own and own.is_file():
            return parse_prompt(name, own.read_text(encoding="utf-8"), str(own))
        shipped = resources.files("inforadar.stages.analyze") / "prompts" / f"{name}.md"
        return parse_prompt(name, shipped.read_text(encoding="utf-8"), "Info Radar")
    except FileNotFoundError:
        where = f" Write it to {own}." if own else ""
        raise ConfigError(f"There is no prompt {name!r}.{where}") from None
    except (OSError, UnicodeDecodeError) as fault:
        raise ConfigError(f"The prompt {name!r} cannot be read: {fault}") from None


def prompt_stamp(name: str, folder: Path) -> tuple[int, int] | None:
    """By what an edit of a person's own prompt is noticed; `None` while there is no such file."""
    try:
        found = (folder / f"{name}.md").stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def parse_prompt(name: str, content: str, origin: str) -> Prompt:
    """Front matter with a `version`, then the prompt."""
    front = _FRONT.match(content)
    version = _VERSION.search(front["head"]) if front else None
    if front is None or version is None:
        raise ConfigError(
            f"The prompt {name!r} ({origin}) must begin with its version: a line ---, a line 'version: 1', a line ---."
        )
    text = front["body"].strip()
    if not text or len(text) > MAX_PROMPT:
        raise ConfigError(
            f"The prompt {name!r} ({origin}) has {len(text)} characters; 1 to {MAX_PROMPT} will do."
        )
    return Prompt(name=name, number=version["version"], text=text, origin=origin)
