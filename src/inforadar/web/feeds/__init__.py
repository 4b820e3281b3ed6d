"""RSS, Atom and JSON Feed, served ready-made."""
