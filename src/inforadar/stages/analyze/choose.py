"""Which analyzer a feed gets: the one of the settings, unless the feed names its own analyzer, model or prompt.

A key belongs to one vendor. A feed that names another one gets that vendor's own key and address, never those of the
settings' analyzer: a key sent to the wrong place is a key given away.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from inforadar.config import AiSettings
from inforadar.errors import ConfigError
from inforadar.model.feed_options import FeedOptions
from inforadar.stages.analyze import analyzer_class
from inforadar.stages.analyze.base import Analyzer
from inforadar.stages.analyze.llm.dialogue import ModelAnalyzer
from inforadar.stages.analyze.llm.endpoint import Access
from inforadar.stages.analyze.llm.limiter import RateLimiter
from inforadar.stages.analyze.llm.prompt import DEFAULT_PROMPT, load_prompt, prompt_stamp

DEFAULT_MODELS: Mapping[str, str] = {
    "openai": "gpt-5.4-mini",
    "anthropic": "claude-haiku-4-5",
    "gemini": "gemini-2.5-flash",
}
"""Small and cheap ones: a headline does not need the largest model."""


def prompts_folder(home: Path) -> Path:
    """Where a person's own prompts lie."""
    return home / "prompts"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What decides about an analyzer. Models and prompts mean nothing to those that ask no model."""

    name: str
    model: str = ""
    prompt: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Made:
    analyzer: Analyzer
    stamp: tuple[int, int] | None
    """Of the prompt's file when it was read."""

    async def close(self) -> None:
        if isinstance(self.analyzer, ModelAnalyzer):
            await self.analyzer.close()


class Analyzers:
    """The analyzers of one process, each made once. They share the limits on requests and tokens."""

    def __init__(self, settings: AiSettings, home: Path, limiter: RateLimiter | None = None) -> None:
        self._settings = settings
        self._prompts = prompts_folder(home)
        self._limiter = limiter or RateLimiter(
            requests=settings.requests_per_minute, tokens=settings.tokens_per_minute
        )
        self._made: dict[Choice, _Made] = {}

    def pick(self, options: FeedOptions) -> Analyzer | None:
        """The analyzer for a feed with these options; `None` if it wants none.

        What cannot work (no key, no such prompt) is a `ConfigError` that says what to set.
        """
        if options.analyze is False:
            return None
        choice = self._choose(options)
        if choice not in self._made:
            # The stamp first: an edit between the two is then noticed at the next refresh.
            stamp = prompt_stamp(choice.prompt, self._prompts)
            self._made[choice] = _Made(analyzer=self._make(choice), stamp=stamp)
        return self._made[choice].analyzer

    async def refresh(self) -> None:
        """Forgets the analyzers whose prompt was edited, so that a worker need not be started anew for it.

        For when none of them is at work: their connections are closed.
        """
        for choice, made in list(self._made.items()):
            if made.stamp != prompt_stamp(choice.prompt, self._prompts):
                del self._made[choice]
                await made.close()

    async def close(self) -> None:
        for made in self._made.values():
            await made.close()
        self._made.clear()

    def _choose(self, options: FeedOptions) -> Choice:
        settings = self._settings
        name = options.analyzer or settings.type
        if name not in DEFAULT_MODELS:
            return Choice(name=name)
        own = name == settings.type
        model = options.model or (settings.model if own else "")
        if not model and own and settings.base_url:
            raise ConfigError(
                "AI_BASE_URL names an endpoint of your own: say with AI_MODEL which model it has."
            )
        prompt = options.prompt or DEFAULT_PROMPT
        return Choice(name=name, model=model or DEFAULT_MODELS[name], prompt=prompt)

    def _make(self, choice: Choice) -> Analyzer:
        if choice.name not in DEFAULT_MODELS:
            made: Analyzer = analyzer_class(choice.name)()
            return made
        access = self._access(choice.name)
        prompt = load_prompt(choice.prompt, self._prompts)
        kind = analyzer_class(choice.name)
        asking: Analyzer = kind(model=choice.model, prompt=prompt, access=access, limiter=self._limiter)
        return asking

    def _access(self, name: str) -> Access:
        settings = self._settings
        own = name == settings.type
        key = getattr(settings, f"{name}_api_key") or (settings.api_key if own else None)
        base_url = settings.base_url if own else ""
        if settings.daily_budget and not (settings.price_in or settings.price_out):
            raise ConfigError(
                "AI_DAILY_BUDGET counts nothing without prices: "
                "set AI_PRICE_IN and AI_PRICE_OUT, in dollars a million tokens."
            )
        if key is None and not base_url:
            variable = "AI_API_KEY" if own else f"AI_{name.upper()}_API_KEY"
            or_else = ", or AI_BASE_URL of an endpoint of your own" if own else ""
            raise ConfigError(f"The analyzer {name} needs a key: set {variable}{or_else}.")
        return Access(
            api_key=key.get_secret_value() if key else "",
            base_url=base_url,
            timeout_s=settings.timeout,
            input_tokens=settings.input_tokens,
            output_tokens=settings.output_tokens,
            price_in=settings.price_in,
            price_out=settings.price_out,
        )
