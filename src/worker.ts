import { app } from './http/app.ts';
import { hasHost, refuseHost } from './origin.ts';
import { removeExpired } from './storage/r2.ts';

export { Account } from './account/account.ts';
export { Registry } from './account/registry.ts';
export { DocumentConverter } from './converter/container.ts';
// Without it an object whose container runs already fails when it is made.
export { ContainerProxy } from '@cloudflare/containers';
export { Tools } from './rpc.ts';

export default {
  fetch: (request, env, context) =>
    hasHost(request) ? app.fetch(request, env, context) : refuseHost(),
  async scheduled(_event, env) {
    await removeExpired(env.FILES);
  },
} satisfies ExportedHandler<Env>;
