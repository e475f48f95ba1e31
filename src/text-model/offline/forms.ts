/** Irregular verbs whose past and participle are the same, with that form. */
const irregular = new Map(
  [
    'buy bought buying',
    'find found finding',
    'get got getting',
    'have had having',
    'keep kept keeping',
    'make made making',
    'pay paid paying',
    'send sent sending',
    'tell told telling',
    'let let letting',
    'put put putting',
    'build built building',
    'meet met meeting',
    'deal dealt dealing',
    'think thought thinking',
    'stop stopped stopping',
    'ban banned banning',
    'permit permitted permitting',
    'submit submitted submitting',
    'transmit transmitted transmitting',
    'step stepped stepping',
  ].map((line) => {
    const [base = '', past = '', present = ''] = line.split(' ');
    return [base, [past, present]] as const;
  }),
);

/**
 * Returns the forms of an English verb in this order: base, third person, past and participle, -ing form.
 * In a phrase such as `find out` the first word is the verb.
 */
export function formsOf(verb: string): [string, string, string, string] {
  const [base = '', ...rest] = verb.split(' ');
  const tail = rest.map((word) => ` ${word}`).join('');
  const [past, present] = irregular.get(base) ?? [regularPast(base), regularPresent(base)];
  return [verb, thirdPerson(base) + tail, past + tail, present + tail];
}

function thirdPerson(base: string): string {
  if (base === 'have') return 'has';
  if (/(?:s|x|z|ch|sh|o)$/.test(base)) return `${base}es`;
  return /[^aeiou]y$/.test(base) ? `${base.slice(0, -1)}ies` : `${base}s`;
}

function regularPast(base: string): string {
  if (base.endsWith('e')) return `${base}d`;
  return /[^aeiou]y$/.test(base) ? `${base.slice(0, -1)}ied` : `${base}ed`;
}

function regularPresent(base: string): string {
  return /[^e]e$/.test(base) && base !== 'be' ? `${base.slice(0, -1)}ing` : `${base}ing`;
}
