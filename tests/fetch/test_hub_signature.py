"""Signatures of pushes: every method that WebSub names, and nothing else."""

from __future__ import annotations

import hashlib
import hmac

import pytest

from inforadar.fetch.hub_signature import METHODS, is_signed

BODY, SECRET = "<rss>Ł</rss>".encode(), "a-secret"


def _digest(method: str, body: bytes = BODY, secret: str = SECRET) -> str:
    return hmac.new(secret.encode(), body, getattr(hashlib, method)).hexdigest()


@pytest.mark.parametrize("method", sorted(METHODS))
def test_a_right_signature_is_accepted_and_a_wrong_one_is_not(method: str) -> None:
    right = _digest(method)
    assert is_signed(f"{method}={right}", SECRET, BODY)
    assert is_signed(f" {method.upper()}={right.upper()} ", SECRET, BODY)
    for wrong in (_digest(method, b"other"), _digest(method, secret="other"), right[:-1], f"{right}0", ""):
        assert not is_signed(f"{method}={wrong}", SECRET, BODY)


@pytest.mark.parametrize("header", ["", "=", "sha256", f"md5={'0' * 32}", f"new={'0' * 64}", "sha256=ł" * 50])
def test_other_methods_and_nonsense_are_refused(header: str) -> None:
    assert not is_signed(header, SECRET, BODY)
