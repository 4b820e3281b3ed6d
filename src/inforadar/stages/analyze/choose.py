"""Choose a feed's analyzer: the one from the settings, unless the feed names its own analyzer, model or prompt.

A key belongs to one vendor. A feed that names another vendor gets that vendor's key and address, never those of
AI_TYPE: a key sent to the wrong vendor is a leaked key.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from inforadar.config import AiSettings
from inforadar.errors import ConfigError
from inforadar.model.analysis import AnalyzerName
from inforadar.model.feed_options import FeedOptions
from inforadar.stages.analyze import analyzer_class, registered
from inforadar.stages.analyze.base import Analyzer, Run
from inforadar.stages.analyze.llm.dialogue import ModelAnalyzer
from inforadar.stages.analyze.llm.endpoint import Access
from inforadar.stages.analyze.llm.limiter import RateLimiter
from inforadar.stages.analyze.llm.prompt import DEFAULT_PROMPT, load_prompt, prompt_stamp

VENDOR_TIMEOUT_S = 180.0
OWN_SERVER_TIMEOUT_S = 600.0
"""A model on one's own machine may need minutes."""


def prompts_folder(home: Path) -> Path:
    """The folder for a user's own prompts."""
    return home / "prompts"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The key of a made analyzer. Model and prompt are empty for analyzers that ask no model."""

    name: str
    model: str = ""
    prompt: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Made:
    analyzer: Analyzer
    stamp: tuple[int, int] | None
    """The prompt file's stamp when the prompt was read."""

    async def close(self) -> None:
        if isinstance(self.analyzer, ModelAnalyzer):
            await self.analyzer.close()


class Analyzers:
    """The analyzers of one process, each made once. They share one limit on requests and tokens per minute."""

    def __init__(
        self,
        settings: AiSettings,
        home: Path,
        limiter: RateLimiter | None = None,
        *,
        run_local: Run | None = None,
    ) -> None:
        """`run_local` runs the local analyzer's work, by default in a thread."""
        self._settings = settings
        self._prompts = prompts_folder(home)
        self._limiter = limiter or RateLimiter(
            requests=settings.requests_per_minute, tokens=settings.tokens_per_minute
        )
        self._run_local = run_local
        self._made: dict[Choice, _Made] = {}

    def pick(self, options: FeedOptions) -> Analyzer | None:
        """Return the analyzer for a feed with these options, or `None` if the feed is not to be analyzed.

        A missing key or prompt is a `ConfigError` that says what to set.
        """
        if options.analyze is False:
            return None
        choice = self._choose(options)
        if choice not in self._made:
            # The stamp is taken first, so that an edit while the prompt is read is noticed at the next refresh.
            stamp = prompt_stamp(choice.prompt, self._prompts)
            self._made[choice] = _Made(analyzer=self._make(choice), stamp=stamp)
        return self._made[choice].analyzer

    async def refresh(self) -> None:
        """Drop the analyzers whose prompt was edited, so that an edit needs no restart of the worker.

        Call it while no analysis is running: it closes connections.
        """
        for choice, made in list(self._made.items()):
            if made.stamp != prompt_stamp(choice.prompt, self._prompts):
                del self._made[choice]
                await made.close()

    async def close(self) -> None:
        """Close the connections of all analyzers."""
        for made in self._made.values():
            await made.close()
        self._made.clear()

    def _choose(self, options: FeedOptions) -> Choice:
        settings = self._settings
        name = options.analyzer or settings.type
        default_model = registered(name).default_model
        if not default_model:
            return Choice(name=name)
        own = name == settings.type
        model = options.model or (settings.model if own else "")
        if not model and own and settings.base_url:
            raise ConfigError(
                "AI_BASE_URL is set, so AI_MODEL is needed too: set it to the endpoint's model."
            )
        prompt = options.prompt or DEFAULT_PROMPT
        return Choice(name=name, model=model or default_model, prompt=prompt)

    def _make(self, choice: Choice) -> Analyzer:
        if not choice.model:
            kind = analyzer_class(choice.name)
            made: Analyzer = kind(self._run_local) if choice.name == AnalyzerName.LOCAL else kind()
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
                "AI_DAILY_BUDGET needs prices: set AI_PRICE_IN and AI_PRICE_OUT, in US dollars per million tokens."
            )
        if key is None and not base_url:
            variable = "AI_API_KEY" if own else f"AI_{name.upper()}_API_KEY"
            or_else = ", or AI_BASE_URL to use your own endpoint" if own else ""
            raise ConfigError(f"The analyzer {name} needs a key: set {variable}{or_else}.")
        return Access(
            api_key=key.get_secret_value() if key else "",
            base_url=base_url,
            timeout_s=settings.timeout or (OWN_SERVER_TIMEOUT_S if base_url else VENDOR_TIMEOUT_S),
            temperature=settings.temperature,
            reasoning=settings.reasoning,
            input_tokens=settings.input_tokens,
            output_tokens=settings.output_tokens,
            price_in=settings.price_in,
            price_out=settings.price_out,
        )
