// Sentences of scripts in the page's language. Its catalogue is loaded before; English needs none.

const texts = globalThis.inforadarTexts ?? {};
// The forms of a catalogue stand in this order, as far as the language has them.
const FORMS = ["zero", "one", "two", "few", "many", "other"];

const language = document.documentElement.lang || "en";
const base = (tag) => tag.split("-")[0].toLowerCase();
// For dates and numbers: the browser's own kind of the page's language, en-GB rather than en.
export const locale = navigator.languages?.find((tag) => base(tag) === base(language)) ?? language;
const rules = new Intl.PluralRules(language);
const forms = FORMS.filter((form) => rules.resolvedOptions().pluralCategories.includes(form));

const fill = (text, values) => text.replace(/%\((\w+)\)s/g, (place, name) => values[name] ?? place);

export function _(message, values = {}) {
  return fill(texts[message] ?? message, values);
}

// `%(num)s` is the number.
export function ngettext(one, many, number, values = {}) {
  const known = texts[one];
  const text = known ? known[Math.min(forms.indexOf(rules.select(number)), known.length - 1)] : number === 1 ? one : many;
  return fill(text, { num: number.toLocaleString(locale), ...values });
}

export const answered = (status) => _("The server answered %(status)s.", { status });
