import { cloudflareTest } from '@cloudflare/vitest-plugin';
import { defineConfig } from 'vitest/config';
import { installBrowser } from './scripts/browser/install.ts';
import { freePort } from './scripts/free-port.ts';
import { outputFile } from './scripts/test-report.ts';

// Ports of the converter, the resolver and the text model for the tests in workerd; test/outside.ts starts
// these. Vitest evaluates this file once for each project. The ports are kept in environment variables, so that
// all projects use the same ones.
process.env.TEST_CONVERTER_PORT ??= String(await freePort());
process.env.TEST_RESOLVER_PORT ??= String(await freePort());
process.env.TEST_TEXT_MODEL_PORT ??= String(await freePort());
process.env.CHILD_OUTPUT ??= outputFile;
Object.assign(process.env, (await installBrowser())?.environment);

/** End-to-end tests that run alone, because they measure time or inspect all processes of the service. */
const alone = ['credits', 'hostile', 'secrets', 'service', 'supervision'].map(
  (name) => `test/e2e/${name}.test.ts`,
);

const dispatcher = 'test/scripts/dispatcher.test.ts';

const endToEnd = {
  globalSetup: 'test/e2e/service.ts',
  testTimeout: 60_000,
  hookTimeout: 120_000,
};

export default defineConfig({
  test: {
    // Prints the console of failing tests only, and the durations of very slow tests only.
    silent: 'passed-only',
    slowTestThreshold: 30_000,
    // Most tests wait for other processes, so more files than cores run at the same time.
    maxWorkers: 3,
    projects: [
      {
        // Without warnings about missing source files in the source maps of packages.
        logLevel: 'error',
        plugins: [
          cloudflareTest({
            wrangler: { configPath: './wrangler.toml' },
            // Workers AI exists only at Cloudflare, and tests use no account.
            remoteBindings: false,
            miniflare: {
              bindings: {
                ADMIN_SECRET: 'operator',
                LINK_SECRET: 'links',
                RATE_LIMIT: '1000000',
                FREE_CREDITS: '0',
                CONVERTER_URL: `http://127.0.0.1:${process.env.TEST_CONVERTER_PORT}`,
                CONVERTER_SECRET: 'converter',
                // Empty for the offline engine.
                TEXT_MODEL_NAME: '',
                TEXT_MODEL_URL: `http://127.0.0.1:${process.env.TEST_TEXT_MODEL_PORT}`,
                DOH_URL: `http://127.0.0.1:${process.env.TEST_RESOLVER_PORT}`,
              },
            },
          }),
        ],
        test: {
          name: 'unit',
          // With this cache, Vitest sends a test file all the modules it imports in one WebSocket message, and
          // workerd closes a WebSocket whose message is over 32 MiB.
          fsModuleCache: false,
          sequence: { groupOrder: 0 },
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**', 'test/container/**', 'test/scripts/**', 'test/growth/**'],
          globalSetup: 'test/outside.ts',
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'scripts',
          sequence: { groupOrder: 0 },
          include: ['test/scripts/**/*.test.ts'],
          exclude: [dispatcher],
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'scripts-alone',
          // Alone, because its processes compute at the same time, and share the processors.
          sequence: { groupOrder: 2 },
          fileParallelism: false,
          include: [dispatcher],
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'container',
          sequence: { groupOrder: 0 },
          include: ['test/container/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'growth',
          // Alone, because it measures time.
          sequence: { groupOrder: 1 },
          fileParallelism: false,
          include: ['test/growth/**/*.test.ts'],
          testTimeout: process.env.GROWTH === 'long' ? 3_600_000 : 120_000,
        },
      },
      {
        test: {
          ...endToEnd,
          name: 'e2e',
          sequence: { groupOrder: 0 },
          include: ['test/e2e/**/*.test.ts'],
          exclude: alone,
        },
      },
      {
        test: {
          ...endToEnd,
          name: 'e2e-alone',
          sequence: { groupOrder: 2 },
          fileParallelism: false,
          include: alone,
        },
      },
    ],
  },
});
