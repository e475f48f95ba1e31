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
  /** Folder of the launcher; by default a shared one. A browser with a proxy needs a folder of its own. */
  folder?: string;
  /**
   * The value of ALLOW_PRIVATE_HOSTS. If set, the browser runs behind a proxy that connects to these hosts and
   * to the public Internet. If undefined, the browser has no proxy.
   */
  allowedHosts?: string;
}

interface Installed {
  /** Path of the script that runs the browser. */
  program: string;
  /** Environment variables for running the script or wrangler. */
  environment: Record<string, string>;
}

/**
 * Installs a browser at the path where wrangler and Miniflare expect their download. It is this machine's
 * Chrome or Chromium (CHROME_PATH, or in PATH), else the one of the npm package. Returns undefined on systems
 * other than Linux on x64, where wrangler downloads a browser itself.
 */
export async function installBrowser(
  installation: Installation = {},
): Promise<Installed | undefined> {
  const { folder = cache, allowedHosts } = installation;
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const { path, environment = {} } = await findBrowser();
  // Chrome's sandbox does not work as root, and in most containers of CI systems.
  const sandbox = process.getuid!() === 0 || process.env.CI ? ' --no-sandbox' : '';
  let program = '';
  for (const version of await expectedVersions()) {
    const place = join(folder, `.wrangler/chrome/linux-${version}`);
    program = join(place, 'chrome-linux64/chrome');
    await mkdir(dirname(program), { recursive: true });
    const browser = `'${path}'${sandbox}`;
    const runner = allowedHosts === undefined ? direct : proxied(allowedHosts);
    await replace(program, launcher(`${runner} ${browser}`));
    await writeFile(join(place, '.miniflare-install-complete'), '');
  }
  return { program, environment: { XDG_CACHE_HOME: folder, ...environment } };
}

/**
 * Returns a shell script that runs the browser. It disables preconnects and prefetches (preference 2: never),
 * and Chrome's own checks for local addresses, because ALLOW_PRIVATE_HOSTS decides on these. Where util-linux
 * has `setpriv`, the browser is killed when its parent process ends.
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

/** The command that runs a browser by direct.ts. */
const direct = `'${process.execPath}' '${join(import.meta.dirname, 'direct.ts')}'`;

/**
 * Returns the command that runs a browser by run.ts. One thread resolves one name at a time, hence 16 threads.
 */
const proxied = (allowedHosts: string) =>
  `env 'ALLOW_PRIVATE_HOSTS=${allowedHosts.replaceAll("'", '')}' UV_THREADPOOL_SIZE=16 ` +
  `'${process.execPath}' '${join(import.meta.dirname, 'run.ts')}'`;

/** Replaces an executable file atomically, because another process may be starting it at this moment. */
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

/** Returns the Chromium of @sparticuz/chromium, unpacked once, with libraries that minimal systems lack. */
async function unpackedBrowser() {
  const require = createRequire(import.meta.url);
  const entry = require.resolve('@sparticuz/chromium');
  const { version } = await packageOf(entry);
  const folder = join(cache, `chromium-${version}`);
  if (!(await exists(join(folder, 'chromium')))) {
    await mkdir(cache, { recursive: true });
    const draft = await mkdtemp(join(cache, 'unpacking-'));
    // The package unpacks to the temporary folder, and its libraries only if it detects AWS Lambda.
    await promisify(execFile)(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `import c from ${JSON.stringify(entry)}; await c.executablePath();`,
      ],
      { env: { ...process.env, TMPDIR: draft, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' } },
    );
    // Another process may have unpacked the same files meanwhile.
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

/** Returns the browser versions that wrangler's and the test plugin's Miniflare would download. */
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
