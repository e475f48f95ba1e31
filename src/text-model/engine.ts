/** The styles of a summary. */
export const styles = ['paragraph', 'bullets', 'tldr'] as const;
export type Style = (typeof styles)[number];

/** The target styles of rewriting. */
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

export interface SummaryRequest {
  text: string;
  style: Style;
  /** Desired number of words. */
  about: number;
  /** Largest number of words. */
  most: number;
}

export interface RewriteRequest {
  text: string;
  target: Target;
}

/** Summarizes and rewrites texts. Texts must never be logged. */
export interface TextEngine {
  /** `offline`, or provider and model, such as `openai:qwen3`. */
  readonly name: string;
  /**
   * Returns the sentences or bullet points of a summary in plain text. They may have more words than `most`.
   * Throws ServiceError: 422 for a text that is too long, `unavailable` when there is no usable answer.
   */
  summarize(request: SummaryRequest): Promise<string[]>;
  /**
   * Rewrites a text. Throws the errors of `summarize`, and `unavailable` for a target that the engine lacks.
   */
  rewrite(request: RewriteRequest): Promise<string>;
}
