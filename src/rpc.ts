import { WorkerEntrypoint } from 'cloudflare:workers';
import { keyHolder, type Caller } from './account/caller.ts';
import { bindingRecord, findKey, recallKey, type KeyRecord } from './account/directory.ts';
import { requireCall } from './account/rate.ts';
import { callWithInput } from './call.ts';
import { contextOf } from './context.ts';
import { ServiceError } from './errors.ts';
import { ignoredInWords, type IgnoredFields } from './shared/ignored-fields.ts';
import { noted } from './log.ts';
import { runToEnd } from './client-disconnect.ts';
import { tools } from './tools/index.ts';
import type { ToolMethods } from './tools/methods.ts';
import type { Tool } from './tools/tool.ts';
import { requireWellFormed } from './shared/lone-surrogates.ts';

export interface CallOptions {
  /** An API key. Its account pays instead of the binding's account. */
  key?: string;
}

/** Properties of a service binding (`[services.props]` in the wrangler.toml of the calling Worker). */
export interface BindingProps {
  /** The account that pays for calls without a key. */
  account?: string;
  /** Scheme and host of links to results, if STORAGE_URL and SERVICE_URL are not set. */
  origin?: string;
}

/** The base class, with the methods that the static block of {@link Tools} adds for each tool. */
const Entrypoint = WorkerEntrypoint as new (
  ctx: ExecutionContext<BindingProps>,
  env: Env,
) => WorkerEntrypoint<Env, BindingProps> & ToolMethods<CallOptions>;

/**
 * The entrypoint for service bindings of other Workers. It has a method for each tool:
 *
 * ```ts
 * const { hash } = await env.TOOLS.hash({ input: 'hello' });
 * ```
 *
 * The field `ignored_fields` of a result names the fields that the tool does not have. The methods throw the
 * errors of the HTTP API, with `message`, `code`, `status` and `errors`.
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

/** Returns the record of the key, or without a key that of the binding's account. Throws 401. */
async function keyOf(env: Env, account?: string, key?: string): Promise<KeyRecord> {
  if (key !== undefined) {
    const record = recallKey(key) ?? (await findKey(env.KEYS, key));
    if (record) return record;
    throw new ServiceError('invalid_api_key', 'invalid api key');
  }
  if (account) return bindingRecord(account);
  throw new ServiceError('missing_api_key', 'missing api key');
}
