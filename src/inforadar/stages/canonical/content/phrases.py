"""Phrases of walls, errors and pointers to other articles, in the languages that news is written in.

This is the one place to add a language. Each part is a regular expression; all ignore case.
"""

from __future__ import annotations

import re


def _any_of(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.IGNORECASE)


PAYWALL = _any_of(
    r"(?:subscribe|sign (?:in|up)|log ?in|register|join)\b.{0,40}\b(?:to|and) "
    r"(?:continue|keep|finish|read|unlock|access|view)",
    r"(?:for|to) (?:our )?(?:paid )?(?:subscribers|members)(?: only)?\b",
    r"(?:subscribers?|members?)[- ]only",
    r"(?:continue|keep) reading (?:this|with|for)",
    r"already a (?:subscriber|member)",
    r"unlock (?:this|the full|full)",
    r"free articles? (?:left|remaining|this month)",
    r"remaining free articles?",
    r"this (?:article|content|post) is for",
    r"jetzt (?:abonnieren|weiterlesen)|weiterlesen mit",
    r"réservé aux abonnés|abonnez-vous",
    r"suscríbete para|solo para suscriptores",
    r"exclusivo para assinantes",
    r"riservato agli abbonati",
    r"только для подписчиков|оформите подписку|доступно по подписке",
    r"订阅后|会员专享|付费阅读",
    r"有料会員|会員限定|この記事は有料",
)
PAYWALL_NAME = _any_of("paywall", "subscriber-only", "piano-", "regwall", "meteredcontent", "premium-wall")
"""In class names and ids."""

CONSENT = _any_of(
    r"cookies?\b|\bconsent|privacy|partners?\b|legitimate interest|gdpr",
    r"personali[sz]ed (?:ads|content|advertising)",
    r"datenschutz|einwilligung|zustimm",
    r"confidentialité|consentement",
    r"privacidad|consentimiento",
    r"конфиденциальност",
    r"隐私|同意",
)
CONSENT_TITLE = _any_of(
    r"before you continue|we value your privacy|your privacy|consent",
    r"privacy (?:settings|choices|preferences)|cookie (?:settings|consent|preferences)",
    r"datenschutz|zustimmung|einwilligung",
)

ERROR = _any_of(
    r"\b404\b|not found",
    r"(?:page|article|content) (?:can.?t|cannot|could not) be found",
    r"(?:page|article).{0,20}(?:not exist|no longer|unavailable)",
    r"\b(?:403|500|502|503)\b.{0,20}(?:error|forbidden|unavailable|gateway)",
    r"access denied|forbidden|server error|service unavailable|under maintenance|something went wrong",
    r"just a moment|attention required|are you (?:a )?(?:robot|human)|verify you are|unusual traffic",
    r"security check|ddos|checking your browser",
    r"seite nicht gefunden|page introuvable|no encontrada|página não encontrada|pagina non trovata",
    r"страница не найдена|页面不存在|找不到|ページが見つかりません|페이지를 찾을 수 없",
)
"""In titles."""
NEEDS_SCRIPT = _any_of(
    r"(?:enable|requires?|turn on|activate|without) ?java ?script",
    r"javascript (?:is )?(?:disabled|required|enabled)",
)

POINTER = _any_of(
    r"(?:see|read|watch|listen) (?:also|more|next|now)|also read|read this|more (?:on|from|news)",
    r"related|recommended|trending|watch|you may|don.t miss|click here",
    r"sign up|subscribe|follow us|photo|image|source",
    r"lesen sie auch|mehr zum thema|lire aussi|à lire|lee también|leia (?:também|mais)|leggi anche",
    r"читайте также|читать (?:далее|также)|相关(?:阅读|新闻|文章)|延伸阅读|関連記事|관련\s?기사|اقرأ أيضا",
)
"""At the start of a line that sends the reader elsewhere."""
AFTER_THE_END = _any_of(
    r"related\b.{0,30}|recommended\b.{0,30}|popular\b.{0,20}|trending.{0,20}|top stories\W*|up next\W*",
    r"you (?:may|might) (?:also )?(?:like|enjoy).{0,20}",
    r"(?:read|see) (?:more|next|this next|also)\W*|keep reading\W*|further reading\W*|what to read next\W*",
    r"more (?:from|stories|news|on)\b.{0,40}|latest (?:news|posts|stories|articles)\b.{0,30}",
    r"more (?:\w+ ){1,3}(?:stories|articles|posts|reads)\b.{0,30}|explore more\b.{0,50}|next story\W*",
    r"was this (?:page|article|post)? ?helpful\W*|rate this (?:page|article|post)\W*|stay connected\W*",
    r"leave a (?:comment|reply)\W*|comments?\W*|share (?:this|on)\b.{0,30}|about the authors?\W*|tags\W*",
    r"subscribe\b.{0,40}|sign up\b.{0,40}|references|sources|footnotes",
    r"das könnte (?:sie|dich) auch interessieren\W*|kommentare\W*",
    r"à lire (?:aussi|également)\W*|commentaires\W*",
    r"te puede interesar\W*|comentarios\W*|veja também\W*",
    r"отзывы\W*|комментарии\W*|читайте также\W*|相关(?:阅读|新闻|文章)\W*|関連記事\W*|댓글\W*",
)
"""Whole headings of sections after an article."""

_OCCUPATION = (
    r"(?:writer|editor|reporter|journalist|author|founder|professor|correspondent|contributor|columnist|blogger"
    r"|freelance|director|president|producer|fellow|physician|analyst|strategist|consultant|specialist|expert"
    r"|researcher|lecturer|lawyer|attorney|coach|ceo|manager|graduate|critic|novelist|photographer|historian"
    r"|scientist|engineer)"
)
_NAME_WORD = r"(?-i:[A-Z][\w’'.,*-]*+)"
_NETWORK = r"(?:facebook|twitter|\bx\b|instagram|tiktok|linkedin|youtube|pinterest|telegram|whatsapp|bluesky)"
END_NOTE = _any_of(
    # Who wrote it.
    rf"{_NAME_WORD}(?: (?:{_NAME_WORD}|[a-z]{{1,3}})){{0,5}} (?:is|was|has been|works as|serves as|writes|covers)\b"
    rf".{{0,120}}\b{_OCCUPATION}s?\b",
    rf"(?:(?:contributing|associate|senior|staff|managing|deputy|freelance) )?{_OCCUPATION}s?\W*$",
    r"about the authors?\b|author bio\b|об авторе\b|à propos de l.auteur|sobre (?:el|la|o|a) autora?\b",
    r"\(?(?:additional |with )?(?:reporting|editing|writing|graphics?|compiled|edited)(?: and \w+)* by\b",
    r".{0,200}\bcontributed (?:to|reporting)\b|(?:the )?associated press (?:writers?|reporters?|journalists?)\b",
    # How to reach them.
    rf"(?:e-?mail|contact|reach|follow|write to)\b.{{0,80}}(?:@| at | on {_NETWORK})",
    r".{0,60}(?:may|can) be (?:reached|contacted)\b|have a (?:news )?tip\b|[\w.+-]{1,60}@[\w-]{1,60}\.[\w.]{1,60}$",
    # What else to read or do.
    r"sign(?:ed)? up\b|subscribe\b|download (?:our|the) app\b|(?:follow|like|find) (?:us|me|him|her)\b",
    r"(?:get|receive|want) (?:the latest|our|more|all the|daily|weekly|breaking)\b.{0,160}"
    r"(?:inbox|newsletter|email|alerts?|mailing|delivered)",
    rf"(?:join|follow|like) (?:our|the|@|\w+ on)\b.{{0,120}}(?:{_NETWORK}|mailing list|channel|community|group)",
    r".{0,150}\b(?:newsletters?|sign up for)\b",
    r"подпис(?:ывайтесь|аться|итесь)|suscríbete|inscreva-se|iscriviti|abonnez-vous|关注我们|订阅|フォロー",
    r"was this (?:page|article|post|content)?\b.{0,20}helpful|rate (?:this|the) |click here\b",
    r"thanks for (?:your feedback|visiting|reading)|please share|share (?:this|it|with|on)\b",
    r"(?:tell us|let us know|let me know|what do you think|have (?:any |a )?(?:questions?|thoughts|comments))\b"
    r".{0,160}(?:comment|below|\?|contact|email)",
    r"(?:leave|post|add|join) (?:a |your |the )?(?:comment|conversation|discussion)\b",
    r"(?:like|enjoy(?:ed)?|love) (?:this|what)\b.{0,60}(?:share|support|subscribe|newsletter|\?)",
    r"support (?:us|our|this|independent|quality)\b|(?:please )?(?:consider )?(?:donat|becom(?:e|ing) a member)",
    r"(?:photo|image|picture|cover|featured|header|hero)s? ?(?:image|photo)? ?(?:by|credits?|sources?|courtesy|via)\b",
    # Where it is filed.
    r"(?:tags?|categor(?:y|ies)|filed under|topics?|keywords?|labels?|last (?:reviewed|modified|updated))\b\s*(?::|$)",
    r"(?:метки|теги|рубрика|категория|ключевые слова)\s*:",
)
"""At the start of a paragraph after the end of an article: its author, invitations and tags."""

MACHINE_TEXT = _any_of(
    r"""[\[{]\s*\{?\s*["'][\w-]{1,60}["']\s*:[\s\S]*[\]}]\s*;?$""",
    r"(?:https?:)?//\S{1,300}\.(?:js|css|json)(?:\?\S*)?$",
    r"(?:/\*|//)?\s*<!\[CDATA\[|\{\{[^{}]{1,200}\}\}$|\{%[^%]{1,200}%\}$|<%|<!--|<\?php",
    r"(?:window|document|dataLayer|googletag|jQuery|\$)\s?[.(=\[].{0,2000}[;})]$",
    r"\[/?\w{2,30}(?: [\w-]{1,40}=\S{1,200})+\s?\]",
)
"""The whole text of a block, or its start, that was written for a program: JSON, templates, scripts, shortcodes."""

CLOCK = _any_of(r"\d{1,2}[:.h]\d\d(?: ?[ap]\.?m\.?)?(?: [A-Z]{2,4})?")
DATE_OR_TIME = _any_of(r"\b(?:19|20)\d\d\b|\d{1,2}:\d\d")
RIGHTS = _any_of(r"©|\(c\) |copyright\b|all rights reserved")
BYLINE = _any_of(r"(?:by|von|par|por|di|от|автор)\b")
"""At the start of a line that names the author."""
PUBLISHED = _any_of(r"publi|posted|written|erstellt|veröffentlicht|опубликован|发布|發布|公開|게시|نشر")
UPDATED = _any_of(
    r"updat|modif|reviewed|edited|revis|aktualis|mis à jour|actualiz|atualiz|aggiornat",
    r"обновл|изменен|更新|수정|تحديث",
)
