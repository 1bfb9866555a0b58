import { expect, test } from 'vitest';
import type { Session } from './model';
import { type HolderFacts, judge } from './verdict';

const nowMs = 1_000_000;

type Facts = NonNullable<HolderFacts['session']>;
const session = (change: Partial<Facts> = {}): Facts => ({
  node: 'n1',
  nodeStatus: 'passing',
  ttlMs: 15_000,
  checks: [{ name: 'Serf Health Status', status: 'passing' }],
  ...change,
});
const judged = (change: Partial<HolderFacts>) =>
  judge({
    session: session(),
    onlyNodeChecks: true,
    onServer: false,
    recorded: true,
    entry: 'locked',
    entryKey: null,
    renewing: null,
    nowMs,
    ...change,
  });
const check = (status: Session['checks'][number]['status']) => [{ name: 'web', status }];

test.each([
  ['a session with a TTL whose checks pass', {}, 'alive', 'bounded'],
  ['a node that cannot be seen', { session: session({ nodeStatus: 'unknown' }) }, 'alive', 'bounded'],
  ['a check that cannot be read', { session: session({ checks: check('unknown') }) }, 'unknown', 'bounded'],
  ['a critical node', { session: session({ nodeStatus: 'critical' }) }, 'suspect', 'bounded'],
  ['a node that is gone', { session: session({ nodeStatus: 'gone' }) }, 'suspect', 'bounded'],
  [
    'a Consul server that is critical, on which the session merely was made',
    { session: session({ nodeStatus: 'critical' }), onServer: true },
    'alive',
    'bounded',
  ],
  [
    'the same without a TTL and a check',
    { session: session({ nodeStatus: 'critical', ttlMs: null, checks: [] }), onServer: true },
    'immortal',
    'never',
  ],
  ['a critical check of its own', { session: session({ checks: check('critical') }) }, 'suspect', 'bounded'],
  ['no TTL, node checks only', { session: session({ ttlMs: null }) }, 'node-bound', 'with-node'],
  [
    'no TTL, node checks only, node critical',
    { session: session({ ttlMs: null, nodeStatus: 'critical' }) },
    'suspect',
    'with-node',
  ],
  [
    'no TTL, a check of a service',
    { session: session({ ttlMs: null, checks: check('passing') }), onlyNodeChecks: false },
    'alive',
    'unknown',
  ],
  [
    'no TTL and no check',
    { session: session({ ttlMs: null, checks: [] }), onlyNodeChecks: false },
    'immortal',
    'never',
  ],
  ['a TTL and no check', { session: session({ checks: [] }), onlyNodeChecks: false }, 'alive', 'bounded'],
  ['a session that is not visible', { session: null }, 'unknown', 'unknown'],
  ['recorded, but it locks nothing', { entry: 'none' }, 'ghost', 'unknown'],
  ['recorded, locks nothing, session not visible', { entry: 'none', session: null }, 'ghost', 'unknown'],
  [
    'a ghost on a critical node is a ghost first',
    { entry: 'none', session: session({ nodeStatus: 'critical' }) },
    'ghost',
    'unknown',
  ],
  ['recorded by other rules, its session lives', { entry: 'may-live' }, 'unknown', 'unknown'],
  ['recorded by other rules, no session in view', { entry: 'may-live', session: null }, 'unknown', 'unknown'],
  ['its entry may lie out of view', { entry: 'not-in-view' }, 'unknown', 'bounded'],
] as const)('%s', (_about, facts, verdict, kind) => {
  const judgement = judged(facts);
  expect(judgement.verdict).toBe(verdict);
  expect(judgement.expiry.kind).toBe(kind);
});

test('a TTL bounds the end by two TTLs from an unseen renewal, so no instant is claimed', () => {
  expect(judged({}).expiry).toEqual({
    kind: 'bounded',
    withinMs: 30_000,
    latestMs: null,
    lastRenewalMs: null,
  });
});

test('every verdict names its evidence and where it was read', () => {
  expect(judged({ entryKey: 'jobs/a' }).evidence).toEqual([
    { code: 'recorded-as-holder', source: 'kv', detail: null, atMs: null },
    { code: 'holds-entry', source: 'kv', detail: 'jobs/a', atMs: null },
    { code: 'session-exists', source: 'session', detail: null, atMs: null },
    { code: 'ttl', source: 'session', detail: '15s', atMs: null },
    { code: 'node-passing', source: 'catalog', detail: 'n1', atMs: null },
    { code: 'node-checks-only', source: 'session', detail: 'n1', atMs: null },
    { code: 'checks-passing', source: 'catalog', detail: 'Serf Health Status', atMs: null },
    { code: 'renewals-not-observed', source: 'signalbox', detail: null, atMs: null },
  ]);
  expect(judged({ entry: 'none', session: null }).evidence.map(({ code }) => code)).toEqual([
    'recorded-as-holder',
    'no-entry-locked',
    'session-not-listed',
  ]);
  expect(judged({ entry: 'may-live', session: null }).evidence.map(({ code }) => code)).toEqual([
    'recorded-as-holder',
    'no-entry-locked',
    'may-need-no-entry',
    'session-not-listed',
  ]);
  expect(judged({ entry: 'not-in-view', session: null }).evidence.map(({ code }) => code)).toEqual([
    'recorded-as-holder',
    'view-incomplete',
    'session-not-visible',
  ]);
});

test('that a session has no checks is said only where nothing else ends it', () => {
  const codes = (ttlMs: number | null) =>
    judged({ session: session({ ttlMs, checks: [] }), onlyNodeChecks: false }).evidence.map((e) => e.code);
  expect(codes(null)).toContain('no-checks');
  expect(codes(15_000)).not.toContain('no-checks');
});

test('holders with the same facts share one list of evidence', () => {
  const [one, other] = [judged({ recorded: false }), judged({ recorded: false })];
  expect(other.evidence).toBe(one.evidence);
  expect(other.expiry).toBe(one.expiry);
  const elsewhere = judged({ recorded: false, session: session({ node: 'n2' }) });
  expect(elsewhere.evidence).not.toEqual(one.evidence);
  const named = judged({ entryKey: 'pool/s1' });
  expect(judged({ entryKey: 'pool/s2' }).evidence).not.toEqual(named.evidence);
});

test('a session on a Consul server says so, and that its holder does not end with that node', () => {
  const codes = (change: Partial<HolderFacts>) => judged(change).evidence.map(({ code }) => code);
  const bound = judged({ session: session({ ttlMs: null }), onServer: true });
  expect(bound).toMatchObject({ verdict: 'node-bound', expiry: { kind: 'with-node' } });
  expect(bound.evidence).toContainEqual({
    code: 'bound-to-server',
    source: 'catalog',
    detail: 'n1',
    atMs: null,
  });
  // A TTL, or a check of its own, ends it with its holder.
  expect(codes({ onServer: true })).toContain('server-node');
  expect(codes({ onServer: true })).not.toContain('bound-to-server');
  expect(codes({ session: session({ ttlMs: null }), onServer: true, onlyNodeChecks: false })).toContain(
    'server-node',
  );
  expect(codes({ session: session({ ttlMs: null }) })).not.toContain('bound-to-server');
});
