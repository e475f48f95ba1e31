/** How a summary can look. */
export const styles = ['paragraph', 'bullets', 'tldr'] as const;
export type Style = (typeof styles)[number];

/** What a text can be rewritten to be. */
export const targets = [
  'formal',
  'casual',
  'concise',
  'expanded',
  'simplified',
  'technical',
  'friendly',
  'persuasive',
] as const;
export type Target = (typeof targets)[number];

export interface SummaryOrder {
  text: string;
  style: Style;
  /** Words that it should have, and must not exceed. */
  about: number;
  most: number;
}

export interface RewriteOrder {
  text: string;
  target: Target;
}

/** Writes summaries and rewritings. Its text never goes into a log. */
export interface TextEngine {
  /** Who answers: `offline`, or a provider and its model, such as `openai:qwen3`. */
  readonly name: string;
  /**
   * The sentences of a summary, or its points, in plain text and without marks; they may still be
   * too many. Throws ServiceError: 422 for a text that is too long, `unavailable` when there is no
   * usable answer.
   */
  summarize(order: SummaryOrder): Promise<string[]>;
  /** Throws as `summarize` does, and `unavailable` for a target that needs another engine. */
  rewrite(order: RewriteOrder): Promise<string>;
}
