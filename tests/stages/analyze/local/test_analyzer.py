"""The local analyzer: valid for any input, deterministic, and right about clear cases."""

from __future__ import annotations

import json
from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.model.analysis import Analysis, ScoreName, Subject
from inforadar.semantic import encoder
from inforadar.stages.analyze.base import Usage, clean_line, validate
from inforadar.stages.analyze.local import LocalAnalyzer, measured
from inforadar.stages.analyze.local.analyzer import analyze_subject
from inforadar.stages.analyze.local.lexicon import LANGUAGES, lexicon_for
from inforadar.stages.analyze.local.neutral import FUNCTION_WORDS
from inforadar.stages.analyze.local.text import MAX_TEXT_CHARS_READ, words_of

_SAMPLES = (
    "BREAKING:|SHOCKING|You won't believe|what happened next|Minister|SLAMS|blasts|an|incredible|story|!!!",
    "?!|…|🔥|17|reasons|NASA|(and it will shock you)|17%|Вы не поверите,|ШОК!|министр|шокирующий|Szok!",
    "Nie uwierzysz|naprawdę|Eilmeldung:|unfassbare|Szene|URGENTE:|impactante|video|震惊！|部长怒斥记者",
    "，网友惊呆了|ß|İ|“quoted”|can’t|\u202e|\x00|.|,|e\u0301|עברית|العربية|sources say|\n",
)
PIECES = st.sampled_from([piece for line in _SAMPLES for piece in line.split("|")])
TEXTS = st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=12).map(" ".join))
LANGUAGE = st.none() | st.sampled_from(["en", "ru", "zh-TW", "fr", "xx", "", "EN_us", "☃"])
SUBJECTS = st.builds(
    Subject,
    url=TEXTS | st.just("https://news.example/1"),
    title=TEXTS,
    description=TEXTS,
    text=TEXTS,
    language=LANGUAGE,
)


def analyzed(title: str, text: str = "", description: str = "", language: str | None = None) -> Analysis:
    subject = Subject(
        url="https://news.example/1", title=title, description=description, text=text, language=language
    )
    return analyze_subject(subject)


@given(SUBJECTS)
def test_every_subject_gets_a_valid_analysis(subject: Subject) -> None:
    assert validate(analyze_subject(subject)) == ()


@given(SUBJECTS)
def test_the_words_behind_a_score_stand_in_the_original(subject: Subject) -> None:
    analysis = analyze_subject(subject)
    for name in ScoreName:
        for word in analysis.score(name).words:
            assert word in subject.title or word in subject.text or word in subject.description


@given(SUBJECTS)
def test_a_neutral_title_says_no_word_that_the_original_does_not_say(subject: Subject) -> None:
    analysis = analyze_subject(subject)
    if analysis.title_reason == "There was no title.":
        return
    original = clean_line(f"{subject.title} {subject.description} {subject.text}", 10_000)
    lexicon = lexicon_for(analysis.language)
    listed = " ".join(lexicon.neutral.values())
    if lexicon.spaceless:
        signs = {char for char in analysis.title.lower() if char.isalnum()}
        assert signs <= set((original + listed).lower())
    else:
        said = {word.lower for word in words_of(f"{original} {listed}")} | FUNCTION_WORDS
        assert {word.lower for word in words_of(analysis.title)} <= said


async def test_the_same_subject_gets_the_same_answer() -> None:
    subject = Subject(url="u", title="Minister SLAMS critics", description="A row.", text="It could rain.")
    first = await LocalAnalyzer().analyze(subject)
    assert await LocalAnalyzer().analyze(subject) == first
    assert first.usage == Usage()


def test_of_a_huge_text_only_the_head_is_read() -> None:
    head = "The council met on 5 May. " * 200
    assert len(head) > MAX_TEXT_CHARS_READ
    assert analyzed("Council meets", head + "outrage! " * 100_000) == analyzed("Council meets", head)


@pytest.mark.parametrize(
    "title", [" " * 1_000_000, "a" * 1_000_000, "!?" * 500_000, "(" * 500_000, "震" * 500_000]
)
def test_a_huge_title_is_bounded_too(title: str) -> None:
    analysis = analyzed(title, title, title)
    assert validate(analysis) == ()


@pytest.mark.parametrize(
    ("title", "text"),
    [
        (
            "Fed raises interest rates by a quarter point to 5.25%",
            "The Federal Reserve raised its benchmark rate by 25 basis points on Wednesday, officials said.",
        ),
        ("Police arrest two men over stabbing in Leeds", ""),
        ("Scientists discover new species of frog in Ecuador", ""),
        ("France and Germany sign agreement on rail links", ""),
        ("ЦБ повысил ключевую ставку до 16% годовых", ""),
        ("Rząd przyjął projekt budżetu na 2025 rok", ""),
        ("Bundestag beschließt Haushalt für das kommende Jahr", ""),
        ("El Congreso aprueba la ley de presupuestos para 2025", ""),
        ("央行下调存款准备金率0.5个百分点", ""),
    ],
)
def test_a_wire_headline_scores_low_on_everything(title: str, text: str) -> None:
    analysis = analyzed(title, text)
    for name in ScoreName:
        assert analysis.score(name).value < 0.34, name
    assert analysis.title == title


def test_a_tabloid_headline_scores_high_and_names_its_words() -> None:
    analysis = analyzed("Trump BLASTS ‘disgraceful’ judge in UNHINGED rant against corrupt elites!!!")
    for name in (ScoreName.FRAMING, ScoreName.PERSUASIVE, ScoreName.HYPER_STIMULUS, ScoreName.OVERALL):
        assert analysis.score(name).value > 0.67, name
    assert {"disgraceful", "UNHINGED", "corrupt"} <= set(analysis.framing.words)
    assert "UNHINGED" in analysis.hyper_stimulus.words


def test_hedges_make_a_story_speculative() -> None:
    analysis = analyzed("Aliens may have visited Earth, some experts believe")
    assert analysis.speculative.value > 0.5
    assert "some experts" in analysis.speculative.words
    assert analyzed("Aliens visited Earth").speculative.value < 0.34


def test_a_loaded_text_shows_under_a_calm_title() -> None:
    calm = analyzed(
        "Senate votes on budget", "The Senate voted on the budget on Tuesday. It passed 52 to 48."
    )
    text = "The corrupt regime and its vile cronies betrayed us. This shameless farce must be stopped."
    loaded = analyzed("Senate votes on budget", text)
    assert loaded.framing.value > 0.5 > calm.framing.value
    assert loaded.persuasive.value > 0.5 > calm.persuasive.value


@pytest.mark.parametrize(
    ("language", "title"),
    [
        ("en", "You won't believe what this dog did next"),
        ("en", "17 reasons why you should never eat breakfast"),
        ("ru", "Вы не поверите, что нашли учёные под льдом Антарктиды"),
        ("pl", "Nie uwierzysz, co zrobił ten pies na oczach wszystkich"),
        ("de", "Sie werden nicht glauben, was dann passierte"),
        ("es", "No vas a creer lo que hizo este perro: mira el video"),
        ("zh", "震惊！你绝对想不到这个男人做了什么"),
    ],
)
def test_clickbait_is_seen_in_each_language(language: str, title: str) -> None:
    analysis = analyzed(title)
    assert analysis.language == language
    assert analysis.clickbait.value > 0.67


@pytest.mark.parametrize(
    ("language", "title"),
    [
        ("en", "SHOCKING: insane scenes as chaos erupts!!!"),
        ("ru", "ШОК! Невероятный скандал взорвал сеть"),
        ("pl", "Szok! Niewiarygodny skandal w Sejmie!"),
        ("de", "Schock! Unfassbare Szenen im Bundestag!"),
        ("es", "¡IMPACTANTE! El brutal escándalo que sacude a Madrid"),
        ("zh", "震惊！史上最疯狂的一幕，网友惊呆了！"),
    ],
)
def test_stimulus_is_seen_in_each_language(language: str, title: str) -> None:
    analysis = analyzed(title)
    assert analysis.language == language
    assert analysis.hyper_stimulus.value > 0.67
    assert analysis.hyper_stimulus.words


def test_every_language_with_lists_has_what_each_score_needs() -> None:
    for language in LANGUAGES:
        lexicon = lexicon_for(language)
        assert lexicon.name != language
        assert lexicon.labels
        assert lexicon.tails
        assert lexicon.question_words


def test_a_language_without_training_data_is_not_measured() -> None:
    analysis = analyzed("日本の首相が辞任を表明し、与党は後任を選ぶ")
    assert analysis.language == "ja"
    assert {analysis.score(name).value for name in ScoreName} == {None}
    assert analysis.framing.label == "not measured"
    assert analysis.framing.reason == (
        "The local analyzer was not trained for Japanese, so this was not measured."
    )


def test_the_rules_compute_a_score_that_the_head_was_not_trained_for(monkeypatch: pytest.MonkeyPatch) -> None:
    title = "Minister may reportedly resign, sources say"
    monkeypatch.setattr(measured, "PARTS", measured.PARTS[:-1])
    by_rules = analyzed(title).speculative
    assert by_rules.reason.startswith("Guesses and hedges: “")
    monkeypatch.undo()
    assert analyzed(title).speculative != by_rules
    monkeypatch.setattr(encoder, "available", lambda: False)
    assert analyzed(title).speculative == by_rules


def test_without_the_encoder_the_rules_work_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, "available", lambda: False)
    loaded = analyzed("Trump BLASTS ‘disgraceful’ judge in UNHINGED rant against corrupt elites!!!")
    assert (loaded.model, LocalAnalyzer().model) == ("local-1", "local-1")
    assert loaded.framing.value is not None
    assert loaded.framing.value > 0.67
    assert "3 exclamation marks" in loaded.hyper_stimulus.reason
    assert analyzed("Türkiye'de yeni bir yasa kabul edildi ve yürürlüğe girdi").overall.value is None


@pytest.mark.parametrize(
    "title",
    [
        "29 killed in bus crash",
        "Black voters and conservative Muslims turn out in record numbers",
        'Set x = "x" in the file config.py if there are many entries',
        "库克卸任苹果CEO，接班人公布",
    ],
)
def test_a_neutral_title_is_neutral_unmarked_and_unchanged(title: str) -> None:
    analysis = analyzed(title)
    assert analysis.clickbait.label == "neutral"
    assert analysis.title == title
    for name in ScoreName:
        words = {word.lower() for word in analysis.score(name).words}
        assert not words & {"x", "black", "conservative", "muslims", "if", "many"}


@pytest.mark.parametrize(
    "title",
    [
        "29 killed in bus crash",
        "NBA总决赛今晚开打",
        "苹果CEO库克访华",
        "Tragedia na budowie. Nie żyje jedna osoba",
        "Incident report: nine hours without search",
    ],
)
def test_plain_news_of_something_bad_is_neutral(title: str) -> None:
    analysis = analyzed(title)
    assert {analysis.score(name).label for name in ScoreName} == {"neutral"}
    assert analysis.title == title
    assert not any(analysis.score(name).words for name in ScoreName)


@pytest.mark.parametrize(
    "title",
    [
        "Tragedia pod Krakowem. Nie żyje jedna osoba",
        "How we cut cold starts by nine tenths",
        "How we cut our build time by 80%",
        "Cómo redujimos el tiempo de arranque a la mitad",
    ],
)
def test_news_of_a_death_and_reports_of_engineers_are_neutral(title: str) -> None:
    analysis = analyzed(title)
    for name in (ScoreName.FRAMING, ScoreName.CLICKBAIT, ScoreName.OVERALL):
        assert analysis.score(name).label == "neutral", name
    assert analysis.title == title


def test_a_loaded_title_is_told_by_a_plain_sentence_of_the_article() -> None:
    text = (
        "The tractors have gone from the capital. The government has dropped its planned tax on nitrogen fertiliser "
        "after three weeks of protests by farmers. The levy was due to start in April."
    )
    analysis = analyzed("Gutless ministers cave in to farmers over fertiliser tax", text)
    assert analysis.title == (
        "The government has dropped its planned tax on nitrogen fertiliser after three weeks of protests by farmers"
    )
    assert analysis.title_reason == "The title is loaded; a sentence of the article tells it plainly."


def test_an_unknown_language_is_said_to_be_unknown() -> None:
    analysis = analyzed("ᐃᓄᒃᑎᑐᑦ ᐅᖃᐅᓯᖅ")
    assert analysis.language == "und"
    assert analysis.persuasive.reason == "The language is not known, so this was not measured."


def test_an_item_without_anything_is_named_by_its_host() -> None:
    analysis = analyzed("")
    assert analysis.title == "news.example"
    assert analysis.title_reason == "There was no title."
    assert analysis.overall.value is None


def test_without_a_title_the_first_sentence_stands_in() -> None:
    analysis = analyzed("", "The council approved the budget on Tuesday. It spends 3 million on roads.")
    assert analysis.title == "The council approved the budget on Tuesday"
    assert "no title" in analysis.title_reason


def test_the_model_file_is_small_and_serves_every_language() -> None:
    file = resources.files("inforadar.stages.analyze.local") / "model" / "clickbait.json"
    text = file.read_text(encoding="utf-8")
    assert len(text.encode()) < 300_000
    assert {"en", "es", "signs"} == set(json.loads(text)["models"])
