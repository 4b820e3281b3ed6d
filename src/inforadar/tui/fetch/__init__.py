"""What goes out to the web because the reader asked: runs in a process of its own, and single pages."""
