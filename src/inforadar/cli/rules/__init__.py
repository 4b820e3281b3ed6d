"""`inforadar rule …`, `channel …` and `alert …`."""
