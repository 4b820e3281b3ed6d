"""From items to documents: pure renderers for RSS, Atom and JSON Feed."""
