/**
 * A narrow token's view is as true as the full one: hidden rows never count as absent. The four lies of a watch with
 * such a token, each made for real.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Semaphore } from '@/lib/domain/model';
import { isProblem } from '@/lib/domain/problem';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { contender, entry, fresh, heldLock, planned, recorded, session, signal } from '@/test/actions/stage';
import { serverOn, signedIn } from '@/test/identity/server';
import { makeToken } from '@/test/identity/tokens';
import { startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';

const consul = await startConsul({ acl: true });
const root = consul.client();
const server = serverOn(consul, { token: consul.token });
afterAll(async () => {
  await server.close();
  expect(server.bugs).toEqual([]);
  await consul.stop();
});
const [node = ''] = (await root.nodes()).value;
const everySession = 'session_prefix "" { policy = "read" } node_prefix "" { policy = "read" }';

beforeAll(async () => {
  const own = () => server.runtime.viewpoints.own.hub.snapshot().source.state;
  await until(() => own() === 'live', { what: 'the server sees' });
});

/** A reader with a token of these rules. */
async function person(rules: string) {
  const { secret } = await makeToken(consul, rules);
  const headers = await signedIn(server, secret);
  const look = async () => (await (await server.snapshot(headers)).json()) as Snapshot;
  await until(async () => (await look()).source.state === 'live', { what: 'it is live' });
  return { headers, look, provider: (await server.caller(headers)).viewpoint.provider };
}

/** One semaphore as this person is shown it, once that is so. */
const shown = (
  { look }: Awaited<ReturnType<typeof person>>,
  prefix: string,
  so: (of: Semaphore) => boolean,
) =>
  until(
    async () => {
      const found = (await look()).semaphores.find((one) => one.prefix === prefix);
      return found !== undefined && so(found) && found;
    },
    { what: `${prefix} as it is` },
  );

test('a hidden waiter is not taken for none', async () => {
  const prefix = fresh('pool/waited');
  const holder = await contender(root, prefix);
  const waiter = await contender(root, prefix);
  await entry(root, prefix, `{"Limit":1,"Holders":{"${holder}":true}}`);
  const all = `key_prefix "${prefix}/" { policy = "read" } ${everySession}`;
  const [narrow, wide] = [
    await person(
      `key "${prefix}/.lock" { policy = "read" } key "${prefix}/${holder}" { policy = "read" } ${everySession}`,
    ),
    await person(all),
  ];
  const told = await shown(narrow, prefix, ({ recorded: n }) => n === 1);
  expect(told).toMatchObject({ part: true, waiters: [], effective: 1 });
  expect(JSON.stringify(told)).not.toContain(waiter);
  const whole = await shown(wide, prefix, ({ waiters }) => waiters.length === 1);
  expect(whole.part).toBeUndefined();
});

test('a running lock-delay is shown to a reader without the right to its session, without its length', async () => {
  const { key, id } = await heldLock(root, { key: fresh('delayed/lock'), lockDelayMs: 60_000 });
  const { look } = await person(`key_prefix "delayed/" { policy = "read" }`);
  const mine = async () => (await look()).locks.find((lock) => lock.key === key);
  await until(async () => (await mine())?.state === 'held', { what: 'it is held' });
  await root.destroySession(id);
  const lock = await until(
    async () => {
      const now = await mine();
      return now?.state === 'delayed' && now;
    },
    { what: 'it is delayed' },
  );
  expect(lock).toMatchObject({ delay: null, delayedUntilMs: null });
  expect((await look()).source.endsSeenSinceMs).not.toBeNull();
});

test('a living holder whose session and entry may not be seen keeps its verdict, and says that it rests on more', async () => {
  const prefix = fresh('pool/judged');
  const live = await contender(root, prefix);
  await entry(root, prefix, `{"Limit":2,"Holders":{"${live}":true}}`);
  const { provider, ...narrow } = await person(`key "${prefix}/.lock" { policy = "write" }`);
  const told = await shown({ provider, ...narrow }, prefix, ({ holders }) => holders.length === 1);
  const [holder] = told.holders;
  expect(holder).toMatchObject({ sessionId: live, session: null, value: null });
  expect(['ghost', 'unknown']).not.toContain(holder?.verdict);
  expect(holder?.evidence.map(({ code }) => code)).toContain('evidence-withheld');
  expect(JSON.stringify(holder?.evidence)).not.toContain(node);
});

test('a holder that lives by a hidden entry beside the semaphore is neither called a ghost nor pruned', async () => {
  const prefix = fresh('red/side');
  const [live, dead] = [await session(root), await session(root)];
  await root.destroySession(dead);
  // A client lists by string prefix, so this keeps it alive, under another rule.
  await root.acquire({ key: `${prefix}B/${live}`, value: Buffer.from(''), flags: '0', session: live });
  await entry(root, prefix, `{"Limit":3,"Holders":{"${live}":true,"${dead}":true}}`);
  const mine = await person(`key_prefix "${prefix}/" { policy = "write" } ${everySession}`);
  const verdicts = async () =>
    new Map(
      (await mine.look()).semaphores
        .find((one) => one.prefix === prefix)
        ?.holders.map(({ sessionId, verdict }) => [sessionId, verdict]),
    );
  await until(async () => (await verdicts()).get(dead) === 'ghost', { what: 'the ghost' });
  expect((await verdicts()).get(live)).not.toBe('ghost');

  const prune = { type: 'semaphore.prune' as const, source: 'consul', prefixes: [prefix] };
  const { plan, expect: seen } = planned(await mine.provider.plan(prune, signal()));
  expect(plan.touches.map(({ subject }) => subject)).toEqual([
    { source: 'consul', kind: 'session', id: dead },
  ]);
  expect(JSON.stringify(plan)).not.toContain(`${prefix}B`);
  expect(await mine.provider.apply(prune, seen, signal())).toMatchObject({ done: true });
  expect(await recorded(root, prefix)).toEqual([live]);
  const again = await mine.provider.plan(prune, signal());
  expect(isProblem(again) && again.code).toBe('not-held');
});

test('a semaphore with a hidden waiter is not deleted as idle', async () => {
  const prefix = fresh('pool/idle');
  await entry(root, prefix, '{"Limit":1,"Holders":{}}');
  const waiter = await contender(root, prefix);
  const mine = await person(
    `key "${prefix}/.lock" { policy = "write" } key_prefix "${prefix}/" { policy = "write" } key "${prefix}/${waiter}" { policy = "deny" } ${everySession}`,
  );
  await shown(mine, prefix, ({ limit }) => limit === 1);
  const refusal = await mine.provider.plan({ type: 'semaphore.delete', source: 'consul', prefix }, signal());
  expect(isProblem(refusal) && refusal.code).toBe('forbidden');
  expect(JSON.stringify(refusal)).not.toContain(waiter);
});

test('flags are called wrong to readers of an entry that shows it, and to no one else', async () => {
  const prefix = fresh('pool/flags');
  const agreeing = await session(root);
  await root.acquire({
    key: `${prefix}/${agreeing}`,
    value: Buffer.from('x'),
    flags: '0',
    session: agreeing,
  });
  const other = await contender(root, prefix);
  await entry(root, prefix, '{"Limit":2,"Holders":{}}', '0');
  const [narrow, wide] = [
    await person(
      `key_prefix "${prefix}/" { policy = "read" } key "${prefix}/${other}" { policy = "deny" } ${everySession}`,
    ),
    await person(`key_prefix "${prefix}/" { policy = "read" } ${everySession}`),
  ];
  const isWarned = ({ problems }: Semaphore) => problems.some(({ code }) => code === 'wrong-flags');
  expect(
    isWarned(await shown(wide, prefix, ({ waiters, limit }) => limit === 2 && waiters.length === 2)),
  ).toBe(true);
  expect(
    isWarned(await shown(narrow, prefix, ({ waiters, limit }) => limit === 2 && waiters.length === 1)),
  ).toBe(false);
  const found = async ({ headers }: typeof wide) => (await server.findings(headers)).text();
  expect(await found(wide)).toContain('wrong-flags');
  expect(await found(narrow)).not.toContain('wrong-flags');
});

test('the layout reveals no contenders to a reader who may not read them', async () => {
  const prefix = fresh('pool/alike');
  const id = await session(root);
  await root.acquire({ key: `${prefix}/${id}`, value: Buffer.from('x'), flags: '0', session: id });
  await entry(root, prefix, '{"Limit":2,"Holders":{}}', '0');
  const [narrow, wide] = [
    await person(`key "${prefix}/.lock" { policy = "read" } ${everySession}`),
    await person(`key_prefix "${prefix}/" { policy = "read" } ${everySession}`),
  ];
  const kind = ({ layout, problems }: Semaphore) => [layout, ...problems.map(({ code }) => code)];
  expect(
    kind(await shown(wide, prefix, ({ waiters, limit }) => limit === 2 && waiters.length === 1)),
  ).toEqual(['guide-list']);
  // The content without any contender.
  expect(kind(await shown(narrow, prefix, ({ layout }) => layout === 'go-semaphore'))).toEqual([
    'go-semaphore',
    'wrong-flags',
  ]);
});
