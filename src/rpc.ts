import { WorkerEntrypoint } from 'cloudflare:workers';
import { keyHolder, type Caller } from './account/caller.ts';
import { bindingRecord, findKey, recallKey, type KeyRecord } from './account/directory.ts';
import { requireCall } from './account/rate.ts';
import { callWithInput } from './call.ts';
import { contextOf } from './context.ts';
import { ServiceError } from './errors.ts';
import { ignoredInWords, type IgnoredFields } from './ignored-fields.ts';
import { noted } from './log.ts';
import { runToEnd } from './run-to-end.ts';
import { tools } from './tools/index.ts';
import type { ToolMethods } from './tools/methods.ts';
import type { Tool } from './tools/tool.ts';
import { requireWellFormed } from './well-formed.ts';

export interface CallOptions {
  /** An API key, whose account pays in place of the binding's. */
  key?: string;
}

/** What a binding to the service says of its caller (`[services.props]` in its wrangler.toml). */
export interface BindingProps {
  /** The account that pays where a call brings no key. */
  account?: string;
  /** Where links to results lead, if STORAGE_URL does not say: the service's address. */
  origin?: string;
}

/** The methods come from the catalogue, which the compiler has to be told. */
const Entrypoint = WorkerEntrypoint as new (
  ctx: ExecutionContext<BindingProps>,
  env: Env,
) => WorkerEntrypoint<Env, BindingProps> & ToolMethods<CallOptions>;

/**
 * The tools for other Workers, by a service binding to this entrypoint:
 *
 * ```ts
 * const { hash } = await env.TOOLS.hash({ input: 'hello' });
 * ```
 *
 * Fields that a tool does not have are named in `ignored_fields` of its answer. Throws what the HTTP API
 * answers with: an error with `message`, `code`, `status` and `errors`.
 */
export class Tools extends Entrypoint {
  #call(tool: Tool, input: unknown, { key }: CallOptions = {}) {
    let caller: Caller | undefined;
    const requestId = crypto.randomUUID();
    const ignored: IgnoredFields = new Map();
    const asked = { door: 'rpc', requestId, tool, account: () => caller?.account } as const;
    const ending = noted(asked, async () => {
      caller = this.#holder(await keyOf(this.env, this.ctx.props.account, key));
      const { account } = caller;
      const client = { account, requestId, signal: new AbortController().signal, ignored };
      const context = contextOf(this.env, this.ctx.props.origin, client);
      try {
        requireWellFormed(input);
        const output = await callWithInput(tool, input, caller, context);
        if (ignored.size === 0) return output;
        return { ...(output as object), ignored_fields: ignoredInWords(ignored) };
      } catch (error) {
        await caller.verify();
        throw error;
      }
    });
    return runToEnd(this.ctx, ending);
  }

  #holder(key: KeyRecord): Caller {
    requireCall(key.id, Number(this.env.RATE_LIMIT));
    return keyHolder(
      key,
      () => this.env.ACCOUNTS.getByName(key.account),
      (work) => this.ctx.waitUntil(work),
    );
  }

  static {
    for (const tool of tools as readonly Tool[]) {
      const method = tool.name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
      Object.defineProperty(this.prototype, method, {
        value(this: Tools, input: unknown, options?: CallOptions) {
          return this.#call(tool, input, options);
        },
      });
    }
  }
}

/** Who pays: the owner of a key, or else whom the binding names. */
async function keyOf(env: Env, account?: string, key?: string): Promise<KeyRecord> {
  if (key !== undefined) {
    const record = recallKey(key) ?? (await findKey(env.KEYS, key));
    if (record) return record;
    throw new ServiceError('invalid_api_key', 'invalid api key');
  }
  if (account) return bindingRecord(account);
  throw new ServiceError('missing_api_key', 'missing api key');
}
