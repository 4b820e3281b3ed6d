"""Words that only hold a sentence together, in the languages that are read most: never worth a mark."""

from __future__ import annotations

_WORDS = """
a an and are as at be but by for from had has have he her his i in is it its of on or she so that the their they this to
was we were will with you
и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по от о из ему до
w z na do nie że się to o co jak po ale od za dla
der die das und ist zu den von mit ein eine
le la les de des et un une est que en
el los las y es por con para
的 了 在 是 和 与 也 就 都 而 及
"""
FUNCTION_WORDS = frozenset(_WORDS.split())
