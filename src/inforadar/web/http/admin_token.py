"""The admin token, required to make changes. Created on first start, in a file that only its owner can read."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from inforadar.errors import StoreError

NAME = "admin-token"
_MIN_TOKEN_CHARACTERS = 20


def load_admin_token(home: Path) -> str:
    """Return the token of this home folder, creating it if needed. Processes that start together get the same one."""
    path = home / NAME
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.exists():
            _create(path)
        path.chmod(0o600)
        token = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as fault:
        raise StoreError(f"The admin token {path} cannot be read or created: {fault}.") from None
    if len(token) < _MIN_TOKEN_CHARACTERS:
        raise StoreError(
            f"{path} does not hold a token of at least {_MIN_TOKEN_CHARACTERS} characters. "
            "Delete it to create a new one."
        )
    return token


def _create(path: Path) -> None:
    own = path.with_name(f"{NAME}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(own, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(secrets.token_urlsafe(32) + "\n")
    try:
        # The file is complete before it gets its name, and a second process keeps the first one's token.
        path.hardlink_to(own)
    except FileExistsError:
        pass
    finally:
        own.unlink()
