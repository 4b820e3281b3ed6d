"""Reading RSS, Atom and JSON Feed documents."""
