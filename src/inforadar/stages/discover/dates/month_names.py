"""Month names in many languages.

Feeds are written by programs set to their owner's language, so month names arrive in that language, whatever the
standard says. A bar separates the months. The forms are those used in dates (the genitive where a language has one,
the usual abbreviations), in lower case, without the final dot.
"""

from __future__ import annotations

from collections.abc import Iterator

_MONTHS = {
    "en": "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sep sept|"
    "october oct|november nov|december dec",
    "de": "januar jan jänner jän|februar feb|märz mär mrz maerz|april apr|mai|juni|juli|august|september|"
    "oktober okt|november|dezember dez",
    "fr": "janvier janv|février févr fév fevrier fev|mars|avril avr|mai|juin|juillet juil|août aout aoû|"
    "septembre|octobre|novembre|décembre déc decembre",
    "es": "enero ene|febrero|marzo|abril abr|mayo|junio|julio|agosto ago|septiembre setiembre|octubre|"
    "noviembre|diciembre dic",
    "pt": "janeiro|fevereiro|março marco|abril|maio|junho|julho|agosto|setembro set|outubro out|novembro|dezembro",
    "it": "gennaio gen|febbraio|marzo|aprile|maggio mag|giugno giu|luglio lug|agosto|settembre|ottobre ott|"
    "novembre|dicembre",
    "nl": "januari|februari|maart mrt|april|mei|juni|juli|augustus|september|oktober|november|december",
    "sv": "januari|februari|mars|april|maj|juni|juli|augusti|september|oktober|november|december",
    "da": "januar|februar|marts|april|maj|juni|juli|august|september|oktober|november|december",
    "no": "januar|februar|mars|april|mai|juni|juli|august|september|oktober|november|desember des",
    "is": "janúar|febrúar|mars|apríl|maí|júní jún|júlí júl|ágúst ágú|september|október|nóvember nóv|desember",
    "fi": "tammikuu tammikuuta tammi|helmikuu helmikuuta helmi|maaliskuu maaliskuuta maalis|"
    "huhtikuu huhtikuuta huhti|toukokuu toukokuuta touko|kesäkuu kesäkuuta kesä|heinäkuu heinäkuuta heinä|"
    "elokuu elokuuta elo|syyskuu syyskuuta syys|lokakuu lokakuuta loka|marraskuu marraskuuta marras|"
    "joulukuu joulukuuta joulu",
    "et": "jaanuar jaan|veebruar veebr|märts|aprill|mai|juuni|juuli|august|september|oktoober|november|detsember dets",
    "lv": "janvāris janvārī|februāris februārī|marts martā|aprīlis aprīlī|maijs maijā|jūnijs jūnijā|jūlijs jūlijā|"
    "augusts augustā|septembris septembrī|oktobris oktobrī|novembris novembrī|decembris decembrī",
    "lt": "sausio sausis|vasario vasaris|kovo kovas|balandžio balandis|gegužės gegužė|birželio birželis|"
    "liepos liepa|rugpjūčio rugpjūtis|rugsėjo rugsėjis|spalio spalis|lapkričio lapkritis|gruodžio gruodis",
    "ru": "января январь янв|февраля февраль фев февр|марта март мар|апреля апрель апр|мая май|июня июнь июн|"
    "июля июль июл|августа август авг|сентября сентябрь сен сент|октября октябрь окт|ноября ноябрь ноя нояб|"
    "декабря декабрь дек",
    "uk": "січня січень січ|лютого лютий лют|березня березень бер|квітня квітень квіт кві|травня травень трав тра|"
    "червня червень черв чер|липня липень лип|серпня серпень серп сер|вересня вересень вер|жовтня "
    "жовтень жовт жов|"
    "листопада листопад лист лис|грудня грудень груд гру",
    "be": "студзеня студзень|лютага люты|сакавіка сакавік|красавіка красавік|мая травень|чэрвеня чэрвень|"
    "ліпеня ліпень|жніўня жнівень|верасня верасень|кастрычніка кастрычнік|лістапада лістапад|снежня снежань",
    "bg": "януари ян|февруари|март|април|май|юни|юли|август|септември септ|октомври|ноември|декември",
    "sr": "јануар јан|фебруар феб|март|април|мај|јун јуни|јул јули|август|септембар сеп|октобар|новембар нов|"
    "децембар дец",
    "mk": "јануари|февруари|март|април|мај|јуни|јули|август|септември|октомври|ноември|декември",
    "pl": "stycznia styczeń sty|lutego luty lut|marca marzec|kwietnia kwiecień kwi|maja|czerwca czerwiec cze|"
    "lipca lipiec lip|sierpnia sierpień sie|września wrzesień wrz|października październik paź|"
    "listopada listopad lis|grudnia grudzień gru",
    "cs": "ledna leden led|února únor úno|března březen bře|dubna duben dub|května květen kvě|června červen čvn|"
    "července červenec čvc|srpna srpen srp|září zář|října říjen říj|listopadu listopad|prosince prosinec pro",
    "sk": "januára január|februára február|marca marec|apríla apríl|mája máj|júna jún|júla júl|augusta august|"
    "septembra september|októbra október|novembra november|decembra december",
    "sl": "januarja januar|februarja februar|marca marec|aprila april|maja maj|junija junij|julija julij|"
    "avgusta avgust avg|septembra september|oktobra oktober|novembra november|decembra december",
    "hr": "siječnja siječanj sij|veljače veljača velj|ožujka ožujak ožu|travnja travanj|svibnja svibanj svi|"
    "lipnja lipanj|srpnja srpanj|kolovoza kolovoz kol|rujna rujan ruj|listopada|studenoga studenog "
    "studeni stu|"
    "prosinca prosinac",
    "bs": "januara januar|februara februar|marta mart|aprila april|maja maj|juna jun|jula jul|augusta avgusta|"
    "septembra septembar|oktobra oktobar|novembra novembar|decembra decembar",
    "ro": "ianuarie ian|februarie|martie|aprilie|mai|iunie iun|iulie iul|august|septembrie|octombrie|"
    "noiembrie noi|decembrie",
    "hu": "január|február febr|március márc|április ápr|május máj|június|július|augusztus|szeptember szept|"
    "október|november|december",
    "el": "ιανουαρίου ιανουάριος ιαν|φεβρουαρίου φεβρουάριος φεβ|μαρτίου μάρτιος μαρ μάρ|"
    "απριλίου απρίλιος απρ|μαΐου μαίου μάιος μαι μαϊ μάι|ιουνίου ιούνιος ιουν ιούν|ιουλίου ιούλιος ιουλ ιούλ|"
    "αυγούστου αύγουστος αυγ αύγ|σεπτεμβρίου σεπτέμβριος σεπ σεπτ|οκτωβρίου οκτώβριος οκτ|"
    "νοεμβρίου νοέμβριος νοε νοέ|δεκεμβρίου δεκέμβριος δεκ",
    "tr": "ocak oca|şubat şub|mart|nisan nis|mayıs|haziran haz|temmuz tem|ağustos ağu|eylül eyl|ekim eki|"
    "kasım kas|aralık ara",
    "az": "yanvar yan|fevral fev|mart|aprel|may|iyun|iyul|avqust|sentyabr|oktyabr|noyabr|dekabr",
    "id": "januari|februari|maret|april|mei|juni|juli|agustus agt|september|oktober|november|desember",
    "ca": "gener|febrer|març|abril|maig|juny|juliol|agost|setembre|octubre|novembre|desembre",
    "ar": "يناير|فبراير|مارس|أبريل ابريل إبريل|مايو|يونيو يونيه|يوليو يوليه|أغسطس اغسطس|سبتمبر|أكتوبر اكتوبر|"
    "نوفمبر|ديسمبر",
    "ar-levant": "كانون-الثاني|شباط|آذار اذار|نيسان|أيار ايار|حزيران|تموز|آب|أيلول ايلول|تشرين-الأول|"
    "تشرين-الثاني|كانون-الأول",
    "ar-maghreb": "جانفي|فيفري|مارس|أفريل|ماي|جوان|جويلية|أوت|سبتمبر|أكتوبر|نوفمبر|ديسمبر",
    "fa": "ژانویه|فوریه|مارس|آوریل|مه|ژوئن|ژوئیه|اوت|سپتامبر|اکتبر|نوامبر|دسامبر",
    "he": "ינואר בינואר|פברואר בפברואר|מרץ במרץ|אפריל באפריל|מאי במאי|יוני ביוני|יולי ביולי|אוגוסט באוגוסט|"
    "ספטמבר בספטמבר|אוקטובר באוקטובר|נובמבר בנובמבר|דצמבר בדצמבר",
    "hi": "जनवरी|फ़रवरी फरवरी|मार्च|अप्रैल|मई|जून|जुलाई|अगस्त|सितंबर सितम्बर|अक्टूबर अक्तूबर|नवंबर नवम्बर|दिसंबर दिसम्बर",
    "bn": "জানুয়ারি জানুয়ারী|ফেব্রুয়ারি ফেব্রুয়ারী|মার্চ|এপ্রিল|মে|জুন|জুলাই|আগস্ট|সেপ্টেম্বর|অক্টোবর|নভেম্বর|ডিসেম্বর",
    "th": "มกราคม ม.ค|กุมภาพันธ์ ก.พ|มีนาคม มี.ค|เมษายน เม.ย|พฤษภาคม พ.ค|มิถุนายน มิ.ย|กรกฎาคม ก.ค|สิงหาคม ส.ค|"
    "กันยายน ก.ย|ตุลาคม ต.ค|พฤศจิกายน พ.ย|ธันวาคม ธ.ค",
    "zh": "一月|二月|三月|四月|五月|六月|七月|八月|九月|十月|十一月|十二月",
    "sw": "januari|februari|machi|aprili|mei|juni|julai|agosti|septemba|oktoba|novemba|desemba",
}  # fmt: skip


def _forms() -> Iterator[tuple[str, int]]:
    for months in _MONTHS.values():
        for number, forms in enumerate(months.split("|"), start=1):
            for form in forms.split():
                yield form.replace("-", " ").casefold(), number


def _table() -> dict[str, int]:
    table: dict[str, int] = {}
    for form, number in _forms():
        # If two languages disagree (listopada is November in Polish, October in Croatian; травень is May in
        # Ukrainian), the language with more feeds is listed first and wins.
        table.setdefault(form, number)
    return table


MONTHS = _table()
"""Month number by name, in lower case."""

THAI_MONTHS = frozenset(form for forms in _MONTHS["th"].split("|") for form in forms.split())
"""Next to one of these, the year is of the Buddhist era."""
