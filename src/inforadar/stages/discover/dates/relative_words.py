"""Words in relative dates: units of time, numbers, days and "just now", in five languages.

In the forms used before "ago" or after "vor", in lower case, without the final dot; a bar separates the languages.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import TypeVar

T = TypeVar("T")


def _by_word(words: Mapping[T, str]) -> dict[str, T]:
    return {word: value for value, listed in words.items() for word in listed.replace("|", " ").split()}


AGO_WORDS = frozenset({"ago", "назад", "temu", "vor"})
"""A number and a unit are a date only together with one of these. Chinese uses 前."""
BEFORE_THE_SPAN = frozenset({"vor"})
"""Words of `AGO_WORDS` that stand before the number and the unit."""
CONNECTORS = frozenset({"and", "of", "и", "i", "und"})
"""They join numbers and units: "1 hour and 5 minutes", "a couple of hours"."""

_SPANS = {
    timedelta(seconds=1): "s sec secs second seconds|с сек секунд секунду секунды|sekund sekundę sekundy|"
    "sek sekunde sekunden",
    timedelta(minutes=1): "m min mins minute minutes|мин минут минуту минуты|minut minutę minuty|minuten",
    timedelta(minutes=30): "полчаса",
    timedelta(
        hours=1
    ): "h hr hrs hour hours|ч час часа часов|g godz godzin godzinę godziny|std stunde stunden",
    timedelta(days=1): "d day days|д дн день дня дней сутки|dni dzień dnia|tag tage tagen",
    timedelta(weeks=1): "w wk wks week weeks|н нед неделю недели недель|tydz tydzień tygodnie tygodni|"
    "woche wochen",
}
_MONTHS = {
    1: "mo mos month months|мес месяц месяца месяцев|mies miesiąc miesiące miesięcy|monat monate monaten",
    6: "полгода",
    12: "y yr yrs year years|г год года лет|rok roku lata lat|jahr jahre jahren",
}

SPANS = _by_word(_SPANS)
"""Units of a fixed length."""

CALENDAR_MONTHS = {
    word: count for count, words in _MONTHS.items() for word in words.replace("|", " ").split()
}
"""Calendar units, in months."""

_NUMBERS = {
    0.5: "half|пол|pół|halbe halben",
    1.0: "a an one|один одну одна|jeden jedną jedna|ein eine einer einem einen",
    1.5: "полтора полторы|półtorej półtora|anderthalb eineinhalb",
    2.0: "two couple|два две пару|dwa dwie parę|zwei",
    3.0: "three few several|три несколько|trzy kilka kilku|drei paar wenigen einigen",
}
NUMBERS = _by_word(_NUMBERS)
"""Number words. "A few" counts as three: closer than not reading it at all."""

JUST_NOW = (
    "just now", "a moment ago", "moments ago", "только что", "przed chwilą", "gerade eben", "soeben", "刚刚", "刚才",
)  # fmt: skip
NOW_ALONE = frozenset({"now", "сейчас", "teraz", "jetzt", "现在"})
"""These mean the time of reading only if the text contains nothing else."""

DAYS = {
    **dict.fromkeys(["today", "сегодня", "dziś", "dzisiaj", "heute", "今天", "今日"], 0),
    **dict.fromkeys(["yesterday", "вчера", "wczoraj", "gestern", "昨天", "昨日"], 1),
    **dict.fromkeys(["day before yesterday", "позавчера", "przedwczoraj", "vorgestern", "前天", "前日"], 2),
}
"""Days back from today."""

CHINESE_SPANS = {
    **dict.fromkeys(["秒", "秒钟"], timedelta(seconds=1)),
    **dict.fromkeys(["分", "分钟"], timedelta(minutes=1)),
    **dict.fromkeys(["小时", "钟头"], timedelta(hours=1)),
    **dict.fromkeys(["天", "日"], timedelta(days=1)),
    **dict.fromkeys(["周", "星期", "礼拜"], timedelta(weeks=1)),
}
CHINESE_MONTHS = {"月": 1, "年": 12}
CHINESE_DIGITS = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {"两": 2, "几": 3}
