/**
 * Every way a call can fail, with its HTTP status. The names are part of the API: callers match on
 * them, so they are added to and never renamed.
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
  /** Seen in logs only: the client left before its answer (nginx's number). */
  client_closed_request: 499,
  internal_error: 500,
  browser_unavailable: 500,
  navigation_timeout: 500,
  unavailable: 503,
  timeout: 503,
} as const;

export type ErrorCode = keyof typeof statusOf;

/** What is wrong with one field. `path` is dotted (`options.schema`); empty for the whole input. */
export interface FieldError {
  path: string;
  message: string;
}

/** An error is for reading, and may quote an input of megabytes, or find fault with each of its items. */
const mostCharacters = 1000;
const mostFields = 100;

const readable = (text: string) =>
  text.length > mostCharacters ? `${text.slice(0, mostCharacters).toWellFormed()}…` : text;

/** A failure that the caller is told about, word for word. Anything else that is thrown is our fault. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  /** Of HTTP. A property of its own, as are the others, so that it crosses to other Workers. */
  readonly status: (typeof statusOf)[ErrorCode];
  readonly errors: FieldError[] | undefined;
  /** Seconds after which trying again makes sense. */
  readonly retryAfter: number | undefined;
  /** Methods that the path takes, for 405. */
  readonly allow: string | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    more: { errors?: FieldError[]; retryAfter?: number; allow?: string } = {},
  ) {
    super(readable(message));
    this.code = code;
    this.status = statusOf[code];
    this.errors = more.errors?.slice(0, mostFields).map((error) => ({
      path: readable(error.path),
      message: readable(error.message),
    }));
    this.retryAfter = more.retryAfter;
    this.allow = more.allow;
  }
}

/** What the caller is told of any error; of ours, nothing but that it is ours. */
export function asServiceError(error: unknown, requestId = 'without a name'): ServiceError {
  if (error instanceof ServiceError) return error;
  console.error(`request ${requestId} failed`, error);
  return new ServiceError(
    'internal_error',
    'something went wrong on our side; nothing was charged',
  );
}

/** The value of a field cannot be used (422). */
export function invalidInput(path: string, message: string): ServiceError {
  return new ServiceError('invalid_input', path ? `${path}: ${message}` : message, {
    errors: [{ path, message }],
  });
}

/** The same where the specification asks for 400: cron expressions and screenshot parameters. */
export function badRequest(path: string, message: string): ServiceError {
  return new ServiceError('invalid_request', `${path}: ${message}`, {
    errors: [{ path, message }],
  });
}

/** The client left before its answer. Nobody reads this error but the log. */
export const clientLeft = () =>
  new ServiceError('client_closed_request', 'the client left before its answer');

/** The tool did not finish within its time limit (503). */
export const tookTooLong = (tool: string, seconds: number) =>
  new ServiceError(
    'timeout',
    `${tool} took longer than its limit of ${seconds} s for this input; nothing was charged`,
  );

/** The input is larger than this tool takes (413). */
export function tooLarge(message: string): ServiceError {
  return new ServiceError('payload_too_large', message);
}
