import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, inject, it } from 'vitest';
import { canEndWithParent } from '../../scripts/child.ts';
import { freePort } from '../../scripts/free-port.ts';
import { operator } from '../../scripts/operator.ts';
import { post } from './call.ts';
import { npmStart } from './npm-start.ts';
import { descendantsOf, isAlive } from './processes.ts';

const run = promisify(execFile);

/** With their environments, in which each has the folder. */
const processesOf = async (state: string) =>
  (await run('ps', ['axeww', '-o', 'stat,args'], { maxBuffer: 1e8 })).stdout
    .split('\n')
    .filter((line) => line.includes(state) && !line.startsWith('Z'));

describe('npm start', () => {
  it('prints a curl command, keeps its key, and leaves no process behind', async () => {
    const state = await mkdtemp(join(tmpdir(), 'start-'));
    const env = { PORT: String(await freePort()), STATE_DIR: state };
    const first = await npmStart(env);
    expect(first.printed().output).toContain(`http://127.0.0.1:${env.PORT}`);
    const curl = /curl (.*)/.exec(first.printed().output)![0];
    const { stdout } = await run('sh', ['-c', `${curl} -s`]);
    expect(JSON.parse(stdout)).toMatchObject({
      hash: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
    });
    first.npm.kill('SIGTERM');
    await once(first.npm, 'exit');
    await gone(state);

    const second = await npmStart(env);
    expect(second.key).toBe(first.key);
    process.kill(-second.npm.pid!, 'SIGINT'); // what Ctrl-C does
    await once(second.npm, 'exit');
    await gone(state);
    await rm(state, { recursive: true, force: true });
  }, 120_000);

  it('leaves no process behind when it is killed', async ({ skip }) => {
    skip(!canEndWithParent(), 'there is no setpriv with --pdeathsig here (util-linux)');
    const state = await mkdtemp(join(tmpdir(), 'start-'));
    const port = String(await freePort());
    // Nobody is left to remove its temporary files, but the test.
    const env = { PORT: port, STATE_DIR: state, TMPDIR: state };
    const { npm, key, starter } = await npmStart(env);
    const url = `http://127.0.0.1:${port}`;
    // Has a browser started.
    expect((await post('screenshot', { url }, key, url)).status).toBe(200);
    const processes = descendantsOf(npm.pid!);
    // The starter itself, converter, front, workerd of the front, and a workshop at least.
    expect(descendantsOf(starter()).length).toBeGreaterThanOrEqual(4);
    process.kill(starter(), 'SIGKILL');
    const left = () => processes.filter(isAlive).map(({ args }) => args.join(' '));
    await expect.poll(left, { timeout: 10_000 }).toEqual([]);
    await rm(state, { recursive: true, force: true });
  }, 60_000);

  it('reports a wrong setting in one line', async () => {
    const refusalOf = async (env: Record<string, string>) => {
      const failed = run('npm', ['start'], { env: { ...process.env, ...env } });
      return failed.then(
        () => 'it started',
        (error: { stderr: string }) => error.stderr,
      );
    };
    const range = 'WORKSHOPS must be a whole number from 1 to 64, not';
    expect(await refusalOf({ WORKSHOPS: '0' })).toContain(`Cannot start: ${range} 0`);
    expect(await refusalOf({ WORKSHOPS: 'two' })).toContain(`Cannot start: ${range} two`);
    expect(await refusalOf({ PORT: '1e9' })).toContain(
      'PORT must be a whole number from 1 to 65535',
    );
    expect(await refusalOf({ DOH_URL: '1.1.1.1' })).toContain(
      'Cannot start: DOH_URL must be a URL such as https://cloudflare-dns.com/dns-query, not 1.1.1.1',
    );
  });

  it('reports a port in use in one line, with a solution', async () => {
    const { port } = new URL(inject('service').url);
    const failed = await run('npm', ['start'], { env: { ...process.env, PORT: port } }).catch(
      (error: unknown) => error,
    );
    expect((failed as { stderr: string }).stderr).toContain(
      `port ${port} is in use; choose another one: PORT=${Number(port) + 1} npm start`,
    );
  });
});

async function gone(state: string) {
  for (let i = 0; i < 50 && (await processesOf(state)).length > 0; i++) await sleep(200);
  expect(await processesOf(state)).toEqual([]);
}

describe('npm run keys', () => {
  const { url, adminSecret } = inject('service');
  const keys = async (...args: string[]) =>
    (
      await run('npm', ['run', '--silent', 'keys', '--', ...args, '--url', url], {
        env: { ...process.env, ADMIN_SECRET: adminSecret },
      })
    ).stdout;

  it('creates a key, grants credits, shows them and revokes the key', async () => {
    const made = await keys('create', 'team', '--name', 'laptop');
    const key = /sk_svc_\w+/.exec(made)![0];
    const id = /id is (\S+)\./.exec(made)![1]!;
    expect((await post('hash', { input: 'a' }, key)).status).toBe(402);
    expect(await keys('grant', 'team', '25')).toContain('25 credits');
    expect((await post('hash', { input: 'a' }, key)).status).toBe(200);
    expect(await keys('list', 'team')).toContain('laptop');
    const link = (await keys('sign-in', 'team')).trim();
    expect(link).toMatch(new RegExp(`^${url}/dashboard/sign-in\\?token=[\\w-]{32}$`));
    expect(await keys('revoke', 'team', id)).toContain('revoked');
    await sleep(1000);
    expect((await post('hash', { input: 'a' }, key)).status).toBe(401);
  }, 60_000);

  it('reports errors', async () => {
    await expect(keys('revoke', 'team', 'nothing')).rejects.toThrow('has no key nothing');
    await expect(keys('dance', 'team')).rejects.toThrow('no command');
  });
});

it('charges exactly the answered calls, under load that uses up all credits', async () => {
  const { url, adminSecret } = inject('service');
  const admin = operator(url, adminSecret);
  const { key } = await admin.createKey('busy', 'load');
  await admin.grant('busy', 700);
  const statuses = new Map<number, number>();
  let left = 1000;
  await Promise.all(
    Array.from({ length: 32 }, async () => {
      while (left-- > 0) {
        const { status } = await post('hash', left % 10 ? { input: 'a' } : {}, key);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    }),
  );
  expect([...statuses.keys()].toSorted()).toEqual([200, 402, 422]);
  expect(statuses.get(200)).toBe(700);
  const settled = async () => {
    const { credits, usage } = await admin.describe('busy');
    return { credits, paid: usage.reduce((sum, row) => sum + row.credits, 0) };
  };
  // A second or two, unless the machine is busy with something else; what is lost would stay lost.
  await expect.poll(settled, { timeout: 10_000 }).toEqual({ credits: 0, paid: 700 });
});
