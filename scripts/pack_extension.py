"""Pack the browser extension: `make extension` writes `dist/inforadar-extension-VERSION.zip`.

The same files always give the same bytes: entries are sorted, and have no time or owner of their own. Chromium's
and Firefox's stores take this file; both browsers also load the folder `extension/` as it is.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

ROOT = Path(__file__).resolve().parent.parent
EXTENSION = ROOT / "extension"
_EPOCH = (1980, 1, 1, 0, 0, 0)
_UNIX, _FILE_MODE = 3, 0o100644 << 16


def pack(folder: Path, target: Path) -> Path:
    """Write a file for each version into `target` and return its path."""
    version = json.loads((folder / "manifest.json").read_text("utf-8"))["version"]
    target.mkdir(parents=True, exist_ok=True)
    packed = target / f"inforadar-extension-{version}.zip"
    with ZipFile(packed, "w", ZIP_DEFLATED, compresslevel=9) as archive:
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = ZipInfo(file.relative_to(folder).as_posix(), _EPOCH)
            entry.create_system, entry.external_attr = _UNIX, _FILE_MODE
            entry.compress_type = ZIP_DEFLATED
            archive.writestr(entry, file.read_bytes())
    return packed


def main() -> int:
    packed = pack(EXTENSION, ROOT / "dist")
    sys.stdout.write(f"{packed.relative_to(ROOT)}: {packed.stat().st_size:,} bytes\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
