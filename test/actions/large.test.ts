/** Writes that Consul would not take for their size: the plan says so, and nothing is promised that cannot be done. */
import { afterAll, expect, test } from 'vitest';
import type { Action } from '@/lib/domain/actions/action';
import { lockFlags } from '@/lib/providers/consul/rows/coordination';
import { startConsul } from '@/test/support/consul';
import { actorOn, contender, entry, fresh, ghost, heldLock, planned, problem, row, signal } from './stage';

const consul = await startConsul();
const client = consul.client();
const actor = actorOn(client);
afterAll(() => consul.stop());

/** In base64 it is longer than the 524,288 bytes that a transaction may have. */
const note = 'x'.repeat(400_000);

/** A semaphore of one holder and one ghost. */
async function semaphore(more: string) {
  const prefix = fresh('pool');
  const id = await contender(client, prefix);
  const value = JSON.stringify({ Limit: 2, Holders: { [id]: true, [ghost(1)]: true }, Note: more });
  await entry(client, prefix, value);
  return { prefix, id };
}

async function expectTooLarge(action: Action): Promise<void> {
  const { code, why } = problem(await actor.plan(action, signal()));
  expect({ code, why: why?.code }).toEqual({ code: 'invalid', why: 'write-too-large' });
  expect(why?.code === 'write-too-large' ? why.facts.bytes : 0).toBeGreaterThan(524_288);
}

test('the plan of every write to an entry of 400 KB is refused for its size, and nothing is written', async () => {
  const { prefix, id } = await semaphore(note);
  const { key } = await heldLock(client, { value: note });
  const indexes = async () =>
    (await Promise.all([row(client, `${prefix}/.lock`), row(client, key)])).map((r) => r.modifyIndex);
  const before = await indexes();
  await expectTooLarge({ type: 'semaphore.resize', source: 'consul', prefix, limit: 5 });
  await expectTooLarge({ type: 'semaphore.prune', source: 'consul', prefixes: [prefix] });
  await expectTooLarge({
    type: 'semaphore.evict',
    source: 'consul',
    prefix,
    sessionId: id,
    how: 'slot-only',
  });
  await expectTooLarge({
    type: 'semaphore.evict',
    source: 'consul',
    prefix,
    sessionId: id,
    how: 'destroy-session',
  });
  await expectTooLarge({ type: 'lock.release', source: 'consul', key, how: 'hand-over' });
  expect(await indexes()).toEqual(before);
});

test('an action that writes no value of such an entry is planned all the same', async () => {
  const { key } = await heldLock(client, { value: note });
  planned(
    await actor.plan({ type: 'lock.release', source: 'consul', key, how: 'destroy-session' }, signal()),
  );
  const value = Buffer.from(note);
  const { session } = await row(client, key);
  await client.release({ key, value, flags: lockFlags, session: session ?? '' });
  planned(await actor.plan({ type: 'lock.delete', source: 'consul', key }, signal()));
});

test('one that is too large is left out of a batch, and the others are planned', async () => {
  const [small, large] = [await semaphore(''), await semaphore(note)];
  const prefixes = [small.prefix, large.prefix];
  const { plan } = planned(
    await actor.plan({ type: 'semaphore.prune', source: 'consul', prefixes }, signal()),
  );
  expect(plan.writes.map(({ target }) => target)).toEqual([`${small.prefix}/.lock`]);
  expect(plan.warnings).toEqual([{ code: 'left-out', facts: { prefixes: 1, names: large.prefix } }]);
});
