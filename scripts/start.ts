// npm start: runs the whole service on this machine, and prints a key to call it.
import { once } from 'node:events';
import { trustedRanges } from '../src/http/address.ts';
import { localAccount, localKey, readLocal, type Local } from './local.ts';
import { operator } from './operator.ts';
import { startService } from './service.ts';

const state = process.env.STATE_DIR ?? '.wrangler/state';
const localFile = `${state}/local.json`;
/** Largest number of workshop processes. Each takes about 100 MB of memory. */
const maxWorkshops = 64;

/** Reads a whole number from the environment. Throws an error for the user when the value is invalid. */
function wholeNumber(name: string, most: number): number | undefined {
  const value = process.env[name];
  if (!value) return undefined;
  const number = Number(value);
  if (Number.isInteger(number) && number >= 1 && number <= most) return number;
  throw new Error(`${name} must be a whole number from 1 to ${most}, not ${value}`);
}

/** Throws an error for the user when a setting is given and is not an http or https URL. */
function requireUrl(name: string, value: string | undefined, example: string) {
  if (!value || /^https?:/.test(URL.parse(value)?.protocol ?? '')) return;
  throw new Error(`${name} must be a URL such as ${example}, not ${value}`);
}

/** Settings of a text model from the environment. Workers AI is not available locally. */
const textModel = Object.fromEntries(
  ['URL', 'NAME', 'KEY', 'CONTEXT', 'SECONDS'].flatMap((each) => {
    const name = `TEXT_MODEL_${each}`;
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => stopping.abort());
}
// npm sends signals only to its shell. When the shell ends, this process notices a new parent id.
const parent = process.ppid;
setInterval(() => process.ppid !== parent && stopping.abort(), 250).unref();

try {
  await main();
} catch (error) {
  if (!stopping.signal.aborted) {
    console.error(`Cannot start: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}
process.exit();

async function main() {
  const port = wholeNumber('PORT', 65_535) ?? 8787;
  const workshops = wholeNumber('WORKSHOPS', maxWorkshops);
  const trusted = process.env.TRUSTED_PROXY ?? '';
  if (trusted !== 'cloudflare') trustedRanges(trusted);
  const serviceUrl = process.env.SERVICE_URL;
  requireUrl('SERVICE_URL', serviceUrl, 'https://utilities.example');
  const dohUrl = process.env.DOH_URL;
  requireUrl('DOH_URL', dohUrl, 'https://cloudflare-dns.com/dns-query');
  const local = await readLocal(localFile);
  const vars = {
    ADMIN_SECRET: local.adminSecret,
    LINK_SECRET: local.linkSecret,
    TRUSTED_PROXY: trusted,
    ...(serviceUrl && { SERVICE_URL: serviceUrl }),
    ...(dohUrl && { DOH_URL: dohUrl }),
    RATE_LIMIT: process.env.RATE_LIMIT ?? '1000000000',
    // Developers take screenshots of pages on their own machine.
    ALLOW_PRIVATE_HOSTS: process.env.ALLOW_PRIVATE_HOSTS ?? 'true',
    ...textModel,
  };
  const service = await startService({
    port,
    persistTo: state,
    vars,
    ...(workshops && { workshops }),
    stopping: stopping.signal,
  });
  try {
    const ended = greet(local, service.url).then(() => service.ended);
    await Promise.race([ended, stopped()]);
    if (!stopping.signal.aborted)
      throw new Error('a part of the service ended; see its error above');
  } finally {
    await service.stop();
  }
}

async function stopped(): Promise<void> {
  if (!stopping.signal.aborted) await once(stopping.signal, 'abort');
}

/** Prints a key, a curl command and a sign-in link of the dashboard. */
async function greet(local: Local, url: string) {
  const key = await localKey(localFile, local, url);
  const signIn = await operator(url, local.adminSecret).signInLink(localAccount, true);
  console.log(`
  Developer Utility Service   ${url}/docs
  API key                     ${key}
  Dashboard (signs in once)   ${signIn}

  curl ${url}/api/hash -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '{"input":"hello"}'

  Press Ctrl-C to stop.
`);
}
