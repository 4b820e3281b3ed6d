"""Settings: load them, remember where each value came from, and explain wrong values.

A value comes from the environment, else from `.env` in the home folder, else from `.env` in the working folder, else
from `inforadar.toml` in the home folder, else it is the default. A secret may be in a file of its own, named by
`<NAME>_FILE`, so that it shows up in no environment and no process list.

Only `cli`, `flows` and programs that use `public` load settings; every other part gets its section as an argument.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from inforadar.config.clients import ClientSettings
from inforadar.config.section import Section, WrongValueError, allowed, default_of, field_texts, is_secret
from inforadar.config.sections import (
    FLOWS,
    KEYS,
    RULES,
    SECTIONS,
    AiSettings,
    CanonicalSettings,
    DatabaseSettings,
    FetcherSettings,
    LogSettings,
    NotifySettings,
    PublishSettings,
    RedisSettings,
    RetentionSettings,
    SampleSettings,
    SitemapSettings,
    TerminalSettings,
    WebSettings,
)
from inforadar.errors import ConfigError
from inforadar.urls import sqlite_url

MAX_SECRET_CHARS = 65_536
"""The longest value that `<NAME>_FILE` may hold."""

__all__ = [
    "SECTIONS",
    "AiSettings",
    "CanonicalSettings",
    "ClientSettings",
    "DatabaseSettings",
    "FetcherSettings",
    "LogSettings",
    "NotifySettings",
    "PublishSettings",
    "RedisSettings",
    "RetentionSettings",
    "SampleSettings",
    "Section",
    "Settings",
    "SitemapSettings",
    "TerminalSettings",
    "WebSettings",
    "allowed",
    "default_home",
    "default_of",
    "field_texts",
    "is_secret",
    "load_settings",
    "read_flows",
    "read_keys",
    "read_rules",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All sections, and where each value came from."""

    home: Path
    database: DatabaseSettings
    redis: RedisSettings
    fetcher: FetcherSettings
    sitemap: SitemapSettings
    canonical: CanonicalSettings
    ai: AiSettings
    publish: PublishSettings
    retention: RetentionSettings
    web: WebSettings
    clients: ClientSettings
    notify: NotifySettings
    sample: SampleSettings
    terminal: TerminalSettings
    log: LogSettings
    origins: Mapping[str, str]
    """{"fetcher.interval": "environment FETCHER_INTERVAL"}; settings that are missing here have their default."""

    def replaced(self, **sections: Mapping[str, Any]) -> Settings:
        """Return a copy with other values in some sections, validated like all others."""
        changed: dict[str, Any] = {}
        for name, values in sections.items():
            section: Section = getattr(self, name)
            try:
                changed[name] = section.replaced(values)
            except WrongValueError as fault:
                given = {field: (value, "given") for field, value in values.items()}
                raise ConfigError(_sentence(name, type(section), given, fault)) from None
        return replace(self, **changed)

    @property
    def database_url(self) -> str:
        """The database's URL; by default SQLite in the home folder."""
        return self.database.url or sqlite_url(self.home / "inforadar.db")


def default_home() -> Path:
    """Return the user's data folder (XDG)."""
    from platformdirs import user_data_path  # noqa: PLC0415 - not needed where the home is given

    return Path(user_data_path("inforadar", appauthor=False))


def load_settings(home: Path | None = None, environ: Mapping[str, str] | None = None) -> Settings:
    """Read all sources. A wrong value is a `ConfigError` that names the setting, the value and what is allowed."""
    environ = os.environ if environ is None else environ
    folder = (home or Path(environ.get("INFORADAR_HOME") or default_home())).expanduser().absolute()
    toml = _read_toml(folder / "inforadar.toml")
    # Later sources win.
    sources = [
        (str(path), _read_dotenv(path))
        for path in (Path(".env").absolute(), folder / ".env")
        if path.is_file()
    ]
    sources.append(("environment", dict(environ)))
    origins: dict[str, str] = {}
    sections: dict[str, Any] = {}
    for name, section in SECTIONS.items():
        given = _given(name, section, toml.get(name, {}), sources)
        try:
            sections[name] = section.read({field: value for field, (value, _) in given.items()})
        except WrongValueError as fault:
            raise ConfigError(_sentence(name, section, given, fault)) from None
        origins |= {f"{name}.{field}": origin for field, (_, origin) in given.items()}
    return Settings(home=folder, origins=origins, **sections)


def _given(
    name: str,
    section: type[Section],
    in_file: Mapping[str, Any],
    sources: Sequence[tuple[str, Mapping[str, str | None]]],
) -> dict[str, tuple[Any, str]]:
    """Return {field: (value, where it came from)}; an empty variable counts as not set."""
    given: dict[str, tuple[Any, str]] = {}
    for field, value in in_file.items():
        if field not in section.__struct_fields__:
            close = difflib.get_close_matches(field, section.__struct_fields__, n=1)
            hint = (
                f" Did you mean {close[0]!r}?"
                if close
                else f" It has: {', '.join(section.__struct_fields__)}."
            )
            raise ConfigError(f"inforadar.toml: section [{name}] has no setting {field!r}.{hint}")
        given[field] = (value, f"inforadar.toml [{name}]")
    for label, variables in sources:
        for field in section.__struct_fields__:
            variable = section.env_name(field)
            value, file = variables.get(variable), variables.get(f"{variable}_FILE")
            if value and file:
                raise ConfigError(
                    f"{variable} and {variable}_FILE are both set ({label}); remove one of them."
                )
            if file:
                given[field] = (_read_secret(Path(file), variable), f"{label} {variable}_FILE")
            elif value:
                given[field] = (value, f"{label} {variable}")
    return given


def _read_secret(path: Path, variable: str) -> str:
    """Read a file that holds one value, without its final line break."""
    try:
        value = path.read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as fault:
        why = fault.strerror if isinstance(fault, OSError) else "it is not text"
        raise ConfigError(f"{variable}_FILE names {path}, which cannot be read: {why}.") from None
    if not value or len(value) > MAX_SECRET_CHARS:
        raise ConfigError(
            f"{variable}_FILE names {path}, which must hold one value but is empty or too long."
        )
    return value


def read_flows(home: Path) -> Mapping[str, Any]:
    """Return the `[flows]` of the settings file by name, unchecked: `flows` validates them."""
    flows: Mapping[str, Any] = _read_toml(home / "inforadar.toml").get(FLOWS, {})
    return flows


def read_rules(home: Path) -> Mapping[str, Any]:
    """Return the `[rules]` of the settings file by name, unchecked: `actions/rules/from_settings.py` validates them."""
    rules: Mapping[str, Any] = _read_toml(home / "inforadar.toml").get(RULES, {})
    return rules


def read_keys(home: Path) -> Mapping[str, Any]:
    """Return the `[keys]` of the settings file by screen, unchecked: `tui/commands/keymap.py` validates them."""
    keys: Mapping[str, Any] = _read_toml(home / "inforadar.toml").get(KEYS, {})
    return keys


def _read_dotenv(path: Path) -> Mapping[str, str | None]:
    from dotenv import dotenv_values  # noqa: PLC0415 - most homes have no such file

    return dotenv_values(path, interpolate=False)


def _read_toml(path: Path) -> Mapping[str, Any]:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise ConfigError(f"{path} cannot be read: {fault}") from None
    except OSError as fault:
        raise ConfigError(f"{path} cannot be read: {fault.strerror}") from None
    for name, value in content.items():
        if name not in {*SECTIONS, FLOWS, RULES, KEYS} or not isinstance(value, dict):
            raise ConfigError(f"{path}: unknown section [{name}]. Use one of: {', '.join(SECTIONS)}.")
    return content


def _sentence(
    name: str, section: type[Section], given: Mapping[str, tuple[Any, str]], fault: WrongValueError
) -> str:
    if fault.field not in given:
        return f"[{name}] {fault}."
    value, origin = given[fault.field]
    shown = "***" if is_secret(section, fault.field) else repr(value)
    takes = allowed(section, fault.field)
    return f"{section.env_name(fault.field)} is {shown} ({origin}), but must be: {takes}."
