"""Rules are evaluated, and their messages sent."""
