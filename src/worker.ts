import { app } from './http/app.ts';
import { hasHost, refuseHost } from './origin.ts';
import { removeExpired } from './storage/r2.ts';

export { Account } from './account/account.ts';
export { Registry } from './account/registry.ts';
export { DocumentConverter } from './converter/container.ts';
// Required by @cloudflare/containers: without this export an object whose container already runs fails to
// start.
export { ContainerProxy } from '@cloudflare/containers';
export { Tools } from './rpc.ts';

export default {
  fetch: (request, env, context) =>
    hasHost(request) ? app.fetch(request, env, context) : refuseHost(),
  async scheduled(_event, env) {
    await removeExpired(env.FILES);
  },
} satisfies ExportedHandler<Env>;
