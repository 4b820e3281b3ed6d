"""The Python API for programs that embed Info Radar. `inforadar.public` re-exports it."""
