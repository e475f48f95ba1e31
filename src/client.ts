import ky, { isHTTPError } from 'ky';
import type { FieldError } from './errors.ts';
import { ignoredInWords, noteFromHeaders, type IgnoredFields } from './ignored-fields.ts';
import type { ToolMethods } from './tools/methods.ts';

export interface ClientOptions {
  /** Where the service is, such as `https://utilities.example`. */
  url: string;
  /** An API key; what is free goes without. */
  key?: string;
  /** How often a call is repeated that was refused for the moment (429, 503); twice unless said. */
  retries?: number;
  /** Milliseconds for one attempt; two minutes unless said. */
  timeout?: number;
  /** In place of the global one: a service binding's, or a test's. */
  fetch?: typeof fetch;
}

export interface CallOptions {
  signal?: AbortSignal;
  /** A name for this call, which is paid for once in 24 hours however often it is repeated. */
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

/** What the service refuses a call with. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  readonly status: number;
  /** A stable name to match on, such as `invalid_input`; the two 401 have none. */
  readonly code: string | undefined;
  /** What is wrong with each field. */
  readonly errors: FieldError[];
  /** Names the call, for those who run the service. */
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
 * The tools as methods, in browsers, Node and Workers:
 *
 * ```ts
 * const client = createClient({ url: 'https://utilities.example', key: 'sk_svc_…' });
 * const { hash } = await client.hash({ input: 'hello' });
 * ```
 *
 * A file goes up as it is when it is given as a `Blob` or bytes, where JSON would have it in base64.
 * Throws ToolError for what the service refuses, after waiting as long as it says where that helps
 * (`Retry-After`); and what `fetch` throws when there is no service.
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
      // Whether a call without an answer was charged, nobody can tell.
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
  // Which tools there are the service knows, and the compiler.
  return new Proxy({} as Client, {
    get(_, name) {
      // A client is no promise, though it may be awaited.
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

/** JSON, or a form when there is a file among the fields. */
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
