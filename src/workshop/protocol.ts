/** Headers of a job and of its answer. */
export const jobHeaders = {
  /** Set on every answer of the workshop, to tell it from an error page of the runtime. */
  answered: 'X-Workshop',
  requestId: 'X-Request-Id',
  /** Percent-encoded, because account names may contain characters that are not allowed in headers. */
  account: 'X-Account',
  timeLimitMs: 'X-Time-Limit-Ms',
  computingLimitMs: 'X-Computing-Limit-Ms',
  checkOnly: 'X-Check-Only',
  /** The index of the call's message in an MCP batch. */
  place: 'X-Message-Place',
} as const;

/** The path for outlining MCP messages. No tool has this name. */
export const outlinePath = '/outline';
