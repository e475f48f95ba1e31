import type { BrowserWorker } from '@cloudflare/puppeteer';
import { badRequest, clientLeft, ServiceError } from '../errors.ts';
import type { Resolver } from '../resolver/resolver.ts';
import type { Browser } from './browser.ts';
import { reachOf } from './reach.ts';

type Bindings = Pick<Env, 'BROWSER' | 'BROWSER_INSTANCES' | 'ALLOW_PRIVATE_HOSTS'>;

/** Returns Cloudflare's Browser Rendering. @param signal aborted when the client has left */
export function browserRendering(env: Bindings, resolver: Resolver, signal: AbortSignal): Browser {
  return {
    async screenshot(options) {
      const reach = reachOf(env.ALLOW_PRIVATE_HOSTS, resolver);
      const refusal = options.url !== undefined && (await reach.refusal(options.url));
      if (refusal) throw badRequest('url', refusal);
      const { connect } = await import('./connection.ts');
      const { capture } = await import('./capture.ts');
      const attempt = async (fresh: boolean) => {
        const most = Number(env.BROWSER_INSTANCES);
        const connection = await connect(env.BROWSER as BrowserWorker, most, signal, fresh);
        // Closing the connection makes all pending commands fail at once.
        const leave = () => connection.dispose();
        signal.addEventListener('abort', leave);
        if (signal.aborted) leave();
        try {
          return await capture(connection, options, reach);
        } finally {
          signal.removeEventListener('abort', leave);
        }
      };
      return attempt(false)
        .catch((error: unknown) => {
          if (signal.aborted) throw clientLeft();
          if (error instanceof ServiceError) throw error;
          // The browser crashed or was recycled, maybe because of another caller's page: retry in a new one.
          return attempt(true);
        })
        .catch(throwBrowserUnavailable);
    },
  };
}

function throwBrowserUnavailable(error: unknown): never {
  if (error instanceof ServiceError) throw error;
  console.error(`the browser failed: ${String(error)}`);
  const message = 'the browser is unavailable; nothing was charged';
  throw new ServiceError('browser_unavailable', message, { retryAfter: 5 });
}
