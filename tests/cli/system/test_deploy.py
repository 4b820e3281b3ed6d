"""The deployment files, checked as far as possible without a container engine: rules, names, real entry points."""

from __future__ import annotations

import asyncio
import re
import shlex
import stat
import subprocess
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import yaml
from cyclopts import App

from inforadar.cli import build_app
from inforadar.config import SECTIONS
from inforadar.errors import ConfigError
from tests.cli.calling import Call
from tests.cli.program import Program, read_until
from tests.support.paths import ROOT
from tests.support.ports import free_port
from tests.support.servers import fresh_postgres
from tests.support.site.documents import entries, rss
from tests.support.site.server import Site

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = ("upgrade", "api", "worker")
UNITS = sorted((ROOT / "deploy" / "systemd").iterdir())

KNOWN_KEYS = {
    *(
        "image",
        "build",
        "user",
        "read_only",
        "init",
        "restart",
        "stop_grace_period",
        "cap_drop",
        "security_opt",
    ),
    *(
        "tmpfs",
        "volumes",
        "networks",
        "secrets",
        "environment",
        "command",
        "depends_on",
        "ports",
        "healthcheck",
    ),
    *("deploy", "entrypoint", "shm_size"),
}
"""The keys of a service in the Compose specification."""


def test_the_composition_has_one_of_each() -> None:
    assert set(SERVICES) == {"password", "upgrade", "api", "worker", "db", "redis"}
    assert set(COMPOSE) <= {"name", "x-app", "services", "networks", "volumes"}
    for name, service in SERVICES.items():
        assert set(service) <= KNOWN_KEYS, name
        assert ":" in service["image"] or name in {*OURS, "password"}, f"{name}: an image without a version"
        assert not service["image"].endswith(":latest")


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_runs_with_as_few_rights_as_possible(name: str) -> None:
    service = SERVICES[name]
    assert service["user"].split(":")[0] not in {"0", "root"}
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert any(str(place).startswith("/tmp") for place in service["tmpfs"])
    for port in service.get("ports", []):
        assert port.startswith("127.0.0.1:"), "only this machine; a reverse proxy is in front"


def test_what_is_named_is_there_and_what_is_there_is_named() -> None:
    used: dict[str, set[str]] = {"networks": set(), "volumes": set()}
    for name, service in SERVICES.items():
        used["networks"] |= set(service["networks"])
        used["volumes"] |= {volume.split(":")[0] for volume in service.get("volumes", [])}
        for other, condition in service.get("depends_on", {}).items():
            wanted = condition["condition"]
            assert other in SERVICES
            if wanted == "service_healthy":
                assert "healthcheck" in SERVICES[other], (
                    f"{name} waits for {other}, whose health nobody checks"
                )
            else:
                assert wanted == "service_completed_successfully"
                assert SERVICES[other]["restart"] == "no"
    for kind, names in used.items():
        assert set(COMPOSE[kind]) == names
    assert COMPOSE["networks"]["backend"]["internal"] is True
    assert set(SERVICES["db"]["networks"]) == set(SERVICES["redis"]["networks"]) == {"backend"}


def test_everything_that_goes_on_has_its_health_checked() -> None:
    for service in SERVICES.values():
        if service["restart"] == "no":
            continue
        check = service["healthcheck"]
        assert check["test"][0] == "CMD", "no shell in between"
        assert {"interval", "timeout", "retries"} <= set(check)


def test_secrets_come_from_files_and_every_setting_is_one_of_ours() -> None:
    settings = {
        section.env_name(field) for section in SECTIONS.values() for field in section.__struct_fields__
    }
    for name, service in SERVICES.items():
        for variable, value in service.get("environment", {}).items():
            if re.search(r"PASSWORD|SECRET|KEY|TOKEN", variable):
                assert variable.endswith("_FILE"), f"{name}: {variable}"
                assert value == f"{PASSWORD}/db"
                assert f"password:{PASSWORD}:ro" in service["volumes"]
            if name in OURS and variable != "INFORADAR_HOME":
                assert variable.removesuffix("_FILE") in settings, f"{name}: {variable}"


PASSWORD = "/run/password"


def test_the_databases_password_is_made_once_and_only_its_two_readers_can_read_it(tmp_path: Path) -> None:
    service = SERVICES["password"]
    (script,) = service["command"]
    here = script.replace(PASSWORD, str(tmp_path))
    made = set()
    for _ in range(2):
        subprocess.run([*service["entrypoint"], here], check=True)
        made.add((tmp_path / "db").read_text())
        assert stat.S_IMODE((tmp_path / "db").stat().st_mode) == 0o640
    (password,) = made
    assert re.fullmatch(r"[0-9a-f]{48}", password)
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith("db")] == ["db"]
    # The program is the owner's user, PostgreSQL's image the group; the folder is closed to others.
    assert service["user"] == SERVICES["api"]["user"].partition(":")[0] + ":70"
    assert f"install -d -m 0750 -o inforadar -g 70 {PASSWORD}" in DOCKERFILE
    assert SERVICES["db"]["user"] == "postgres"
    for text in ((ROOT / "docker-compose.yml").read_text(), (ROOT / "docs" / "operations.md").read_text()):
        assert "chmod 644" not in text


DOCKERFILE = (ROOT / "deploy" / "Dockerfile").read_text()


def instructions() -> list[tuple[str, str]]:
    joined = re.sub(r"\\\n\s*", " ", DOCKERFILE)
    lines = [line for line in joined.splitlines() if line.strip() and not line.startswith("#")]
    return [(line.split()[0], line.split(None, 1)[1]) for line in lines]


def test_the_layers_of_the_dependencies_come_before_those_of_the_source() -> None:
    found = instructions()
    starts = [index for index, (word, _) in enumerate(found) if word == "FROM"]
    dependencies, package, image = (
        found[start:end] for start, end in zip(starts, [*starts[1:], None], strict=True)
    )
    assert "-r requirements.txt" in dependencies[-1][1]
    assert not any(word == "COPY" and "src" in text for word, text in dependencies)
    assert package[0] == ("FROM", "dependencies AS package")
    (at,) = (index for index, (_, text) in enumerate(image) if "--from=dependencies" in text)
    (after,) = (index for index, (_, text) in enumerate(image) if "from=package" in text)
    assert at < after
    assert image[after][0] == "RUN", "the wheel itself does not stay in the image"


def test_the_image_follows_the_rules() -> None:
    found = instructions()
    stages = [text for word, text in found if word == "FROM"]
    assert len(stages) == 3, "what builds is not what runs"
    named = {stage.partition(" AS ")[2] for stage in stages}
    assert all(stage.split()[0] in named or re.match(r"\S+:\d[\w.-]*", stage) for stage in stages), (
        "a base has its version"
    )
    words = [word for word, _ in found]
    assert "ADD" not in words
    assert "ARG" not in words
    last = found[max(index for index, word in enumerate(words) if word == "FROM") :]
    in_last = dict(last)
    assert in_last["USER"].split(":")[0].isdigit()
    assert in_last["USER"].split(":")[0] != "0"
    order = [word for word, _ in last]
    assert order.index("USER") < order.index("ENTRYPOINT")
    assert in_last["ENTRYPOINT"] == '["inforadar"]'
    assert in_last["CMD"].startswith("[")
    assert 'CMD ["python"' in in_last["HEALTHCHECK"]
    for word, text in found:
        if word == "RUN":
            assert "sudo" not in text
            assert "apt-get upgrade" not in text
            assert "pip install" not in text or "--no-cache-dir" in text
        if word == "WORKDIR":
            assert text.startswith("/")
        if word == "ENV":
            assert not re.search(r"(?i)password|secret|api_key|token", text)


def test_what_the_image_copies_is_there_and_not_ignored() -> None:
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    for word, text in instructions():
        if word == "COPY" and "--from" not in text:
            for source in text.split()[:-1]:
                assert (ROOT / source).exists()
                assert source in allowed


def is_command(arguments: list[str]) -> bool:
    app: App = build_app()
    for word in arguments:
        if word.startswith("-"):
            break
        app = app[word]
    options = {name for argument in app.assemble_argument_collection() for name in argument.names}
    return all(word in options for word in arguments if word.startswith("--"))


def test_the_commands_are_commands_of_the_program() -> None:
    for name in OURS:
        assert is_command(SERVICES[name]["command"])
    started = 0
    for unit in UNITS:
        for line in unit.read_text().splitlines():
            key, _, value = line.partition("=")
            if key.startswith("Exec") and "bin/inforadar" in value:
                started += 1
                assert is_command(shlex.split(value)[1:]), line
    assert started >= 4


@pytest.mark.parametrize(
    "unit", [unit for unit in UNITS if unit.suffix == ".service"], ids=lambda unit: unit.name
)
def test_a_unit_runs_with_as_few_rights_as_possible(unit: Path) -> None:
    text = unit.read_text()
    for line in (
        "User=inforadar",
        "NoNewPrivileges=yes",
        "ProtectSystem=strict",
        "PrivateTmp=yes",
        "UMask=0077",
    ):
        assert f"\n{line}\n" in text
    assert not re.search(r"^\w*(PASSWORD|API_KEY)\w*=", text, re.MULTILINE)
    timer = unit.with_suffix(".timer")
    if "Type=oneshot" in text:
        assert "OnCalendar=" in timer.read_text()


async def test_the_entry_points_work_with_the_compositions_environment(
    call: Call,
    home: Path,
    postgres_server: dict[str, str],
    redis_url: str,
    site: Site,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url = site.feed("/feed.xml", rss(entries(2)))
    secret = home / "db_password"
    secret.write_text("not asked for on this server\n")
    secret.chmod(0o600)
    async with fresh_postgres(postgres_server, migrated=False) as database:
        here = {
            "DATABASE_URL": database,
            "DB_PASSWORD_FILE": str(secret),
            "REDIS_URL": redis_url,
            "FETCHER_ALLOWED_NETWORKS": ",".join(site.endpoints),
        }

        def service(name: str) -> Program:
            given = {variable: str(value) for variable, value in SERVICES[name]["environment"].items()}
            given.pop("INFORADAR_HOME")
            return Program(home=home, port=free_port(), sample_port=free_port(), extra=given | here)

        for variable, value in here.items():
            monkeypatch.setenv(variable, value)
        assert (await asyncio.to_thread(call, *SERVICES["upgrade"]["command"])).code == 0
        add = ("feed", "add", url, "--enable", "--polling", "--sync", "--any-host")
        assert (await asyncio.to_thread(call, *add)).code == 0
        worker, api = service("worker"), service("api")
        async with (
            worker.started(*SERVICES["worker"]["command"]) as working,
            api.started(*SERVICES["api"]["command"]) as serving,
            aiohttp.ClientSession() as client,
        ):
            await read_until(working, "feed.built")
            await read_until(serving, "api.started")
            async with client.get(f"{api.url}/rss", params={"url": url}) as answer:
                assert answer.status == 200
                assert (await answer.text()).count("<item>") == 2
            health = await asyncio.to_thread(call, *SERVICES["worker"]["healthcheck"]["test"][2:])
            assert health.code == 0, health.out


def test_a_secret_may_lie_in_a_file(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from inforadar.config import load_settings  # noqa: PLC0415

    file = tmp_path / "key"
    file.write_text("s3cret\n")
    monkeypatch.setenv("AI_API_KEY_FILE", str(file))
    key = load_settings().ai.api_key
    assert key is not None
    assert key.get_secret_value() == "s3cret"
    rows = {row["setting"]: row for row in call("config", "show", "--json").json["settings"]}
    assert rows["ai.api_key"]["origin"] == "environment AI_API_KEY_FILE"
    assert rows["ai.api_key"]["value"] == "***"
    for content, says in ((b"", "empty"), (b"\xff\xfe", "not text"), (None, "No such file")):
        if content is None:
            file.unlink()
        else:
            file.write_bytes(content)
        with pytest.raises(ConfigError, match=says):
            load_settings()
    monkeypatch.setenv("AI_API_KEY", "another")
    with pytest.raises(ConfigError, match="both set"):
        load_settings()
