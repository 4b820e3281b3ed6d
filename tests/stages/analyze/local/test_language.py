"""Language detection on headlines."""

from __future__ import annotations

import pytest

from inforadar.stages.analyze.local.language import detect


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Gas prices surge in the Northeast"),
        ("de", "Bundestag beschließt Haushalt für das kommende Jahr"),
        ("es", "El Congreso aprueba la ley de presupuestos"),
        ("pl", "Rząd przyjął projekt budżetu"),
        ("ru", "Правительство утвердило бюджет"),
        ("uk", "Уряд затвердив бюджет і змінив їхні плани"),
        ("zh", "政府通过预算"),
        ("zh", "NBA全明星赛今晚开打"),
        ("ja", "首相が辞任を表明した"),
        ("ko", "정부가 예산을 승인했다"),
        ("ar", "مجلس الوزراء يقر الموازنة"),
        ("fa", "هیئت دولت بودجه را تصویب کرد و گفت"),
        ("fr", "Le gouvernement adopte le budget dans la nuit"),
        ("it", "Il governo approva la legge di bilancio con la fiducia"),
        ("pt", "O governo não aprovou a lei das licitações"),
        ("el", "Η κυβέρνηση ενέκρινε τον προϋπολογισμό"),
        ("und", "12345 !!!"),
        ("und", ""),
    ],
)
def test_a_headline_is_enough(language: str, text: str) -> None:
    assert detect(text) == language


def test_what_the_feed_claims_decides_where_the_text_does_not() -> None:
    assert detect("Obama besucht Paris", "de-AT") == "de"
    assert detect("2:1", "pl") == "pl"


def test_a_claim_that_the_script_denies_is_not_believed() -> None:
    assert detect("Правительство утвердило бюджет", "en") == "ru"
    assert detect("The government approved the budget and the law", "zh") == "en"


def test_a_claim_that_the_words_deny_is_not_believed() -> None:
    assert detect("Bundestag beschließt den Haushalt für das kommende Jahr und die Steuern", "en") == "de"


def test_a_claimed_language_that_is_not_listed_is_kept() -> None:
    assert detect("Serikali yaidhinisha bajeti mpya", "sw") == "sw"


def test_a_claim_that_is_no_tag_is_ignored() -> None:
    assert detect("2:1", "☃") == "und"
