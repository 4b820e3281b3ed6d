"""Commands about people: accounts, login links, app passwords, sessions, feed tokens, searches."""
