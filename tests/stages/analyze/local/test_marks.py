"""Marked words: those that carry the score, and no plain words, function words, names of groups or code."""

from __future__ import annotations

import numpy
import pytest

from inforadar.model.analysis import Analysis, ScoreName, Subject
from inforadar.stages.analyze.local.analyzer import analyze_subject
from inforadar.stages.analyze.local.head import PARTS, description, inputs_for, load_head
from inforadar.stages.analyze.local.lexicon import lexicon_for
from inforadar.stages.analyze.local.marks import Candidate, candidates_in, context_features, without
from inforadar.stages.analyze.local.measured import carries_score
from inforadar.stages.analyze.local.passage import read_passage


def analyzed(title: str, text: str = "", language: str | None = None) -> Analysis:
    return analyze_subject(Subject(url="", title=title, description="", text=text, language=language))


def marked(analysis: Analysis) -> set[str]:
    return {word for name in ScoreName for word in analysis.score(name).words}


@pytest.mark.parametrize(
    ("language", "title", "loaded", "plain"),
    [
        (
            "en",
            "The most INSANE telescope ever built just saw something strange",
            "INSANE",
            "telescope built saw something ever most",
        ),
        (
            "en",
            "Scientists furious as reckless ministers gut historic climate fund",
            "furious reckless",
            "Scientists ministers climate fund",
        ),
        ("en", "🔥🔥 This INSANE phone DESTROYS everything 😱", "INSANE DESTROYS", "This phone 🔥 😱"),
        (
            "de",
            "Unfassbar: Dreiste Minister plündern schamlos die Rentenkasse",
            "Dreiste plündern schamlos",
            "Minister Rentenkasse die",
        ),
        (
            "ru",
            "Президент подло предал пенсионеров, устроив чудовищный грабёж",
            "подло предал чудовищный",
            "Президент пенсионеров",
        ),
        (
            "pl",
            "Skandal! Rząd bezczelnie okrada emerytów i kpi z ludzi",
            "bezczelnie okrada",
            "Rząd emerytów",
        ),
        (
            "ar",
            "فضيحة مدوية: الحكومة الفاسدة تنهب أموال الشعب بوقاحة",
            "فضيحة الفاسدة",
            "الحكومة أموال الشعب",
        ),
        ("zh", "震惊！无耻奸商竟然疯狂欺骗老人", "震惊 无耻 疯狂", "老人 ！ 惊"),
    ],
)
def test_loaded_words_are_marked_and_the_plain_words_beside_them_are_not(
    language: str, title: str, loaded: str, plain: str
) -> None:
    found = marked(analyzed(title, language=language))
    assert set(loaded.split()) <= found
    assert not set(plain.split()) & found


@pytest.mark.parametrize(
    ("language", "title", "plain"),
    [
        ("zh", "医生打死都不会告诉你：每天一杯它，血压乖乖降", "你 它"),
        ("zh", "吃货福音还是致命陷阱？实验室造肉真相惊人", "？ 惊"),
        ("es", "El alimento que tienes en la nevera y que te está matando poco a poco", "El alimento que"),
        ("it", "Porta la classe nel bosco, quello che accade ai bambini è pazzesco", "quello"),
        ("ru", "За вами следят через телевизор? Шокирующая правда, которую скрывали производители", "вами"),
        ("pl", "Śmiertelna pułapka w aptece. Ten lek może cię zabić", "cię"),
    ],
)
def test_signs_of_clickbait_mark_no_pronouns_marks_or_plain_words(
    language: str, title: str, plain: str
) -> None:
    analysis = analyzed(title, language=language)
    assert analysis.clickbait.label != "neutral"
    assert not analysis.clickbait.words or not {plain, *plain.split()} & set(analysis.clickbait.words)


def test_code_acronyms_and_groups_in_a_loaded_line_are_not_marked() -> None:
    found = marked(analyzed("Shameless NATO fanatics wreck `users_table` and betray decent Muslims, whites"))
    assert "Shameless" in found
    assert not {"NATO", "users_table", "users", "table", "Muslims", "whites"} & found


def test_an_acronym_is_not_shouted() -> None:
    lexicon = lexicon_for("en")
    passage = read_passage("NATO is INSANE today", lexicon)
    shouted = {
        candidate.lower: context_features(passage, candidate, 0.0)[3]
        for candidate in candidates_in(passage, lexicon)
    }
    assert shouted["nato"] == 0
    assert shouted["insane"] == 1


def test_a_more_loaded_line_does_not_make_each_of_its_words_likelier_without_end() -> None:
    lexicon = lexicon_for("en")
    passage = read_passage("A telescope saw a star", lexicon)
    word = candidates_in(passage, lexicon)[0]
    assert context_features(passage, word, 1.0) == context_features(passage, word, 20.0)


def test_a_word_without_which_its_line_is_as_loaded_is_not_marked() -> None:
    effects = numpy.zeros((4, len(PARTS)), dtype=numpy.float32)
    effects[1, PARTS.index(ScoreName.FRAMING)] = 0.1
    effects[2, PARTS.index(ScoreName.HYPER_STIMULUS)] = 0.1
    effects[3] = -0.1
    assert carries_score(effects) == [False, True, True, False]


@pytest.mark.parametrize(
    ("language", "title", "plain"),
    [
        (
            "de",
            "Liebes-Drama um Sängerin: Traumpaar zerbricht nach elf Jahren unter bitteren Tränen",
            "Sängerin",
        ),
        ("en", "Third mildest since 1881: winter is gone forever, nothing will bring it back", "mildest"),
        (
            "ru",
            "Угоны выросли на 9 процентов: ни одна машина в Екатеринбурге больше не в безопасности",
            "Угоны",
        ),
    ],
)
def test_a_likely_word_that_calms_its_line_is_not_marked(language: str, title: str, plain: str) -> None:
    lexicon = lexicon_for(language)
    passage = read_passage(title, lexicon)
    likely = load_head().marks.likely(passage, candidates_in(passage, lexicon), 1.0)
    assert plain in {title[word.start : word.end] for word in likely}
    assert plain not in marked(analyzed(title, language=language))


@pytest.mark.parametrize(
    ("language", "text", "word", "rest"),
    [
        ("en", "A reckless, costly plan", "reckless", "A , costly plan"),
        ("zh", "无耻奸商欺骗老人", "无耻", "奸商欺骗老人"),
        ("ar", "الحكومة الفاسدة اليوم", "الفاسدة", "الحكومة اليوم"),
        ("en", "🔥 INSANE phone", "INSANE", "🔥 phone"),
    ],
)
def test_a_passage_is_read_again_without_one_of_its_words(
    language: str, text: str, word: str, rest: str
) -> None:
    lexicon = lexicon_for(language)
    start = text.index(word)
    candidate = Candidate(word.lower(), start, start + len(word))
    assert without(read_passage(text, lexicon), candidate, lexicon).text == rest


def test_only_the_title_gets_the_calibration_of_titles() -> None:
    head, lexicon = load_head(), lexicon_for("en")
    line = "What a day!"
    raw = head.network.logits(inputs_for([read_passage(line, lexicon)] * 2, lexicon))
    title, sentence = head.calibrated(raw, line)
    assert title == pytest.approx(raw[0] * head.title_calibration[:, 0] + head.title_calibration[:, 1])
    assert sentence == pytest.approx(raw[1] * head.calibration[:, 0] + head.calibration[:, 1])
    assert head.calibrated(raw, "What a day.")[0] == pytest.approx(sentence)


def test_the_released_marks_agree_with_annotators() -> None:
    marks = description()["marks"]
    assert marks["precision"] >= 0.65
    assert marks["recall"] >= 0.45
    assert marks["neutral_texts_marked"] <= 0.1
    assert marks["plain_words"] <= 0.1
