"""`inforadar fetch` and `run`."""
