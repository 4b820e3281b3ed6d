"""Settings: where values come from, and the messages for wrong ones."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from inforadar import __version__
from inforadar.config import SECTIONS, field_texts, load_settings
from inforadar.errors import ConfigError
from inforadar.model.feed import ErrorPolicy


def test_without_any_source_every_value_is_the_default_of_the_specification(tmp_path: Path) -> None:
    fetcher = load_settings(tmp_path, {}).fetcher
    assert (fetcher.interval, fetcher.success_interval, fetcher.workers) == (300, 3600, 10)
    assert (fetcher.batch_size, fetcher.domain_delay, fetcher.request_timeout) == (1000, 3, 30)
    assert (fetcher.job_timeout, fetcher.max_articles, fetcher.max_body_size_mb) == (45, 100, 2)
    assert fetcher.error_policy is ErrorPolicy.BACKOFF
    assert fetcher.reprobe == "off"


def test_the_environment_wins_over_dotenv_and_dotenv_over_toml(tmp_path: Path) -> None:
    (tmp_path / "inforadar.toml").write_text(
        "[fetcher]\ninterval = 10\nworkers = 11\nbatch_size = 12\ncutoff_date = 2024-05-06\n"
    )
    (tmp_path / ".env").write_text("FETCHER_INTERVAL=20\nFETCHER_WORKERS=21\nUNRELATED=1\n")
    settings = load_settings(tmp_path, {"FETCHER_INTERVAL": "30"})
    fetcher = settings.fetcher
    assert (fetcher.interval, fetcher.workers, fetcher.batch_size) == (30, 21, 12)
    assert fetcher.cutoff_date == date(2024, 5, 6)
    assert settings.origins["fetcher.interval"] == "environment FETCHER_INTERVAL"
    assert settings.origins["fetcher.workers"] == f"{tmp_path / '.env'} FETCHER_WORKERS"
    assert settings.origins["fetcher.batch_size"] == "inforadar.toml [fetcher]"
    assert "fetcher.max_articles" not in settings.origins


def test_home_comes_from_the_environment_and_holds_the_default_database(tmp_path: Path) -> None:
    settings = load_settings(environ={"INFORADAR_HOME": str(tmp_path)})
    assert settings.home == tmp_path
    assert settings.database_url == f"sqlite:///{tmp_path / 'inforadar.db'}"


def test_a_value_that_a_caller_puts_in_is_refused_as_any_other(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as fault:
        load_settings(tmp_path, {}).replaced(web={"port": 99999})
    expected = "INFORADAR_PORT is 99999 (given), but must be: a whole number, at least 1, at most 65535."
    assert str(fault.value) == expected


def test_zero_is_allowed_for_intervals_and_the_delay(tmp_path: Path) -> None:
    names = ("FETCHER_INTERVAL", "FETCHER_SUCCESS_INTERVAL", "FETCHER_DOMAIN_DELAY")
    fetcher = load_settings(tmp_path, dict.fromkeys(names, "0")).fetcher
    assert (fetcher.interval, fetcher.success_interval, fetcher.domain_delay) == (0, 0, 0)


def test_networks_are_read_from_a_comma_separated_variable_and_from_a_toml_list(tmp_path: Path) -> None:
    from_env = load_settings(tmp_path, {"FETCHER_ALLOWED_NETWORKS": "10.0.0.0/8, [::1]:80,"})
    assert from_env.fetcher.allowed_networks == ("10.0.0.0/8", "[::1]:80")
    (tmp_path / "inforadar.toml").write_text('[fetcher]\nallowed_networks = ["127.0.0.1:8"]\n')
    assert load_settings(tmp_path, {}).fetcher.allowed_networks == ("127.0.0.1:8",)


@pytest.mark.parametrize(
    ("variable", "value", "allowed"),
    [
        ("FETCHER_WORKERS", "many", "a whole number, at least 1, at most 1000"),
        ("FETCHER_INTERVAL", "-1", "a number, at least 0"),
        ("FETCHER_ERROR_POLICY", "shrug", "`backoff` or `one-strike`"),
        ("FETCHER_REPROBE", "daily", "`off` or `weekly`"),
        ("FETCHER_CUTOFF_DATE", "soon", "a date like 2026-01-31"),
        ("INFORADAR_PORT", "99999", "a whole number, at least 1, at most 65535"),
    ],
)
def test_a_wrong_value_names_the_field_the_value_and_what_is_allowed(
    tmp_path: Path, variable: str, value: str, allowed: str
) -> None:
    with pytest.raises(ConfigError) as fault:
        load_settings(tmp_path, {variable: value})
    text = str(fault.value)
    assert variable in text
    assert repr(value) in text
    assert "environment" in text
    assert allowed in text
    assert fault.value.exit_code == 2


def test_the_job_timeout_must_exceed_the_request_timeout(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError, match=r"FETCHER_JOB_TIMEOUT \(30\) must exceed FETCHER_REQUEST_TIMEOUT \(30\)"
    ):
        load_settings(tmp_path, {"FETCHER_JOB_TIMEOUT": "30"})


@pytest.mark.parametrize(
    ("toml", "sentence"),
    [
        ("[fetcher]\nintervall = 1\n", "has no setting 'intervall'. Did you mean 'interval'?"),
        ("[fetchers]\ninterval = 1\n", "unknown section [fetchers]"),
        ("[fetcher\n", "cannot be read"),
    ],
)
def test_a_toml_file_that_is_wrong_says_where(tmp_path: Path, toml: str, sentence: str) -> None:
    (tmp_path / "inforadar.toml").write_text(toml)
    with pytest.raises(ConfigError) as fault:
        load_settings(tmp_path, {})
    assert sentence in str(fault.value)


def test_the_temperature_can_be_left_to_the_model(tmp_path: Path) -> None:
    assert load_settings(tmp_path, {"AI_TEMPERATURE": ""}).ai.temperature == 0
    assert load_settings(tmp_path, {"AI_TEMPERATURE": "default"}).ai.temperature is None
    (tmp_path / "inforadar.toml").write_text('[ai]\ntemperature = "default"\n')
    assert load_settings(tmp_path, {}).ai.temperature is None


def test_a_secret_never_stands_in_an_error_or_a_repr(tmp_path: Path) -> None:
    settings = load_settings(tmp_path, {"DB_PASSWORD": "hunter2", "REDIS_URL": "redis://:hunter2@h/0"})
    assert settings.database.password is not None
    assert settings.database.password.get_secret_value() == "hunter2"
    assert "hunter2" not in repr(settings)


def test_every_setting_has_a_docstring_of_its_own() -> None:
    lacking = [
        f"{name}.{field}"
        for name, section in SECTIONS.items()
        for field in section.__struct_fields__
        if not field_texts(section).get(field)
    ]
    assert lacking == []


def test_the_user_agent_names_a_contact_only_if_one_is_set(tmp_path: Path) -> None:
    assert load_settings(tmp_path, {}).fetcher.agent == f"InfoRadar/{__version__}"
    named = load_settings(tmp_path, {"FETCHER_CONTACT_URL": "https://news.example/bot"}).fetcher.agent
    assert named == f"InfoRadar/{__version__} (+https://news.example/bot)"


@pytest.mark.parametrize(
    ("typed", "value"), [("yes", True), ("ON", True), ("1", True), ("off", False), ("false", False)]
)
def test_a_switch_is_read_from_any_usual_word(tmp_path: Path, typed: str, value: bool) -> None:
    assert load_settings(tmp_path, {"INFORADAR_BEHIND_PROXY": typed}).web.behind_proxy is value
