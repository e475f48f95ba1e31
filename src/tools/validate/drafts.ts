/** URIs of the meta-schemas by the values of `options.draft`. */
export const drafts = {
  '4': 'http://json-schema.org/draft-04/schema',
  '6': 'http://json-schema.org/draft-06/schema',
  '7': 'http://json-schema.org/draft-07/schema',
  '2019-09': 'https://json-schema.org/draft/2019-09/schema',
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
} as const;
export type Draft = keyof typeof drafts;
