// npm start: the whole service on this machine, with an account to call it.
import { trustedRanges } from '../src/http/address.ts';
import { localAccount, localKey, readLocal } from './local.ts';
import { operator } from './operator.ts';
import { startService } from './service.ts';

const port = Number(process.env.PORT ?? 8787);
const state = process.env.STATE_DIR ?? '.wrangler/state';
const localFile = `${state}/local.json`;

/** The text model, if one's own machine has one: Workers AI is not here. */
const textModel = Object.fromEntries(
  ['URL', 'NAME', 'KEY', 'CONTEXT', 'SECONDS'].flatMap((each) => {
    const name = `TEXT_MODEL_${each}`;
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);

try {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new Error(`PORT must be a number from 1 to 65535, not ${process.env.PORT}`);
  }
  const trusted = process.env.TRUSTED_PROXY ?? '';
  if (trusted !== 'cloudflare') trustedRanges(trusted);
  const serviceUrl = process.env.SERVICE_URL;
  if (serviceUrl && !/^https?:/.test(serviceUrl)) {
    throw new Error(
      `SERVICE_URL must be a URL such as https://utilities.example, not ${serviceUrl}`,
    );
  }
  const local = await readLocal(localFile);
  const vars = {
    ADMIN_SECRET: local.adminSecret,
    LINK_SECRET: local.linkSecret,
    TRUSTED_PROXY: trusted,
    ...(serviceUrl && { SERVICE_URL: serviceUrl }),
    RATE_LIMIT: process.env.RATE_LIMIT ?? '1000000000',
    // What one builds stands on one's own machine.
    ALLOW_PRIVATE_HOSTS: process.env.ALLOW_PRIVATE_HOSTS ?? 'true',
    ...textModel,
  };
  const service = await startService({
    port,
    persistTo: state,
    vars,
    ...(process.env.WORKSHOPS && { workshops: Number(process.env.WORKSHOPS) }),
  });
  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    await service.stop();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  // npm hands a signal to its shell only; that this process lost its parent is all it hears of it.
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && void stop(), 250).unref();
  const key = await localKey(localFile, local, service.url);
  const signIn = await operator(service.url, local.adminSecret).signInLink(localAccount, true);
  console.log(`
  Developer Utility Service   ${service.url}/docs
  API key                     ${key}
  Dashboard, signs in once    ${signIn}

  curl ${service.url}/api/hash -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '{"input":"hello"}'

  Ctrl-C ends it.
`);
  await service.ended;
  if (!stopping) {
    await service.stop();
    throw new Error('a part of it ended; its reason is above');
  }
} catch (error) {
  console.error(`Cannot start: ${(error as Error).message}`);
  process.exit(1);
}
