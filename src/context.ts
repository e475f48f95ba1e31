import type { Browser } from './browser/browser.ts';
import { browserRendering } from './browser/rendering.ts';
import { ServiceError } from './errors.ts';
import type { Converter } from './converter/converter.ts';
import { httpConverter } from './converter/http.ts';
import type { IgnoredFields } from './ignored-fields.ts';
import { originOf } from './origin.ts';
import { dohResolver } from './resolver/doh.ts';
import type { Resolver } from './resolver/resolver.ts';
import { r2Storage } from './storage/r2.ts';
import type { Storage } from './storage/storage.ts';
import type { TextEngine } from './text-model/engine.ts';
import { MiB } from './tools/tool.ts';
import { boundWorkshop } from './workshop/bound.ts';
import type { Workshop } from './workshop/workshop.ts';

/** The outside world as a tool sees it; each part is opened when a tool first asks for it. */
export interface Context {
  readonly browser: Browser;
  readonly converter: Converter;
  readonly resolver: Resolver;
  readonly storage: Storage;
  readonly textEngine: TextEngine | Promise<TextEngine>;
  readonly client: Client;
  /** Calls of tools that compute or wait long that one account may have under way here. */
  readonly heavyCalls: number;
}

/** What a door sees besides: another place to run tools in, if there is one. */
export interface DoorContext extends Context {
  readonly workshop: Workshop | undefined;
  /** Bytes of the longest answer that the door takes from the workshop. */
  readonly longestAnswer: number;
}

/** Who waits for the answer. */
export interface Client {
  /** Waiting calls take turns by account. */
  readonly account: string | undefined;
  readonly requestId: string;
  /** Aborted when the client has left. */
  readonly signal: AbortSignal;
  /** Fields of the input that were ignored, to be named in the answer. */
  readonly ignored: IgnoredFields;
}

/**
 * @param url of the request; links lead to its origin unless STORAGE_URL or SERVICE_URL is set
 * @param other a storage in place of the R2 bucket, and the longest answer if it is not 64 MiB
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
      return dohResolver(env.DOH_URL);
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

/** Loaded late: a front whose tools run in a workshop is built without it. */
async function textEngineFor(env: Env, { signal }: Pick<Client, 'signal'>) {
  const { textEngineOf } = await import('#workshop/text-model/configured.ts');
  return textEngineOf(env, signal);
}

function originOfLinks(env: Env, url: string | undefined): string {
  if (url || env.SERVICE_URL) return originOf(env, url ?? '');
  const message = 'links need STORAGE_URL to be set, since a binding has no address';
  throw new ServiceError('unavailable', message);
}
