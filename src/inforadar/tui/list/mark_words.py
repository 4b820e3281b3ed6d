"""The sentences about setting and clearing marks."""

from __future__ import annotations

MARK_WORDS = {
    "read": ("Marked as unread.", "Marked as read."),
    "starred": ("The star is gone.", "Starred."),
    "archived": ("Back from the archive.", "Archived. v shows the archive."),
}
"""{mark: (message when cleared, message when set)}."""
