"""The admin token: whoever has it may change things. Made on first start, in a file that its owner alone reads."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from inforadar.errors import StoreError

NAME = "admin-token"
_SHORTEST = 20


def load_admin_token(home: Path) -> str:
    """The token of this home; made if there is none. Several processes that start at once get the same one."""
    path = home / NAME
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.exists():
            _make(path)
        path.chmod(0o600)
        token = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as fault:
        raise StoreError(f"The admin token {path} cannot be read or made: {fault}.") from None
    if len(token) < _SHORTEST:
        raise StoreError(
            f"{path} holds no token of {_SHORTEST} characters. Delete it, and a new one is made."
        )
    return token


def _make(path: Path) -> None:
    own = path.with_name(f"{NAME}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(own, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(secrets.token_urlsafe(32) + "\n")
    try:
        # Written whole before it has its name; and whoever comes second keeps the first one's.
        path.hardlink_to(own)
    except FileExistsError:
        pass
    finally:
        own.unlink()
