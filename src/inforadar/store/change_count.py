"""How many changes were made, by this process and by others that share the count.

Each process counts in a cell of its own, so no two ever write to the same one; the count is the sum of all.
"""

from __future__ import annotations


class ChangeCount:
    """A number that differs from what it was as soon as something has changed."""

    def __init__(self, cells: memoryview | None = None, own: int = 0) -> None:
        self._cells = memoryview(bytearray(8)).cast("Q") if cells is None else cells
        self._own = own

    def add(self) -> None:
        """Count a change of this process."""
        self._cells[self._own] += 1

    @property
    def total(self) -> int:
        """All changes, of every process."""
        return sum(self._cells)
