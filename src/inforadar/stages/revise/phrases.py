"""Phrases that come and go without an edit, and phrases by which a text says that it was edited.

This is the one place to add a language. All patterns ignore case.
"""

# ruff: noqa: E501 - the phrases of one idea stay together on one line

from __future__ import annotations

import re


def _any_of(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.IGNORECASE)


def _starts_with(*parts: str) -> re.Pattern[str]:
    return re.compile(rf"\W*(?:{'|'.join(parts)})", re.IGNORECASE)


_MONTHS = (
    r"(?:jan(?:uar[yi]|vier)?|feb(?:ruar[yi])?|févr(?:ier)?|m[aä]r(?:ch|z|s|zo)?|apr(?:il|ile)?|avril|abril|ma[iy]o?"
    r"|ju[nl][iyeo]?(?:[lnt]\w*)?|aug(?:ust)?|août|ago(?:sto)?|sep(?:t\w*)?|o[ckt][tu]\w*|nov\w*|de[czs]\w*|ene(?:ro)?"
    r"|gen(?:naio)?|giugno|luglio|maggio|января|февраля|марта|апреля|мая|июня|июля|августа|сентября|октября|ноября"
    r"|декабря|stycznia|lutego|marca|kwietnia|maja|czerwca|lipca|sierpnia|września|października|listopada|grudnia"
    r"|يناير|فبراير|مارس|أبريل|مايو|يونيو|يوليو|أغسطس|سبتمبر|أكتوبر|نوفمبر|ديسمبر)\b\.?"
)
_WEEKDAYS = (
    r"\b(?:mon|tues?|wed(?:nes)?|thurs?|fri|sat(?:ur)?|sun)(?:day)?\b|montag|dienstag|mittwoch|donnerstag|freitag|samstag"
    r"|sonntag|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo"
    r"|понедельник|вторник|среда|четверг|пятница|суббота|воскресенье|星期.|[周週][一二三四五六日]|曜日"
)
_CLOCK = r"\d{1,2}\s?[:.h]\s?\d{2}(?::\d{2})?(?:\s?[ap]\.?\s?m\b\.?)?|\b\d{1,2}\s?[ap]\.?m\b\.?|\d{1,2}\s?(?:uhr|h)\b|\d{1,2}[时時点點]\d{0,2}分?"
_ZONE = r"\b(?:gmt|utc|bst|c?e[sd]?t|e[sd]t|pst|pdt|ist|msk|мск|jst|kst|uhr|hrs?)\b(?:\s?[+-]\s?\d{1,2}(?::?\d\d)?)?"
_DATE = (
    rf"\d{{4}}[-/.年]\s?\d{{1,2}}[-/.月]\s?\d{{1,2}}日?|\d{{1,2}}[-/.]\d{{1,2}}[-/.]\d{{2,4}}|\d{{1,2}}月\d{{1,2}}日"
    rf"|(?:\d{{1,2}}(?:st|nd|rd|th|er|º|\.)?\s?(?:de\s|of\s)?)?{_MONTHS}(?:\s\d{{1,2}}(?:st|nd|rd|th)?\b)?"
    r"(?:,?\s(?:de\s)?\d{4})?|\b(?:19|20)\d\d\b"
)
_UNITS = (
    r"(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?|mo|months?|years?|sekunden?|minuten?|stunden?"
    r"|tage?n?|wochen?|secondes?|heures?|jours?|semaines?|segundos?|minutos?|horas?|días?|semanas?|minut[iaoy]?|or[ae]"
    r"|giorn[io]|секунд\w*|мин\w*|час\w*|дн\w+|день|недел\w+|godzin\w*|dni|秒|分钟?|分鐘|小时|小時|時間|天|日|周|週間?|个?月"
    r"|분|시간|일|دقائق|دقيقة|ساعات|ساعة|أيام|يوم)"
)
_COUNT = r"(?:\d+|an?|one|eine[rnm]?|une?|una?|час)"
RELATIVE_TIME = _any_of(
    rf"\b{_COUNT}\s?{_UNITS}\s(?:ago|назад|temu|fa)\b",
    rf"\b(?:vor|il y a|hace|há)\s(?:etwa |environ |unos )?{_COUNT}\s?{_UNITS}\b",
    rf"{_COUNT}\s?{_UNITS}\s?(?:前|전)",
    rf"(?:منذ|قبل)\s{_COUNT}\s?{_UNITS}",
    r"\b(?:just now|moments? ago|only minutes ago|gerade eben|à l'instant|только что|刚刚|剛剛|たった今|방금|الآن)",
    r"\b(?:yesterday|today|gestern|heute|hier|aujourd'hui|ayer|hoy|вчера|сегодня|昨天|今天|昨日|今日)\b",
)
"""When something was posted, as it is told on a line of its own."""
RELATIVE_HOURS = (
    r"\b\d+\s?(?:secs?|seconds?|mins?|minutes?|hrs?|hours?)\sago\b|\bvor\s\d+\s(?:minuten?|stunden?)\b"
    r"|\bil y a\s\d+\s(?:minutes?|heures?)\b|\bhace\s\d+\s(?:minutos?|horas?)\b|\b\d+\s(?:минут\w*|час\w*)\sназад\b"
    r"|\d+\s?(?:分钟|小时|分鐘|小時|分|時間)前|\d+\s?(?:분|시간)\s?전"
)
"""The same inside a sentence, where only minutes and hours are ignored: "two years ago" is a fact."""

UPDATED = (
    r"(?:last |latest |most recently )?(?:updated?|modified|revised|edited|published|posted|first published|upd)\b"
    r"|zuletzt aktualisiert|aktualisiert|stand|veröffentlicht|(?:mis|mise) à jour|publiée?|modifiée?|actualizado|publicado"
    r"|última actualización|aggiornato|pubblicato|ultimo aggiornamento|atualizado|обновлен[оа]?|опубликован[оа]?|изменено"
    r"|дата публикации|aktualizacja|opublikowano|zaktualizowano|ostatnia|更新时间|更新於|更新于|更新|发布时间|发布|發布|発表"
    r"|最終更新|公開|配信|입력|수정|최종수정|آخر تحديث|تحديث|نشر(?:ت)? في|نُشر"
)
_COUNTED = (
    r"(?:comments?|views?|shares?|likes?|reads?|replies|reactions?|people (?:are )?(?:reading|watching)(?: this)?(?: now)?"
    r"|kommentare?|aufrufe|commentaires?|vues?|partages?|comentarios?|visitas|lecturas|commenti|condivisioni|просмотр\w*"
    r"|комментари\w*|лайк\w*|репост\w*|komentarz\w*|wyświetle\w*|评论|評論|阅读|閱讀|浏览|点赞|转发|コメント|件のコメント|いいね"
    r"|댓글|조회수?|تعليق\w*|مشاهد\w*|قراءة)"
)
_AMOUNT = r"\d[\d.,\s\u00a0\u202f]*(?:[kmkкмт]\b|тыс\.?|万|萬|천|만)?\s?"
COUNTER = _any_of(rf"{_AMOUNT}{_COUNTED}", rf"{_COUNTED}\s?[:：(（]?\s?{_AMOUNT}[)）]?")
READING_TIME = _any_of(
    r"\d+[\s-]?min(?:ute)?s?[\s-](?:read|listen|watch)", r"reading time:? ?(?:about )?\d+ ?min\w*", r"lesezeit:? \d+ ?min\w*",
    r"temps de lecture ?:? \d+ ?min\w*", r"lectura de \d+ min\w*|tiempo de lectura:? \d+ ?min\w*", r"время чтения:? \d+ ?мин\w*",
    r"\d+ мин(?:ут\w*)? чтения", r"(?:阅读|閱讀)(?:时间|時間)?约?[:：]?\s?\d+\s?分[钟鐘]", r"czas czytania:? \d+ ?min\w*",
)  # fmt: skip
STAMP_PARTS = tuple(
    re.compile(part, re.IGNORECASE)
    for part in (
        RELATIVE_TIME.pattern, READING_TIME.pattern, COUNTER.pattern, _DATE, _CLOCK, _WEEKDAYS, _ZONE, UPDATED,
    )
)  # fmt: skip
"""The parts of a line that only tells when something was posted and how often it was read."""
STAMP_FILLERS = re.compile(
    r"\b(?:at|on|am|um|le|à|el|a las|il|alle|ore|the|of|в|от|o|dnia|by|now|share|save|print|listen|в \d{4} г|г|"
    r"i|und|et|y|e|and|de|à)\b",
    re.IGNORECASE,
)

CLUTTER = _starts_with(
    # Links to other articles.
    r"(?:read|see|watch|hear|learn) (?:more|also|next|now|this)\b|also read\b|(?:more|further) (?:on|from|reading|news|stories)\b",
    r"related(?: (?:articles?|stories|topics?|links?|content|coverage|news))?\s*(?::|$|\|)|recommended\b|trending\b|most (?:read|viewed|popular|shared)\b",
    r"(?:top|popular|latest) (?:stories|articles|news|videos?)\b|don.t miss\b|you (?:may|might) (?:also )?(?:like|enjoy)\b|up next\b|in case you missed",
    r"lesen sie (?:auch|mehr)|mehr zum thema|das könnte sie|auch interessant|meistgelesen|lire aussi|à lire(?: aussi| également)?\b|sur le même sujet|les plus lus",
    r"lee (?:también|más)|te puede interesar|lo más (?:leído|visto)|noticias relacionadas|leia (?:também|mais)|leggi anche|potrebbe interessarti|i più letti",
    r"читайте (?:также|ещё|еще|далее)|(?:ещё|еще) по теме|(?:материалы|новости) по теме|самое читаемое|популярное\s*$|czytaj (?:też|także|więcej|również)|zobacz (?:też|także|również)|najczęściej czytane",
    r"相关(?:阅读|新闻|文章|报道|链接)|相關(?:閱讀|新聞|文章|報導)|延伸阅读|延伸閱讀|推荐阅读|热门(?:文章|新闻)|猜你喜欢|(?:関連|おすすめ|人気)の?(?:記事|ニュース)|あわせて読みたい|アクセスランキング",
    r"관련\s?(?:기사|뉴스)|많이 본|추천\s?(?:기사|뉴스)|اقرأ (?:أيضا|أيضاً|المزيد)|مواضيع ذات صلة|الأكثر قراءة|إقرأ",
    # Cookies and consent.
    r".{0,60}\b(?:uses?|using|store|value your privacy).{0,30}\bcookies?\b|.{0,40}cookies? (?:policy|settings|preferences|consent)|we value your privacy|accept (?:all )?cookies",
    r".{0,50}verwende[nt].{0,20}cookies|.{0,40}utilis(?:e|ons).{0,20}cookies|.{0,40}utilizamos.{0,30}cookies|.{0,40}использу(?:ем|ет).{0,30}cookie|.{0,40}(?:używa|wykorzystuje|stosujemy).{0,30}(?:cookie|ciastecz)",
    r".{0,20}使用.{0,10}cookies?|.{0,40}cookieを使用|.{0,30}utilizza(?:mo)? .{0,20}cookie|.{0,40}(?:نستخدم|يستخدم).{0,30}(?:ملفات|cookie)",
    # Advertisements, newsletters, sharing, players.
    r"(?:advertisement|advertising|sponsored(?: content)?|promoted|paid content|story continues below|article continues below|continue reading below|scroll to continue)\b",
    r"(?:anzeige|werbung|publicité|publicidad|pubblicità|реклама|на правах рекламы|reklama|广告|廣告|広告|광고|إعلان)\W*$|реклама\. ",
    r"sign up (?:for|to)\b|subscribe (?:to|now|today|for)\b|(?:get|receive) (?:the|our|all the) .{0,50}(?:newsletter|inbox|app)\b|download (?:the|our) .{0,30}app\b|join (?:us|our)\b.{0,40}(?:whatsapp|telegram|newsletter|channel)",
    r"(?:abonnez-vous|inscrivez-vous|newsletter|jetzt abonnieren|melden sie sich|suscríbe(?:te|ase)|iscriviti|подпи(?:шитесь|сывайтесь)|zapisz się|订阅|訂閱|关注我们|フォロー|無料会員登録|구독|اشترك)",
    r"(?:share|save|print|copy link|tweet|email) (?:this|on|to|the|via)\b|(?:share|save|print|copy link|bookmark)\W*$|follow (?:us|our|@|the)\b|(?:suivez|folgen sie|síguenos|seguici|поделиться|udostępnij|分享(?:到|至)?|シェア|공유)",
    r"(?:listen to this|play (?:video|audio)|watch live|video player|loading\b|your browser does not|this (?:video|audio) (?:can ?not|is not)|image (?:source|caption|credit)|getty images\W*$|©|copyright\b|all rights reserved)",
    r"(?:leave|post|add|view|show|join) (?:a |all |the |your )?(?:comments?|conversation|discussion)\b|comments? (?:are )?(?:closed|off)|log ?in to (?:comment|save)|what do you think\?",
    r"(?:edition|breaking news alert|cheers|weather)\s*:|you have \d+ free articles?|\d+ (?:free )?articles? (?:left|remaining)|this page (?:was )?(?:generated|loaded|served)|cache[d:]|request id|ref(?:erence)?(?: id)?:?\s?#?[0-9a-f.]{8,}",
)  # fmt: skip
"""At the start of a line that is not part of the article: links, consent, advertisements, newsletters."""
LIST_HEADING = _starts_with(
    r"(?:related|recommended|more)\b.{0,25}$|(?:top|popular|latest|trending|most)\b.{0,25}$|you (?:may|might)\b.{0,30}$|read (?:more|next|also)\b.{0,20}$",
    r"mehr zum thema.{0,20}$|auch interessant\W*$|meistgelesen.{0,20}$|sur le même sujet\W*$|à lire (?:aussi|également)\W*$|les plus lus.{0,20}$|lo más.{0,20}$|te puede interesar\W*$",
    r"(?:noticias relacionadas|leggi anche|читайте также|(?:материалы|новости|ещё|еще) по теме|самое читаемое|zobacz (?:też|także|również)|czytaj (?:też|także|również)|najczęściej czytane)\W*$",
    r"(?:相关|相關|延伸|推荐|热门).{0,6}$|関連.{0,6}$|おすすめ.{0,8}$|人気.{0,8}$|관련\s?(?:기사|뉴스)\W*$|많이 본.{0,8}$|(?:مواضيع ذات صلة|اقرأ (?:أيضا|أيضاً)|الأكثر قراءة)\W*$",
)  # fmt: skip
"""A heading whose list of links follows on the next lines."""
TICKER = re.compile(
    r"(?:[A-Z&.]{1,8}|[^\W\d_]{2,20})?\s?[\d.,]{1,12}\s?[▲▼↑↓]?\s?[+\-−]\s?\d[\d.,]*\s?%?(?:\s?\(.{1,12}\))?\s*|.{0,30}[+\-−]?\d{1,3}\s?°\s?[CF]?.{0,20}"
)
"""A price or the weather, shown beside the article."""

NOTE = re.compile(
    r"(?:^|\n|[.!?»\")(\[]\s?)\W{0,3}("
    r"(?:corrections?|clarifications?|amendment|retraction|editor.?s.? note|update|updated|corrected|edit|edited)\s?(?:\([^)\n]{1,40}\)|[\w ,.]{0,30}\d{0,4})\s?[:—–-]\s?\S"
    r"|(?:an|the) (?:earlier|previous|original) version of (?:this|the)\b"
    r"|(?:this|the) (?:article|story|report|headline|post|piece|page|text|caption|item) (?:has been|was|is being) (?:since )?(?:updated|amended|corrected|edited|revised|changed|clarified)\b"
    r"|this (?:article|story) (?:originally|previously|initially|incorrectly)\b|we have (?:corrected|amended|updated)\b"
    r"|korrektur(?:hinweis)?\s?[:—–-]|(?:an|er)gänzung\s?:|anmerkung der redaktion|in einer (?:früheren|ersten|vorherigen|vorigen) (?:version|fassung)|(?:dieser|der) (?:artikel|beitrag|text) wurde (?:\w+ ){0,3}(?:aktualisiert|korrigiert|geändert|ergänzt)|update\s?:"
    r"|correction\s?[:—–-]|rectificati(?:f|on)\s?[:—–-]|une (?:première|précédente) version|une version (?:antérieure|précédente)|(?:cet|l.)\s?article a été (?:mis à jour|modifié|corrigé)|mise à jour\s?(?:\([^)\n]{1,30}\))?\s?:|note de la rédaction"
    r"|correcci[oó]n\s?[:—–-]|fe de errat|una versión (?:anterior|previa)|(?:este|el) artículo (?:ha sido|fue) (?:actualizado|corregido|modificado)|nota (?:de la redacción|del editor)|actualización\s?:"
    r"|(?:rettifica|correzione|aggiornamento|errata corrige)\s?:|una versione precedente|questo articolo è stato (?:aggiornato|corretto|modificato)"
    r"|correção\s?:|uma versão anterior|este texto foi (?:atualizado|corrigido)"
    r"|(?:исправлен[оие]+|уточнение|поправка|дополнено|обновлено|обновление|апдейт|upd)\.?\s?(?:\([^)\n]{1,30}\)|в \d{1,2}:\d\d)?\s?[:.—–-]\s?\S|в (?:предыдущей|первоначальной|ранней|прошлой|более ранней) версии|(?:материал|статья|новость|текст|заголовок) (?:был[аи]? )?(?:обновл|исправл|уточн|дополн)\w+|(?:от|примечание) (?:редакци|модератор)"
    r"|(?:sprostowanie|korekta|errata|aktualizacja|uzupełnienie)\s?:|w (?:poprzedniej|pierwotnej|wcześniejszej) wersji|(?:artykuł|tekst) został (?:zaktualizowany|poprawiony)|od redakcji"
    r"|виправлення\s?:|уточнення\s?:|у попередній версії"
    r"|更正[：:说說]|勘误|勘誤|编者[按注]|編者[按註]|本文(?:已|曾|经|經)|此前(?:的)?版本|早前版本|先前版本|更新[：:]"
    r"|訂正|お詫びと訂正|【?追記|修正しました|当初の記事|本記事の(?:当初|以前)"
    r"|정정\s?[:보합]|바로잡습니다|이 기사는 .{0,20}(?:수정|업데이트)|이전 버전"
    r"|تصحيح\s?[:：]|تنويه|تم (?:تحديث|تعديل|تصحيح)|(?:في )?نسخة سابقة|ملاحظة المحرر|توضيح(?: من التحرير)?\s?[:：]"
    r"|düzeltme\s?:|güncelleme\s?:|haberin önceki"
    r")[^\n]*",
    re.IGNORECASE,
)
"""A passage in which the article says that it was corrected or updated."""

WALL = _any_of(
    r"page (?:not found|cannot be found|can.t be found|you (?:are looking for|requested))|\b404\b.{0,30}(?:error|found)|error 40[34]|\b50[0234]\b.{0,20}(?:error|gateway|unavailable)",
    r"access (?:to this page has been )?denied|you don.t have permission|temporarily unavailable|service unavailable|under maintenance|something went wrong|internal server error",
    r"are you (?:a )?(?:robot|human)|verify (?:that )?you are|unusual (?:traffic|activity)|checking your browser|enable (?:javascript|cookies)|captcha|ddos",
    r"(?:subscribe|sign in|log in|register|create (?:a )?(?:free )?account)\b.{0,40}(?:to (?:continue|read|keep|unlock|access)|for (?:full|unlimited))|subscribers? only|already a (?:subscriber|member)|free articles? (?:left|this month|limit)",
    r"seite (?:wurde )?nicht gefunden|zugriff verweigert|wartungsarbeiten|jetzt (?:abonnieren|weiterlesen)|page introuvable|accès refusé|réservé aux abonnés|página no (?:encontrada|existe)|solo para suscriptores",
    r"страница не найдена|доступ (?:запрещ|ограничен)|технические работы|подтвердите, что вы|только (?:для|по) подпис|strona nie (?:została znaleziona|istnieje)|brak dostępu|tylko dla (?:subskrybentów|prenumeratorów)",
    r"页面不存在|页面(?:未|没有)找到|无法访问|请(?:先)?登录|会员专享|访问过于频繁|ページが(?:見つかりません|存在しません)|会員限定|有料会員|アクセスが集中|페이지를 찾을 수|로그인이 필요|الصفحة غير موجودة|للمشتركين فقط|تم رفض",
)  # fmt: skip
"""In a short text that answers in place of the article."""

NEGATIONS = frozenset(
    [
        "not",
        "no",
        "never",
        "none",
        "nobody",
        "nothing",
        "neither",
        "nor",
        "without",
        "cannot",
        "can't",
        "don't",
        "doesn't",
        "didn't",
        "won't",
        "wouldn't",
        "isn't",
        "aren't",
        "wasn't",
        "weren't",
        "hasn't",
        "haven't",
        "hadn't",
        "shouldn't",
        "couldn't",
        "nicht",
        "kein",
        "keine",
        "keinen",
        "keiner",
        "keinem",
        "nie",
        "niemals",
        "niemand",
        "ohne",
        "weder",
        "pas",
        "jamais",
        "aucun",
        "aucune",
        "sans",
        "rien",
        "nunca",
        "ningún",
        "ninguna",
        "nadie",
        "tampoco",
        "non",
        "nessun",
        "nessuno",
        "senza",
        "mai",
        "não",
        "nem",
        "sem",
        "не",
        "нет",
        "ни",
        "никогда",
        "никто",
        "ничего",
        "без",
        "нельзя",
        "nie",
        "żaden",
        "nikt",
        "ні",
        "жоден",
        "不",
        "没",
        "沒",
        "未",
        "لا",
        "لم",
        "لن",
        "ليس",
        "ليست",
        "غير",
        "بدون",
    ]
)
_NUMBER_WORDS = (
    ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
     "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
    ("", "", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf"),
    ("zéro", "", "deux", "trois", "quatre", "cinq", "", "", "huit", "", "dix", "onze", "douze"),
    ("cero", "", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "", "doce"),
    ("", "", "", "tre", "quattro", "cinque", "", "sette", "otto", "nove", "dieci", "undici", "dodici"),
    ("ноль", "один", "два", "три", "четыре", "пять", "шесть", "семь", "восемь", "девять", "десять"),
    ("", "одна", "две", "трое", "четверо", "пятеро", "шестеро", "семеро", "", "", ""),
    ("", "", "двое", "трёх", "четырёх", "пяти", "шести", "семи", "восьми", "девяти", "десяти"),
    ("", "jeden", "dwa", "trzy", "cztery", "pięć", "sześć", "siedem", "osiem", "dziewięć", "dziesięć"),
    ("", "", "dwie", "troje", "czworo", "pięcioro"),
)  # fmt: skip
_BIG_WORDS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
    "hundred": 100, "hundreds": 100, "thousand": 1000, "thousands": 1000, "million": 10**6, "millions": 10**6,
    "billion": 10**9, "billions": 10**9, "dozen": 12, "dozens": 12, "zwanzig": 20, "dreißig": 30, "vierzig": 40,
    "fünfzig": 50, "hundert": 100, "tausend": 1000, "vingt": 20, "trente": 30, "quarante": 40, "cinquante": 50,
    "veinte": 20, "treinta": 30, "cuarenta": 40, "cincuenta": 50, "cien": 100,
    "millones": 10**6, "trenta": 30, "двадцать": 20, "тридцать": 30,
    "сорок": 40, "пятьдесят": 50, "сто": 100, "тысяч": 1000, "тысячи": 1000, "тысяча": 1000, "миллион": 10**6,
    "миллиона": 10**6, "миллионов": 10**6, "миллиард": 10**9, "миллиардов": 10**9, "dwadzieścia": 20, "trzydzieści": 30,
    "sto": 100, "tysięcy": 1000, "tysiące": 1000,
    "一": 1, "二": 2, "两": 2, "兩": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10, "百": 100,
    "千": 1000, "万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8, "واحد": 1, "اثنان": 2, "ثلاثة": 3, "أربعة": 4,
    "خمسة": 5, "ستة": 6, "سبعة": 7, "ثمانية": 8, "تسعة": 9, "عشرة": 10, "مئة": 100, "ألف": 1000, "مليون": 10**6,
}  # fmt: skip
NUMBER_WORDS: dict[str, float] = {
    **{word: number for words in _NUMBER_WORDS for number, word in enumerate(words) if word},
    **_BIG_WORDS,
}
"""Numbers written as words; those that mean something else in another language are left out."""

TITLES_BEFORE_NAMES = frozenset(
    [
        "herr",
        "frau",
        "dr",
        "prof",
        "kanzler",
        "kanzlerin",
        "präsident",
        "präsidentin",
        "minister",
        "ministerin",
        "bürgermeister",
        "bürgermeisterin",
        "sprecher",
        "sprecherin",
        "senator",
        "senatorin",
        "richter",
        "richterin",
        "kommissar",
        "kommissarin",
        "chef",
        "chefin",
    ]
)
"""Before a name in German, where every noun has a capital."""
_SURNAMES = "王李张張刘劉陈陳杨楊赵趙黄黃周吴吳徐孙孫胡朱高林何郭马馬罗羅梁宋郑鄭谢謝韩韓唐冯馮于董萧程曹袁邓鄧许許傅沈曾彭吕呂苏蘇卢盧蒋蔣蔡贾魏薛叶葉余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊陆郝孔崔康毛邱秦江史顾侯邵孟龙段雷钱汤尹黎易常武乔贺赖龚"
CASELESS_NAMES = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?:主席|总统|總統|总理|總理|部长|部長|市长|市長|省长|局长|局長|发言人|發言人|教授|博士|记者|記者|经理|經理|船长|船長)([{_SURNAMES}][\u4e00-\u9fff]{{1,2}})",
        rf"([{_SURNAMES}][\u4e00-\u9fff]{{1,2}}?)(?:说|說|表示|指出|称|稱|认为|先生|女士)",
        r"([\u4e00-\u9fff\u30a0-\u30ff]{2,8})(?:氏|さん|首相|大臣|知事|市長|教授|容疑者|社長|会長)",
        r"([가-힣]{2,4}) ?(?:씨|대통령|총리|장관|시장|교수|대표|의원|대변인)",
        r"(?:الرئيس|الوزيرة?|وزيرة? [^\W\d_]+|المتحدثة? باسم [^\W\d_]+|السيدة?|الدكتورة?|العمدة)\s([^\W\d_]+\s[^\W\d_]+)",
    )
)
"""Names in scripts without capitals are found by what stands beside them."""
EASY_TO_CONFUSE = ("的地得", "做作", "在再", "象像", "账帐", "它他她", "份分", "像象")
"""Characters that are confused in typing."""
