/**
 * A short run of `npm run chaos` (see `docs/faults.md`): the same stage, faults and invariants, on the build, with a page
 * in Chromium beside the other screens. CHAOS_SEED plays another order.
 */
import { expect, test } from '@playwright/test';
import { faults } from '@/quality/chaos/all';
import { chanceOf, shuffled } from '@/quality/chaos/chance';
import { agent } from '@/quality/chaos/ground';
import { watchInvariants } from '@/quality/chaos/invariants';
import { watchPage } from '@/quality/chaos/page-viewer';
import { play } from '@/quality/chaos/run';
import { raiseStage } from '@/quality/chaos/stage';
import { stopAll } from '@/test/support/consul';

const seed = Number(process.env.CHAOS_SEED ?? 1);
/** As short as each can be and still be noticed. */
const short: Readonly<Record<string, number>> = {
  'link-stalled': 6_000,
  'answer-garbled': 2_000,
  'status-503': 2_000,
  'agent-emptied': 500,
};

test('through faults of Consul and of the way to it no screen makes a false claim, no action is done twice or reported wrong, and every screen equals Consul afterwards', async ({
  page,
}) => {
  test.setTimeout(240_000);
  const stage = await raiseStage({ ground: agent, chance: chanceOf(seed), say: console.log });
  const invariants = watchInvariants(stage);
  try {
    const viewer = await watchPage(page, stage.server.baseUrl);
    stage.defer(viewer.close);
    stage.viewers.push(viewer);
    const chance = chanceOf(seed);
    for (const fault of shuffled(
      faults.filter(({ name }) => name in short),
      chance,
    )) {
      const lastsMs = short[fault.name] ?? 0;
      const played = await play(stage, invariants, { ...fault, lastsMs: [lastsMs, lastsMs] }, seed);
      expect(played.violations, fault.name).toEqual([]);
      // A fault that nothing noticed proves nothing.
      expect(played.said.length, fault.name).toBeGreaterThan(0);
    }
    const { deeds } = stage.workload.operator;
    expect(deeds.some(({ told }) => told === 'done')).toBe(true);
    expect(stage.workload.contenders.taken.ours).toBeGreaterThan(0);
    expect(stage.workload.contenders.taken.theirs).toBeGreaterThan(0);
  } finally {
    // Ended parts prove nothing about the present.
    await invariants.stop();
    await page.goto('about:blank');
    await stage.strike();
    await stopAll();
  }
});
