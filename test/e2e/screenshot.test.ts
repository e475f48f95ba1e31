import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { post, service } from './call.ts';
import { chromium } from './chromium.ts';
import { startSite } from './pages.ts';
import { descendantsOf, isAlive } from './processes.ts';
import { print } from '../print.ts';

const solid = (colour: string, size = 'width:100vw;height:100vh') =>
  `<!doctype html><body style="margin:0"><div style="background:${colour};${size}"></div>`;

const dot = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#00f' } })
  .png()
  .toBuffer();

/** Answers after a while. */
const slowly = (ms: number, type: string, body: string | Buffer) =>
  ((_request, response) => {
    setTimeout(() => response.writeHead(200, { 'Content-Type': type }).end(body), ms);
  }) as Parameters<typeof startSite>[0][string];

const stack = (count: number) =>
  Array.from({ length: count }, (_, i) => {
    const filler = `<div style="height:1000px;background:hsl(${i * 40} 50% 50%)"></div>`;
    return `${filler}<img loading="lazy" src="/dot.png?${i}" style="width:40px;height:40px;display:block">`;
  }).join('');

const site = await startSite({
  '/red': solid('#f00'),
  '/missing-text': (_request, response) =>
    response.writeHead(404, { 'Content-Type': 'text/html' }).end(solid('#0f0')),
  '/missing-empty': (_request, response) => response.writeHead(404).end(),
  '/nothing': (_request, response) => response.writeHead(204).end(),
  '/download': (_request, response) =>
    response.writeHead(200, { 'Content-Disposition': 'attachment; filename="a.zip"' }).end('PK'),
  '/to-red': (_request, response) => response.writeHead(302, { Location: '/red' }).end(),
  '/ring': (_request, response) => response.writeHead(302, { Location: '/ring' }).end(),
  '/refresh': '<meta http-equiv="refresh" content="0; url=/red">',
  '/script-away': '<script>setTimeout(() => location = "/red", 100)</script>',
  '/silent': () => {},
  '/hangup': (request) => request.socket.destroy(),
  '/busy': '<script>for (;;);</script>',
  '/busy-later': `${solid('#f00')}<script>onload = () => setTimeout(() => { for (;;); }, 0)</script>`,
  '/slow-picture': `${solid('#f00')}<img src="/late.png">`,
  '/late.png': slowly(60_000, 'image/png', dot),
  '/fetched': `<!doctype html><body style="margin:0"><script>
    fetch('/colour').then((r) => r.text()).then((c) => document.body.style.background = c)</script>`,
  '/colour': slowly(300, 'text/plain', '#0f0'),
  '/forever': `${solid('#0f0')}<script>
    const again = () => fetch('/colour?' + Math.random()).then(again); again(); again(); again();</script>`,
  '/late-colour': `<!doctype html><body style="margin:0"><script>
    setTimeout(() => document.body.style.background = '#0f0', 1500)</script>`,
  '/tall': `<!doctype html><body style="margin:0">${stack(5)}`,
  '/taller': `<!doctype html><body style="margin:0">${stack(17)}`,
  '/dot.png': (_request, response) =>
    response.writeHead(200, { 'Content-Type': 'image/png' }).end(dot),
  '/scheme': `<!doctype html><style>html { background: #f00 }
    @media (prefers-color-scheme: dark) { html { background: #00f } }</style>`,
  '/empty': '<!doctype html>',
  '/parts': `<!doctype html><body style="margin:0;height:3000px"><div id="banner" style="position:fixed;
    inset:0;background:#f00"></div><div id="box" style="position:absolute;top:1500px;left:30px;width:64px;
    height:32px;background:#0f0"></div><p id="hidden" style="visibility:hidden">x</p><p id="gone" hidden>x</p>`,
  '/strict': (_request, response) =>
    response
      .writeHead(200, {
        'Content-Type': 'text/html',
        'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
      })
      .end(
        '<!doctype html><body style="margin:0;background:#0f0"><p style="height:999px;background:#f00">',
      ),
  '/annoying': `${solid('#0f0')}<script>
    onbeforeunload = () => 'stay'; alert('a'); confirm('b'); prompt('c'); print(); open('/popup');
    Notification.requestPermission(); navigator.geolocation.getCurrentPosition(() => {});</script>
    <a id="a" target="_blank" href="/popup"></a><a id="d" download href="/download"></a>
    <script>a.click(); d.click()</script>`,
  '/remember': `<!doctype html><body style="margin:0"><script>
    const known = document.cookie + localStorage.length + (window.name || '');
    document.cookie = 'a=b; max-age=999'; localStorage.a = 'b'; window.name = 'c';
    document.body.style.background = known === '0' ? '#0f0' : '#f00'</script>`,
  '/font': `<!doctype html><style>@font-face { font-family: x; src: url(/late-font) } p { font-family: x }</style><p>x`,
  '/late-font': slowly(700, 'font/woff2', 'no font'),
  '/crash': '<script>location = "chrome://crash"</script>',
  '/latin1': (_request, response) =>
    response
      .writeHead(200, { 'Content-Type': 'text/html; charset=iso-8859-1' })
      .end(
        Buffer.from(
          '<!doctype html><body style="margin:0"><script>document.body.style.background = "\xfc".length === 1 ? "#0f0" : "#f00"</script>',
          'latin1',
        ),
      ),
});
afterAll(() => site.stop());

/** With the test's site before an URL that is only a path. */
function onSite(input: Record<string, unknown>): Record<string, unknown> {
  const { url } = input;
  return typeof url === 'string' && url.startsWith('/') ? { ...input, url: site.url + url } : input;
}

interface Shot {
  status: number;
  type: string;
  width: number;
  height: number;
  /** Of a pixel, as `#rrggbb` with its opacity if that is not full. */
  at(x: number, y: number): string;
  message: string;
  answer: Response;
}

async function shoot(input: Record<string, unknown>): Promise<Shot> {
  const answer = await post('screenshot', onSite({ width: 320, height: 200, ...input }));
  const type = answer.headers.get('content-type')!;
  if (!answer.ok) {
    const { message } = (await answer.json()) as { message: string };
    return { status: answer.status, type, width: 0, height: 0, at: () => message, message, answer };
  }
  const picture = sharp(Buffer.from(await answer.arrayBuffer()));
  const { format } = await picture.metadata();
  expect(type).toBe(`image/${format}`);
  const { data, info } = await picture.ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return {
    status: answer.status,
    type,
    width: info.width,
    height: info.height,
    at(x, y) {
      const pixel = data.subarray((y * info.width + x) * 4, (y * info.width + x) * 4 + 4);
      return `#${pixel.toString('hex').replace(/ff$/, '')}`;
    },
    message: '',
    answer,
  };
}

const [red, green, blue] = ['#ff0000', '#00ff00', '#0000ff'];

describe('a picture of a page', () => {
  it('has the requested size and type, and costs five credits', async () => {
    const shot = await shoot({ url: '/red', width: 321, height: 123 });
    expect(shot).toMatchObject({ status: 200, type: 'image/png', width: 321, height: 123 });
    expect(shot.at(160, 60)).toBe(red);
    expect(shot.answer.headers.get('x-credits-cost')).toBe('5');
  });

  it('is 1280 × 720 by default', async () => {
    const shot = await shoot({ url: '/red', width: undefined, height: undefined });
    expect(shot).toMatchObject({ width: 1280, height: 720 });
  });

  it.each(['jpeg', 'webp'])('is %s of the quality that was asked for', async (format) => {
    const size = async (quality: number) => {
      const html = '<body style="background:repeating-conic-gradient(red, blue 9deg)">';
      const { status, answer } = await shoot({ html, format, quality });
      expect(status).toBe(200);
      return Number(answer.headers.get('content-length'));
    };
    expect(await size(95)).toBeGreaterThan(await size(5));
    expect((await shoot({ url: '/red', format: 'png', quality: 0 })).at(9, 9)).toBe(red);
  });

  it.each([
    ['/to-red', red],
    ['/refresh', red],
    ['/script-away', red],
    ['/missing-text', green],
    ['/missing-empty', '#ffffff'],
    ['/latin1', green],
  ])('shows where %s leads', async (url, colour) => {
    expect((await shoot({ url })).at(300, 190)).toBe(colour);
  });

  it('shows HTML in the request', async () => {
    const html = `<!doctype html><meta charset="latin1"><body style="margin:0"><img src="${site.url}/dot.png"
      style="width:100vw;height:100vh"><script>if ('ü€漢'.length !== 3) document.body.innerHTML = ''</script>`;
    expect((await shoot({ html })).at(160, 100)).toBe(blue);
  });

  it('waits until the network is nearly idle, and no longer than ten seconds', async () => {
    expect((await shoot({ url: '/fetched' })).at(9, 9)).toBe(green);
    expect((await shoot({ url: '/fetched', wait_until: 'domcontentloaded' })).at(9, 9)).toBe(
      '#ffffff',
    );
    expect((await shoot({ url: '/forever' })).at(9, 9)).toBe(green);
    expect((await shoot({ url: '/slow-picture' })).at(9, 9)).toBe(red);
  });

  it('waits for fonts, and for delay_ms', async () => {
    await shoot({ url: '/font' });
    expect((await shoot({ url: '/late-colour', wait_until: 'load' })).at(9, 9)).toBe('#ffffff');
    expect(
      (await shoot({ url: '/late-colour', wait_until: 'load', delay_ms: 2500 })).at(9, 9),
    ).toBe(green);
  });

  it('shows a full page, including lazily loaded pictures', async () => {
    const shot = await shoot({ url: '/tall', full: true });
    expect(shot).toMatchObject({ width: 320, height: 5200 });
    for (let i = 0; i < 5; i++) expect(shot.at(20, i * 1040 + 1020)).toBe(blue);
  });

  it('is a 422 when a page is higher than Chrome can capture', async () => {
    const { status, message } = await shoot({ url: '/taller', full: true });
    expect(status).toBe(422);
    expect(message).toContain('17680');
    expect((await shoot({ url: '/tall', full: true, device_scale_factor: 3 })).height).toBe(15_600);
  });

  it('has more pixels by device_scale_factor', async () => {
    expect(await shoot({ url: '/red', device_scale_factor: 2.5 })).toMatchObject({
      width: 800,
      height: 500,
    });
  });

  it('is dark on request', async () => {
    expect((await shoot({ url: '/scheme' })).at(9, 9)).toBe(red);
    expect((await shoot({ url: '/scheme', dark_mode: true })).at(9, 9)).toBe(blue);
  });

  it('is transparent on request, unless it is a JPEG', async () => {
    expect((await shoot({ url: '/empty', omit_background: true })).at(9, 9)).toBe('#00000000');
    expect((await shoot({ url: '/empty', omit_background: true, format: 'jpeg' })).at(9, 9)).toBe(
      '#ffffff',
    );
    expect((await shoot({ url: '/empty' })).at(9, 9)).toBe('#ffffff');
  });

  it('shows one element, and hides others', async () => {
    const shot = await shoot({
      url: '/parts',
      selector: '#box',
      hide_selectors: ['#banner', 'nav'],
    });
    expect(shot).toMatchObject({ width: 64, height: 32 });
    expect(shot.at(60, 30)).toBe(green);
    expect((await shoot({ url: '/parts' })).at(9, 9)).toBe(red);
  });

  it('hides elements on a page with a strict policy', async () => {
    expect((await shoot({ url: '/strict', hide_selectors: ['p'] })).at(9, 9)).toBe(green);
  });

  it('is not disturbed by dialogs, windows, downloads and questions', async () => {
    expect((await shoot({ url: '/annoying' })).at(9, 9)).toBe(green);
    expect(site.seen).not.toContain('/popup');
  });

  it('keeps no state of the previous call', async () => {
    for (let i = 0; i < 2; i++) expect((await shoot({ url: '/remember' })).at(9, 9)).toBe(green);
  });
});

describe('refused inputs', () => {
  it.each([
    [{}, 'url'],
    [{ url: '' }, 'url'],
    [{ url: 'example.com' }, 'url'],
    [{ url: 5 }, 'url'],
    [{ url: 'file:///etc/passwd' }, 'url'],
    [{ url: 'data:text/html,hello' }, 'url'],
    [{ url: 'javascript:alert(1)' }, 'url'],
    [{ url: 'chrome://version' }, 'url'],
    [{ url: 'view-source:http://example.com' }, 'url'],
    [{ url: 'http://[::1' }, 'url'],
    [{ url: '/ring' }, 'url'],
    [{ url: '/nothing' }, 'url'],
    [{ url: '/download' }, 'url'],
    [{ url: '/hangup' }, 'url'],
    [{ url: 'http://127.0.0.1:9/' }, 'url'],
    [{ url: 'http://no-such-name.invalid/' }, 'url'],
    [{ url: '/red', html: 'x' }, 'html'],
    [{ url: '/red', width: 3841 }, 'width'],
    [{ url: '/red', width: 0 }, 'width'],
    [{ url: '/red', width: 1.5 }, 'width'],
    [{ url: '/red', height: 2161 }, 'height'],
    [{ url: '/red', format: 'gif' }, 'format'],
    [{ url: '/red', quality: 101 }, 'quality'],
    [{ url: '/red', device_scale_factor: 4 }, 'device_scale_factor'],
    [{ url: '/red', selector: '#none' }, 'selector'],
    [{ url: '/red', selector: '<p>' }, 'selector'],
    [{ url: '/parts', selector: '#hidden' }, 'selector'],
    [{ url: '/parts', selector: '#gone' }, 'selector'],
    [{ url: '/red', hide_selectors: ['p', '{}'] }, 'hide_selectors.1'],
    [{ url: '/red', timeout_ms: 10 }, 'timeout_ms'],
  ])('400 for %j, naming %s', async (input, path) => {
    const answer = await post('screenshot', onSite(input));
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ code: 'invalid_request', errors: [{ path }] });
    expect(answer.headers.get('x-credits-cost')).toBe('0');
  });

  it.each(['/silent', '/busy', '/busy-later'])(
    '500 for a page that never opens: %s',
    async (url) => {
      const { status, message, answer } = await shoot({ url, timeout_ms: 1000 });
      expect(status).toBe(500);
      expect(message).toMatch(/did not open within 1 s|blocked its main thread/);
      expect(answer.headers.get('x-credits-cost')).toBe('0');
    },
    90_000,
  );
});

describe('concurrent calls', () => {
  /** Processes of the test service's browsers, one for each page among them. */
  const processes = () => descendantsOf(inject('service').frontPid).filter(isAlive);
  const renderers = () => processes().filter(({ args }) => args.includes('--type=renderer')).length;

  it('work eight at a time', async () => {
    const colours = ['#f00', '#0f0', '#00f', '#ff0', '#0ff', '#f0f', '#000', '#888'];
    const shots = await Promise.all(colours.map((colour) => shoot({ html: solid(colour) })));
    const seen = shots.map((shot) => shot.at(9, 9));
    expect(seen).toEqual(colours.map((colour) => colour.replace(/[0-9a-f]/g, '$&$&')));
  });

  it('leave nothing in the browser, also when their clients disconnect', async () => {
    const callers = Array.from({ length: 5 }, async (_, i) => {
      const { url, key } = service;
      const call = fetch(`${url}/api/screenshot`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify({ url: `${site.url}/forever` }),
        signal: AbortSignal.timeout(200 + i * 150),
      });
      await expect(call).rejects.toThrow('timeout');
    });
    await Promise.all(callers);
    await shoot({ url: '/red' });
    await expect.poll(renderers, { timeout: 30_000, interval: 500 }).toBeLessThanOrEqual(2);
  });

  it('succeed after the browser has died', async () => {
    expect((await shoot({ url: '/red' })).status).toBe(200);
    const browser = processes().find(
      ({ args }) =>
        args.some((each) => each.includes('browser-rendering')) &&
        args[0]!.includes('chrom') &&
        !args.some((each) => each.startsWith('--type=')),
    );
    process.kill(browser!.pid, 'SIGKILL');
    expect((await shoot({ url: '/red' })).at(9, 9)).toBe(red);
  });
});

/** Pages of many kinds for comparing pixels; none of them moves. */
const gallery: Record<string, string> = {
  text: `<h1>Grüße, мир, 世界 🌍</h1><p style="columns:3">${'The quick brown fox jumps over the lazy dog. '.repeat(60)}</p>`,
  table: `<table border="1">${'<tr><td>one<td>two<td style="background:linear-gradient(red,blue)">three'.repeat(20)}</table>`,
  flex: `<style>body{margin:0;display:grid;grid-template-columns:repeat(4,1fr);gap:9px}b{border-radius:12px;
    box-shadow:2px 2px 8px #888;padding:2em;background:#eef}</style>${'<b>Box</b>'.repeat(24)}`,
  drawn: `<canvas id="c" width="600" height="400"></canvas><svg width="300" height="300"><circle cx="150" cy="150"
    r="99" fill="teal"/></svg><script>const d=c.getContext('2d');for(let i=0;i<99;i++){d.fillStyle='hsl('+i*4+' 80% 50%)';
    d.fillRect(i*6,i*4,50,30)}</script>`,
  form: `<form><input value="text"><select><option>one</select><textarea>area</textarea><input type="checkbox" checked>
    <input type="range"><progress value=".3"></progress><button>Send</button></form>`,
  wide: `<div style="width:4000px;height:3000px;background:repeating-linear-gradient(45deg,#fff 0 20px,#06c 20px 40px)"></div>`,
};

describe('beside Chromium’s own --screenshot', () => {
  if (!chromium) print('skipped: comparing pixels, since no Chromium is installed');
  const folder = mkdtempSync(join(tmpdir(), 'screenshot-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const pixels = (picture: Buffer | string) => sharp(picture).removeAlpha().raw().toBuffer();

  it.runIf(chromium).each(Object.keys(gallery))('%s has the same pixels', async (name) => {
    site.pages[`/${name}`] = `<!doctype html><meta charset="utf-8">${gallery[name]}`;
    const file = join(folder, `${name}.png`);
    const options = [
      '--headless',
      '--no-sandbox',
      '--hide-scrollbars',
      '--force-color-profile=srgb',
    ];
    options.push('--window-size=1280,720', `--user-data-dir=${folder}`, `--screenshot=${file}`);
    await promisify(execFile)(chromium!, [...options, `${site.url}/${name}`]);
    const answer = await post('screenshot', { url: `${site.url}/${name}` });
    const ours = await pixels(Buffer.from(await answer.arrayBuffer()));
    const theirs = await pixels(file);
    expect(ours.length).toBe(theirs.length);
    let equal = 0;
    for (let i = 0; i < ours.length; i += 3)
      equal += Number(ours.compare(theirs, i, i + 3, i, i + 3) === 0);
    expect(equal / (ours.length / 3)).toBeGreaterThanOrEqual(0.995);
  });
});
