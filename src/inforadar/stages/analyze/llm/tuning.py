"""Optional parameters of a request: temperature and reasoning.

Not every model takes them: reasoning models refuse a temperature, and small servers do not know about reasoning. A
parameter that an endpoint refuses by name is left out from then on; if it refuses everything without saying why, all
of them are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from inforadar.stages.analyze.base import FailureKind
from inforadar.stages.analyze.llm.endpoint import Reply, Unanswered


@dataclass(slots=True, kw_only=True)
class Tuning:
    """The optional parameters of one endpoint, by the word that its complaint about them contains."""

    parameters: Mapping[str, Mapping[str, Any]]
    _refused: set[str] = field(default_factory=set)

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments that the endpoint has not refused."""
        found: dict[str, Any] = {}
        for word, arguments in self.parameters.items():
            if word not in self._refused:
                found.update(arguments)
        return found

    def is_refused(self, reply: Reply | Unanswered) -> bool:
        """Whether the reply complains about a parameter that was sent; it is then left out."""
        if isinstance(reply, Reply) or reply.kind is not FailureKind.BAD_REQUEST:
            return False
        said = reply.message.lower()
        refused = {word for word in self.parameters if word in said} - self._refused
        self._refused |= refused
        return bool(refused)

    def leave_out_all(self) -> bool:
        """Leave out every parameter; return whether there was one to leave out."""
        left = self.parameters.keys() - self._refused
        self._refused |= left
        return bool(left)
