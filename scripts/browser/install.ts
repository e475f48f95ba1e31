import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const root = resolve(import.meta.dirname, '../..');
const cache = join(root, '.wrangler/cache');
const names = ['google-chrome-stable', 'google-chrome', 'chromium', 'chromium-browser', 'chrome'];

interface Installation {
  /** Where to; a folder of one's own for a browser with settings of one's own. */
  folder?: string;
  /**
   * The private hosts that it may reach, in the form of ALLOW_PRIVATE_HOSTS: the browser then has a proxy
   * that connects to these and to the public Internet. Without this it has no proxy.
   */
  allowedHosts?: string;
}

interface Installed {
  /** A program that runs the browser. */
  program: string;
  /** Variables for whoever runs it, or runs wrangler. */
  environment: Record<string, string>;
}

/**
 * Puts a browser where `wrangler dev` looks for the one that it would download: Chrome or Chromium
 * of this machine (CHROME_PATH, or in PATH), else the one that npm brought. None where wrangler is to
 * download one: when it is not Linux on x64.
 */
export async function installBrowser(
  installation: Installation = {},
): Promise<Installed | undefined> {
  const { folder = cache, allowedHosts } = installation;
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const { path, environment = {} } = await findBrowser();
  // As root Chrome has no sandbox to offer, and in most containers neither.
  const sandbox = process.getuid!() === 0 || process.env.CI ? ' --no-sandbox' : '';
  let program = '';
  for (const version of await expectedVersions()) {
    const place = join(folder, `.wrangler/chrome/linux-${version}`);
    program = join(place, 'chrome-linux64/chrome');
    await mkdir(dirname(program), { recursive: true });
    const browser = `'${path}'${sandbox}`;
    const behindProxy =
      allowedHosts === undefined ? browser : `${proxied(allowedHosts)} ${browser}`;
    await replace(program, launcher(behindProxy));
    await writeFile(join(place, '.miniflare-install-complete'), '');
  }
  return { program, environment: { XDG_CACHE_HOME: folder, ...environment } };
}

/**
 * A program that runs the browser so that it connects nowhere ahead of time (preference 2: never), and
 * lets every page ask for what is on this machine, which is ours to allow (ALLOW_PRIVATE_HOSTS). Where
 * util-linux has it, the browser ends with whoever started it, however that ended.
 */
const launcher = (command: string) => `#!/bin/sh
export XDG_CACHE_HOME='${cache}'
for each in "$@"; do
  shift
  case "$each" in
    --user-data-dir=*)
      mkdir -p "\${each#*=}/Default"
      echo '{"net":{"network_prediction_options":2}}' > "\${each#*=}/Default/Preferences" ;;
    --disable-features=*) each="$each,LocalNetworkAccessChecks" ;;
  esac
  set -- "$@" "$each"
done
if setpriv --pdeathsig KILL true 2> /dev/null; then
  exec setpriv --pdeathsig KILL ${command} "$@"
fi
exec ${command} "$@"
`;

/** Runs a browser by run.ts, which looks up so many names at a time as there are threads. */
const proxied = (allowedHosts: string) =>
  `env 'ALLOW_PRIVATE_HOSTS=${allowedHosts.replaceAll("'", '')}' UV_THREADPOOL_SIZE=16 ` +
  `'${process.execPath}' '${join(import.meta.dirname, 'run.ts')}'`;

/** Writes a program in one step, because another service may be starting it just now. */
async function replace(path: string, content: string): Promise<void> {
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, content);
  await chmod(draft, 0o755);
  await rename(draft, path);
}

async function findBrowser(): Promise<{ path: string; environment?: Record<string, string> }> {
  if (process.env.CHROME_PATH) return { path: process.env.CHROME_PATH };
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    for (const name of names) {
      const path = join(folder, name);
      if (await exists(path)) return { path };
    }
  }
  return unpackedBrowser();
}

/** The Chromium of @sparticuz/chromium, unpacked once, with the libraries that a bare system lacks. */
async function unpackedBrowser() {
  const require = createRequire(import.meta.url);
  const entry = require.resolve('@sparticuz/chromium');
  const { version } = await packageOf(entry);
  const folder = join(cache, `chromium-${version}`);
  if (!(await exists(join(folder, 'chromium')))) {
    await mkdir(cache, { recursive: true });
    const draft = await mkdtemp(join(cache, 'unpacking-'));
    // It unpacks to the temporary folder, and its libraries only where it believes to be on Lambda.
    await promisify(execFile)(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `import c from ${JSON.stringify(entry)}; await c.executablePath();`,
      ],
      { env: { ...process.env, TMPDIR: draft, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' } },
    );
    // Whoever is first wins; the other one has unpacked the same.
    await rename(draft, folder).catch(() => rm(draft, { recursive: true }));
  }
  const bare = !(await exists('/etc/fonts/fonts.conf', constants.R_OK));
  if (bare) await writeFile(join(folder, 'fonts/fonts.conf'), fontsIn(join(folder, 'fonts')));
  const fonts = bare ? { FONTCONFIG_PATH: join(folder, 'fonts') } : {};
  const libraries = [process.env.LD_LIBRARY_PATH, join(folder, 'al2023/lib')].filter(Boolean);
  return {
    path: join(folder, 'chromium'),
    environment: { LD_LIBRARY_PATH: libraries.join(':'), ...fonts },
  };
}

const fontsIn = (folder: string) =>
  `<?xml version="1.0"?><fontconfig><dir>${folder}</dir><dir>/usr/share/fonts</dir></fontconfig>\n`;

/** The browser versions that wrangler and the test plugin would download, each by its own miniflare. */
async function expectedVersions(): Promise<Set<string>> {
  const versions = ['wrangler', '@cloudflare/vitest-plugin'].map(async (user) => {
    const { resolve } = createRequire(join(root, `node_modules/${user}/package.json`));
    const source = await readFile(resolve('miniflare'), 'utf8');
    return /BROWSER_VERSION = "([\d.]+)"/.exec(source)![1]!;
  });
  return new Set(await Promise.all(versions));
}

async function packageOf(entry: string): Promise<{ version: string }> {
  const file = join(dirname(entry), '../package.json');
  return JSON.parse(await readFile(file, 'utf8')) as { version: string };
}

const exists = (path: string, mode = constants.X_OK) =>
  access(path, mode).then(
    () => true,
    () => false,
  );
