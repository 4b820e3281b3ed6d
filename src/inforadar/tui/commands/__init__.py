"""The command line of the terminal app, and its keys as people read them."""
