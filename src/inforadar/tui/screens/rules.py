"""Rules: what each looks for and does; try, add, change and remove them."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.binding import Binding
from textual.content import Content

from inforadar.actions.rules.manage import SHOWN_MATCHES, Trial, add_rule, edit_rule, remove_rule, try_query
from inforadar.errors import UsageError
from inforadar.model.rule import Rule, RuleActions
from inforadar.store.rules.queries import load_channels, load_rules
from inforadar.texts import counted
from inforadar.tui.cells import fit
from inforadar.tui.list.view import View
from inforadar.tui.screens.base import COMMON
from inforadar.tui.screens.entries import EntriesScreen
from inforadar.tui.screens.form import Field, FormScreen, Values
from inforadar.tui.session import Session
from inforadar.tui.text import safe
from inforadar.tui.widgets.line import hint
from inforadar.views.times import shown_time

HINTS = (
    *hint("Enter", "matches", "open"),
    *hint("a", "add", "add"),
    *hint("e", "edit", "edit"),
    *hint("t", "try", "try"),
    *hint("x", "remove", "remove"),
    *hint("?", "help", "help"),
)


class RulesScreen(EntriesScreen[Rule]):
    HELP = "Rules"
    KEYS = "rules"
    HINTS = HINTS
    EMPTY = "No rules yet. a adds one: a search, and what happens to what it finds."
    BINDINGS: ClassVar = [
        Binding("j,down", "move(1)", "Next rule"),
        Binding("k,up", "move(-1)", "Previous rule"),
        Binding("g,home", "edge('top')", "To the first rule"),
        Binding("G,end", "edge('bottom')", "To the last rule"),
        Binding("enter,l,right", "open", "Show the articles that its search finds"),
        Binding("a", "add", "Add a rule"),
        Binding("e", "edit", "Edit the rule"),
        Binding("t", "try", "Try it: what it would have matched in the last 7 days"),
        Binding("x,delete", "remove", "Switch the rule off by removing it"),
        Binding("u", "undo", "Undo the last change"),
        Binding("R,ctrl+l", "reload", "Reload"),
        Binding("escape,backspace,h,left,L", "back", "Back to the articles"),
        *COMMON,
    ]

    def __init__(self, session: Session, *, open_list: Callable[[View], None], query: str = "") -> None:
        """`open_list` shows the articles of a view; `query` is the search to begin a new rule with."""
        super().__init__(session)
        self._open_list, self._query = open_list, query

    async def load(self) -> None:
        self.show(await self.session.database.read(load_rules, await self.session.person_id()))

    @property
    def resting(self) -> str:
        return counted(len(self.entries), "rule") if self.entries else ""

    def line_of(self, entry: Rule) -> Content:
        right = f"{entry.match_count:,} {'match' if entry.match_count == 1 else 'matches'}"
        name = fit(safe(entry.name), min(24, self.line_cells // 3))
        room = max(8, self.line_cells - len(name) - len(right) - 4)
        style = "$error" if entry.error else "$foreground"
        return Content.assemble(
            (name, f"bold {style}"), f"  {fit(safe(entry.query[:300]), room)}", (f"  {right}", "$muted")
        )

    def detail_of(self, entry: Rule) -> Content:
        last = f" Last match {shown_time(entry.matched_at, self.session.now())}." if entry.matched_at else ""
        again = " Also when a title changes." if entry.on_change else ""
        where = " From inforadar.toml." if entry.origin == "settings" else ""
        wrong = (f"\n{safe(entry.error[:400])}", "$error") if entry.error else ""
        return Content.assemble(f"{safe(entry.actions.words[:300])}.{again}{where}{last}", wrong)

    async def action_open(self) -> None:
        if rule := self.current:
            self._open_list(View(query=rule.query))

    async def action_try(self) -> None:
        if rule := self.current:
            self.say("Trying …")
            self.begin(self._try(rule), group="try", exclusive=True)

    async def _try(self, rule: Rule) -> None:
        trial = await self._trial(rule.query)
        self.say(trial_words(trial).partition("\n")[0])

    async def _trial(self, query: str) -> Trial:
        session = self.session
        return await try_query(session.database, await session.person_id(), query, session.now())

    async def action_remove(self) -> None:
        rule = self.current
        if rule is None:
            return
        database, person_id = self.session.database, await self.session.person_id()
        await remove_rule(database, person_id, rule.name)
        self.session.undo.add(
            f"The rule {safe(rule.name)} is back.",
            lambda: add_rule(
                database, person_id, rule.name, rule.query, rule.actions, on_change=rule.on_change
            ),
        )
        await self.load()
        self.say(f"Removed the rule {safe(rule.name)}. u brings it back.")

    async def action_add(self) -> None:
        await self._ask(None)

    async def action_edit(self) -> None:
        if rule := self.current:
            await self._ask(rule)

    async def _ask(self, rule: Rule | None) -> None:
        """Show the form of a rule, or of a new one."""
        database, person_id = self.session.database, await self.session.person_id()
        channels = [channel.name for channel in await database.read(load_channels)]
        names = ", ".join(f"notify {name}" for name in ["screen", *channels][:4])
        confirmed = ""

        async def save(values: Values) -> str:
            nonlocal confirmed
            actions = parse_actions(values["actions"])
            if actions.notify and confirmed != values["query"]:
                trial = await self._trial(values["query"])
                if trial.is_wide:
                    confirmed = values["query"]
                    raise UsageError(
                        f"It would have notified about {trial.count:,} items in 7 days. Narrow it, or press Enter "
                        f"again to save it anyway."
                    )
            if rule is None:
                await add_rule(database, person_id, values["name"], values["query"], actions)
            else:
                await edit_rule(
                    database,
                    person_id,
                    rule.name,
                    name=values["name"],
                    query=values["query"],
                    actions=actions,
                )
            return f"Saved the rule {safe(values['name'])}. It applies to what is new or changes from now on."

        async def attempt(values: Values) -> str:
            return trial_words(await self._trial(values["query"]))

        async def saved(sentence: str | None) -> None:
            if sentence:
                await self.load()
                self.say(sentence)

        given = rule.actions.words if rule else "notify screen"
        fields = [
            Field(name="name", label="Name", value=rule.name if rule else ""),
            Field(
                name="query",
                label='Search: words, "phrases", source:Habr, topic:python, score:>0.6',
                value=rule.query if rule else self._query,
            ),
            Field(
                name="actions",
                label=f"What happens: star, archive, read, label NAME, {names}",
                value=given,
            ),
        ]
        title = f"Edit the rule {rule.name}" if rule else "Add a rule"
        await self.app.push_screen(FormScreen(title, fields, save, attempt=attempt), saved)


def trial_words(trial: Trial) -> str:
    """Say how many items a rule would have matched, with the newest titles."""
    lines = [f"It would have matched {counted(trial.count, 'item')} of the last 7 days."]
    lines += [f"  {safe((item.title or item.url)[:100])}" for item in trial.items[:SHOWN_MATCHES]]
    return "\n".join(lines)


def parse_actions(text: str) -> RuleActions:
    """Read `star, label later, notify phone`."""
    switches: set[str] = set()
    labels: list[str] = []
    notify: list[str] = []
    for part in text.split(","):
        word, _, rest = part.strip().partition(" ")
        match word.casefold(), rest.strip():
            case "", _:
                continue
            case ("star" | "archive" | "read") as name, "":
                switches.add(name)
            case "label", name if name:
                labels.append(name)
            case "notify", name if name:
                notify.append(name)
            case _:
                raise UsageError(
                    f"{part.strip()!r} is not an action. Use star, archive, read, label NAME or notify CHANNEL, "
                    f"separated by commas."
                )
    return RuleActions(
        star="star" in switches,
        archive="archive" in switches,
        read="read" in switches,
        labels=tuple(labels),
        notify=tuple(notify),
    )
