import { expect, test } from 'vitest';
import { createNudge } from './nudge';

test('one that is given early is kept, and none outlives its wait', async () => {
  const nudge = createNudge();
  nudge.give();
  nudge.give();
  await nudge.given(60_000);
  const startMs = performance.now();
  await nudge.given(20);
  expect(performance.now() - startMs).toBeGreaterThan(10);
  const waits = nudge.given(60_000);
  nudge.give();
  await waits;
});
