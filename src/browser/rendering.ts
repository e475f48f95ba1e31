import type { BrowserWorker } from '@cloudflare/puppeteer';
import { badRequest, ServiceError } from '../errors.ts';
import type { Resolver } from '../resolver/resolver.ts';
import type { Browser } from './browser.ts';
import { reachOf } from './reach.ts';

type Bindings = Pick<Env, 'BROWSER' | 'BROWSER_INSTANCES' | 'ALLOW_PRIVATE_HOSTS'>;

/** Cloudflare's Browser Rendering. */
export function browserRendering(env: Bindings, resolver: Resolver): Browser {
  return {
    async screenshot(order) {
      const reach = reachOf(env.ALLOW_PRIVATE_HOSTS, resolver);
      const refusal = order.url !== undefined && (await reach.refusal(order.url));
      if (refusal) throw badRequest('url', refusal);
      const { connect } = await import('./connection.ts');
      const { capture } = await import('./capture.ts');
      const attempt = async (fresh: boolean) => {
        const most = Number(env.BROWSER_INSTANCES);
        const connection = await connect(env.BROWSER as BrowserWorker, most, fresh);
        return capture(connection, order, reach);
      };
      return attempt(false)
        .catch((error: unknown) => {
          if (error instanceof ServiceError) throw error;
          // The browser broke, of old age or by somebody's page: once more, in a new one.
          return attempt(true);
        })
        .catch(asServiceError);
    },
  };
}

function asServiceError(error: unknown): never {
  if (error instanceof ServiceError) throw error;
  console.error('browser failed', error);
  const message = 'the browser is unavailable; nothing was charged';
  throw new ServiceError('browser_unavailable', message, { retryAfter: 5 });
}
