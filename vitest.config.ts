import { defineConfig } from 'vitest/config';

const alias = { '@': import.meta.dirname };

/** Two tiers: `unit` needs no daemon; `int` runs on real Consul agents that the tests start themselves. */
export default defineConfig({
  resolve: { alias },
  test: {
    projects: [
      {
        resolve: { alias },
        test: {
          name: 'unit',
          include: ['lib/**/*.test.ts', 'components/**/*.test.tsx', 'scripts/**/*.test.ts'],
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'int',
          include: ['test/**/*.test.ts'],
          setupFiles: ['test/support/leaks.ts'],
          globalSetup: ['test/support/orphans.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          fileParallelism: true,
          maxWorkers: 2,
        },
      },
    ],
  },
});
