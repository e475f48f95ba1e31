import type { Browser } from './browser/browser.ts';
import { browserRendering } from './browser/rendering.ts';
import { ServiceError } from './errors.ts';
import type { Converter } from './converter/converter.ts';
import { httpConverter } from './converter/http.ts';
import type { IgnoredFields } from './shared/ignored-fields.ts';
import { originOf } from './origin.ts';
import { configuredResolver } from './resolver/doh.ts';
import type { Resolver } from './resolver/resolver.ts';
import { r2Storage } from './storage/r2.ts';
import type { Storage } from './storage/storage.ts';
import type { TextEngine } from './text-model/engine.ts';
import { MiB } from './tools/tool.ts';
import { boundWorkshop } from './workshop/bound.ts';
import type { Workshop } from './workshop/workshop.ts';

/** The external services for tools. Each property is created when a tool reads it. */
export interface Context {
  readonly browser: Browser;
  readonly converter: Converter;
  readonly resolver: Resolver;
  readonly storage: Storage;
  readonly textEngine: TextEngine | Promise<TextEngine>;
  readonly client: Client;
  /** Largest number of concurrent calls of tools that compute or wait long, for one account in this isolate. */
  readonly heavyCalls: number;
}

/** The context of a door (HTTP, MCP or RPC), with the workshop if there is one. */
export interface DoorContext extends Context {
  readonly workshop: Workshop | undefined;
  /** Largest answer in bytes that the door accepts from the workshop. */
  readonly longestAnswer: number;
}

/** The client of a call. */
export interface Client {
  /** Queues are fair between accounts. Undefined for a client without a key. */
  readonly account: string | undefined;
  readonly requestId: string;
  /** Aborted when the client has left. */
  readonly signal: AbortSignal;
  /** Fields of the input that were ignored, to be named in the answer. */
  readonly ignored: IgnoredFields;
}

/**
 * Creates the context of a call.
 *
 * @param url URL of the request; links have its origin unless STORAGE_URL or SERVICE_URL is set
 * @param other a storage to use instead of R2, and the largest answer in bytes if not 64 MiB
 */
export function contextOf(
  env: Env,
  url: string | undefined,
  client: Client,
  other?: { storage?: Storage; longestAnswer?: number },
): DoorContext {
  return {
    client,
    longestAnswer: other?.longestAnswer ?? 64 * MiB,
    heavyCalls: Number(env.HEAVY_CALLS),
    get browser() {
      return browserRendering(env, this.resolver, client.signal);
    },
    get converter() {
      return httpConverter(env, client);
    },
    get resolver() {
      return configuredResolver(env);
    },
    get storage() {
      if (other?.storage) return other.storage;
      return r2Storage(env.FILES, {
        origin: env.STORAGE_URL || originOfLinks(env, url),
        secret: env.LINK_SECRET,
        life: Number(env.LINK_SECONDS),
      });
    },
    get textEngine() {
      return textEngineFor(env, client);
    },
    get workshop() {
      return env.WORKSHOP && boundWorkshop(env.WORKSHOP, this);
    },
  };
}

/** Loads the text engine when it is needed. A front with a workshop is built without this module. */
async function textEngineFor(env: Env, { signal }: Pick<Client, 'signal'>) {
  const { textEngineOf } = await import('#workshop/text-model/configured.ts');
  return textEngineOf(env, signal);
}

function originOfLinks(env: Env, url: string | undefined): string {
  if (url || env.SERVICE_URL) return originOf(env, url ?? '');
  const message = 'STORAGE_URL must be set for links in answers to a service binding';
  throw new ServiceError('unavailable', message);
}
