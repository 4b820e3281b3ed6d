"""Neutral titles, descriptions, summaries and facts: taken from the original, never invented."""

from __future__ import annotations

import pytest

from inforadar.model.analysis import Analysis, Subject
from inforadar.stages.analyze.local.analyzer import analyze_subject
from inforadar.stages.analyze.local.lexicon import lexicon_for
from inforadar.stages.analyze.local.neutral import neutralize


def analyzed(title: str, text: str = "", description: str = "") -> Analysis:
    return analyze_subject(
        Subject(url="https://news.example/1", title=title, description=description, text=text)
    )


@pytest.mark.parametrize(
    ("title", "neutral"),
    [
        ("Minister SLAMS critics in furious late-night row", "Minister criticizes critics in late-night row"),
        ("BREAKING: Senate passes budget", "Senate passes budget"),
        ("WATCH: BREAKING: Senate passes budget", "Senate passes budget"),
        ("Senate passes budget [VIDEO]", "Senate passes budget"),
        ("An incredible story of survival at sea", "A story of survival at sea"),
        ("An insane university prank", "A university prank"),
        ("A stunning hour of play", "An hour of play"),
        ("Minister lashes out at ſlams", "Minister criticizes ſlams"),
        ("Oil prices skyrocket!!! NASA watches", "Oil prices skyrocket. NASA watches"),
        ("Man finds gold in garden — you won't believe what happened next", "Man finds gold in garden"),
        ("Dog saves child, and it's amazing", "Dog saves child"),
        ("17 reasons why eggs are healthy (and #5 will shock you)", "17 reasons why eggs are healthy"),
        ("Did the SENATOR really lie?!", "Did the senator lie?"),
        ("СРОЧНО: президент подписал указ", "Президент подписал указ"),
        ("Pilne! Szokujące słowa ministra", "Słowa ministra"),
        ("Eilmeldung: Unfassbare Szenen in der Berliner Innenstadt", "Szenen in der Berliner Innenstadt"),
        ("URGENTE: Impactante video muestra el ataque en Madrid", "Video muestra el ataque en Madrid"),
        ("震惊！部长怒斥记者，网友惊呆了", "部长批评记者"),
        ("This Is Why Mortgage Rates Are Rising Again", "Mortgage Rates Are Rising Again"),
        ("Here’s what happened when NASA switched off a heater", "NASA switched off a heater"),
        ("You Won't Believe What This Senator Said About Rain", "What This Senator Said About Rain"),
        ("Everything you need to know about the new EU budget", "The new EU budget"),
        ("Watch: Incredible moment dog rescues man in Texas", "Dog rescues man in Texas"),
        ("10 Mind-Blowing Facts About Octopuses That Will Change Your Life", "10 Facts About Octopuses"),
        ("What happened next will leave you speechless: Bear enters shop", "Bear enters shop"),
        ("Apple finally unveils the most incredible iPhone ever", "Apple unveils the iPhone"),
        ("Tariff plan sends shockwaves through Wall Street", "Tariff plan affects Wall Street"),
        ("Вы не поверите, что нашли в подвале Эрмитажа", "Что нашли в подвале Эрмитажа"),
        ("Эксперты в ужасе: в Москве жара до 40 градусов", "В Москве жара до 40 градусов"),
        ("Musisz to zobaczyć! Niesamowity gol Lewandowskiego", "Gol Lewandowskiego"),
        ("Przerażające odkrycie w Tatrach. Turyści w szoku", "Odkrycie w Tatrach"),
        ("Sie werden nicht glauben, was in Berlin gefunden wurde", "Was in Berlin gefunden wurde"),
        ("Unglaubliche Entdeckung in den Alpen: Forscher fassungslos", "Entdeckung in den Alpen"),
        ("¡IMPACTANTE! La luz subirá un 60% en enero", "La luz subirá un 60% en enero"),
        ("¡Tienes que verlo! El espectacular gol de Yamal", "El gol de Yamal"),
        ("你绝对想不到，电价将上涨60%！！！", "电价将上涨60%"),
        ("太可怕了！科学家在南极发现神秘生物", "科学家在南极发现神秘生物"),
    ],
)
def test_the_bait_is_dropped_and_the_news_kept(title: str, neutral: str) -> None:
    analysis = analyzed(title)
    assert analysis.title == neutral
    assert "as published" not in analysis.title_reason


@pytest.mark.parametrize(
    "title",
    [
        "NATO and the EU agree on UNESCO site",
        "U.S. GDP grows 3%",
        "Watch makers of Geneva",
        "7 Blasts Around Baghdad Kill at Least 24",
        "Two found guilty in 1993 Mumbai blasts case",
        'Source of "HOPE" poster discovered',
        "Yahoo!7 creates joint venture",
        "ECOWAS suspends Niger",
        "Breaking bread with the neighbours",
        "Hurricane slams Florida coast, killing 3",
        "Car slams into wall in Leeds",
        "SpaceX rocket blasts off from Florida",
        "Moment of truth for the euro",
        "Visitors love the Crazy Horse memorial",
        "Hottest year ever recorded in Spain",
        "Here and there, prices fall",
        "Президент подписал указ",
        "مجلس الوزراء يقر الموازنة",
        "央行下调利率",
    ],
)
def test_a_title_without_bait_is_left_alone(title: str) -> None:
    analysis = analyzed(title)
    assert analysis.title == title
    assert analysis.title_reason == "Nothing to drop: the title is as published."


def test_shouted_names_get_the_form_that_the_text_gives_them() -> None:
    text = "The iPhone maker and NASA signed a contract in Florida on Monday. The contract is for rockets."
    neutral = analyzed("IPHONE MAKER AND NASA SIGN CONTRACT IN FLORIDA", text).title
    assert neutral == "iPhone Maker and NASA Sign Contract in Florida"


def test_an_unknown_acronym_stays_when_the_text_writes_it_so() -> None:
    text = "The XYZCORP board met on Monday."
    assert analyzed("Board of XYZCORP meets in secret", text).title == "Board of XYZCORP meets in secret"


@pytest.mark.parametrize(
    "title",
    [
        "The show was amazing and the crowd loved it",
        "Workers fired after shocking children with stun guns",
        "The result is more shocking than expected",
        "Peinlicher geht es nicht, sagt der Trainer",
        "Il ministro definisce vergognosa la riforma",
        "Жадные получат больше остальных",
    ],
)
def test_a_judging_word_that_carries_the_sentence_stays(title: str) -> None:
    assert analyzed(title).title == title


def test_an_emoji_alone_makes_no_neutral_title() -> None:
    analysis = analyzed("🔥🔥 Apple unveils iPhone 17 📱")
    assert analysis.title == "🔥🔥 Apple unveils iPhone 17 📱"
    assert "as published" in analysis.title_reason


@pytest.mark.parametrize(
    ("language", "title", "neutral"),
    [
        ("en", "Council's crackpot plan to paint over bridge", "Council's plan to paint over bridge"),
        ("en", "Coach leaves with obscene 180,000 payoff", "Coach leaves with 180,000 payoff"),
        (
            "de",
            "Stadt rüstet für irrwitzige 6,4 Millionen Ampeln um",
            "Stadt rüstet für 6,4 Millionen Ampeln um",
        ),
        ("es", "La luz sube un abusivo 4,3 % en octubre", "La luz sube un 4,3 % en octubre"),
        ("es", "Gana con un penalti escandaloso en el minuto 94", "Gana con un penalti en el minuto 94"),
        (
            "fr",
            "Gazole : scandaleuse cinquième hausse, à 1,82 euro",
            "Gazole : cinquième hausse, à 1,82 euro",
        ),
        ("it", "Multa a tre banche rapaci per le polizze", "Multa a tre banche per le polizze"),
        (
            "pl",
            "Żałosny system nie działał przez dziewięć godzin",
            "System nie działał przez dziewięć godzin",
        ),
        ("ru", "Грабительские тарифы ЖКХ: рост на 8,6 процента", "Тарифы ЖКХ: рост на 8,6 процента"),
        ("zh", "国足耻辱性0比1负于瓦鲁岛队", "国足0比1负于瓦鲁岛队"),
    ],
)
def test_a_judging_word_is_dropped_in_every_language(language: str, title: str, neutral: str) -> None:
    assert neutralize(title, lexicon_for(language), None).text == neutral


@pytest.mark.parametrize(
    ("language", "title"),
    [
        ("en", "Horrifying, betrayal of our children"),
        ("it", "Il comune corregge uno scandaloso errore"),
        ("fr", "Le maire dénonce l’odieuse manœuvre"),
        ("fr", "Le maire dénonce d’odieuses attaques contre les élus"),
    ],
)
def test_where_grammar_would_suffer_nothing_is_dropped(language: str, title: str) -> None:
    assert neutralize(title, lexicon_for(language), None).text == title


def test_a_judging_word_behind_an_elided_article_is_dropped_where_the_article_fits_the_next_word() -> None:
    neutral = neutralize("L’incredibile errore del ministro", lexicon_for("it"), None)
    assert neutral.text == "L’errore del ministro"


LITERAL = [
    ("fr", "Une usine flambe à Lyon, 40 pompiers mobilisés"),
    ("fr", "Une usine de production de gaz explose près de Lyon"),
    ("fr", "Le nombre de visites explose les compteurs"),
    ("fr", "Un homme s'en prend à une passante avec un couteau"),
    ("fr", "Le PSG étrille Lens 5 à 0"),
    ("it", "Il Comune demolisce il ponte sul fiume"),
    ("it", "Il vulcano tuona ancora: cenere su Catania"),
    ("es", "La policía carga contra los manifestantes en Lima"),
    ("es", "Un coche arremete contra una terraza en Vigo"),
    ("ru", "Ураган разнёс крышу школы в Твери"),
    ("ru", "Самолёт взлетел и вернулся в аэропорт"),
    ("pl", "Maszyna miażdży rękę robotnika"),
    ("zh", "以军炮轰加沙北部致十二人死亡"),
    ("de", "Bayern schießt gegen Dortmund drei Tore"),
    ("en", "Djokovic wins record Grand Slam title"),
    ("en", "Israel blasts Hezbollah targets in Lebanon"),
    ("en", "Police fired back at gunman in Ohio mall"),
]


def test_a_verb_that_is_meant_literally_stays() -> None:
    changed = [
        neutral
        for language, title in LITERAL
        if (neutral := neutralize(title, lexicon_for(language), None).text) != title
    ]
    assert changed == []


def test_prices_that_explode_rise() -> None:
    for language, title, neutral in (
        ("fr", "Énergie : le prix du gaz explose", "Énergie : le prix du gaz augmente"),
        ("fr", "Les loyers s’envolent à Nantes", "Les loyers augmentent à Nantes"),
        ("de", "Die Mieten explodieren in Leipzig", "Die Mieten steigen in Leipzig"),
        ("es", "Los precios se disparan un 12 % en enero", "Los precios suben un 12 % en enero"),
        ("ru", "Цены на бензин взлетели на 8 процентов", "Цены на бензин выросли на 8 процентов"),
        ("pl", "Ceny mieszkań szybują w górę", "Ceny mieszkań rosną"),
    ):
        assert neutralize(title, lexicon_for(language), None).text == neutral


def test_a_title_that_withholds_is_replaced_by_the_sentence_that_tells() -> None:
    text = "A Labrador named Max pulled a child from a river in Ohio on Monday, police said. Max is six."
    analysis = analyzed("You won't believe what this dog did next", text)
    assert analysis.title == "A Labrador named Max pulled a child from a river in Ohio on Monday, police said"
    assert analysis.title_reason.startswith("The title withholds")


def test_a_title_that_withholds_keeps_what_it_says_when_nothing_tells() -> None:
    text = "Wait until you see this! Can you guess? We could not."
    assert analyzed("You won't believe what this dog did next", text).title == "What this dog did next"


TEXT = """The council approved a budget of 3.2 million euros on Tuesday, Mayor Anna Kowalska said.

What will happen now? You have to read this to the end!

According to the ministry, 41 villages will get new roads by 2027. Critics called it an outrageous farce.
Some believe that the money could perhaps go elsewhere. The roads were last repaired in 1998, records show."""


def test_facts_are_sentences_of_the_text_with_numbers_and_sources() -> None:
    assert analyzed("Council approves budget for roads", TEXT).facts == (
        "The council approved a budget of 3.2 million euros on Tuesday, Mayor Anna Kowalska said.",
        "According to the ministry, 41 villages will get new roads by 2027.",
        "The roads were last repaired in 1998, records show.",
    )


def test_the_summary_is_the_sentences_about_the_title_in_their_order() -> None:
    summary = analyzed("Council approves budget for roads", TEXT).summary
    assert summary.startswith("The council approved a budget of 3.2 million euros")
    assert "41 villages" in summary
    assert "outrageous" not in summary
    assert "?" not in summary


def test_a_description_loses_the_sentences_that_only_lure() -> None:
    description = "The mayor resigned on Friday. You won't believe why. Her SHOCKING letter was published."
    analysis = analyzed("Mayor resigns", description=description)
    assert analysis.description == "The mayor resigned on Friday. Her letter was published."
    assert "only lure" in analysis.description_reason


def test_without_description_and_text_there_is_none() -> None:
    analysis = analyzed("Mayor resigns")
    assert (analysis.description, analysis.summary, analysis.facts) == ("", "", ())
    assert analysis.description_reason == "There was no description."


def test_abbreviations_do_not_end_a_sentence() -> None:
    analysis = analyzed(
        "", "Dr. Smith of the U.S. Navy told Sen. Jones that 12 ships left at 5 p.m. local time."
    )
    assert len(analysis.facts) == 1


@pytest.mark.parametrize(
    ("category", "title"),
    [
        ("sport", "Striker scores twice as team wins league match"),
        ("business", "Shares fall as bank reports lower profit"),
        ("politics", "Президент назначил нового министра в правительстве"),
        ("technology", "苹果发布人工智能手机芯片"),
        ("general", "Something happened somewhere"),
    ],
)
def test_the_category_follows_the_words(category: str, title: str) -> None:
    assert analyzed(title).category == category
