export const tones = [
  'formal',
  'casual',
  'technical',
  'friendly',
  'persuasive',
  'neutral',
] as const;
export type Tone = (typeof tones)[number];
