"""Names for the site: a resolver with scripted answers."""

from __future__ import annotations

import socket

from aiohttp.abc import AbstractResolver, ResolveResult


class Names(AbstractResolver):
    """Gives each name its answers, one lookup after another; the last one repeats. Other names do not exist."""

    def __init__(self) -> None:
        self._answers: dict[str, list[list[str]]] = {}
        self.lookups: list[str] = []

    def add(self, name: str, *answers: str | list[str]) -> None:
        """Script a name: `add("a.test", "127.0.0.1")`; `add("b.test", ["93.184.216.34", "::1"])`."""
        self._answers[name] = [[answer] if isinstance(answer, str) else answer for answer in answers]

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        self.lookups.append(host)
        answers = self._answers.get(host)
        if not answers:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        addresses = answers.pop(0) if len(answers) > 1 else answers[0]
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for address in addresses
        ]

    async def close(self) -> None:
        pass
