"""`inforadar item`, `canonical` and `analyze`."""
