"""The endpoint itself: real HTTP, scripted answers, every call recorded."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from aiohttp import web

from tests.support.llm_server.wire import (
    Answer,
    Call,
    answer_text,
    read_anthropic,
    read_gemini,
    read_openai,
    write_anthropic,
    write_gemini,
    write_openai,
)

Script = Answer | Callable[[Call], Answer]

_WRITERS = {"openai": write_openai, "anthropic": write_anthropic, "gemini": write_gemini}


class LlmServer:
    """Use it as an async context manager; script it before or while it runs."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.other_paths: list[str] = []
        """Requests outside the three protocols; there should never be one."""
        self.asked = asyncio.Event()
        """Set when a request has come in."""
        self.at_once = 0
        self.most_at_once = 0
        self._scripts: list[Script] = [Answer(text=answer_text())]
        self._runner: web.AppRunner | None = None
        self._stopping = asyncio.Event()
        self.origin = ""

    def respond(self, *scripts: Script) -> None:
        """Answer with one script after another; the last one repeats."""
        self._scripts = list(scripts)

    def base_url(self, vendor: str) -> str:
        return f"{self.origin}/v1" if vendor == "openai" else self.origin

    async def __aenter__(self) -> LlmServer:
        app = web.Application(client_max_size=64 * 2**20)
        app.router.add_post("/v1/chat/completions", self._openai)
        app.router.add_post("/v1/messages", self._anthropic)
        app.router.add_post("/{version:v1|v1beta}/models/{model}:generateContent", self._gemini)
        app.router.add_route("*", "/{path:.*}", self._other)
        self._runner = web.AppRunner(app, shutdown_timeout=0.5)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        port = self._runner.addresses[0][1]
        self.origin = f"http://127.0.0.1:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def stop(self) -> None:
        """Refuse connections from now on."""
        self._stopping.set()
        if self._runner:
            await self._runner.cleanup()
            self._runner = None

    async def _openai(self, request: web.Request) -> web.StreamResponse:
        return await self._answer(request, read_openai(await request.json(), request.headers))

    async def _anthropic(self, request: web.Request) -> web.StreamResponse:
        return await self._answer(request, read_anthropic(await request.json(), request.headers))

    async def _gemini(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        return await self._answer(request, read_gemini(body, request.headers, request.match_info["model"]))

    async def _other(self, request: web.Request) -> web.StreamResponse:
        self.other_paths.append(request.path_qs)
        return web.Response(status=404)

    async def _answer(self, request: web.Request, call: Call) -> web.StreamResponse:
        self.calls.append(call)
        self.asked.set()
        script = self._scripts.pop(0) if len(self._scripts) > 1 else self._scripts[0]
        answer = script(call) if callable(script) else script
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            if answer.never:
                await self._stopping.wait()
            if answer.after:
                await answer.after.wait()
            # Yield to other tasks, so that concurrent calls are counted.
            await asyncio.sleep(0)
        finally:
            self.at_once -= 1
        if answer.breaks:
            assert request.transport
            request.transport.close()
        if answer.drips:
            return await self._drip(request)
        if answer.raw is not None:
            return web.Response(
                body=answer.raw, status=answer.status, headers=answer.headers, content_type="application/json"
            )
        return web.json_response(
            _WRITERS[call.vendor](answer, call), status=answer.status, headers=answer.headers
        )

    async def _drip(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        while not self._stopping.is_set():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(0.05):
                    await self._stopping.wait()
            await response.write(b" ")
        return response
