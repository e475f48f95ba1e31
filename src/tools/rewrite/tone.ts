import { countWords, sentencesOf } from '../../text/segment.ts';
import type { Tone } from './tones.ts';

/**
 * Signs of a tone, with the weight of one occurrence in a text of twenty words. Most signs are English. For
 * French, German, Spanish and other European languages there are forms of address and a few words.
 */
const signs: [Exclude<Tone, 'neutral'>, number, RegExp][] = [
  [
    'formal',
    3,
    /\b(?:furthermore|moreover|therefore|hereby|herewith|pursuant|notwithstanding|accordingly|consequently|nevertheless|whereas|thereof|effective (?=\d|as of|immediately)|aforementioned|henceforth|hence|thus|sincerely|respectfully|faithfully|regards|dear (?:sir|madam|mr|mrs|ms|dr|colleagues)|sir or madam|to whom it may concern)\b/giu,
  ],
  [
    'formal',
    2,
    /\b(?:regarding|concerning|inquire|enquire|request|require[sd]?|ensure|obtain|commence|endeavou?r|assist(?:ance)?|kindly|upon|shall|prior to|in accordance with|with respect to|on behalf of|at your earliest convenience|we regret|i am writing|would be grateful|appreciate|cannot|do not|does not|will not|is not|committee|resolution|approved?|provisions?|obligations?|undersigned|enclosed|attached|resolved to|requested to|inquiries|board of directors|treasurer|will not be (?:considered|accepted)|it should be noted)\b/giu,
  ],
  [
    'formal',
    3,
    /\b(?:sehr geehrte[rs]?|hochachtungsvoll|mit freundlichen grüßen|hiermit|gemäß|bezüglich|diesbezüglich|veuillez|je vous prie|cordialement|conformément|estimad[oa]s?|atentamente|le ruego|mediante|egregi[oa]|distinti saluti|prezad[oa]|atenciosamente|уважаем\p{L}+|с уважением)\b/giu,
  ],
  [
    'formal',
    2,
    /(?<=\p{L}[ ,])(?:Sie|Ihnen|Ihre[nmrs]?|usted(?:es)?|vous|votre|Lei|Вы|Вас|Вам|您|でございます|いたします|ございます)(?!\p{Ll})/gu,
  ],
  [
    'casual',
    3,
    /\b(?:gonna|wanna|gotta|kinda|sorta|dunno|lol|lmao|omg|btw|tbh|imo|idk|yeah|yep|yup|nope|nah|dude|bro|guys|hey|yo|cool|stuff|crap|damn|ain['’]t|y['’]all|u|ur|thx|pls|plz|asap|cuz|till|hiya|sup|wtf|meh|ugh|haha+|super|totally|kids|folks|awesome|what['’]s up)\b/giu,
  ],
  ['casual', 1.5, /(?<!\p{L})\p{L}+['’](?:s|re|ll|ve|d|m|t)\b/giu],
  [
    'casual',
    1.5,
    /\b(?:a lot|lots of|a bunch|pretty (?!much\b)\w+|really|just|okay|ok|anyway|maybe|i guess|you know|i mean|sort of|kind of|figure out|stuck|guess)\b/giu,
  ],
  [
    'casual',
    3,
    /\b(?:hallo|moin|krass|geil|halt|mega|tschüss|na ja|quatsch|salut|ouais|mec|bof|super|hola|vale|guay|tío|ciao|dai|oi|beleza|cara|прив\p{L}+|ладно|короче)\b/giu,
  ],
  [
    'technical',
    2.5,
    /\b(?:api|http|https|json|sql|cpu|gpu|ram|tcp|udp|dns|url|sdk|cli|latency|throughput|algorithm|parameters?|functions?|compil\p{L}+|deploy\p{L}*|server|cluster|kernel|cache[sd]?|queue[sd]?|threads?|database|schema|protocol|bandwidth|voltage|encryption|configur\p{L}+|implementation|instance[sd]?|runtime|repository|module|endpoints?|interface|payload|buffer|node|token|hash|coefficient|variance|regression|hypothesis|p-value|isotope|catalyst|molar|enzyme)\b/giu,
  ],
  [
    'technical',
    1.5,
    // Each of these words also occurs in everyday texts, but two of them in one sentence are technical.
    /\b(?:returns?|promise|throws?|timeouts?|callback|async|arrays?|strings?|integers?|boolean|null|exceptions?|heap|loops?|regex|librar(?:y|ies)|packages?|dependenc(?:y|ies)|commits?|branch|merged?|containers?|prox(?:y|ies)|packets?|routers?|binary|bytes?|drivers?|firmware|sensors?|circuits?|resistors?|quer(?:y|ies)|index(?:es)?|scans?|ports?|replicas?|defaults?|parse[drs]?|response|columns?|rows?|samples?|flags?|metrics|dataset|iterations?|temperature|density)\b/giu,
  ],
  [
    'technical',
    1.5,
    /\b\d+(?:\.\d+)?\s?(?:ms|s|kb|mb|gb|tb|khz|mhz|ghz|hz|mm|cm|nm|kg|mg|°c|v|w|kw|px|rpm|%)(?![\p{L}])/giu,
  ],
  [
    'technical',
    1.5,
    /`[^`\n]+`|\b\p{Ll}+_\p{Ll}[\p{L}_]*|\b\p{Ll}+\p{Lu}\p{L}+|\b\p{Lu}\p{Ll}+\p{Lu}\p{Ll}{2,}|\b\w+\(\)|[{};]\s*$|=>|\b[A-Z]{2,5}s?\b(?<!\b(?:ASAP|FYI|LOL|OK|USA|UK|EU|BTW|OMG))/gmu,
  ],
  [
    'friendly',
    3,
    /\b(?:thanks|thank you so much|thrilled|delighted|welcome|congratulations|congrats|happy to|glad|excited|hope you(?:['’]re| are)|hope this|feel free|no worries|don['’]t worry|take care|warm(?:ly|est)?|cheers|hugs|lovely|wonderful|so nice|looking forward|can['’]t wait|let me know|happy birthday|enjoy|see you|best wishes|my friend|dear friends)\b/giu,
  ],
  ['friendly', 2, /(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F|[:;]-?[)D]|<3)/gu],
  [
    'friendly',
    3,
    /\b(?:liebe[rs]?|danke|herzlich\p{L}*|viele grüße|freu\p{L}*|merci|bienvenue|bisous|à bientôt|gracias|querid[oa]s?|bienvenid[oa]s?|un abrazo|grazie|car[oia]|benvenut[oi]|obrigad[oa]|abraços|спасибо|добро пожаловать)\b/giu,
  ],
  [
    'persuasive',
    3,
    /\b(?:last chance|deserves?|why settle|vote (?:yes|no|for)|stand up for|make a difference|don['’]t wait|risk[- ]free|switch to|buy|act now|don['’]t miss|limited time|guarantee[ds]?|exclusive|best|proven|imagine|unlock|discover|transform|save (?:up to|money|time|\d)|free|today only|hurry|join (?:us|now|thousands)|why wait|sign up|order now|you deserve|revolutionary|unbeatable|must-have|undeniabl[ey]|we must|we cannot afford|it is time to|urge|the choice is clear|ask yourself|surely|invest(?:ing)? in|make the switch|finally|never again|now is the time|clearly the)\b/giu,
  ],
  [
    'persuasive',
    3,
    /\b(?:jetzt (?:kaufen|sichern|bestellen)|kostenlos|garantiert|exklusiv|gratuit|profitez|achetez|garanti[es]?|gratis|compra|aprovecha|garantizad[oa]|acquista|approfitta|compre|aproveite|купите|бесплатно|гарант\p{L}+)\b/giu,
  ],
];

/** Smallest score with which a tone is named. */
const enough = 3;

/** Returns the tone of a text by its words and punctuation. */
export function toneOf(text: string): Tone {
  const sample = text.slice(0, 20_000);
  const length = Math.max(1, countWords(sample) / 20);
  const found = { formal: 0, casual: 0, technical: 0, friendly: 0, persuasive: 0 };
  for (const [tone, weight, sign] of signs) {
    found[tone] += (weight * (sample.match(sign)?.length ?? 0)) / length;
  }
  const exclamations =
    sentencesOf(sample).filter((sentence) => /!["”’)]*$/.test(sentence)).length / length;
  // Exclamations add to a friendly or persuasive score only if there is one, and to the casual score.
  found.friendly += found.friendly > 0 ? exclamations : 0;
  found.persuasive += found.persuasive > 0 ? exclamations : 0;
  found.casual += exclamations / 2;
  found.formal -= found.casual / 2;
  const [tone, most] = Object.entries(found).reduce((a, b) => (b[1] > a[1] ? b : a));
  return most >= enough ? (tone as Tone) : 'neutral';
}
