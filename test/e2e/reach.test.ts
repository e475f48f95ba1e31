import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startResolver } from '../resolver/responder.ts';
import { post } from './call.ts';
import { chromium } from './chromium.ts';
import { startSite } from './pages.ts';
import { startOwnService } from './service.ts';

/** What nobody may reach: a server on the machine's own address. */
const secret = await startSite({});
/** A site that may be opened, since the service below is told so. */
const host = '127.0.0.5';
const site = await startSite({}, host);
const port = new URL(secret.url).port;
const [http, ws] = [secret.url, secret.url.replace('http', 'ws')];

let service: Awaited<ReturnType<typeof startOwnService>>;
let resolver: Awaited<ReturnType<typeof startResolver>>;

beforeAll(async () => {
  resolver = await startResolver();
  service = await startOwnService({ ALLOW_PRIVATE_HOSTS: host, DOH_URL: resolver.url });
});

afterAll(async () => {
  await service.stop();
  await resolver.stop();
  for (const each of [secret, site]) each.stop();
});

/** The status and message of a screenshot; nobody has connected to the secret server for it. */
async function shoot(input: Record<string, unknown>) {
  const before = secret.connections();
  const shot = { width: 64, height: 64, delay_ms: 200, ...input };
  const answer = await post('screenshot', shot, service.key, service.url);
  const { message } = answer.ok ? { message: '' } : ((await answer.json()) as { message: string });
  await answer.arrayBuffer().catch(() => {});
  await sleep(100);
  expect(secret.connections() - before).toBe(0);
  return { status: answer.status, message };
}

describe('addresses that are not on the public Internet', () => {
  it.each([
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
    'localhost.',
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

  it('refuses what the browser finds elsewhere than we did', async () => {
    const answer = await post(
      'screenshot',
      { url: `http://rebound.localhost:${port}/` },
      service.key,
      service.url,
    );
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      message: 'url: leads to rebound.localhost, which is not on the public Internet',
    });
  });

  it('says so when a name cannot be looked up', async () => {
    expect((await shoot({ url: 'http://servfail.test/' })).status).toBe(503);
  });

  it('opens a host that was excepted', async () => {
    site.pages['/'] = '<h1>Hello</h1>';
    expect((await shoot({ url: site.url })).status).toBe(200);
  });
});

describe('a page that leads there', () => {
  const away: Record<string, string | [number, Record<string, string>]> = {
    'a redirect': [302, { Location: `${http}/` }],
    'a redirect to another scheme': [302, { Location: 'file:///etc/passwd' }],
    'a header that refreshes': [200, { Refresh: `0; url=${http}/` }],
    'a meta element that refreshes': `<meta http-equiv="refresh" content="0; url=${http}/">`,
    'a script': `<script>location = '${http}/'</script>`,
    'a form': `<form id="f" method="post" action="${http}/"></form><script>f.submit()</script>`,
    'a link': `<a id="a" href="${http}/">x</a><script>a.click()</script>`,
  };

  it.each(Object.keys(away))('is refused: by %s', async (name) => {
    const page = away[name]!;
    site.pages['/away'] =
      typeof page === 'string' ? page : (_request, response) => response.writeHead(...page).end();
    expect(await shoot({ url: `${site.url}/away` })).toMatchObject({ status: 400 });
    if (typeof page === 'string') {
      expect(await shoot({ html: page })).toMatchObject({ status: 400 });
    }
  });
});

describe('a page that asks for something there', () => {
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
    site.pages['/hint'] = (_request, response) =>
      response
        .writeHead(200, { 'Content-Type': 'text/html', Link: `<${http}>; rel=preconnect` })
        .end();
    site.pages['/worker.js'] = (_request, response) =>
      response
        .writeHead(200, { 'Content-Type': 'text/javascript' })
        .end(`fetch('${http}/').catch(() => {}); new WebSocket('${ws}'); onconnect = () => {}`);
  });

  if (!chromium) console.log('skipped: speculation rules, which the browser from npm follows');
  else {
    asks['speculation rules'] =
      `<script type="speculationrules">{ "prefetch": [{ "source": "list", "urls": ["${http}/"],
      "eagerness": "immediate" }], "prerender": [{ "source": "list", "urls": ["/asks"], "eagerness": "immediate" }] }</script>`;
  }

  it.each(Object.keys(asks))('is shown without it: %s', async (name) => {
    const page = asks[name]!;
    site.pages['/asks'] = `<!doctype html><h1>Hello</h1>${page}`;
    const url = page.startsWith('/') ? site.url + page : `${site.url}/asks`;
    expect(await shoot({ url })).toEqual({ status: 200, message: '' });
  });
});
