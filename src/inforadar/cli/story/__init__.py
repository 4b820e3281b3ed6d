"""Commands about stories and the briefing."""
