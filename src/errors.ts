/**
 * All error codes with their HTTP status. Callers match on the codes, so codes may be added but never renamed.
 */
export const statusOf = {
  invalid_request: 400,
  malformed_body: 400,
  missing_api_key: 401,
  invalid_api_key: 401,
  insufficient_credits: 402,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  gone: 410,
  payload_too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  invalid_input: 422,
  rate_limited: 429,
  /** Occurs in logs only: the client disconnected before its answer (the status that nginx logs). */
  client_closed_request: 499,
  internal_error: 500,
  browser_unavailable: 500,
  navigation_timeout: 500,
  unavailable: 503,
  /** A DNS resolver answered that it cannot resolve a name, such as with SERVFAIL. */
  resolution_failed: 503,
  timeout: 503,
} as const;

export type ErrorCode = keyof typeof statusOf;

/** An error in one field. `path` is dotted (`options.schema`), and empty for the whole input. */
export interface FieldError {
  path: string;
  message: string;
}

/** Longer messages are truncated, because a message may quote an input of several megabytes. */
const maxMessageCharacters = 1000;
/** Further field errors are dropped, because an input may have an error in each of many items. */
const maxFieldErrors = 100;

const truncated = (text: string) =>
  text.length > maxMessageCharacters
    ? `${text.slice(0, maxMessageCharacters).toWellFormed()}…`
    : text;

/** An error whose message is sent to the caller. Any other thrown value is an internal error. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  /** HTTP status. Stored as an own property, because getters are lost in RPC between Workers. */
  readonly status: (typeof statusOf)[ErrorCode];
  readonly errors: FieldError[] | undefined;
  /** Seconds after which the caller should retry. */
  readonly retryAfter: number | undefined;
  /** Methods that the path supports, for a 405. */
  readonly allow: string | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    more: { errors?: FieldError[]; retryAfter?: number; allow?: string } = {},
  ) {
    super(truncated(message));
    this.code = code;
    this.status = statusOf[code];
    this.errors = more.errors?.slice(0, maxFieldErrors).map((error) => ({
      path: truncated(error.path),
      message: truncated(error.message),
    }));
    this.retryAfter = more.retryAfter;
    this.allow = more.allow;
  }
}

/** Returns a ServiceError unchanged. Any other error is logged and becomes `internal_error` without details. */
export function asServiceError(error: unknown, requestId = 'without an id'): ServiceError {
  if (error instanceof ServiceError) return error;
  console.error(`request ${requestId} failed`, error);
  return new ServiceError(
    'internal_error',
    'something went wrong on our side; nothing was charged',
  );
}

/** Returns the 422 for a field whose value cannot be used. */
export function invalidInput(path: string, message: string): ServiceError {
  return new ServiceError('invalid_input', path ? `${path}: ${message}` : message, {
    errors: [{ path, message }],
  });
}

/** Returns a 400 for a field. The specification requires 400 for cron expressions and screenshot parameters. */
export function badRequest(path: string, message: string): ServiceError {
  return new ServiceError('invalid_request', `${path}: ${message}`, {
    errors: [{ path, message }],
  });
}

/** Returns the error for a client that disconnected before its answer. It appears in logs only. */
export const clientLeft = () =>
  new ServiceError('client_closed_request', 'the client disconnected before its answer');

/** Returns the 503 for a tool that did not finish within its time limit. */
export const tookTooLong = (tool: string, seconds: number) =>
  new ServiceError(
    'timeout',
    `${tool} took longer than its limit of ${seconds} s for this input; nothing was charged`,
  );

/** Returns the 413 for an input that exceeds the limit of a tool. */
export function tooLarge(message: string): ServiceError {
  return new ServiceError('payload_too_large', message);
}
