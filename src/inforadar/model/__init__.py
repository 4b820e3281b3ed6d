"""The data types that all parts share: frozen dataclasses and enums. No input or output here."""
