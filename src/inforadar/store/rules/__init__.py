"""Rules, the events that they look at, and the messages that they send."""
