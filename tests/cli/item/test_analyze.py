"""`inforadar analyze …` and a feed's own analyzer, as a person would use them, with a model on loopback."""

from __future__ import annotations

import re
from dataclasses import replace

from tests.cli.program import Program
from tests.support.llm_server import Answer, LlmServer, answer_text


async def test_a_model_deframes_the_sample_and_the_bill_is_shown(sampled: Program) -> None:
    by_rules = (await sampled.run("analyze", "stats", "--json")).json
    assert by_rules["costs"] == []
    (rules,) = by_rules["results"]
    feeds = (await sampled.run("feed", "list", "--json")).json
    async with LlmServer() as server:
        asking = replace(
            sampled,
            extra={
                "AI_TYPE": "openai",
                "AI_BASE_URL": server.base_url("openai"),
                "AI_MODEL": "tiny-1",
                "AI_PRICE_IN": "1",
                "AI_PRICE_OUT": "2",
            },
        )
        edited = await asking.run("feed", "edit", feeds[0]["id"], "--analyzer", "local")
        assert edited.code == 0
        assert "analyze run --again" in edited.out
        assert (await asking.run("feed", "edit", feeds[1]["id"], "--no-analyze")).code == 0
        done = await asking.run("analyze", "run", "--again", "--json")
        assert done.code == 0
        analyzed = done.json["endings"]["analyzed"]
        assert 0 < analyzed == done.json["queued_again"] == len(server.calls) < rules["items"]
        assert done.json["built"] == len(feeds) - 2
        stats = (await asking.run("analyze", "stats", "--json")).json
        assert {row["model"]: row["items"] for row in stats["results"]} == {
            "tiny-1": analyzed,
            rules["model"]: rules["items"] - analyzed,
        }
        assert stats["queue"] == {"fresh": 0, "retry": 0, "working": 0, "dead": 0}
        assert sum(row["calls"] for row in stats["costs"]) == analyzed
        assert round(stats["spent_today"], 9) == round(analyzed * 0.0002, 9)


async def test_a_feed_has_a_model_and_a_prompt_of_its_own_and_what_a_model_says_cannot_steer_the_terminal(
    sampled: Program,
) -> None:
    first, *_ = (await sampled.run("feed", "list", "--json")).json
    prompts = sampled.home / "prompts"
    prompts.mkdir()
    (prompts / "short.md").write_text("---\nversion: 7\n---\nIn two words.", encoding="utf-8")
    async with LlmServer() as server:
        hostile = "\x1b[2J\x1b]0;owned\x07\u202e[red]no[/red]"
        server.respond(
            Answer(text=answer_text(title=hostile, summary=hostile)), Answer(text=hostile, ending="refused")
        )
        extra = {"AI_TYPE": "openai", "AI_MODEL": "tiny-1", "AI_CONCURRENCY": "1"}
        asking = replace(sampled, extra={**extra, "AI_BASE_URL": server.base_url("openai")})
        edit = ("feed", "edit", first["id"], "--model", "big-2", "--prompt", "short")
        assert (await asking.run(*edit)).code == 0
        done = (await asking.run("analyze", "run", "--again", "--json")).json
        assert done["endings"] == {"analyzed": 1, "failed": len(server.calls) - 1}
        assert {call.model: call.system == "In two words." for call in server.calls} == {
            "tiny-1": False,
            "big-2": True,
        }
        stats = await asking.run("analyze", "stats")
        assert "refused this article" in stats.out
        assert re.search(rf"big-2\t{re.escape(first['url'])}", stats.out)
        items = (await asking.run("item", "list", "--json", "--limit", "50")).json
        (told,) = [item for item in items if item["analyzer_result"].get("model") in ("tiny-1", "big-2")]
        shown = await asking.run("item", "show", told["id"])
        for out in (stats.out, shown.out):
            assert not set("\x1b\x07\u202e") & set(out)
        assert "[red]no[/red]" in shown.out, "it is text, and not the terminal's markup"


async def test_the_numbers_are_shown_to_people_too(sampled: Program) -> None:
    shown = await sampled.run("analyze", "stats")
    assert "Queue: 0 new, 0 to retry, 0 in progress, 0 given up." in shown.out
    assert "No model was called in the last 30 days." in shown.out
    nothing = await sampled.run("analyze", "run")
    assert (nothing.code, "Nothing to analyze." in nothing.out) == (0, True)


async def test_an_outage_is_told_and_nothing_is_lost(sampled: Program) -> None:
    async with LlmServer() as server:
        server.respond(Answer(status=503))
        extra = {"AI_TYPE": "openai", "AI_BASE_URL": server.base_url("openai"), "AI_MODEL": "tiny-1"}
        asking = replace(sampled, extra=extra)
        done = await asking.run("analyze", "run", "--again")
        assert done.code == 1
        assert "waiting for the endpoint or the budget" in done.out
        stats = (await asking.run("analyze", "stats", "--json")).json
        assert stats["queue"]["fresh"] > 0
        assert stats["failures"]["outage"] > 0
        assert sum(row["items"] for row in stats["results"]) > 0, "what was analyzed before stays"


async def test_the_prompt_is_shown_and_can_be_replaced(program: Program) -> None:
    shown = (await program.run("analyze", "prompt", "--json")).json
    assert shown["name"] == "deframe"
    assert shown["text"] in (await program.run("analyze", "prompt")).out
    folder = program.home / "prompts"
    folder.mkdir(parents=True)
    (folder / "deframe.md").write_text("---\nversion: 9\n---\nКратко.", encoding="utf-8")
    own = (await program.run("analyze", "prompt", "--json")).json
    assert own["version"].startswith("deframe-9.")
    assert own["text"] == "Кратко."


async def test_what_cannot_work_is_a_sentence(program: Program) -> None:
    feed = (await program.run("feed", "add", "https://news.example/feed", "--json")).json["id"]
    for arguments, extra, says in (
        (("analyze", "prompt", "--name", "../x"), {}, "is not a valid prompt name"),
        (("feed", "edit", feed, "--prompt", "nope"), {}, "The prompt 'nope' does not exist"),
        (("feed", "edit", feed, "--analyzer", "oracle"), {}, "oracle"),
        (("worker", "--once"), {"AI_TYPE": "openai"}, "needs a key: set AI_API_KEY"),
        (("worker", "--once"), {"AI_TYPE": "oracle"}, "`openai`"),
        (("analyze", "run"), {"AI_TYPE": "anthropic"}, "needs a key: set AI_API_KEY"),
    ):
        done = await replace(program, extra=extra).run(*arguments)
        assert done.code == 2, arguments
        assert says in done.err + done.out
        assert "Traceback" not in done.err


async def test_a_worker_that_does_not_analyze_needs_no_key(program: Program) -> None:
    done = await replace(program, extra={"AI_TYPE": "openai"}).run("worker", "--once", "--stages", "collect")
    assert done.code == 0
