"""The command line of the terminal app, and descriptions of its keys."""
