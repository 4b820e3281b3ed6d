"""The interface speaks the language of the current task; English is what everything falls back to."""

import asyncio

import pytest

from inforadar.translations import (
    ENGLISH,
    Language,
    choose_language,
    find_language,
    gettext,
    ngettext,
    pgettext,
    speaking,
)


def language(code: str) -> Language:
    found = find_language(code)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("accepted", "code"),
    [
        ("", "en"),
        ("de-DE,de;q=0.9", "en"),
        ("pl", "pl"),
        ("pl-PL,pl;q=0.9,en-US;q=0.8,en;q=0.7", "pl"),
        ("en-GB,en;q=0.9,ru;q=0.8", "en"),
        ("de, ru;q=0.8, en;q=0.5", "ru"),
        ("zh-CN,zh;q=0.9", "zh"),
        ("ZH-Hant-TW", "zh"),
        ("pl;q=0,ru;q=0.1", "ru"),
        ("*", "en"),
        (";;;q=,=pl,,;q=x", "en"),
        ("pl;q=x", "en"),
        ("en," * 10_000 + "pl", "en"),
    ],
)
def test_a_browser_gets_the_language_that_it_prefers(accepted: str, code: str) -> None:
    assert choose_language(accepted).code == code


@pytest.mark.parametrize(
    ("code", "texts"),
    [
        ("en", ["1 article", "2 articles", "5 articles", "21 articles", "112 articles"]),
        ("pl", ["1 artykuł", "2 artykuły", "5 artykułów", "21 artykułów", "112 artykułów"]),
        ("ru", ["1 статья", "2 статьи", "5 статей", "21 статья", "112 статей"]),
        ("zh", ["1 篇文章", "2 篇文章", "5 篇文章", "21 篇文章", "112 篇文章"]),
    ],
)
def test_counts_take_the_forms_of_the_language(code: str, texts: list[str]) -> None:
    with speaking(language(code)):
        shown = [ngettext("%(num)s article", "%(num)s articles", number) for number in (1, 2, 5, 21, 112)]
    assert shown == texts


def test_a_message_that_a_catalogue_lacks_is_english() -> None:
    with speaking(language("pl")):
        assert gettext("Saved.") == "Zapisano."
        assert gettext("Never %(what)s.", what="said") == "Never said."
        assert ngettext("%(num)s unheard", "%(num)s unheards", 2) == "2 unheards"
        assert pgettext("nowhere", "Saved.") == "Saved."
    assert gettext("Saved.") == "Saved."


async def test_requests_at_the_same_time_speak_their_own_languages() -> None:
    async def answer(code: str) -> list[str]:
        with speaking(language(code)):
            said = [gettext("Saved.")]
            await asyncio.sleep(0)
            return [*said, await asyncio.to_thread(gettext, "Saved.")]

    assert await asyncio.gather(answer("pl"), answer("ru"), answer("en")) == [
        ["Zapisano."] * 2,
        ["Сохранено."] * 2,
        ["Saved."] * 2,
    ]


def test_english_has_no_catalogue_and_needs_none() -> None:
    with speaking(ENGLISH):
        assert gettext("Anything at all") == "Anything at all"
