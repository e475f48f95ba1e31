import type { Browser } from './browser/browser.ts';
import { browserRendering } from './browser/rendering.ts';
import { ServiceError } from './errors.ts';
import type { Converter } from './converter/converter.ts';
import { httpConverter } from './converter/http.ts';
import { dohResolver } from './resolver/doh.ts';
import type { Resolver } from './resolver/resolver.ts';
import { r2Storage } from './storage/r2.ts';
import type { Storage } from './storage/storage.ts';
import type { TextEngine } from './text-model/engine.ts';
import { textEngineOf } from './text-model/configured.ts';

/** The outside world as a tool sees it; each part is opened when a tool first asks for it. */
export interface Context {
  readonly browser: Browser;
  readonly converter: Converter;
  readonly resolver: Resolver;
  readonly storage: Storage;
  readonly textEngine: TextEngine;
}

/** @param url of the request; links lead to its origin unless STORAGE_URL says otherwise */
export function contextOf(env: Env, url: string | undefined): Context {
  return {
    get browser() {
      return browserRendering(env, this.resolver);
    },
    get converter() {
      return httpConverter(env);
    },
    get resolver() {
      return dohResolver(env.DOH_URL);
    },
    get storage() {
      return r2Storage(env.FILES, {
        origin: env.STORAGE_URL || originOf(url),
        secret: env.LINK_SECRET,
        life: Number(env.LINK_SECONDS),
      });
    },
    get textEngine() {
      return textEngineOf(env);
    },
  };
}

function originOf(url: string | undefined): string {
  if (url) return new URL(url).origin;
  const message = 'links need STORAGE_URL to be set, since a binding has no address';
  throw new ServiceError('unavailable', message);
}
