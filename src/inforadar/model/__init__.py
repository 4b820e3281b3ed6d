"""The nouns: frozen dataclasses and enums that every part speaks in. No input or output here."""
