import { defineConfig } from 'vitest/config';

const alias = { '@': import.meta.dirname };
// Lists of texts say what differs. The default of 40 characters leaves `[ Array(1) ]`, by which nobody finds a cause.
const chaiConfig = { truncateThreshold: 2_000 };

/** Two tiers: `unit` needs no daemon; `int` runs on real Consul agents that the tests start themselves. */
export default defineConfig({
  resolve: { alias },
  test: {
    projects: [
      {
        resolve: { alias },
        test: {
          name: 'unit',
          chaiConfig,
          // Vitest runs tiers with different workers one after the other only when told their order.
          sequence: { groupOrder: 0 },
          include: ['{app,components,lib,packages,quality/bench,scripts}/**/*.test.{ts,tsx}'],
          setupFiles: ['test/support/fresh.ts'],
          // Nothing here waits. But a machine that is busy with others may take ten times as long for all of it.
          testTimeout: 60_000,
          expect: { poll: { timeout: 30_000 } },
          // One worker for each of two cores, and for many files: a process for each of 190 files takes twice as long as what is
          // in them. Modules are made anew for each file, and none may leave anything behind in a global (`fresh.ts`).
          maxWorkers: 2,
          isolate: false,
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'int',
          chaiConfig,
          sequence: { groupOrder: 1 },
          include: ['{test,quality/chaos,quality/fuzz,quality/truth}/**/*.test.ts'],
          setupFiles: ['test/support/leaks.ts'],
          globalSetup: ['test/support/orphans.ts'],
          // Several waits of `until` fit into one test.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 30_000 } },
          fileParallelism: true,
          // Most of the time is spent waiting for Consul's own spans (TTLs, lock-delays, elections), so that two cores
          // have room for three.
          maxWorkers: 3,
        },
      },
    ],
  },
});
