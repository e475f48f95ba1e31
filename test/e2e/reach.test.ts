import { spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { lookup } from 'node:dns/promises';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startResolver } from '../resolver/responder.ts';
import { post } from './call.ts';
import { chromium } from './chromium.ts';
import { startSite } from './pages.ts';
import { startOwnService } from './service.ts';
import { print } from '../print.ts';

/** What nobody may reach: a server on the machine's own address. */
const secret = await startSite({});
/** A site that may be opened, since the service below is told so. */
const host = '127.0.0.5';
const site = await startSite({}, host);
const port = new URL(secret.url).port;
const [http, ws] = [secret.url, secret.url.replace('http', 'ws')];

/** Counts what arrives by UDP on the same port. */
const datagrams = createSocket('udp4').bind(Number(port), '127.0.0.1');
let arrived = 0;
datagrams.on('message', () => (arrived += 1));

let service: Awaited<ReturnType<typeof startOwnService>>;
const resolver = await startResolver();

afterAll(async () => {
  await resolver.stop();
  datagrams.close();
  for (const each of [secret, site]) each.stop();
});

/** A certificate that says where the one of its issuer is: Chrome asks there for it (RFC 5280, 4.2.2.1). */
const certificate = certificateNaming(`${http}/issuer.der`);
if (!certificate) print('skipped: the address that a certificate names, for want of openssl');

function certificateNaming(url: string) {
  const folder = mkdtempSync(join(tmpdir(), 'certificates-'));
  const openssl = (...args: string[]) =>
    spawnSync('openssl', args, { cwd: folder, stdio: 'ignore' }).status === 0;
  const authority = [
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-subj',
    '/CN=a',
    '-keyout',
    'a.key',
    '-out',
    'a.pem',
  ];
  const leaf = [
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-subj',
    `/CN=${host}`,
    '-keyout',
    'b.key',
    '-out',
    'b.csr',
  ];
  writeFileSync(
    join(folder, 'ext'),
    `subjectAltName=IP:${host}\nauthorityInfoAccess=caIssuers;URI:${url}`,
  );
  const issuing = [
    '-CA',
    'a.pem',
    '-CAkey',
    'a.key',
    '-CAcreateserial',
    '-extfile',
    'ext',
    '-out',
    'b.pem',
  ];
  const made =
    openssl('req', ...authority) &&
    openssl('req', ...leaf) &&
    openssl('x509', '-req', '-in', 'b.csr', ...issuing);
  const read = (name: string) => readFileSync(join(folder, name));
  const result = made ? { key: read('b.key'), cert: read('b.pem') } : undefined;
  rmSync(folder, { recursive: true });
  return result;
}

/** Runs the tests of this suite on a service of its own. */
function withService(browserProxy: boolean) {
  beforeAll(async () => {
    const vars = { ALLOW_PRIVATE_HOSTS: host, DOH_URL: resolver.url };
    service = await startOwnService(vars, { browserProxy });
  });
  afterAll(() => service.stop());
}

/** The status and message of a screenshot; nobody has connected to the secret server for it. */
async function shoot(input: Record<string, unknown>) {
  const before = secret.connections() + arrived;
  const shot = { width: 64, height: 64, delay_ms: 200, ...input };
  const answer = await post('screenshot', shot, service.key, service.url);
  const { message } = answer.ok ? { message: '' } : ((await answer.json()) as { message: string });
  await answer.arrayBuffer().catch(() => {});
  await sleep(100);
  expect(secret.connections() + arrived - before).toBe(0);
  return { status: answer.status, message };
}

describe('addresses that are not on the public Internet', () => {
  withService(true);

  it.concurrent.each([
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '0177.0.0.1',
    '0x7f.0.0.1',
    '0x7f000001',
    '017700000001',
    '2130706433',
    '127.0.0.1.',
    '127.000.000.001',
    '１２７.０.０.１',
    '127。0。0。1',
    '0.0.0.0',
    '0',
    '127.255.255.254',
    'localhost',
    'localhost.',
    'example.com.localhost',
    'printer.local',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '100.64.0.1',
    '169.254.169.254',
    '169.254.170.2',
    '0xa9fea9fe',
    '2852039166',
    '168.63.129.16',
    '100.100.100.200',
    '192.0.0.192',
    '198.18.0.1',
    '192.0.2.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '[::1]',
    '[::]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::ffff:a9fe:a9fe]',
    '[::127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
    '[2001:0:7f00:1::]',
    '[fe80::1]',
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[fec0::1]',
    '[ff02::1]',
    'user:password@127.0.0.1',
    'example.com@127.0.0.1',
    'example.com:80@127.0.0.1',
    'metadata.google.internal',
    'loopback.example.com',
    'loopback6.example.com',
    'mixed.example.com',
    'LOOPBACK.EXAMPLE.COM',
  ])('refuses %s', async (address) => {
    for (const url of [`http://${address}:${port}/`, `https://${address}/latest/meta-data/`]) {
      const { status, message } = await shoot({ url });
      expect({ status, message }).toMatchObject({ status: 400 });
      expect(message).toMatch(
        /^url: (?:leads to .+, (?:which|whose)|cannot be reached: .+ has no address)/,
      );
    }
  });

  it('refuses a host that the browser resolves to another address', async ({ skip }) => {
    const found = await lookup(hostname()).catch(() => undefined);
    skip(!found?.address.startsWith('127.'), 'the hostname is not loopback');
    expect(await shoot({ url: `http://${hostname()}:${port}/` })).toMatchObject({
      status: 400,
      message: expect.stringContaining('pages may not connect to its address') as string,
    });
  });

  it('reports a name that cannot be resolved', async () => {
    expect((await shoot({ url: 'http://servfail.test/' })).status).toBe(503);
  });

  it.skipIf(!certificate)('asks no address that a certificate names', async () => {
    const server = createHttpsServer(certificate!, (_request, response) => response.end('Hello'));
    server.listen(0, host);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { status, message } = await shoot({ url: `https://${host}:${port}/` });
    expect({ status, message }).toMatchObject({
      status: 400,
      message: expect.stringContaining('ERR_CERT') as string,
    });
    server.close();
  });

  it('opens an allowed private host', async () => {
    site.pages['/'] = '<h1>Hello</h1>';
    expect((await shoot({ url: site.url })).status).toBe(200);
  });
});

/** Sends by UDP. */
const transport = `new WebTransport("https://127.0.0.1:${port}/")`;

/** Cloudflare's browsers have no proxy of ours before them; `npm start`'s has. */
describe.each([
  ['the proxy and the guard of the page', true],
  ['the guard of the page alone', false],
])('by %s', (_name, browserProxy) => {
  withService(browserProxy);

  describe('a page that navigates there', () => {
    const away: Record<string, string | [number, Record<string, string>]> = {
      'a redirect': [302, { Location: `${http}/` }],
      'a redirect to another scheme': [302, { Location: 'file:///etc/passwd' }],
      'a header that refreshes': [200, { Refresh: `0; url=${http}/` }],
      'a meta element that refreshes': `<meta http-equiv="refresh" content="0; url=${http}/">`,
      'a script': `<script>location = '${http}/'</script>`,
      'a form': `<form id="f" method="post" action="${http}/"></form><script>f.submit()</script>`,
      'a link': `<a id="a" href="${http}/">x</a><script>a.click()</script>`,
    };

    it.concurrent.each(Object.keys(away))('is refused: by %s', async (name) => {
      const page = away[name]!;
      const path = `/away-${encodeURIComponent(name)}`;
      site.pages[path] =
        typeof page === 'string' ? page : (_request, response) => response.writeHead(...page).end();
      expect(await shoot({ url: site.url + path })).toMatchObject({ status: 400 });
      if (typeof page === 'string') {
        expect(await shoot({ html: page })).toMatchObject({ status: 400 });
      }
    });
  });

  describe('a document of any type and status', () => {
    const attack = `<!doctype html><h1>Hello</h1><script>
      const source = 'new WebSocket("${ws}"); ${transport}';
      try { new Worker(URL.createObjectURL(new Blob([source]))) } catch {}
      try { new WebSocket('${ws}') } catch {}
      try { ${transport} } catch {}
      try { open('${http}/') } catch {}
      document.write('<iframe srcdoc="&lt;script>new WebSocket(\\'${ws}\\')&lt;/script>"></iframe>');
    </script>`;
    const types = [
      [],
      [''],
      ['text/html'],
      ['TEXT/HTML ; charset=x'],
      ['application/unknown'],
      ['unknown/unknown'],
      ['*/*'],
      ['foo'],
      ['text'],
      ['image'],
      ['video'],
      ['text/'],
      ['/html'],
      ['application/xhtml+xml'],
      ['text/xml'],
      ['image/svg+xml'],
      ['text/plain'],
      ['text/css'],
      ['application/json'],
      ['application/x-html'],
      ['image/png, text/html'],
      ['image/png; text/html'],
      ['video/mp4,*/*'],
      ['text/html;'],
      ['html/text'],
      ['multipart/x-mixed-replace; boundary=a'],
      ['multipart/mixed'],
      ['message/rfc822'],
      ['x/y'],
      ['application/signed-exchange;v=b3'],
      ['application/octet-stream'],
      ['application/pdf'],
      ['image/png', 'text/html'],
      ['text/html', 'image/png'],
      ['application/octet-stream', '*/*'],
      ['video/mp4', ''],
      ['application/pdf', 'application/unknown'],
    ];
    const statuses = [
      200, 201, 203, 206, 226, 300, 301, 302, 304, 305, 306, 307, 308, 310, 399,
    ].concat([400, 401, 403, 404, 407, 418, 451, 500, 503, 599, 600, 999]);
    const odd: [name: string, status: number, headers: string[]][] = [
      ...types.map((type): [string, number, string[]] => [
        `type ${type.join(' and ')}`,
        200,
        type.flatMap((value) => ['Content-Type', value]),
      ]),
      ...statuses.map((status): [string, number, string[]] => [
        `status ${status}`,
        status,
        ['Content-Type', 'text/html'],
      ]),
      ['an empty Location', 302, ['Content-Type', 'text/html', 'Location', '']],
      ['a Location with 300', 300, ['Content-Type', 'text/html', 'Location', `${http}/`]],
      ['inline', 200, ['Content-Type', 'text/html', 'Content-Disposition', 'inline']],
      ['attachment', 200, ['Content-Type', 'text/html', 'Content-Disposition', 'attachment']],
      [
        'inline and attachment',
        200,
        ['Content-Disposition', 'inline', 'Content-Disposition', 'attachment; filename=a.html'],
      ],
      ['a policy', 200, ['Content-Type', 'text/html', 'Content-Security-Policy', 'sandbox']],
    ];

    it.each([
      ['itself', (path: string) => path],
      ['in a frame', (path: string) => `/frame?${path}`],
    ])(
      'connects nowhere: %s',
      async (_where, pathOf) => {
        site.pages['/frame'] = (request, response) =>
          response
            .writeHead(200, { 'Content-Type': 'text/html' })
            .end(`<h1>Hello</h1><iframe src="${request.url!.split('?')[1]}"></iframe>`);
        const waiting = odd.map(([name, status, headers], i) => {
          const path = `/odd-${i}`;
          site.pages[path] = (_request, response) => {
            response.writeHead(status, headers).end(attack);
          };
          return { name, path };
        });
        const before = secret.connections() + arrived;
        const failed: string[] = [];
        const work = async () => {
          for (let each; (each = waiting.shift());) {
            const url = site.url + pathOf(each.path);
            const input = { url, width: 64, height: 64, wait_until: 'load', delay_ms: 300 };
            const answer = await post('screenshot', input, service.key, service.url);
            await answer.arrayBuffer();
            if (![200, 400].includes(answer.status)) failed.push(`${each.name}: ${answer.status}`);
          }
        };
        await Promise.all([work(), work(), work(), work()]);
        await sleep(300);
        expect({ failed, connections: secret.connections() + arrived - before }).toEqual({
          failed: [],
          connections: 0,
        });
      },
      180_000,
    );
  });

  describe('a page that requests something there', () => {
    const worker = (source: string) =>
      `<script>new Worker(URL.createObjectURL(new Blob([\`${source}\`])))</script>`;
    const asks: Record<string, string> = {
      'an image': `<img src="${http}/">`,
      'an image through a redirect': '<img src="/redirect">',
      'an image by a base': `<base href="${http}/"><img src="x">`,
      'a style sheet': `<link rel="stylesheet" href="${http}/"><style>@import url(${http}/)</style>`,
      'a font': `<style>@font-face { font-family: x; src: url(${http}/) } p { font-family: x }</style><p>x`,
      'a frame': `<iframe src="${http}/"></iframe><object data="${http}/"></object><embed src="${http}/">`,
      'a frame through a redirect': '<iframe src="/redirect"></iframe>',
      'a frame in a frame': `<iframe srcdoc='<img src="${http}/"><script>new WebSocket("${ws}")</script>'></iframe>`,
      'a frame of data': `<iframe src='data:text/html,<img src="${http}/"><script>new WebSocket("${ws}")</script>'></iframe>`,
      'a picture in a picture': `<svg><image href="${http}/"/><use href="${http}/#a"/></svg>`,
      'a video': `<video src="${http}/" autoplay></video>`,
      'a hint': `<link rel="preconnect" href="${http}"><link rel="dns-prefetch" href="${http}"><link
      rel="prefetch" href="${http}/"><link rel="prerender" href="${http}/"><link rel="modulepreload" href="${http}/">`,
      'a hint in a header': '/hint',
      fetch: `<script>fetch('${http}/'); fetch('/redirect', { mode: 'no-cors' })</script>`,
      XMLHttpRequest: `<script>x = new XMLHttpRequest(); x.open('GET', '${http}/'); x.send()</script>`,
      EventSource: `<script>new EventSource('${http}/')</script>`,
      sendBeacon: `<script>navigator.sendBeacon('${http}/', 'x')</script>`,
      'a ping': `<a id="a" href="#" ping="${http}/">x</a><script>a.click()</script>`,
      'a report': `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; report-uri ${http}/"><img src="/x">`,
      WebSocket: `<script>new WebSocket('${ws}')</script>`,
      WebRTC: `<script>p = new RTCPeerConnection({ iceServers: [{ urls: 'turn:127.0.0.1:${port}?transport=tcp',
      username: 'a', credential: 'b' }] }); p.createDataChannel('x'); p.createOffer().then((o) => p.setLocalDescription(o))</script>`,
      'a worker': worker(`fetch("${http}/"); new WebSocket("${ws}"); importScripts("${http}/")`),
      'a worker of data': `<script>new Worker('data:text/javascript,new WebSocket("${ws}")')</script>`,
      'a worker of a worker': worker(
        `new Worker(URL.createObjectURL(new Blob(['new WebSocket("${ws}"); ${transport}'])))`,
      ),
      WebTransport: `<script>${transport}</script>`,
      'WebTransport in a worker': worker(transport),
      'WebTransport in a worker of data': `<script>new Worker('data:text/javascript,${transport}')</script>`,
      'WebRTC by UDP': `<script>p = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${port}' }] });
        p.createDataChannel('x'); p.createOffer().then((o) => p.setLocalDescription(o))</script>`,
      'a frame of a blob': `<iframe id="f"></iframe><script>f.src = URL.createObjectURL(new Blob(
        ['<script>new WebSocket("${ws}");open("${http}/")<\\/script>'], { type: 'text/html' }))</script>`,
      'a payment handler': `<script>new PaymentRequest([{ supportedMethods: '${http}/pay' }], { total: { label: 'a',
        amount: { currency: 'USD', value: '1' } } }).canMakePayment()</script>`,
      'an identity provider': `<script>navigator.credentials.get({ identity: { providers: [{ clientId: '1',
        configURL: '${http}/fedcm' }] } })</script>`,
      'an identity provider in a frame': `<iframe srcdoc="<script>navigator.credentials.get({ identity: { providers: [{
        clientId: '1', configURL: '${http}/fedcm' }] } })</script>"></iframe>`,
      'a worker of its site': `<script>new Worker('/worker.js')</script>`,
      'a shared worker': `<script>new SharedWorker('/worker.js')</script>`,
      'a service worker': `<script>navigator.serviceWorker.register('/worker.js')</script>`,
      'a window': `<script>open('${http}/'); w = open(''); if (w) w.location = '${http}/'</script>`,
      'a link to a window': `<a id="a" target="_blank" href="${http}/">x</a><script>a.click()</script>`,
      'a form to a window': `<form id="f" target="_blank" action="${http}/"></form><script>f.submit()</script>`,
    };

    beforeAll(() => {
      site.pages['/redirect'] = (_request, response) =>
        response.writeHead(302, { Location: `${http}/` }).end();
      site.pages['/prerendered'] = `<script>new WebSocket('${ws}'); ${transport}</script>`;
      site.pages['/hint'] = (_request, response) =>
        response
          .writeHead(200, { 'Content-Type': 'text/html', Link: `<${http}>; rel=preconnect` })
          .end();
      site.pages['/worker.js'] = (_request, response) =>
        response
          .writeHead(200, { 'Content-Type': 'text/javascript' })
          .end(`fetch('${http}/').catch(() => {}); new WebSocket('${ws}'); onconnect = () => {}`);
    });

    if (!chromium) print('skipped: speculation rules, which the browser from npm follows');
    else {
      asks['speculation rules'] =
        `<script type="speculationrules">{ "prefetch": [{ "source": "list", "urls": ["${http}/"],
      "eagerness": "immediate" }], "prerender": [{ "source": "list", "urls": ["/prerendered"], "eagerness": "immediate" }] }</script>`;
    }

    it.concurrent.each(Object.keys(asks))('is shown without it: %s', async (name) => {
      const page = asks[name]!;
      const path = page.startsWith('/') ? page : `/asks-${encodeURIComponent(name)}`;
      site.pages[path] ??= `<!doctype html><h1>Hello</h1>${page}`;
      expect(await shoot({ url: site.url + path })).toEqual({ status: 200, message: '' });
    });
  });
});
