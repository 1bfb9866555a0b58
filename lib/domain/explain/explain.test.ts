import { expect, test } from 'vitest';
import { concerns } from '@/lib/domain/findings/finding';
import {
  countedLock,
  crossed,
  fairLock,
  full,
  holder,
  lock,
  semaphore,
  session,
  waiter,
  world,
} from '@/lib/domain/fixture/world';
import type { Evidence, Expiry, Lock, Semaphore, World } from '@/lib/domain/model';
import { findingsOf } from '@/lib/domain/rules/table';
import { isOf, subjectOf } from '@/lib/domain/subject';
import { explain, stuckFromMs, waitMs } from './explain';

const never: Expiry = { kind: 'never', withinMs: null, latestMs: null, lastRenewalMs: null };
const bounded: Expiry = { ...never, kind: 'bounded', withinMs: 30_000 };
const silent: Expiry = { ...never, kind: 'observed', withinMs: 30_000, latestMs: 50_000 };
const fact = (code: Evidence['code']): Evidence => ({ code, source: 'session', detail: null, atMs: null });
const seen = (atMs: number) => ({ atMs, basis: 'observed' as const });

/** With the findings that the rules themselves make of this world. */
function explained(row: Lock | Semaphore, over: Partial<World> = {}) {
  const all = world(row.kind === 'lock' ? { locks: [row], ...over } : { semaphores: [row], ...over });
  const of = subjectOf(row);
  const findings = findingsOf(all).filter((finding) => concerns(finding, of));
  expect([...all.locks, ...all.semaphores].some(isOf(of))).toBe(true);
  const [mend = null] = findings.flatMap((finding) => finding.mend ?? []);
  return explain({ of: row, findings, world: all, remedy: mend });
}

const codes = (row: Lock | Semaphore, over: Partial<World> = {}) => {
  const made = explained(row, over);
  return made && [made.blocks.map((one) => one.fact.code), made.ends.map((one) => one.fact.code)];
};

test('a silent holder of a lock ends by its time, and the lock-delay of its own session follows', () => {
  const held = lock({
    holder: holder('a', 'overdue', { expiry: silent, since: seen(0), evidence: [fact('ttl')] }),
  });
  const made = explained(held, { sessions: [session({ ttlMs: 15_000 })] });
  expect(made?.fromMs).toBe(0);
  expect(made?.ends).toEqual([
    {
      fact: { code: 'silent', who: 'a', atMs: 50_000, delayMs: 15_000, holds: 'session' },
      evidence: [fact('ttl')],
    },
  ]);
  expect(made?.blocks.map((one) => one.fact)).toEqual([
    { code: 'holder', who: 'a', verdict: 'overdue', since: seen(0), more: 0, holds: 'session' },
    { code: 'waits-untold', why: 'no-trace' },
  ]);
  expect(made?.now).toMatchObject({ action: { type: 'lock.release' } });
  const risks = made?.now && 'risks' in made.now ? made.now.risks.map(({ code }) => code) : [];
  expect(risks).toEqual(['split-brain', 'lock-delay-protects', 'holder-notices']);
});

test('of a holder whose session is hidden neither an end nor a lock-delay is said', () => {
  const hidden = holder('a', 'suspect', { session: null, evidence: [fact('session-not-visible')] });
  const made = explained(lock({ holder: hidden }));
  expect(made?.ends.map((one) => one.fact)).toEqual([{ code: 'hidden', who: 'a' }]);
  expect(made?.now && 'risks' in made.now && made.now.risks[0]).toEqual({
    code: 'lock-delay-protects',
    facts: { lockDelayMs: null },
  });
});

test('a lock-delay that is not known, or that a slot has none of, follows no end', () => {
  const overdue = holder('a', 'overdue', { expiry: silent });
  const sessions = [session({ ttlMs: 15_000 })];
  const endOf = (made: ReturnType<typeof explained>) => made?.ends[0]?.fact;
  expect(endOf(explained(lock({ holder: overdue })))).toMatchObject({ code: 'silent', delayMs: null });
  expect(endOf(explained(full('jobs', [overdue], [waiter('b')]), { sessions }))).toMatchObject({
    code: 'silent',
    delayMs: null,
  });
});

test('nothing is said to end what nothing ends, and no time is invented for an unknown beginning', () => {
  const immortal = holder('a', 'immortal', { expiry: never });
  const made = explained(full('jobs', [immortal], [waiter('b')]));
  expect(made?.ends.map((one) => one.fact)).toEqual([{ code: 'never', who: 'a' }]);
  expect(made?.blocks.map((one) => one.fact)).toContainEqual({
    code: 'holders',
    verdict: 'immortal',
    n: 1,
    who: 'a',
    since: null,
    holds: 'session',
  });
  expect(made?.blocks.map((one) => one.fact)).toContainEqual({ code: 'waits', n: 1, who: 'b', since: null });
});

test('a session on a server ends with no node of the holder, and one on an agent with its own', () => {
  const withNode: Expiry = { ...never, kind: 'with-node' };
  const session = { name: 'importer', node: 'server-1' };
  const endOf = (code: Evidence['code']) => {
    const bound = holder('a', 'node-bound', { session, evidence: [fact(code)], expiry: withNode });
    return explained(full('jobs', [bound], [waiter('b')]))?.ends.map((one) => one.fact);
  };
  expect(endOf('bound-to-server')).toEqual([{ code: 'node', who: 'a', node: null }]);
  expect(endOf('node-checks-only')).toEqual([{ code: 'node', who: 'a', node: 'server-1' }]);
});

test('leaked slots come before live holders, and pruning them risks nothing', () => {
  const alive = holder('b', 'alive', { expiry: bounded, since: seen(5) });
  const made = explained(full('jobs', [alive, holder('g', 'ghost')], [waiter('c', { since: seen(9) })]));
  expect(made?.blocks.map((one) => one.fact.code)).toEqual(['slots', 'holders', 'holders', 'waits']);
  expect(made?.blocks[1]?.fact).toMatchObject({ verdict: 'ghost', n: 1 });
  expect(made?.ends.map((one) => one.fact.code)).toEqual(['dead', 'leak']);
  expect(made?.now).toEqual({
    action: { type: 'semaphore.prune', source: 'consul', prefixes: ['jobs'] },
    risks: [],
  });
});

test('a deadlock names both, ends by nothing in view, and one eviction ends it', () => {
  const both = crossed(['z']);
  const [a] = both.semaphores;
  const made = a && explained(a, both);
  expect(made?.blocks[0]?.fact).toEqual({ code: 'deadlock', clients: 2, first: 'x', second: 'y', behind: 1 });
  expect(made?.ends.map((one) => one.fact.code)).toEqual(['none-of-them']);
  expect(made?.now).toMatchObject({ action: { type: 'semaphore.evict' } });
});

/** `root` holds c; m1 holds b and waits for c; m2 holds a and waits for b; `last` waits for a. */
function chain(length: number): Semaphore[] {
  return Array.from({ length }, (_, i) =>
    full(
      `s${i}`,
      [holder(`m${i}`, 'alive', { since: seen(i), expiry: bounded })],
      [waiter(i === 0 ? 'last' : `m${i - 1}`, { since: seen(100) })],
    ),
  );
}

test('the root of a chain comes first, then who passes it on, and what ends it is about the root', () => {
  const semaphores = chain(3);
  const [first] = semaphores;
  const made = first && explained(first, { semaphores });
  expect(made?.fromMs).toBe(100 + waitMs);
  expect(made?.blocks.slice(0, 3).map((one) => one.fact)).toEqual([
    { code: 'root', who: 'm2', name: 's2', verdict: 'alive', since: seen(2) },
    { code: 'passes-on', who: 'm1', name: 's2', here: false },
    { code: 'passes-on', who: 'm0', name: 's1', here: true },
  ]);
  expect(made?.ends.map((one) => one.fact)).toEqual([
    { code: 'dead', who: 'm2', withinMs: 30_000, delayMs: null, holds: 'session' },
  ]);
  expect(made?.now).toMatchObject({ action: { type: 'semaphore.evict', prefix: 's2', sessionId: 'm2' } });
});

test('the middle of a long chain is counted', () => {
  const semaphores = chain(9);
  const [first] = semaphores;
  const made = first && explained(first, { semaphores });
  expect(made?.blocks.slice(0, 4).map((one) => one.fact)).toEqual([
    { code: 'root', who: 'm8', name: 's8', verdict: 'alive', since: seen(8) },
    { code: 'passes-on', who: 'm7', name: 's8', here: false },
    { code: 'between', clients: 6 },
    { code: 'passes-on', who: 'm0', name: 's1', here: true },
  ]);
});

test('a semaphore of which one holder waits for nothing is its own root', () => {
  const other = full('other', [holder('z')], [waiter('x')]);
  const own = full('own', [holder('x'), holder('free')], [waiter('w', { since: seen(0) })]);
  expect(codes(own, { semaphores: [own, other] })?.[0]).toEqual(['slots', 'holders', 'waits']);
});

test('waiters that rights may hide are said to be possible, and never counted as none', () => {
  const made = explained(semaphore({ holders: [holder('a', 'suspect')], part: true }));
  expect(made?.blocks.map((one) => one.fact.code)).toEqual(['slots', 'holders', 'waits-hidden']);
});

test('a lock of leases ends with its lease; who waits is counted where no name is known', () => {
  const held = countedLock({ waitingClients: 3 });
  expect(explained({ ...held, holder: held.holder && { ...held.holder, since: seen(0) } })).toMatchObject({
    fromMs: waitMs,
    blocks: [{ fact: { code: 'holder', holds: 'lease' } }, { fact: { code: 'waits-counted', n: 3 } }],
    ends: [{ fact: { code: 'lease', who: 'a', atMs: 60_000 } }],
    now: { action: { type: 'lock.release' }, risks: [{ code: 'holder-notices' }] },
  });
});

test('a dead head of a queue is the block, and no time is said for it', () => {
  const dead = waiter('dead', { verdict: 'ghost', evidence: [fact('redis-not-subscribed')] });
  const made = explained(fairLock([dead, waiter('b')], { state: 'free', holder: null }));
  expect(made?.blocks.map((one) => one.fact)).toEqual([
    { code: 'free' },
    { code: 'dead-head', who: 'dead', behind: 1 },
  ]);
  expect(made?.blocks[1]?.evidence).toEqual([fact('redis-not-subscribed')]);
  expect(made?.ends.map((one) => one.fact.code)).toEqual(['dead-head-stays']);
});

test('those who sleep beside a free lock are woken at no risk', () => {
  const made = explained(countedLock({ state: 'free', holder: null, waitingClients: 2 }));
  expect(made).toMatchObject({
    blocks: [{ fact: { code: 'asleep', n: 2 } }],
    ends: [{ fact: { code: 'waiters-time-out' } }],
    now: { action: { type: 'lock.wake' }, risks: [{ code: 'redis-wake-changes-nothing' }] },
  });
});

test('a record that nobody understands has no holder that could be named', () => {
  const broken = semaphore({
    limit: null,
    recorded: null,
    effective: null,
    holders: [],
    layout: 'unreadable',
    problems: [{ code: 'not-json', detail: null }],
    waiters: [waiter('b')],
  });
  expect(codes(broken)).toEqual([['unreadable', 'waits'], ['entry-stays']]);
});

test('of a lock whose nodes may each hold it, none is said to wait, however long it is there', () => {
  const first = waiter('a', { since: seen(0) });
  const other = lock({ layout: 'zookeeper-other', state: 'unknown', holder: null, waiters: [first] });
  expect(stuckFromMs({ of: other, findings: [] })).toBe(null);
  expect(explained(other)).toBe(null);
  const crossing = findingsOf(crossed()).find(({ code }) => code === 'deadlock');
  const found = explain({
    of: other,
    findings: crossing ? [crossing] : [],
    world: world({ locks: [other] }),
    remedy: null,
  });
  expect(found?.blocks.map((one) => one.fact.code)).toEqual(['deadlock', 'unknown']);
});

test('a semaphore whose nodes may not all be read is hidden, not broken', () => {
  const doubt = { limit: null, recorded: null, effective: null, part: true } as const;
  const pool = semaphore({
    ...doubt,
    holders: [holder('a', 'suspect')],
    waiters: [waiter('b', { since: seen(0) })],
  });
  expect(codes(pool)?.[0]).toEqual(['holders-hidden']);
  expect(stuckFromMs({ of: pool, findings: [] })).toBe(null);
});

test('a short wait, a free lock and a quiet one are not stuck', () => {
  const held = (since: number) => full('jobs', [holder('a')], [waiter('b', { since: seen(since) })]);
  expect(stuckFromMs({ of: held(1_000), findings: [] })).toBe(1_000 + waitMs);
  expect(stuckFromMs({ of: semaphore(), findings: [] })).toBe(null);
  expect(stuckFromMs({ of: lock(), findings: [] })).toBe(null);
  expect(
    stuckFromMs({
      of: fairLock([waiter('b', { since: seen(0) })], { state: 'free', holder: null }),
      findings: [],
    }),
  ).toBe(null);
  // Since when it waits is not known, so it may have just come.
  expect(stuckFromMs({ of: full('jobs', [holder('a')], [waiter('b')]), findings: [] })).toBe(null);
});
