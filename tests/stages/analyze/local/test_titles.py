"""Which sentence stands in for a loaded title, and when none does."""

from __future__ import annotations

import pytest

from inforadar.model.analysis import Analysis, Subject
from inforadar.stages.analyze.local.analyzer import analyze_subject
from inforadar.stages.analyze.local.lexicon import lexicon_for
from inforadar.stages.analyze.local.titles import LOADED_AS_PUBLISHED, shortened


def analyzed(title: str, text: str, language: str) -> Analysis:
    return analyze_subject(
        Subject(url="https://news.example/1", title=title, description="", text=text, language=language)
    )


@pytest.mark.parametrize(
    ("language", "title", "text", "neutral"),
    [
        (
            "de", "Windkraft-Wahn frisst unseren schönen Wald!",
            "Im Forst von Birkenau sollen zwölf Windräder gebaut werden. Darüber stimmt der Kreistag am 3. Mai ab.",
            "Im Forst von Birkenau sollen zwölf Windräder gebaut werden",
        ),
        (
            "ru", "Позор! Обнаглевшие депутаты жируют за наш счёт, а народ нищает",
            "Областное собрание утвердило во вторник покупку шести служебных автомобилей за 27 миллионов рублей. "
            "Торги объявят в июне.",
            "Областное собрание утвердило во вторник покупку шести служебных автомобилей за 27 миллионов рублей",
        ),
        (
            "zh", "震惊！黑心超市竟然这样坑人",
            "市场监管局周三对一家超市罚款20万元，因其销售的牛肉重量不足。超市表示将整改。",
            "市场监管局周三对一家超市罚款20万元，因其销售的牛肉重量不足",
        ),
    ],
)  # fmt: skip
def test_the_lead_stands_in_for_a_loaded_title(language: str, title: str, text: str, neutral: str) -> None:
    assert analyzed(title, text, language).title == neutral


@pytest.mark.parametrize(
    ("language", "title", "text"),
    [
        (
            "fr", "Le directeur de Lorval s’octroie l’indécente somme de deux millions",
            "Le directeur du groupe Lorval a touché deux millions d’euros en 2025, 12 % de plus que l’an dernier. "
            "Les actionnaires votent en juin.",
        ),
        (
            "de", "Clan-Bestie lächelt vor den Richtern in Hagen",
            "Vor dem Landgericht Hagen hat am Dienstag der Prozess gegen einen 41-Jährigen begonnen, der einen Mann "
            "getötet haben soll. Das Urteil soll im Mai fallen.",
        ),
        (
            "ru", "Автозавод «Волна» загоняет 900 рабочих на короткую неделю",
            "Автозавод «Волна» переведёт с 1 марта 900 рабочих на короткую неделю. Увольнений не планируется.",
        ),
    ],
    ids=["judged behind an elided article", "judged by the last part of a word", "told by a sentence with a name"],
)  # fmt: skip
def test_a_title_is_loaded_by_any_judging_word_and_a_name_in_quotes_is_no_quotation(
    language: str, title: str, text: str
) -> None:
    assert analyzed(title, text, language).title == text.split(". ", maxsplit=1)[0]


def test_a_sentence_that_quotes_somebody_does_not_stand_in() -> None:
    text = "„Das Urteil ist milde“, sagte der Anwalt am Dienstag nach dem Prozess gegen einen 41-Jährigen in Hagen."
    assert "Anwalt" not in analyzed("Clan-Bestie lächelt vor den Richtern in Hagen", text, "de").title


def test_a_title_of_which_the_rules_leave_little_is_told_by_a_sentence() -> None:
    told = (
        "Un repas de cantine sur cinq ne respecte pas les recommandations, selon un rapport publié mercredi"
    )
    analysis = analyzed(
        "La terrible vérité sur les cantines scolaires",
        f"{told}. Les contrôles ont porté sur 310 établissements.",
        "fr",
    )
    assert analysis.title == told


def test_a_sentence_about_something_else_does_not_stand_in() -> None:
    text = "Maria Lund was born in Oslo. Her office opens at nine. Tickets cost 12 euros."
    analysis = analyzed("Shameless minister betrays us all AGAIN!!!", text, "en")
    assert "Oslo" not in analysis.title
    assert "minister" in analysis.title.lower()


def test_where_no_rules_were_measured_the_title_stays() -> None:
    title = "فضيحة مدوية تهز البلاد: لن تصدق ما فعله الوزير الفاسد!"
    text = "أعلنت وزارة النقل عن افتتاح طريق جديد بطول 40 كيلومترا يوم الاثنين. وبلغت كلفة الطريق 20 مليونا."
    analysis = analyzed(title, text, "ar")
    assert analysis.language == "ar"
    assert "وزارة النقل" not in analysis.title


def test_a_loaded_title_that_stays_is_said_to_be_loaded() -> None:
    analysis = analyzed("Betrayal, cowardice and greed", "", "en")
    assert (analysis.title, analysis.title_reason) == (
        "Betrayal, cowardice and greed",
        LOADED_AS_PUBLISHED,
    )


@pytest.mark.parametrize(
    ("language", "sentence", "line"),
    [
        ("en", "The mayor (68) resigned on Monday.", "The mayor resigned on Monday"),
        (
            "fr",
            "La Première ministre a engagé jeudi la responsabilité du gouvernement sur la réforme des retraites, "
            "qui sera considérée comme adoptée sans vote.",
            "La Première ministre a engagé jeudi la responsabilité du gouvernement sur la réforme des retraites",
        ),
        (
            "en",
            "The coach, who has led the team for nine years and won the cup three times with it since he came, "
            "resigned on Monday evening after talks.",
            "The coach, who has led the team for nine years and won the cup three times with it since he came, "
            "resigned on Monday evening after talks",
        ),
        (
            "en",
            "Adding two grams of cinnamon a day to the diet did not lower blood sugar in adults with diabetes, "
            "according to a trial at four clinics.",
            "Adding two grams of cinnamon a day to the diet did not lower blood sugar in adults with diabetes, "
            "according to a trial at four clinics",
        ),
    ],
)
def test_shortening_keeps_the_sentence_and_its_source(language: str, sentence: str, line: str) -> None:
    assert shortened(sentence, lexicon_for(language)) == line
