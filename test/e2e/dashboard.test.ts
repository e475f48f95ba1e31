import type { Browser, Page } from '@cloudflare/puppeteer';
import axe from 'axe-core';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installBrowser } from '../../scripts/browser/install.ts';
import { operator } from '../../scripts/operator.ts';
import { startBrowser } from './browser.ts';
import { startOwnService } from './service.ts';
import { print } from '../print.ts';

/** Keys of a Cloudflare Access of our own: only what it signs is to be believed. */
const access = await generateKeyPair('RS256', { extractable: true });
const stranger = await generateKeyPair('RS256');
const published = { keys: [{ ...(await exportJWK(access.publicKey)), kid: 'one', alg: 'RS256' }] };
const certs = createServer((_, answer) => answer.end(JSON.stringify(published)));
let team: string;
let service: Awaited<ReturnType<typeof startOwnService>>;

beforeAll(async () => {
  await once(certs.listen(0, '127.0.0.1'), 'listening');
  team = `http://127.0.0.1:${(certs.address() as AddressInfo).port}`;
  service = await startOwnService({
    ACCESS_URL: team,
    ACCESS_AUDIENCE: 'our-dashboard',
    OPERATORS: 'Boss@example.com, other@example.com',
    FREE_CREDITS: '25',
  });
});
afterAll(async () => {
  await service?.stop();
  certs.close();
});

/** Asks for a page of the dashboard as a browser does, without following where it leads. */
const ask = (path: string, init: RequestInit = {}) =>
  fetch(`${service.url}/dashboard${path}`, { redirect: 'manual', ...init });

/** Sends a form as a browser does from one of our pages. */
const submit = (path: string, fields: Record<string, string>, headers: Record<string, string>) =>
  ask(path, {
    method: 'POST',
    headers: { origin: service.url, ...headers },
    body: new URLSearchParams(fields),
  });

const linkFor = (account: string, asOperator = false) =>
  operator(service.url, service.adminSecret).signInLink(account, asOperator);

/** Opens a sign-in link and presses the button of its page. */
async function follow(link: string, headers: Record<string, string> = {}): Promise<Response> {
  const page = await (await fetch(link, { headers })).text();
  const [, action] = /action="\/dashboard([^"]+)"/.exec(page)!;
  const [, token] = /name="token" value="([^"]+)"/.exec(page)!;
  return submit(action!, { token: token! }, headers);
}

/** The cookie that one gets for a sign-in link. */
async function cookieFor(account: string, asOperator = false): Promise<string> {
  const answer = await follow(await linkFor(account, asOperator));
  expect(answer.status).toBe(303);
  return answer.headers.getSetCookie()[0]!.split(';')[0]!;
}

const calls = (key: string) =>
  fetch(`${service.url}/api/hash`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: '{"input":"hello"}',
  }).then(({ status }) => status);

describe('signing in', () => {
  it('is required for every page', async () => {
    for (const path of ['', '/accounts', '/accounts/local', '/accounts/local/keys/x/revoke']) {
      const answer = await ask(path);
      expect([answer.status, answer.headers.get('location')], path).toEqual([
        303,
        '/dashboard/sign-in',
      ]);
    }
    expect((await submit('/accounts/local/keys', { name: 'a' }, {})).status).toBe(303);
  });

  it('works once by a link, with a cookie that scripts and other sites cannot read', async () => {
    const link = await linkFor('link-user');
    const answer = await follow(link);
    expect(answer.headers.get('location')).toBe('/dashboard');
    const [cookie] = answer.headers.getSetCookie();
    expect(cookie).toMatch(/^session=/);
    for (const attribute of ['HttpOnly', 'SameSite=Lax', 'Path=/', 'Max-Age=43200'])
      expect(cookie).toContain(attribute);
    expect((await follow(link)).status).toBe(403);
    expect((await submit('/sign-in/link', { token: 'made-up' }, {})).status).toBe(403);
    const page = await ask('/accounts/link-user', { headers: { cookie: cookie!.split(';')[0]! } });
    expect(page.status).toBe(200);
    // What a new account is given.
    expect(await page.text()).toContain('<strong>25</strong>');
  });

  it('works by the operator’s secret', async () => {
    const right = await submit(
      '/sign-in',
      { account: 'own', secret: service.adminSecret },
      { 'cf-connecting-ip': '192.0.2.1' },
    );
    expect([right.status, right.headers.get('location')]).toEqual([303, '/dashboard']);
    const cookie = right.headers.getSetCookie()[0]!.split(';')[0]!;
    expect((await ask('/accounts', { headers: { cookie } })).status).toBe(200);
  });

  it('by a link requires its button: opening the link changes nothing', async () => {
    const cookie = await cookieFor('signed-in-before');
    const link = await linkFor('previewed');
    for (const method of ['GET', 'HEAD', 'GET']) {
      const opened = await fetch(link, { method, headers: { cookie }, redirect: 'manual' });
      expect([opened.status, opened.headers.getSetCookie()]).toEqual([200, []]);
      expect(opened.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(opened.headers.get('referrer-policy')).toBe('no-referrer');
      expect(opened.headers.get('cache-control')).toBe('no-store');
    }
    const token = new URL(link).searchParams.get('token')!;
    const elsewhere = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    expect((await submit('/sign-in/link', { token }, elsewhere)).status).toBe(403);
    expect((await ask('/accounts/signed-in-before', { headers: { cookie } })).status).toBe(200);
    expect((await follow(link, { cookie })).status).toBe(303);
    // The session that it replaces has ended.
    expect((await ask('/accounts/signed-in-before', { headers: { cookie } })).status).toBe(303);
  });

  it('shows a link’s token as text', async () => {
    const page = await (await ask(`/sign-in?token=${encodeURIComponent('"><b>')}`)).text();
    expect(page).not.toContain('"><b>');
  });

  it('ends on signing out, also for a copy of the cookie', async () => {
    const cookie = await cookieFor('leaver');
    const other = await cookieFor('leaver');
    const out = await submit('/sign-out', {}, { cookie });
    expect(out.headers.getSetCookie()[0]).toMatch(/^session=;.*Max-Age=0/);
    expect((await ask('/accounts/leaver', { headers: { cookie } })).status).toBe(303);
    expect((await ask('/accounts/leaver', { headers: { cookie: other } })).status).toBe(200);
  });

  it('ends when the operator ends all sessions of an account', async () => {
    const [cookie, stays] = [await cookieFor('ended'), await cookieFor('stays')];
    const ended = await fetch(`${service.url}/admin/accounts/ended/sessions`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${service.adminSecret}` },
    });
    expect(await ended.json()).toEqual({ ended: 1 });
    expect((await ask('/accounts/ended', { headers: { cookie } })).status).toBe(303);
    expect((await ask('/accounts/stays', { headers: { cookie: stays } })).status).toBe(200);
  });

  it('cannot be forged', async () => {
    const cookie = await cookieFor('honest');
    const [id, signature] = decodeURIComponent(cookie.slice('session='.length)).split('.');
    const signed = (text: string, secret: string) =>
      createHmac('sha256', secret).update(text).digest('base64');
    const forged = [
      id!,
      `${id}.`,
      `x${id}.${signature}`,
      `${id}.${signed(id!, service.adminSecret)}`,
      `${id}.${signed(id!, '')}`,
      await new SignJWT({ operator: true })
        .setProtectedHeader({ alg: 'HS256' })
        .setSubject('honest')
        .setAudience('dashboard')
        .setExpirationTime('1h')
        .sign(new TextEncoder().encode(service.adminSecret)),
    ];
    for (const each of forged) {
      const headers = { cookie: `session=${encodeURIComponent(each)}` };
      expect((await ask('/accounts/honest', { headers })).status, each).toBe(303);
    }
    expect((await ask('/accounts/honest', { headers: { cookie } })).status).toBe(200);
  });
});

describe('Cloudflare Access', () => {
  const token = (
    claims: Record<string, unknown>,
    { key = access.privateKey, audience = 'our-dashboard', issuer = team, expires = '5m' } = {},
  ) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setExpirationTime(expires)
      .sign(key);
  const as = async (jwt: Promise<string> | string, path = '') =>
    ask(path, { headers: { 'cf-access-jwt-assertion': await jwt } });

  it('signs people in with their email address as the account', async () => {
    const front = await as(token({ email: 'Ada@Example.com' }));
    expect(front.headers.get('location')).toBe('/dashboard/accounts/ada%40example.com');
    const own = await as(token({ email: 'ada@example.com' }), '/accounts/ada%40example.com');
    const page = await own.text();
    expect(page).toContain('<strong>25</strong>');
    expect(page).toContain('/cdn-cgi/access/logout');
    expect((await as(token({ email: 'ada@example.com' }), '/accounts')).status).toBe(403);
    expect((await as(token({ email: 'ada@example.com' }), '/accounts/local')).status).toBe(403);
  });

  it('makes the listed people operators', async () => {
    const list = await as(token({ email: 'boss@example.com' }), '/accounts');
    expect(list.status).toBe(200);
    expect(await list.text()).toContain('href="/dashboard/accounts/local"');
  });

  it('is trusted only with a valid signature, issuer, audience, expiry and email address', async () => {
    const email = 'boss@example.com';
    const untrue = [
      token({ email }, { key: stranger.privateKey }),
      token({ email }, { audience: 'another-application' }),
      token({ email }, { issuer: 'https://elsewhere.example' }),
      token({ email }, { expires: '-1m' }),
      token({}),
      token({ email: '../admin@x' }),
      'nonsense',
    ];
    for (const jwt of untrue) expect((await as(jwt, '/accounts')).status).toBe(403);
  });
});

describe('an account', () => {
  it('can be accessed by its owner and by operators only', async () => {
    const cookie = await cookieFor('mine');
    await cookieFor('theirs');
    expect((await ask('/accounts/theirs', { headers: { cookie } })).status).toBe(403);
    expect((await submit('/accounts/theirs/keys', { name: 'a' }, { cookie })).status).toBe(403);
    expect((await submit('/accounts/mine/credits', { credits: '5' }, { cookie })).status).toBe(403);
    const boss = await cookieFor('boss', true);
    expect((await ask('/accounts/theirs', { headers: { cookie: boss } })).status).toBe(200);
    expect((await ask('/accounts/nobody', { headers: { cookie: boss } })).status).toBe(404);
  });

  it('is changed only by forms of the dashboard', async () => {
    const cookie = await cookieFor('careful');
    for (const headers of [
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: 'null' },
    ]) {
      const answer = await submit('/accounts/careful/keys', { name: 'a' }, { cookie, ...headers });
      expect(answer.status).toBe(403);
    }
    for (const type of ['application/json', 'application/octet-stream', 'text/plain']) {
      const answer = await ask('/sign-out', {
        method: 'POST',
        headers: { cookie, origin: 'https://evil.example', 'content-type': type },
      });
      expect(answer.status).toBe(415);
    }
    expect((await ask('/accounts/careful', { headers: { cookie } })).status).toBe(200);
    const { keys } = await operator(service.url, service.adminSecret).describe('careful');
    expect(keys).toEqual([]);
  });

  it('explains errors in a form', async () => {
    const cookie = await cookieFor('boss', true);
    for (const [path, fields] of [
      ['/accounts/boss/keys', { name: '  ' }],
      ['/accounts/boss/keys', { name: 'x'.repeat(101) }],
      ['/accounts/boss/credits', { credits: '-5' }],
      ['/accounts/boss/credits', { credits: '1.5' }],
      ['/accounts/boss/credits', { credits: '1e99' }],
    ] as const) {
      const answer = await submit(path, fields, { cookie });
      expect(answer.status, JSON.stringify(fields)).toBe(422);
      expect(await answer.text()).toContain('Request failed');
    }
    expect((await ask('/accounts/boss/keys/none/revoke', { headers: { cookie } })).status).toBe(
      404,
    );
  });

  it('shows names as text, and allows neither caching nor frames', async () => {
    const cookie = await cookieFor('shown');
    const name = '<script>alert(1)</script>"\'&';
    expect(await (await submit('/accounts/shown/keys', { name }, { cookie })).text()).not.toContain(
      '<script>alert',
    );
    const page = await ask('/accounts/shown', { headers: { cookie } });
    expect(await page.text()).toContain('&lt;script&gt;alert(1)');
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });
});

const installed = await installBrowser();
if (!installed)
  print('skipped: the dashboard in a browser, of which there is none for this system');

describe.skipIf(!installed)('a person', () => {
  let browser: Browser;
  let page: Page;
  let stop: () => Promise<void>;
  let key: string;
  beforeAll(async () => {
    ({ browser, stop } = await startBrowser());
    page = await browser.newPage();
  });
  afterAll(() => stop?.());

  const text = () => page.$eval('main', (main) => main.textContent);
  const press = async (selector: string) => {
    await Promise.all([page.waitForNavigation(), page.click(selector)]);
  };
  /** Barriers, and what does not fit in the window. */
  async function expectNoBarriers() {
    for (const [width, scheme] of [
      [1280, 'light'],
      [1280, 'dark'],
      [390, 'light'],
    ] as const) {
      await page.setViewport({ width, height: 844 });
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
      const wide = 'document.documentElement.scrollWidth';
      expect(await page.evaluate(wide), page.url()).toBeLessThanOrEqual(width);
      // The page's policy lets no script in but its own; the test's comes by the debugger.
      await page.evaluate(axe.source);
      const { violations } = (await page.evaluate('axe.run()')) as {
        violations: { id: string; nodes: { html: string }[] }[];
      };
      expect(violations.map(({ id, nodes }) => [page.url(), id, nodes[0]!.html])).toEqual([]);
    }
    await page.setViewport({ width: 1280, height: 844 });
  }

  it('signs in by the link', async () => {
    await page.goto(await linkFor('ada', true));
    await expectNoBarriers();
    await press('main button');
    expect(await text()).toContain('No keys yet');
    await expectNoBarriers();
  });

  it('creates a key by keyboard, and sees it once', async () => {
    await page.focus('input[name=name]');
    await page.keyboard.type('laptop');
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    key = (await page.$eval('pre', (pre) => pre.textContent)).trim();
    expect(key).toMatch(/^sk_svc_\w{38}$/);
    expect(await text()).toContain(`Authorization: Bearer ${key}`);
    await expectNoBarriers();
  });

  it('copies it with a button', async () => {
    await page.evaluate(
      'navigator.clipboard.writeText = async (text) => { window.copied = text.trim(); }',
    );
    await page.click('[data-copy]');
    expect(await page.evaluate('window.copied')).toBe(key);
  });

  it('takes the key to the docs', async () => {
    await press('[data-key]');
    expect(await page.$eval('input[name=key]', (input) => input.value)).toBe(key);
  });

  it('calls a tool, and finds the call in chart and table', async () => {
    expect(await calls(key)).toBe(200);
    await expect
      .poll(
        async () => {
          await page.goto(`${service.url}/dashboard`);
          return (await page.$('figure rect title'))
            ? page.$eval('figure rect title', (title) => title.textContent)
            : '';
        },
        { timeout: 10_000 },
      )
      .toMatch(/^\d{4}-\d\d-\d\d hash: 1$/);
    expect(await text()).toMatch(/hash11/);
    expect(await text()).toContain('24 credits');
    expect(await text()).not.toContain(key);
    await expectNoBarriers();
  });

  it('confirms revoking a key, which is refused a second later', async () => {
    await press('a[href$="/revoke"]');
    expect(await text()).toContain('Revoke “laptop”?');
    await expectNoBarriers();
    expect(await calls(key)).toBe(200);
    await press('.danger');
    expect(await text()).toContain('1 revoked');
    await sleep(1000);
    expect(await calls(key)).toBe(401);
  });

  it('finds accounts and grants credits as an operator', async () => {
    await page.goto(`${service.url}/dashboard/accounts?search=ADA`);
    await expectNoBarriers();
    await press('main a[href$="/ada"]');
    await page.type('input[name=credits]', '1000');
    await press('form[action$="/credits"] button');
    expect(await text()).toMatch(/1,02[34] credits/);
    expect(await text()).toMatch(/ada1,000/);
  });

  it('signs out', async () => {
    await press('.foot button');
    await page.goto(`${service.url}/dashboard`);
    expect(page.url()).toBe(`${service.url}/dashboard/sign-in`);
    await expectNoBarriers();
  });

  it('can do all of this without JavaScript', async () => {
    await page.setJavaScriptEnabled(false);
    await page.goto(await linkFor('grace'));
    await press('main button');
    await page.type('input[name=name]', 'server');
    await press('form[action$="/keys"] button');
    const made = (await page.$eval('pre', (pre) => pre.textContent)).trim();
    expect(await calls(made)).toBe(200);
    await page.goto(`${service.url}/dashboard`);
    await press('a[href$="/revoke"]');
    await press('.danger');
    await sleep(1000);
    expect(await calls(made)).toBe(401);
  });
});

describe('an attacker who guesses the secret', () => {
  it('waits for each answer, gets a 429 after ten, and does not lock out the operator', async () => {
    const guess = (secret: string) => submit('/sign-in', { account: 'own', secret }, {});
    const begun = Date.now();
    expect((await guess('wrong')).status).toBe(403);
    expect(Date.now() - begun).toBeGreaterThanOrEqual(1000);
    // Twice as many as a minute has, so that one that begins in between changes nothing.
    const wrong = await Promise.all(Array.from({ length: 40 }, () => guess('wrong')));
    const refused = wrong.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(20);
    expect(Number(refused[0]!.headers.get('retry-after'))).toBeGreaterThan(0);
    const link = await linkFor('anybody');
    expect((await guess(service.adminSecret)).status).toBe(303);
    expect((await follow(link)).status).toBe(303);
    const admin = await fetch(`${service.url}/admin/accounts/local`, {
      headers: { authorization: `Bearer ${service.adminSecret}` },
    });
    expect(admin.status).toBe(200);
  });
});
