/** An action's answer about its subject, beside the watch of the same provider. */
import { afterAll, expect, test } from 'vitest';
import type { Action } from '@/lib/domain/actions/action';
import type { Lock, Semaphore } from '@/lib/domain/model';
import { openStore } from '@/lib/server/store/store';
import { startConsul } from '@/test/support/consul';
import { asked, openDesk } from '@/test/support/desk';
import { freshFolder } from '@/test/support/stores';
import { until } from '@/test/support/until';
import { contender, entry, fresh, ghost, heldLock } from './stage';

const consul = await startConsul();
const client = consul.client();
const store = openStore({ folder: freshFolder() });
const desk = openDesk({ consul: consul.address, store, followMs: 1 });
afterAll(async () => {
  await desk.close();
  await store.close();
  await consul.stop();
});

const shown = (prefix: string, condition: (semaphore: Semaphore) => boolean) =>
  until(() => desk.hub.snapshot().semaphores.find((one) => one.prefix === prefix && condition(one)) ?? null, {
    what: 'the view shows the semaphore',
  });

async function outcomeOf<T extends Lock | Semaphore>(action: Action): Promise<{ after: T }> {
  const planned = await (await desk.post(asked({ mode: 'plan', action }))).json();
  const answer = await desk.post(asked({ mode: 'apply', action, reason: 'test', expect: planned.expect }));
  return (await answer.json()).outcome;
}

test('a remaining holder is held since the watch saw it come, and not since the answer', async () => {
  const prefix = fresh('pool');
  await entry(client, prefix, '{"Limit":3,"Holders":{}}');
  await shown(prefix, ({ recorded }) => recorded === 0);
  const stays = await contender(client, prefix);
  const goes = await contender(client, prefix);
  const waits = await contender(client, prefix);
  const { value } = await client.get(`${prefix}/.lock`);
  await client.cas({
    key: `${prefix}/.lock`,
    value: Buffer.from(`{"Limit":3,"Holders":{"${stays}":true,"${goes}":true,"${ghost(1)}":true}}`),
    flags: value?.flags ?? '',
    index: value?.modifyIndex ?? '',
  });
  const before = await shown(prefix, ({ holders, waiters }) => holders.length === 3 && waiters.length === 1);
  const sinceOf = (semaphore: Semaphore, id: string) =>
    [...semaphore.holders, ...semaphore.waiters].find((one) => one.sessionId === id)?.since;
  expect(sinceOf(before, stays)?.basis).toBe('observed');
  const actions: Action[] = [
    { type: 'semaphore.resize', source: 'consul', prefix, limit: 4 },
    { type: 'semaphore.prune', source: 'consul', prefixes: [prefix] },
    { type: 'semaphore.evict', source: 'consul', prefix, sessionId: goes, how: 'destroy-session' },
  ];
  for (const action of actions) {
    const { after } = await outcomeOf<Semaphore>(action);
    for (const id of [stays, waits]) expect(sinceOf(after, id)).toEqual(sinceOf(before, id));
  }
});

const lockShown = (key: string, state: Lock['state']) =>
  until(() => desk.hub.snapshot().locks.find((one) => one.key === key && one.state === state) ?? null, {
    what: `the view shows ${key} ${state}`,
  });

test.each([
  ['hand-over', 15_000, 'free'],
  ['destroy-session', 0, 'free'],
  ['destroy-session', 15_000, 'delayed'],
] as const)(
  'a lock freed by %s with a lock-delay of %i ms is answered as the watch then shows it: %s',
  async (how, lockDelayMs, state) => {
    const { key, id } = await heldLock(client, { value: 'whose', lockDelayMs });
    await lockShown(key, 'held');
    const beganMs = Date.now();
    const { after } = await outcomeOf<Lock>({ type: 'lock.release', source: 'consul', key, how });
    const endedMs = Date.now();
    const shown = await lockShown(key, state);
    // Both saw the session end, each at its own instant.
    const { delay, delayedUntilMs } = after;
    expect(after).toEqual({ ...shown, delay, delayedUntilMs });
    expect(after).toMatchObject({ key, state, holder: null, exists: true, value: { content: 'whose' } });
    if (state === 'free') expect([delay, delayedUntilMs]).toEqual([null, null]);
    else {
      expect(delay).toMatchObject({ sessionId: id, lengthMs: lockDelayMs, basis: 'seen' });
      expect(delayedUntilMs).toBeGreaterThanOrEqual(beganMs + lockDelayMs);
      expect(delayedUntilMs).toBeLessThanOrEqual(endedMs + lockDelayMs);
    }
  },
);
