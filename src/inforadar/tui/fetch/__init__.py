"""Network access on the reader's request: fetch runs in a separate process, and single pages."""
