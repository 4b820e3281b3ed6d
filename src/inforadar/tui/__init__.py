"""The terminal app: `inforadar` without a command. It is only an interface; `pipeline` does the work."""
