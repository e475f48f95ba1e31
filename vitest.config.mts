import { cloudflareTest } from '@cloudflare/vitest-plugin';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      {
        plugins: [
          cloudflareTest({
            wrangler: { configPath: './wrangler.toml' },
            miniflare: {
              bindings: { ADMIN_SECRET: 'operator', LINK_SECRET: 'links', RATE_LIMIT: '1000000' },
            },
          }),
        ],
        test: {
          name: 'unit',
          sequence: { groupOrder: 0 },
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**'],
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'e2e',
          // After the others and one by one: start-up time is measured, and ports are fought for.
          sequence: { groupOrder: 1 },
          fileParallelism: false,
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: 'test/e2e/service.ts',
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
