/** Hundreds of requests of any kind to the production build. `npm run fuzz` sends many more. */
import { expect, test } from '@playwright/test';
import { openStage, type Stage } from '@/quality/fuzz/served/stage';
import { assail, brokenText } from '@/quality/fuzz/target';
import { stopAll } from '@/test/support/consul';

let stage: Stage;
test.beforeAll(async () => {
  stage = await openStage();
});
test.afterAll(async () => {
  await stage.stop();
  await stopAll();
});

test('any input is answered without a bug, and nothing is written', async () => {
  test.setTimeout(240_000);
  const lanes = [1, 2, 3, 4].map((lane) => assail(stage.target, { cases: 100, seed: lane * 1_000_000 }));
  for (const result of await Promise.all(lanes)) {
    expect(brokenText(result)).toBe('');
    expect(result.cases).toBe(100);
  }
  await stage.check();
});
