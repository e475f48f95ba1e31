import ky, { isHTTPError } from 'ky';
import type { FieldError } from './errors.ts';
import { ignoredInWords, noteFromHeaders, type IgnoredFields } from './shared/ignored-fields.ts';
import type { ToolMethods } from './tools/methods.ts';

export interface ClientOptions {
  /** URL of the service, such as `https://utilities.example`. */
  url: string;
  /** An API key. Free tools need none. */
  key?: string;
  /** Number of retries after a 429 or 503; default 2. */
  retries?: number;
  /** Milliseconds for one attempt; default two minutes. */
  timeout?: number;
  /** Replaces the global `fetch`, for example by that of a service binding. */
  fetch?: typeof fetch;
}

export interface CallOptions {
  signal?: AbortSignal;
  /** Sent as `Idempotency-Key`: repeated calls with the same key within 24 hours are charged once. */
  idempotencyKey?: string;
}

type Methods = ToolMethods<CallOptions>;
type WithFiles<I> = { [F in keyof I]: Uint8Array<ArrayBuffer> extends I[F] ? I[F] | Blob : I[F] };

/** A method for each tool, with its types. */
export type Client = {
  [M in keyof Methods]: (
    input: WithFiles<Parameters<Methods[M]>[0]>,
    options?: CallOptions,
  ) => ReturnType<Methods[M]>;
};

/** An error answer of the service. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  readonly status: number;
  /** A stable code to match on, such as `invalid_input`; undefined for a 401. */
  readonly code: string | undefined;
  /** The errors of single fields. */
  readonly errors: FieldError[];
  /** The id of the call in the service's log. */
  readonly requestId: string | undefined;

  constructor({ status, headers }: Response, body: Partial<Refusal>) {
    super(body.message ?? `status ${status}`);
    this.status = status;
    this.code = body.code;
    this.errors = body.errors ?? [];
    this.requestId = headers.get('x-request-id') ?? undefined;
  }
}

interface Refusal {
  message: string;
  code: string;
  errors: FieldError[];
}

/**
 * Creates a client with a method for each tool, for browsers, Node and Workers:
 *
 * ```ts
 * const client = createClient({ url: 'https://utilities.example', key: 'sk_svc_…' });
 * const { hash } = await client.hash({ input: 'hello' });
 * ```
 *
 * A file given as a `Blob` or as bytes is uploaded as a form, without base64. Methods retry a 429 or 503 after
 * the time in `Retry-After`. They throw ToolError for an error answer, and the error of `fetch` when the
 * service cannot be reached.
 */
export function createClient({
  url,
  key,
  retries = 2,
  timeout = 120_000,
  fetch,
}: ClientOptions): Client {
  const api = ky.create({
    baseUrl: `${url.replace(/\/+$/, '')}/api/`,
    timeout,
    retry: {
      limit: retries,
      methods: ['post'],
      statusCodes: [429, 503],
      afterStatusCodes: [429, 503],
      maxRetryAfter: 60_000,
      jitter: true,
      // A call without an answer may have been charged, so it is not retried.
      shouldRetry: ({ error }) => (isHTTPError(error) ? undefined : false),
    },
    ...(key && { headers: { Authorization: `Bearer ${key}` } }),
    ...(fetch && { fetch }),
  });
  const method =
    (name: string) =>
    async (input: Record<string, unknown>, { idempotencyKey, signal }: CallOptions = {}) => {
      const path = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      const sent = {
        ...bodyOf(input),
        ...(signal && { signal }),
        ...(idempotencyKey && { headers: { 'Idempotency-Key': idempotencyKey } }),
      };
      const response = await api.post(path, sent).catch(refused);
      const ignored: IgnoredFields = new Map();
      noteFromHeaders(ignored, response.headers);
      const output = await outputOf(response);
      return ignored.size === 0 ? output : { ...output, ignored_fields: ignoredInWords(ignored) };
    };
  const methods = new Map<string, ReturnType<typeof method>>();
  // Any name becomes a method. The types list the tools, and the service refuses unknown ones.
  return new Proxy({} as Client, {
    get(_, name) {
      // With a `then` method the client would be taken for a promise when it is awaited.
      if (typeof name !== 'string' || name === 'then') return undefined;
      if (!methods.has(name)) methods.set(name, method(name));
      return methods.get(name);
    },
  });
}

async function outputOf(response: Response): Promise<object> {
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('application/json')) return response.json();
  return { type, body: new Uint8Array(await response.arrayBuffer()) };
}

/** Returns a JSON body, or a form if one of the fields is a file. */
function bodyOf(input: Record<string, unknown>): { json: unknown } | { body: FormData } {
  const file = Object.entries(input).find(([, value]) => isFile(value));
  if (!file) return { json: input };
  const [field, content] = file as [string, Blob | Uint8Array<ArrayBuffer>];
  const { [field]: _, ...options } = input;
  const body = new FormData();
  body.set('file', content instanceof Blob ? content : new Blob([content]));
  body.set('options', JSON.stringify(options));
  return { body };
}

const isFile = (value: unknown) => value instanceof Blob || value instanceof Uint8Array;

async function refused(error: unknown): Promise<never> {
  if (!isHTTPError(error)) throw error;
  const { data, response } = error as { data?: unknown; response: Response };
  throw new ToolError(response, (data ?? {}) as Partial<Refusal>);
}
