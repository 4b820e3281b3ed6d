"""HTTP, whatever is served: access, headers, encodings, forms, parameters."""
