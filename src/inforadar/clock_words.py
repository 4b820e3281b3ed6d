"""Words in times of day: time zone abbreviations, and am and pm in several languages.

A leaf of its own, because the discover and canonical stages both need it and may not import each other.
"""

from __future__ import annotations

ZONE_MINUTES = {
    # universal
    "UT": 0, "UTC": 0, "GMT": 0, "Z": 0, "WET": 0,
    # Europe
    "BST": 60, "WEST": 60, "CET": 60, "MEZ": 60, "MET": 60, "CEST": 120, "MESZ": 120, "MEST": 120, "EET": 120,
    "EEST": 180, "MSK": 180, "MSD": 240, "TRT": 180, "SAMT": 240, "YEKT": 300,
    # Africa
    "WAT": 60, "CAT": 120, "SAST": 120, "EAT": 180,
    # Asia
    "IRST": 210, "GST": 240, "PKT": 300, "IST": 330, "NPT": 345, "ICT": 420, "WIB": 420, "HKT": 480, "SGT": 480,
    "PHT": 480, "MYT": 480, "WITA": 480, "AWST": 480, "JST": 540, "KST": 540, "WIT": 540,
    # Australia and the Pacific
    "ACST": 570, "AEST": 600, "ACDT": 630, "AEDT": 660, "NZST": 720, "NZDT": 780,
    # the Americas
    "NDT": -150, "NST": -210, "ADT": -180, "AST": -240, "AT": -240, "BRT": -180, "ART": -180, "CLST": -180, "CLT": -240,
    "VET": -240, "COT": -300, "PET": -300, "EDT": -240, "EST": -300, "ET": -300, "CDT": -300, "CST": -360,
    "CT": -360, "MDT": -360, "MST": -420, "MT": -420, "PDT": -420, "PST": -480, "PT": -480, "AKDT": -480,
    "AKST": -540, "HST": -600,
}  # fmt: skip
"""Minutes east of Greenwich. An ambiguous name (IST, CST, BST) has the meaning most feeds give it."""

PM_WORDS = frozenset({"pm", "p", "μμ", "오후", "下午", "午後", "晚上", "م", "مساء", "ch"})
AM_WORDS = frozenset({"am", "a", "πμ", "오전", "上午", "午前", "早上", "凌晨", "ص", "صباحا", "sa"})
